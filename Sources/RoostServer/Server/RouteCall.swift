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

/// The place at which a page of a list of users begins.
///
/// Its token is the number of elements before the next page, and the last user of this one. The next
/// page begins behind that user, wherever the user is by then.
struct PageStart {
    let limit: Int
    /// The number of elements before the page; zero for the first page.
    let count: Int
    /// The last user before the page; nil for the first page.
    let last: UserID?

    init(_ fields: RequestFields) throws(ServerError) {
        limit = try fields.int("limit", in: 1...100) ?? 20
        let token = fields.string("token") ?? ""
        guard !token.isEmpty else {
            (count, last) = (0, nil)
            return
        }
        let parts = token.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let place = Int(parts[0]), place > 0 else {
            throw ServerError(
                .invalidValue, "The token is not from this list; start from the beginning.")
        }
        // A token of a client may be any number; the sum with a page must not overflow.
        (count, last) = (min(place, Int.max / 2), UserID(String(parts[1])))
    }
}

/// A page of a list of users.
struct Page<Element> {
    let elements: [Element]
    let next: String

    /// Makes the page of a list in memory.
    init(
        _ all: [Element], _ fields: RequestFields, _ user: (Element) -> UserID
    ) throws(ServerError) {
        let page = try PageStart(fields)
        var start = 0
        if let last = page.last {
            // Without the last user, the elements behind have moved up by one.
            start = all.firstIndex { user($0) == last }.map { $0 + 1 } ?? page.count - 1
        }
        let behind = all.dropFirst(start)
        self.init(
            at: start, limit: page.limit, Array(behind.prefix(page.limit + 1)), user)
    }

    /// Makes the page of a list in the storage.
    ///
    /// - Parameters:
    ///   - start: The place of the page.
    ///   - behind: The elements behind the place, one more than the page has if there are more.
    ///   - user: The user of an element.
    init(_ start: PageStart, _ behind: [Element], _ user: (Element) -> UserID) {
        self.init(at: start.count, limit: start.limit, behind, user)
    }

    private init(at start: Int, limit: Int, _ behind: [Element], _ user: (Element) -> UserID) {
        elements = Array(behind.prefix(limit))
        next =
            if let last = elements.last, behind.count > elements.count {
                "\(start + elements.count).\(user(last))"
            } else {
                ""
            }
    }
}
