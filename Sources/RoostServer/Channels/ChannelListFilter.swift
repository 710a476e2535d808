// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The filter of a user's list of channels (`docs/protocol` 3.2); unknown filters match every
/// channel.
///
/// A channel matches if its listing does and, where `needsMetadata` and `needsStates`, its metadata
/// and its state do too. Listings are cheap; metadata are heavy, and states need queries for members
/// and counts. The query is read once, because each channel of a user meets the filter. Parts of
/// texts are in lower case.
package struct ChannelListFilter {
    private let showsEmpty: Bool
    private let showsFrozen: Bool
    private let customTypes: Set<String>?
    private let urls: Set<ChannelURL>?
    private let names: Set<String>?
    private let metadataValues: Set<String>?
    private let nicknames: Set<String>?
    /// The texts in which `search_query` is looked for: the channel's name, the members' names.
    private let searchPlaces: [String]
    private let exactMembers: Set<UserID>?
    private let someMembers: [UserID]?
    private let needsAllMembers: Bool
    private let needsNicknames: Bool
    private let isUnreadOnly: Bool
    private let createdAfter: Int64
    private let createdBefore: Int64
    private let customTypeStart: String?
    private let nameStart: String?
    private let namePart: String?
    private let distinctMode: String?
    private let superMode: String?
    private let publicMode: String?
    private let metadataKey: String?
    private let metadataStart: String?
    private let memberState: String?
    private let publicMembership: String?
    private let hiddenMode: String?
    private let nicknamePart: String?
    private let nicknameStart: String?
    private let searchWords: String?

    /// Reads the filter from the query of a request.
    package init(
        _ query: [QueryItem], showsEmpty: Bool, showsFrozen: Bool = true
    ) throws(ServerError) {
        let fields = try RequestFields(query: query)
        self.showsEmpty = showsEmpty
        self.showsFrozen = showsFrozen
        let types = try fields.list("custom_types", "custom_type")
        customTypes = types?.contains("*") == true ? nil : types.map(Set.init)
        urls = try fields.list("channel_urls").map { Set($0.map { ChannelURL($0) }) }
        names = try fields.list("name").map(Set.init)
        metadataValues = try fields.list("metadata_values").map(Set.init)
        nicknames = try fields.list("members_nickname").map(Set.init)
        searchPlaces = try fields.list("search_fields", "search_field") ?? []
        exactMembers = try fields.users("members_exactly_in").map(Set.init)
        someMembers = try fields.users("members_include_in")
        needsNicknames =
            fields.query.contains { $0.name.hasPrefix("members_nickname") }
            || fields.string("search_query") != nil
        needsAllMembers = fields.string("query_type")?.uppercased() != "OR"
        isUnreadOnly = fields.string("unread_filter") == "unread_message"
        createdAfter = try fields.int64("created_after") ?? .min
        createdBefore = try fields.int64("created_before") ?? .max
        customTypeStart = fields.string("custom_type_startswith")
        nameStart = fields.string("name_startswith")
        namePart = fields.string("name_contains")?.lowercased()
        distinctMode = fields.string("distinct_mode")
        superMode = fields.string("super_mode")
        publicMode = fields.string("public_mode")
        metadataKey = fields.string("metadata_key")
        metadataStart = fields.string("metadata_value_startswith")
        memberState = fields.string("member_state_filter")
        publicMembership = fields.string("public_membership_mode")
        hiddenMode = fields.string("hidden_mode")
        nicknamePart = fields.string("members_nickname_contains")?.lowercased()
        nicknameStart = fields.string("members_nickname_startswith")
        searchWords = fields.string("search_query")?.lowercased()
    }

    /// Whether the filter needs the members or counts of a channel.
    package var needsStates: Bool { isUnreadOnly || needsMembers }

    /// Whether the filter needs the members of a channel.
    var needsMembers: Bool { exactMembers != nil || someMembers != nil || needsNicknames }

    /// Whether the filter needs the metadata of a channel, which a brief record lacks.
    package var needsMetadata: Bool { metadataKey?.isEmpty == false }

    /// Whether a channel in a user's list matches, without its metadata, members and counts.
    package func matches(_ listing: ChannelListing) -> Bool {
        listing.state != .none && (showsEmpty || listing.lastMessageAt != nil)
            && matches(listing.record) && matchesState(listing)
    }

    /// Whether a channel's properties match, without its metadata.
    func matches(_ record: ChannelRecord) -> Bool {
        guard customTypes.map({ $0.contains(record.customType) }) ?? true,
            urls.map({ $0.contains(record.url) }) ?? true,
            customTypeStart.map(record.customType.hasPrefix) ?? true,
            nameStart.map(record.name.hasPrefix) ?? true,
            names?.contains(record.name) ?? true,
            record.createdAt.seconds > createdAfter || createdAfter == .min,
            record.createdAt.seconds < createdBefore || createdBefore == .max
        else { return false }
        return matchesName(record) && matchesModes(record)
    }

    private func matchesName(_ record: ChannelRecord) -> Bool {
        guard let namePart, !namePart.isEmpty else { return true }
        return record.name.lowercased().contains(namePart)
    }

    private func matchesModes(_ record: ChannelRecord) -> Bool {
        let isKindWanted =
            switch (distinctMode, superMode) {
            case ("distinct", _) where !record.isDistinct: false
            case ("nondistinct", _) where record.isDistinct: false
            case (_, "super") where !record.isSuper: false
            case (_, "nonsuper") where record.isSuper: false
            case (_, "broadcast_only"): record.traits.isBroadcast
            case (_, "exclusive_only"): record.traits.isExclusive
            default: true
            }
        let isPublicWanted =
            switch publicMode {
            case "public": record.isPublic
            case "private": !record.isPublic
            default: true
            }
        return isKindWanted && isPublicWanted && (showsFrozen || !record.traits.isFrozen)
    }

    /// Whether a channel's metadata match.
    package func matchesMetadata(_ record: ChannelRecord) -> Bool {
        guard let metadataKey, !metadataKey.isEmpty else { return true }
        guard let value = record.traits.metadata[metadataKey] else { return false }
        if let metadataValues { return metadataValues.contains(value) }
        return metadataStart.map(value.hasPrefix) ?? true
    }

    /// Whether a public channel's last message and the membership of its viewer match.
    ///
    /// The platform, which is no viewer, has no membership.
    func matchesPublic(_ state: ChannelState, viewer: UserID?) -> Bool {
        guard showsEmpty || state.lastMessage(for: viewer) != nil else { return false }
        guard let viewer else { return true }
        let own = state.members.first { $0.user.id == viewer }?.state ?? .none
        return matches(own) && (publicMembership != "joined" || own == .joined)
    }

    private func matches(_ state: MembershipState) -> Bool {
        switch memberState {
        case "joined_only": state == .joined
        case "invited_only", "invited_by_friend", "invited_by_non_friend": state == .invited
        default: true
        }
    }

    private func matchesState(_ listing: ChannelListing) -> Bool {
        let isHiddenWanted =
            switch hiddenMode {
            case "all": true
            case "hidden_only": listing.hidden != .unhidden
            case "hidden_allow_auto_unhide", "hidden_allow_auto_hide":
                listing.hidden == .untilNextMessage
            case "hidden_prevent_auto_unhide": listing.hidden == .untilShown
            default: listing.hidden == .unhidden
            }
        return matches(listing.state) && isHiddenWanted
    }

    /// Whether a channel's members and counts match for a viewer.
    package func matches(_ state: ChannelState, viewer: UserID?) -> Bool {
        if isUnreadOnly, state.unreadCount == 0 { return false }
        let members = Set(state.members.map(\.user.id))
        if let exactMembers, members != exactMembers.union(viewer.map { [$0] } ?? []) {
            return false
        }
        guard matchesNicknames(state) else { return false }
        guard let someMembers else { return true }
        return needsAllMembers
            ? someMembers.allSatisfy(members.contains)
            : someMembers.contains(where: members.contains)
    }

    private func matchesNicknames(_ state: ChannelState) -> Bool {
        guard needsNicknames else { return true }
        let members = state.members.map(\.user.nickname)
        /// Whether a text has a part, which is in lower case.
        func contains(_ text: String, _ part: String) -> Bool {
            part.isEmpty || text.lowercased().contains(part)
        }
        if let nicknamePart, !members.contains(where: { contains($0, nicknamePart) }) {
            return false
        }
        if let nicknameStart, !members.contains(where: { $0.hasPrefix(nicknameStart) }) {
            return false
        }
        if let nicknames, !members.contains(where: nicknames.contains) { return false }
        guard let searchWords else { return true }
        // Clients spell the place of the members' names in two ways.
        let isInName =
            searchPlaces.contains("channel_name") && contains(state.record.name, searchWords)
        let asksMembers =
            searchPlaces.contains("member_nickname") || searchPlaces.contains("member_nick_name")
        return isInName || (asksMembers && members.contains { contains($0, searchWords) })
    }
}
