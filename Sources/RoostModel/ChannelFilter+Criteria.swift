// SPDX-License-Identifier: Apache-2.0

extension ChannelFilter {
    /// One condition of a filter; a list names the conditions that a channel does not meet.
    public enum Criterion: String, Hashable, Codable, Sendable, CaseIterable {
        /// The conditions on state and kind: the fields of `ChannelFilter` of the same meaning.
        case membership, messages, frozen, hidden, unread, kind, publicity, distinctness, customType
        /// The conditions on names, members, metadata and the time of creation.
        case name, url, members, memberNickname, search, metadata, age
    }

    /// Returns the conditions that a channel does not meet; empty if a list shows the channel.
    ///
    /// - Parameters:
    ///   - channel: The channel as the cache has it.
    ///   - viewer: The user whose list it is.
    /// - Returns: All unmet conditions, in the order of `Criterion.allCases`.
    package func criteria(unmetBy channel: GroupChannel, viewer: UserID) -> [Criterion] {
        Criterion.allCases.filter { !only($0).matches(channel, viewer: viewer) }
    }

    /// Returns a filter with one condition of this filter and the default for all others.
    private func only(_ criterion: Criterion) -> ChannelFilter {
        var filter = ChannelFilter.everything
        switch criterion {
        case .membership: filter.membership = membership
        case .messages: filter.includesEmpty = includesEmpty
        case .frozen: filter.includesFrozen = includesFrozen
        case .hidden: filter.hidden = hidden
        case .unread: filter.isUnread = isUnread
        case .kind: filter.kind = kind
        case .publicity: filter.isPublic = isPublic
        case .distinctness: filter.isDistinct = isDistinct
        case .customType:
            (filter.customTypes, filter.customTypePrefix) = (customTypes, customTypePrefix)
        case .name: filter.name = name
        case .url: filter.urls = urls
        case .members: filter.members = members
        case .memberNickname: filter.memberNickname = memberNickname
        case .search: filter.search = search
        case .metadata: filter.metadata = metadata
        case .age: (filter.createdAfter, filter.createdBefore) = (createdAfter, createdBefore)
        }
        return filter
    }
}
