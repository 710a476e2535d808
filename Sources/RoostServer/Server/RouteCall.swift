// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// An admitted call of a route.
struct RouteCall: Sendable {
    let fields: RequestFields
    let standing: Standing
    /// The address of the server for this client, as the beginning of a URL.
    let address: String

    /// The user whom the path names.
    var subject: UserID { UserID(fields.pathParts[0]) }
    var channelURL: ChannelURL { fields.channelURL }
    /// Whether the call is about a user and no channel.
    let isAboutUser: Bool
    /// The segment of the path after the user or the channel.
    var detail: String? { fields.pathParts.count > 1 ? fields.pathParts[1] : nil }

    var caller: APICaller { standing.caller }

    /// Returns the caller, or the user whom the platform names.
    func actor() throws(ServerError) -> UserID { try standing.namedActor() }
}

/// A page of a list in memory; its token is the number of elements before it.
struct Page<Element> {
    let elements: [Element]
    let next: String

    init(_ all: [Element], _ fields: RequestFields) throws(ServerError) {
        let start = try fields.int("token", in: 0...Int.max) ?? 0
        let limit = try fields.int("limit", in: 1...100) ?? 20
        elements = Array(all.dropFirst(start).prefix(limit))
        let (end, isTooFar) = start.addingReportingOverflow(elements.count)
        next = !isTooFar && !elements.isEmpty && end < all.count ? String(end) : ""
    }
}
