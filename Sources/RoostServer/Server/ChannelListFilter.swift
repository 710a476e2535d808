// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// Which of their channels a user asks for (`protocol.md` 3.2); filters it does not know let all through.
struct ChannelListFilter {
    private let fields: RequestFields
    private let showsEmpty: Bool
    private let customTypes: [String]?
    private let urls: [ChannelURL]?
    private let exactMembers: Set<UserID>?
    private let someMembers: [UserID]?
    private let needsAllMembers: Bool
    private let isUnreadOnly: Bool
    private let createdAfter: Int64
    private let createdBefore: Int64

    init(_ query: [QueryItem], showsEmpty: Bool) throws(ServerError) {
        fields = try RequestFields(query: query)
        self.showsEmpty = showsEmpty
        let types = fields.list("custom_types") ?? fields.list("custom_type")
        customTypes = types?.contains("*") == true ? nil : types
        urls = fields.list("channel_urls")?.map { ChannelURL($0) }
        exactMembers = fields.users("members_exactly_in").map(Set.init)
        someMembers = fields.users("members_include_in")
        needsAllMembers = fields.string("query_type")?.uppercased() != "OR"
        isUnreadOnly = fields.string("unread_filter") == "unread_message"
        createdAfter = try fields.int64("created_after") ?? .min
        createdBefore = try fields.int64("created_before") ?? .max
    }

    /// Whether members or counts must be looked at as well.
    var needsStates: Bool { exactMembers != nil || someMembers != nil || isUnreadOnly }

    func matches(_ listing: ChannelListing) -> Bool {
        let record = listing.record
        guard listing.state != .none, showsEmpty || listing.lastMessageAt != nil,
            customTypes.map({ $0.contains(record.customType) }) ?? true,
            urls.map({ $0.contains(record.url) }) ?? true,
            fields.string("custom_type_startswith").map(record.customType.hasPrefix) ?? true,
            fields.string("name_startswith").map(record.name.hasPrefix) ?? true,
            record.createdAt.seconds > createdAfter || createdAfter == .min,
            record.createdAt.seconds < createdBefore || createdBefore == .max
        else { return false }
        return matchesName(record) && matchesModes(listing)
    }

    private func matchesName(_ record: ChannelRecord) -> Bool {
        guard let part = fields.string("name_contains"), !part.isEmpty else { return true }
        return record.name.lowercased().contains(part.lowercased())
    }

    private func matchesModes(_ listing: ChannelListing) -> Bool {
        let record = listing.record
        let isKindWanted =
            switch (fields.string("distinct_mode"), fields.string("super_mode")) {
            case ("distinct", _) where !record.isDistinct: false
            case ("nondistinct", _) where record.isDistinct: false
            case (_, "super") where !record.isSuper: false
            case (_, "nonsuper") where record.isSuper: false
            case (_, "broadcast_only"), (_, "exclusive_only"): false
            default: true
            }
        let isPublicWanted =
            switch fields.string("public_mode") {
            case "public": record.isPublic
            case "private": !record.isPublic
            default: true
            }
        let isStateWanted =
            switch fields.string("member_state_filter") {
            case "joined_only": listing.state == .joined
            case "invited_only", "invited_by_friend", "invited_by_non_friend":
                listing.state == .invited
            default: true
            }
        let isHiddenWanted =
            switch fields.string("hidden_mode") {
            case nil, "", "unhidden_only", "all": true
            default: false
            }
        return isKindWanted && isPublicWanted && isStateWanted && isHiddenWanted
    }

    func matches(_ state: ChannelState, viewer: UserID) -> Bool {
        if isUnreadOnly, state.unreadCount == 0 { return false }
        let members = Set(state.members.map(\.user.id))
        if let exactMembers, members != exactMembers.union([viewer]) { return false }
        guard let someMembers else { return true }
        return needsAllMembers
            ? someMembers.allSatisfy(members.contains)
            : someMembers.contains(where: members.contains)
    }
}
