// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension MemoryStorage {
    package func createChannel(_ new: NewChannel, now: Timestamp) -> CreateOutcome {
        if let key = new.distinctKey, let url = distinct[key] {
            let standing = new.caller.flatMap { channels[url]?.memberships[$0]?.traits }
            if let standing, standing.isBanned(at: now) { return .banned }
            guard new.barred.isSubset(of: channels[url]?.members ?? []) else { return .barred }
            return .done(
                CreatedChannel(url: url, isCreated: false, joined: add(new, to: url, now: now)))
        }
        let url = new.record.url
        guard channels[url] == nil else { return .taken }
        guard new.barred.isEmpty else { return .barred }
        if let creator = new.record.createdBy,
            createdCount(by: creator, now: now) >= new.creatorLimit
        {
            return .tooMany
        }
        let channel = MemoryChannel(record: new.record, change: nextChange(now))
        if let before = deleted.removeValue(forKey: url) {
            channel.memberships = before.memberships
            channel.memberOrder = before.memberOrder
        }
        channels[url] = channel
        if let key = new.distinctKey { distinct[key] = url }
        let joined = add(new, to: url, now: now)
        for id in new.operators { channels[url]?.memberships[id]?.role = .operator }
        return .done(CreatedChannel(url: url, isCreated: true, joined: joined))
    }

    /// Returns the number of channels that a user has created, recently deleted ones included.
    private func createdCount(by creator: UserID, now: Timestamp) -> Int {
        let start = now.advanced(by: -StorageRules.deletionPeriod)
        return (Array(channels.values) + deleted.values).count { channel in
            channel.record.createdBy == creator && channel.deletedAt.map { $0 > start } ?? true
        }
    }

    /// Lets the members of a new channel in.
    private func add(_ new: NewChannel, to url: ChannelURL, now: Timestamp) -> [UserID] {
        new.runs.flatMap { state, members in
            addMembers(
                members, as: state, inviter: state == .invited ? new.inviter : nil, to: url,
                now: now)
        }
    }

    package func access(to url: ChannelURL, of id: UserID?) -> ChannelAccess? {
        guard let channel = channels[url] else { return nil }
        let membership = id.flatMap { channel.memberships[$0] }
        return ChannelAccess(
            record: channel.record, state: membership?.state ?? .none,
            role: membership?.role ?? .none, traits: membership?.traits ?? MemberTraits())
    }

    package func updateChannel(
        _ url: ChannelURL, now: Timestamp, _ change: @Sendable (inout ChannelRecord) -> Void
    ) -> ChannelRecord? {
        guard let channel = channels[url] else { return nil }
        change(&channel.record)
        channel.change = nextChange(now)
        return channel.record
    }

    package func deleteChannel(_ url: ChannelURL, now: Timestamp) -> Bool {
        guard let channel = channels.removeValue(forKey: url) else { return false }
        distinct = distinct.filter { $0.value != url }
        let change = nextChange(now)
        channel.log = []
        channel.requests = [:]
        channel.record.name = ""
        channel.record.data = ""
        channel.record.coverURL = ""
        channel.record.isDistinct = false
        channel.record.traits = ChannelTraits()
        for id in channel.members {
            channel.memberships[id]?.state = .none
            channel.memberships[id]?.change = change
        }
        for id in channel.memberOrder {
            channel.memberships[id]?.role = .none
            channel.memberships[id]?.hidden = .unhidden
            channel.memberships[id]?.traits = MemberTraits()
        }
        for (id, document) in documents where document.endsWithChannel(url) {
            documents[id]?.channelURL = nil
            documents[id]?.dueAt = document.dueAt.map { _ in Document.overdue }
        }
        channel.deletedAt = now
        deleted[url] = channel
        return true
    }

    package func channels(after url: ChannelURL?, limit: Int) -> [ChannelRecord] {
        let urls = channels.keys.sorted().drop { key in url.map { key <= $0 } ?? false }
        return urls.prefix(limit).compactMap { channels[$0]?.record.brief }
    }

    package func channelRecords(_ urls: [ChannelURL]) -> [ChannelRecord] {
        urls.compactMap { channels[$0]?.record }
    }

    package func memberRecords(of url: ChannelURL) -> [MemberRecord] {
        guard let channel = channels[url] else { return [] }
        return channel.memberOrder.compactMap { member($0, channel) }
    }

    package func updateMember(
        _ id: UserID, of url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout MemberRecord) -> Void
    ) -> MemberRecord? {
        guard let channel = channels[url], users[id] != nil else { return nil }
        let stamp = nextChange(now)
        if channel.memberships[id] == nil {
            channel.memberOrder.append(id)
            channel.memberships[id] = MemoryChannel.Membership(
                state: .none, role: .none, joinedAt: nil, lastRead: now, change: stamp)
        }
        guard var record = member(id, channel) else { return nil }
        change(&record)
        channel.memberships[id]?.role = record.role
        channel.memberships[id]?.lastRead = record.lastRead
        channel.memberships[id]?.hidden = record.hidden
        channel.memberships[id]?.traits = record.traits
        channel.change = stamp
        return member(id, channel)
    }

    @discardableResult
    package func addMembers(
        _ ids: [UserID], as state: MembershipState, inviter: UserID?, to url: ChannelURL,
        now: Timestamp
    ) -> [UserID] {
        guard let channel = channels[url] else { return [] }
        var changed: [UserID] = []
        let change = nextChange(now)
        for id in ids where users[id] != nil {
            let before = channel.memberships[id]?.state ?? .none
            let isBanned = channel.memberships[id]?.traits.isBanned(at: now) ?? false
            if before == .joined || before == state || isBanned { continue }
            if channel.memberships[id] == nil { channel.memberOrder.append(id) }
            var traits = channel.memberships[id]?.traits ?? MemberTraits()
            traits.admit(as: state, by: inviter, now: now)
            channel.memberships[id] = MemoryChannel.Membership(
                state: state, role: .none, joinedAt: state == .joined ? now : nil,
                lastRead: max(now, channel.log.last?.message.createdAt ?? now),
                traits: traits, change: change)
            changed.append(id)
        }
        if !changed.isEmpty { channel.change = change }
        return changed
    }

    package func removeMember(
        _ id: UserID, from url: ChannelURL, now: Timestamp
    ) -> Bool {
        guard let channel = channels[url], let membership = channel.memberships[id],
            membership.state != MembershipState.none
        else { return false }
        let change = nextChange(now)
        channel.memberships[id]?.state = .none
        channel.memberships[id]?.role = .none
        channel.memberships[id]?.change = change
        channel.change = change
        return true
    }

    package func memberIDs(of url: ChannelURL) -> [UserID] { channels[url]?.members ?? [] }

    package func someMemberIDs(of url: ChannelURL, atMost limit: Int) -> [UserID] {
        Array(memberIDs(of: url).prefix(limit))
    }

    package func audienceMembers(of url: ChannelURL) -> [AudienceMember] {
        guard let channel = channels[url] else { return [] }
        return channel.members.compactMap { id in
            channel.memberships[id].map {
                AudienceMember(
                    id: id, isJoined: $0.state == .joined, beginning: $0.traits.messageOffset)
            }
        }
    }

    package func channelStates(
        _ urls: [ChannelURL], viewer: UserID?, withMembers: Bool = true
    ) -> [ChannelState] {
        urls.compactMap { channels[$0] }.map { channel in
            let unread = unread(in: channel, of: viewer)
            let state = ChannelState(
                record: channel.record,
                members: channel.members.compactMap { member($0, channel) },
                lastMessage: channel.log.last {
                    $0.deletedAt == nil && $0.message.isCounted
                }.map { current($0.message) },
                unreadCount: unread.count,
                mentionCount: viewer.map { id in unread.filter { $0.mentions(id) }.count } ?? 0)
            return withMembers ? state : state.brief(for: viewer)
        }
    }

    func member(_ id: UserID, _ channel: MemoryChannel) -> MemberRecord? {
        guard let user = users[id], let membership = channel.memberships[id] else { return nil }
        return MemberRecord(
            user: user, state: membership.state, role: membership.role,
            joinedAt: membership.joinedAt, lastRead: membership.lastRead,
            deliveredAt: membership.deliveredAt, hidden: membership.hidden,
            traits: membership.traits)
    }

    private func unread(in channel: MemoryChannel, of id: UserID?) -> [Message] {
        guard let id, let membership = channel.memberships[id], membership.state == .joined else {
            return []
        }
        let mark = membership.lastRead ?? .distantPast
        let unread = channel.log.reversed().prefix { $0.message.createdAt > mark }.lazy.filter {
            $0.deletedAt == nil && $0.message.isCounted && $0.message.sender?.user.id != id
        }
        return unread.prefix(bounds.unread).map(\.message)
    }

    package func listings(of id: UserID) -> [ChannelListing] {
        (Array(channels.values) + deleted.values).compactMap { channel in
            guard let membership = channel.memberships[id] else { return nil }
            let change =
                membership.state == MembershipState.none ? membership.change : channel.change
            let offset = membership.traits.messageOffset ?? .distantPast
            let last = channel.log.last {
                $0.deletedAt == nil && $0.message.isCounted && $0.message.createdAt > offset
            }
            return ChannelListing(
                record: channel.record.brief, state: membership.state, hidden: membership.hidden,
                lastMessageAt: last?.message.createdAt, changeSequence: change.sequence,
                changedAt: change.at, settledSequence: currentSequence)
        }
        .sorted { $0.record.url < $1.record.url }
    }

    package func presentListings(of id: UserID) -> [ChannelListing] {
        listings(of: id).filter { $0.state != .none }
    }

    package func newestPlaces(of id: UserID, before end: Position) -> [NewestPlace] {
        channels.values.compactMap { channel in
            guard let membership = channel.memberships[id], membership.state == .joined,
                let place = channel.log.last(where: { entry in
                    entry.deletedAt == nil && entry.message.position.map { $0 < end } ?? false
                })?.message.position
            else { return nil }
            return NewestPlace(
                url: channel.record.url, position: place, traits: membership.traits)
        }
        .sorted { $0.url < $1.url }
    }

    package func markRead(_ url: ChannelURL, by id: UserID, now: Timestamp) -> Timestamp? {
        guard let channel = channels[url], let membership = channel.memberships[id],
            membership.state == .joined
        else { return nil }
        let newest = channel.log.last?.message.createdAt ?? now
        let mark = max(now, newest, membership.lastRead ?? now)
        channel.memberships[id]?.lastRead = mark
        channel.change = nextChange(now)
        return mark
    }

    package func markDelivered(_ marks: [DeliveryMark]) -> [DeliveryMark] {
        marks.filter { mark in
            guard let membership = channels[mark.channel]?.memberships[mark.user],
                membership.state == .joined,
                membership.deliveredAt.map({ $0 < mark.place }) ?? true
            else { return false }
            channels[mark.channel]?.memberships[mark.user]?.deliveredAt = mark.moment
            return true
        }
    }

    package func unreadCounts(in url: ChannelURL, of ids: Set<UserID>) -> [UserID: Int] {
        guard let channel = channels[url] else { return [:] }
        let members = ids.filter { channel.memberships[$0]?.state == .joined }
        return Dictionary(
            uniqueKeysWithValues: members.map { ($0, unread(in: channel, of: $0).count) })
    }

    package func unreadTotal(
        of id: UserID, atMost limit: Int = StorageRules.unreadLimit
    ) -> Int {
        let total = channels.values.reduce(0) { total, channel in
            let isCounted = member(id, channel)?.isCounted ?? false
            return total + (isCounted ? unread(in: channel, of: id).count : 0)
        }
        return min(total, limit)
    }
}
