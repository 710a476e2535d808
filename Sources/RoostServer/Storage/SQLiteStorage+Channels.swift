// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQLite
import RoostWire

extension SQLiteStorage {
    package func createChannel(
        _ new: NewChannel, now: Timestamp
    ) async throws(StorageError) -> CreateOutcome {
        while true {
            switch try create(new, now: now) {
            case .outcome(let outcome): return outcome
            case .remains(let channel): try await removeAllMessages(of: channel)
            }
        }
    }

    /// The result of one attempt to create a channel.
    private enum Creation {
        case outcome(CreateOutcome)
        /// The URL belongs to a deleted channel whose messages must be removed first.
        case remains(channel: Int64)
    }

    private func create(_ new: NewChannel, now: Timestamp) throws(StorageError) -> Creation {
        try write { db throws(SQLiteError) -> Creation in
            if let key = new.distinctKey, let (id, url) = try db.first(.distinctChannel, key) {
                if let caller = new.caller, try db.bans(caller, in: id, at: now) {
                    return .outcome(.banned)
                }
                guard try new.barred.isSubset(of: db.all(.memberIDs, url)) else {
                    return .outcome(.barred)
                }
                let joined = try db.add(new, to: id, now: now)
                return .outcome(
                    .done(CreatedChannel(url: url, isCreated: false, joined: joined)))
            }
            let url = new.record.url
            guard try db.first(.channelRow, url) == nil else { return .outcome(.taken) }
            guard new.barred.isEmpty else { return .outcome(.barred) }
            if let creator = new.record.createdBy, new.creatorLimit < .max {
                let start = now.advanced(by: -StorageRules.deletionPeriod)
                let count = try db.first(.createdChannels, (creator, start)) ?? 0
                guard count < new.creatorLimit else { return .outcome(.tooMany) }
            }
            if let remains = try db.first(.removalOfURL, url) { return .remains(channel: remains) }
            let change = try db.nextChange(now)
            guard let id = try db.first(.insertChannel, (new, change)) else {
                throw .malformed("channel", because: "The insertion returned no ID.")
            }
            let joined = try db.add(new, to: id, now: now)
            for user in new.operators { try db.execute(.makeOperator, (id, user)) }
            return .outcome(.done(CreatedChannel(url: url, isCreated: true, joined: joined)))
        }
    }

    package func access(
        to url: ChannelURL, of id: UserID?
    ) throws(StorageError) -> ChannelAccess? {
        try read { db throws(SQLiteError) in try db.first(.access, (url, id)) }
    }

    package func updateChannel(
        _ url: ChannelURL, now: Timestamp, _ change: @Sendable (inout ChannelRecord) -> Void
    ) throws(StorageError) -> ChannelRecord? {
        try write { db throws(SQLiteError) in
            guard let (id, before) = try db.first(.channel, url) else { return nil }
            var record = before
            change(&record)
            try db.execute(.updateChannel, (id, record))
            try db.touch(id, db.nextChange(now))
            return record
        }
    }

    package func channels(
        after url: ChannelURL?, limit: Int
    ) throws(StorageError) -> [ChannelRecord] {
        try read { db throws(SQLiteError) in
            try db.all(.channelsAfter, (url ?? ChannelURL(""), limit))
        }
    }

    package func channelRecords(
        _ urls: [ChannelURL]
    ) throws(StorageError) -> [ChannelRecord] {
        try read { db throws(SQLiteError) in
            let rows = try db.channels(urls)
            return urls.compactMap { rows[$0]?.1 }
        }
    }

    package func memberRecords(of url: ChannelURL) throws(StorageError) -> [MemberRecord] {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return [] }
            return readable(try db.all(.everyMember, channel)).map(\.member)
        }
    }

    package func updateMember(
        _ id: UserID, of url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout MemberRecord) -> Void
    ) throws(StorageError) -> MemberRecord? {
        try write { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url),
                let user = try db.first(.user, id)
            else { return nil }
            let stamp = try db.nextChange(now)
            if try db.first(.memberOf, (channel, user.id)) == nil {
                let stranger = NewMember(
                    channel: channel, user: user.id, place: try db.first(.nextPlace, channel) ?? 0,
                    state: .none, traits: MemberTraits(), now: now, change: stamp)
                try db.execute(.addMember, stranger)
            }
            guard var record = try db.first(.memberOf, (channel, user.id))?.member else {
                return nil
            }
            let before = record
            change(&record)
            record.user = before.user
            record.state = before.state
            record.joinedAt = before.joinedAt
            record.deliveredAt = before.deliveredAt
            try db.execute(.updateMember, (channel, user.id, record))
            try db.touch(channel, stamp)
            return record
        }
    }

    package func addMembers(
        _ ids: [UserID], as state: MembershipState, inviter: UserID?, to url: ChannelURL,
        now: Timestamp
    ) throws(StorageError) -> [UserID] {
        try write { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return [] }
            return try db.add(ids, as: state, by: inviter, to: channel, now: now)
        }
    }

    package func removeMember(
        _ id: UserID, from url: ChannelURL, now: Timestamp
    ) throws(StorageError) -> Bool {
        try write { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url),
                let user = try db.first(.user, id),
                try db.first(.isMember, (channel, user.id)) == true
            else { return false }
            let change = try db.nextChange(now)
            try db.execute(.removeMember, (channel, user.id, change))
            try db.touch(channel, change)
            return true
        }
    }

    package func memberIDs(of url: ChannelURL) throws(StorageError) -> [UserID] {
        try read { db throws(SQLiteError) in try db.all(.memberIDs, url) }
    }

    package func someMemberIDs(
        of url: ChannelURL, atMost limit: Int
    ) throws(StorageError) -> [UserID] {
        try read { db throws(SQLiteError) in try db.all(.someMemberIDs, (url, limit)) }
    }

    package func audienceMembers(of url: ChannelURL) throws(StorageError) -> [AudienceMember] {
        try read { db throws(SQLiteError) in try db.all(.audienceMembers, url) }
    }

    package func channelStates(
        _ urls: [ChannelURL], viewer: UserID?, withMembers: Bool
    ) throws(StorageError) -> [ChannelState] {
        try read { db throws(SQLiteError) in
            var states: [Int64: ChannelState] = [:]
            let rows = try db.channels(urls)
            let order = urls.compactMap { rows[$0]?.0 }
            for (id, record) in rows.values {
                states[id] = ChannelState(record: record)
            }
            let page = JSONValue.array(order.map { .int($0) }).text
            if withMembers {
                try db.forEach(.membersOfPage, page) { row in
                    guard let member = row.value else {
                        leaveOut(1)
                        return
                    }
                    states[member.channel]?.members.append(member.member)
                }
            } else {
                for (id, record) in rows.values {
                    states[id]?.tally = ChannelState.Tally()
                    states[id]?.members = try namedMembers(of: id, record, viewer, in: db)
                }
                for (id, tally) in try db.all(.talliesOfPage, page) { states[id]?.tally = tally }
            }
            for (channel, row) in try db.all(.lastMessagesOfPage, page) {
                states[channel]?.lastMessage = readable([row.readable]).first
            }
            if let viewer {
                for id in order {
                    guard let count = try db.first(.unread, (viewer, id, bounds.unread)) else {
                        continue
                    }
                    states[id]?.unreadCount = count.unread
                    states[id]?.mentionCount = count.mentions
                }
            }
            return order.compactMap { states[$0] }
        }
    }

    /// Returns the members of a channel whom a view without its members names.
    private func namedMembers(
        of channel: Int64, _ record: ChannelRecord, _ viewer: UserID?, in db: Connection
    ) throws(SQLiteError) -> [MemberRecord] {
        var members: [MemberRecord] = []
        var names = [viewer, record.createdBy]
        while !names.isEmpty {
            guard let name = names.removeFirst(), !members.contains(where: { $0.user.id == name })
            else { continue }
            let found = readable(try db.all(.namedMember, (channel, name))).map(\.member)
            members += found
            if name == viewer { names.append(found.first?.traits.inviter) }
        }
        return members
    }

    package func listings(of id: UserID) throws(StorageError) -> [ChannelListing] {
        try listings(.listings, of: id)
    }

    package func presentListings(of id: UserID) throws(StorageError) -> [ChannelListing] {
        try listings(.presentListings, of: id)
    }

    private func listings(
        _ query: Query<UserID, ChannelListing>, of id: UserID
    ) throws(StorageError) -> [ChannelListing] {
        try read { db throws(SQLiteError) in
            let settled = try db.first(.currentSequence) ?? 0
            return try db.all(query, id).map { listing in
                var listing = listing
                listing.settledSequence = settled
                return listing
            }
        }
    }

    package func newestPlaces(
        of id: UserID, before end: Position
    ) throws(StorageError) -> [NewestPlace] {
        try read { db throws(SQLiteError) in try db.all(.newestPlaces, (id, end)) }
    }

    package func markRead(
        _ url: ChannelURL, by id: UserID, now: Timestamp
    ) throws(StorageError) -> Timestamp? {
        try write { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url),
                let user = try db.first(.user, id)
            else { return nil }
            let newest = try db.first(.lastCreatedAt, channel) ?? nil
            let moment = max(now.milliseconds, newest ?? 0)
            try db.execute(.raiseReadMark, (channel, user.id, moment))
            guard let mark = try db.first(.readMark, (channel, user.id)) else { return nil }
            try db.touch(channel, db.nextChange(now))
            return mark
        }
    }

    package func markDelivered(
        _ marks: [DeliveryMark]
    ) throws(StorageError) -> [DeliveryMark] {
        try write { db throws(SQLiteError) in
            var moved: [DeliveryMark] = []
            for mark in marks where try db.first(.raiseDeliveryMark, mark) != nil {
                moved.append(mark)
            }
            return moved
        }
    }

    package func unreadCounts(
        in url: ChannelURL, of ids: Set<UserID>
    ) throws(StorageError) -> [UserID: Int] {
        let wanted = JSONValue.array(ids.map { .string($0.rawValue) }).text
        return try read { db throws(SQLiteError) in
            var counts: [UserID: Int] = [:]
            for (id, count) in try db.all(.unreadOfMembers, (url, wanted, bounds.unread)) {
                counts[id] = count
            }
            return counts
        }
    }

    package func unreadTotal(of id: UserID, atMost limit: Int) throws(StorageError) -> Int {
        try read { db throws(SQLiteError) in try db.first(.unreadTotal, (id, limit)) ?? 0 }
    }
}

extension Connection {
    /// Returns the rows of channels by one query.
    ///
    /// SQLite's JSON ends a text at a NUL, so names with a NUL are looked up one by one.
    fileprivate func channels(
        _ urls: [ChannelURL]
    ) throws(SQLiteError) -> [ChannelURL: (Int64, ChannelRecord)] {
        let (odd, plain) = (
            urls.filter { $0.rawValue.utf8.contains(0) },
            urls.filter { !$0.rawValue.utf8.contains(0) }
        )
        let page = JSONValue.array(plain.map { .string($0.rawValue) }).text
        var rows: [ChannelURL: (Int64, ChannelRecord)] = [:]
        for row in try all(.channelsOfPage, page) { rows[row.1.url] = row }
        for url in odd { rows[url] = try first(.channel, url) }
        return rows
    }

    /// Returns whether a channel bans a user at this moment.
    fileprivate func bans(
        _ id: UserID, in channel: Int64, at now: Timestamp
    ) throws(SQLiteError) -> Bool {
        guard let user = try first(.user, id) else { return false }
        return try first(.memberOf, (channel, user.id))?.member.traits.isBanned(at: now) ?? false
    }

    /// Lets the members of a new channel in.
    fileprivate func add(
        _ new: NewChannel, to channel: Int64, now: Timestamp
    ) throws(SQLiteError) -> [UserID] {
        var changed: [UserID] = []
        for (state, members) in new.runs {
            let inviter = state == .invited ? new.inviter : nil
            changed += try add(members, as: state, by: inviter, to: channel, now: now)
        }
        return changed
    }

    /// Adds users to a channel; users with an equal or better state keep theirs.
    fileprivate func add(
        _ ids: [UserID], as state: MembershipState, by inviter: UserID?, to channel: Int64,
        now: Timestamp
    ) throws(SQLiteError) -> [UserID] {
        var changed: [UserID] = []
        let change = try nextChange(now)
        // Counting visits every member of the channel, so it is done once.
        var place = try first(.nextPlace, channel) ?? 0
        for id in ids {
            guard let user = try first(.user, id) else { continue }
            let known = try first(.memberOf, (channel, user.id))?.member
            if let known, known.state == .joined || known.state == state { continue }
            var traits = known?.traits ?? MemberTraits()
            if traits.isBanned(at: now) { continue }
            traits.admit(as: state, by: inviter, now: now)
            let new = NewMember(
                channel: channel, user: user.id, place: place, state: state, traits: traits,
                now: now, change: change)
            try execute(.addMember, new)
            if known == nil { place += 1 }
            changed.append(id)
        }
        if !changed.isEmpty { try touch(channel, change) }
        return changed
    }
}
