// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension MemoryStorage {
    package func members(of url: ChannelURL, after id: UserID?, limit: Int) -> [MemberRecord] {
        guard let channel = channels[url] else { return [] }
        let members = channel.order(after: id).compactMap { member($0, channel) }
        return Array(members.filter { $0.state != .none }.prefix(limit))
    }

    package func memberCounts(of urls: [ChannelURL]) -> [ChannelURL: Int] {
        var counts: [ChannelURL: Int] = [:]
        for url in urls { counts[url] = channels[url]?.members.count }
        return counts
    }

    package func memberRecords(of url: ChannelURL, among ids: [UserID]) -> [MemberRecord] {
        guard let channel = channels[url] else { return [] }
        return Set(ids).compactMap { member($0, channel) }
    }

    package func operators(of urls: [ChannelURL]) -> [ChannelURL: [User]] {
        var operators: [ChannelURL: [User]] = [:]
        for url in urls {
            let found = memberRecords(of: url).filter { $0.role == .operator }.map(\.user)
            if !found.isEmpty { operators[url] = found }
        }
        return operators
    }

    package func restrictedMembers(
        of url: ChannelURL, by kind: Restriction.Kind, at now: Timestamp, after id: UserID?,
        limit: Int
    ) -> [MemberRecord] {
        guard let channel = channels[url] else { return [] }
        let members = channel.order(after: id).compactMap { member($0, channel) }
        return Array(
            members.filter { $0.traits[kind]?.isActive(at: now) == true }.prefix(limit))
    }

    package func restrictedCount(of url: ChannelURL, atMost limit: Int, now: Timestamp) -> Int {
        guard let channel = channels[url] else { return 0 }
        let count = channel.restrictedCount
        guard count >= limit else { return count }
        for id in channel.memberOrder {
            channel.memberships[id]?.traits.forgetRestrictions(endedBy: now)
        }
        return min(channel.restrictedCount, limit)
    }

    package func forgetHistory(
        of url: ChannelURL, through end: Timestamp, now: Timestamp
    ) -> Bool {
        guard let channel = channels[url] else { return false }
        for id in channel.members {
            guard var membership = channel.memberships[id] else { continue }
            membership.traits.messageOffset = max(membership.traits.messageOffset ?? end, end)
            membership.lastRead = max(membership.lastRead ?? end, end)
            channel.memberships[id] = membership
        }
        channel.change = nextChange(now)
        return true
    }
}

extension MemoryChannel {
    /// Returns the users with a row behind another one in the order of their entries; all for nil.
    func order(after id: UserID?) -> ArraySlice<UserID> {
        guard let id else { return memberOrder[...] }
        guard let place = memberOrder.firstIndex(of: id) else { return [] }
        return memberOrder[(place + 1)...]
    }

    /// The number of users with a ban or a mute, ended ones included.
    fileprivate var restrictedCount: Int { memberships.values.count { $0.traits.isRestricted } }
}
