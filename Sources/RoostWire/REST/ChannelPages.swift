// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One page of a channel's members (`docs/protocol` 3.3).
package struct ListMembers: Question {
    package var channelURL: ChannelURL
    package var query: MemberQuery
    package var token: String?

    package init(channelURL: ChannelURL, query: MemberQuery, token: String?) {
        self.channelURL = channelURL
        self.query = query
        self.token = token
    }

    package func encode() -> APIRequest {
        var fields = QueryBuilder()
        fields.add("token", token)
        fields.add("limit", min(max(1, query.pageSize), 100))
        fields.add("order", query.order.rawValue)
        fields.add("operator_filter", query.isOperator.map { $0 ? "operator" : "nonoperator" })
        fields.add("muted_member_filter", query.isMuted.map { $0 ? "muted" : "unmuted" })
        fields.add("member_state_filter", query.membership.map { "\($0.rawValue)_only" })
        fields.add("nickname_startswith", query.nicknamePrefix)
        fields.add("show_member_is_muted", true)
        fields.add("show_read_receipt", true)
        fields.add("show_delivery_receipt", true)
        return APIRequest(
            .get, ["group_channels", channelURL.rawValue, "members"], query: fields.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Page<Member> {
        try reader.readPage(of: "members") { reader throws(WireError) in try reader.readMember() }
    }
}

/// One page of users: a channel's operators, or users whom the user has blocked.
package struct ListPeople: Question {
    package enum Subject: Equatable, Sendable {
        case operators(ChannelURL)
        case blocked(by: UserID)
    }

    package var subject: Subject
    package var limit: Int
    package var token: String?

    package init(_ subject: Subject, limit: Int, token: String?) {
        self.subject = subject
        self.limit = limit
        self.token = token
    }

    package func encode() -> APIRequest {
        var fields = QueryBuilder()
        fields.add("token", token)
        fields.add("limit", min(max(1, limit), 100))
        let path =
            switch subject {
            case .operators(let url): ["group_channels", url.rawValue, "operators"]
            case .blocked(let id): ["users", id.rawValue, "block"]
            }
        return APIRequest(.get, path, query: fields.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Page<User> {
        try reader.readPage(of: "operators", "users") { reader throws(WireError) in
            try reader.readUser()
        }
    }
}

/// One page of a channel's muted or banned users.
package struct ListRestricted: Question {
    package var channelURL: ChannelURL
    package var isBan: Bool
    package var limit: Int
    package var token: String?

    package init(channelURL: ChannelURL, isBan: Bool, limit: Int, token: String?) {
        self.channelURL = channelURL
        self.isBan = isBan
        self.limit = limit
        self.token = token
    }

    package func encode() -> APIRequest {
        var fields = QueryBuilder()
        fields.add("token", token)
        fields.add("limit", min(max(1, limit), 100))
        return APIRequest(
            .get, ["group_channels", channelURL.rawValue, isBan ? "ban" : "mute"],
            query: fields.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Page<RestrictedUser> {
        try reader.readPage(of: "banned_list", "muted_list") { reader throws(WireError) in
            try reader.readRestrictedUser()
        }
    }
}

/// One page of the public channels (`docs/protocol` 3.2).
package struct ListPublicChannels: Question {
    package var filter: ChannelFilter
    package var limit: Int
    package var token: String?

    package init(filter: ChannelFilter, limit: Int, token: String?) {
        self.filter = filter
        self.limit = limit
        self.token = token
    }

    package func encode() -> APIRequest {
        var fields = QueryBuilder()
        fields.add("token", token)
        fields.add("limit", min(max(1, limit), 100))
        fields.add("show_empty", filter.includesEmpty)
        fields.add("show_frozen", filter.includesFrozen)
        ChannelExtras().add(to: &fields)
        fields.add(filter.query.filter { $0.name != "public_mode" })
        fields.add("public_mode", "public")
        fields.add("public_membership_mode", filter.membership == .joined ? "joined" : nil)
        return APIRequest(.get, ["group_channels"], query: fields.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Page<GroupChannel> {
        try reader.readPage(of: "channels") { reader throws(WireError) in
            try reader.readGroupChannel()
        }
    }
}

extension JSONReader {
    /// Reads a list under one of its names, and the token of the next page.
    mutating func readPage<Element: Equatable & Sendable>(
        of names: String..., element: (inout JSONReader) throws(WireError) -> Element
    ) throws(WireError) -> Page<Element> {
        var elements: [Element] = []
        var next = ""
        try readObject { name, reader throws(WireError) in
            switch name {
            case "next": next = try reader.readStringIfPresent() ?? ""
            case let name where names.contains(name): elements = try reader.readList(element)
            default: try reader.skipValue()
            }
        }
        return Page(elements, next: next.isEmpty ? nil : next)
    }

    /// Reads a user with their restriction and its end; -1 means no end.
    mutating func readRestrictedUser() throws(WireError) -> RestrictedUser {
        var user = UserFields()
        var restriction = RestrictionFields()
        try readObject { name, reader throws(WireError) in
            guard try !restriction.read(name, &reader) else { return }
            try user.read(name, &reader)
        }
        return restriction.restricted(try user.user(endingAt: position))
    }
}

/// The fields beside a restricted user's own.
struct RestrictionFields {
    private var until: Timestamp?
    private var reason = ""

    /// Consumes a field if it is one of these, and returns whether it is.
    mutating func read(_ name: String, _ reader: inout JSONReader) throws(WireError) -> Bool {
        switch name {
        case "end_at":
            let moment = try reader.readInt64IfPresent() ?? -1
            until =
                moment < 0 ? nil : Timestamp(milliseconds: moment).clamped(to: Timestamp.wireRange)
        case "description": reason = try reader.readStringIfPresent() ?? ""
        case "remaining_duration", "restriction_type", "start_at": try reader.skipValue()
        default: return false
        }
        return true
    }

    func restricted(_ user: User) -> RestrictedUser {
        RestrictedUser(user: user, until: until, reason: reason)
    }
}
