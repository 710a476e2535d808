// SPDX-License-Identifier: Apache-2.0

extension ChannelFilter {
    /// One thing a filter asks of a channel.
    public enum Criterion: String, Hashable, Sendable, CaseIterable {
        case membership, messages, frozen, hidden, unread, kind, publicity, distinctness, customType
        case name, url, members, memberNickname, search, metadata, age
    }

    /// Why a list leaves a channel out, all reasons; empty when it shows it.
    public func criteria(unmetBy channel: GroupChannel, viewer: UserID) -> [Criterion] {
        Criterion.allCases.filter { !only($0).matches(channel, viewer: viewer) }
    }

    /// A filter that asks for one thing and nothing else.
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
