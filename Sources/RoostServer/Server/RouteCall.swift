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

/// A page of a list of users in memory.
///
/// Its token is the number of elements before the next page, and the last user of this one. The next
/// page begins behind that user, wherever the user is by then.
struct Page<Element> {
    let elements: [Element]
    let next: String

    init(
        _ all: [Element], _ fields: RequestFields, _ user: (Element) -> UserID
    ) throws(ServerError) {
        let limit = try fields.int("limit", in: 1...100) ?? 20
        let token = fields.string("token") ?? ""
        var start = 0
        if !token.isEmpty {
            let parts = token.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, let place = Int(parts[0]), place > 0 else {
                throw ServerError(
                    .invalidValue, "The token is not from this list; start from the beginning.")
            }
            // Without the last user, the elements behind have moved up by one.
            start = all.firstIndex { user($0).rawValue == parts[1] }.map { $0 + 1 } ?? place - 1
        }
        let page = all.dropFirst(start).prefix(limit)
        elements = Array(page)
        next =
            if let last = page.last, page.endIndex < all.endIndex {
                "\(page.endIndex).\(user(last))"
            } else {
                ""
            }
    }
}
