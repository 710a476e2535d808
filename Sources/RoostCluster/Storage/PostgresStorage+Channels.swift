// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostPostgres
package import RoostServer
import RoostWire

extension PostgresStorage {
    package func createChannel(
        _ new: NewChannel, now: Timestamp
    ) async throws(StorageError) -> CreateOutcome {
        while true {
            switch try await create(new, now: now) {
            case .outcome(let outcome): return outcome
            case .remains(let channel): try await removeAllMessages(of: channel)
            }
        }
    }

    /// The result of one attempt to create a channel.
    private enum Creation: Sendable {
        case outcome(CreateOutcome)
        /// The URL belongs to a deleted channel whose messages must be removed first.
        case remains(channel: Int64)
    }

    private func create(
        _ new: NewChannel, now: Timestamp
    ) async throws(StorageError) -> Creation {
        try await write { db async throws(PostgresError) -> Creation in
            if let key = new.distinctKey.map(Self.key),
                let channel = try await db.first(.distinctChannel(key))
            {
                let (known, members) = try await db.all(
                    .keptMembers(of: channel.id, new.members), .memberIDs(of: channel.id))
                let caller = known.first { $0.user.user.id == new.caller }?.member
                if let caller, caller.traits.isBanned(at: now) { return .outcome(.banned) }
                guard new.barred.isSubset(of: members) else { return .outcome(.barred) }
                let joined = try await db.add(new, to: channel, known, now: now)
                return .outcome(
                    .done(CreatedChannel(url: channel.url, isCreated: false, joined: joined)))
            }
            let url = new.record.url
            guard try await db.first(.channelRow(url)) == nil else {
                return .outcome(.taken)
            }
            guard new.barred.isEmpty else { return .outcome(.barred) }
            if let creator = new.record.createdBy, new.creatorLimit < .max {
                // Two servers must not exceed the limit together.
                db.add(.lockCreator(creator))
                let start = now.advanced(by: -StorageRules.deletionPeriod)
                let count = try await db.first(.createdChannels(creator, since: start)) ?? 0
                guard count < new.creatorLimit else { return .outcome(.tooMany) }
            }
            let channel: ChannelRow
            do throws(PostgresError) {
                guard let row = try await db.first(.insertChannel(new, now)) else {
                    guard let buried = try await db.first(.buriedChannel(url)) else {
                        throw .conflict
                    }
                    return .remains(channel: buried)
                }
                channel = row
            } catch {
                // Another server has created it, or one of the same members, a moment ago.
                throw error.kind == .refused("23505") ? .conflict : error
            }
            let known = try await db.all(.keptMembers(of: channel.id, new.members))
            let joined = try await db.add(new, to: channel, known, now: now)
            if !new.operators.isEmpty { db.add(.makeOperators(channel.id, new.operators)) }
            return .outcome(.done(CreatedChannel(url: url, isCreated: true, joined: joined)))
        }
    }

    package func access(
        to url: ChannelURL, of id: UserID?
    ) async throws(StorageError) -> ChannelAccess? {
        try await read { db async throws(PostgresError) in try await db.first(.access(url, id)) }
    }

    package func updateChannel(
        _ url: ChannelURL, now: Timestamp, _ change: @Sendable (inout ChannelRecord) -> Void
    ) async throws(StorageError) -> ChannelRecord? {
        try await write { db async throws(PostgresError) in
            guard let (id, before) = try await db.first(.lockedRecord(url)) else { return nil }
            var record = before
            change(&record)
            record.url = before.url
            db.add(.updateChannel(id, record, now))
            return record
        }
    }

    package func channels(
        after url: ChannelURL?, limit: Int
    ) async throws(StorageError) -> [ChannelRecord] {
        try await read { db async throws(PostgresError) in
            try await db.all(.channelsAfter(url ?? ChannelURL(""), limit))
        }
    }

    package func channelRecords(
        _ urls: [ChannelURL]
    ) async throws(StorageError) -> [ChannelRecord] {
        try await read { db async throws(PostgresError) in
            try await db.all(.channelsOfPage(urls)).map(\.1)
        }
    }

    package func channelStates(
        _ urls: [ChannelURL], viewer: UserID?, withMembers: Bool
    ) async throws(StorageError) -> [ChannelState] {
        try await read { db async throws(PostgresError) in
            let order = try await db.all(.channelsOfPage(urls))
            var states: [Int64: ChannelState] = [:]
            for (id, record) in order {
                states[id] = ChannelState(record: record)
                if !withMembers { states[id]?.tally = ChannelState.Tally() }
            }
            let page = order.map(\.0)
            let names = Set(order.compactMap(\.1.createdBy) + (viewer.map { [$0] } ?? []))
            let (members, tallies, messages, unread) = try await db.all(
                withMembers ? .membersOfPage(page) : .namedMembers(page, Array(names)),
                .talliesOfPage(withMembers ? [] : page), .lastMessagesOfPage(page),
                .unreadOfPage(
                    viewer ?? UserID(""), viewer == nil ? [] : page, atMost: bounds.unread))
            func add(_ members: [Readable<MemberRow>]) {
                for member in readable(members) {
                    states[member.channel]?.members.append(member.member)
                }
            }
            add(members)
            for (channel, tally) in tallies { states[channel]?.tally = tally }
            if !withMembers {
                let known = members.compactMap(\.value?.member)
                let inviters = known.filter { $0.user.id == viewer }.compactMap(\.traits.inviter)
                let missing = Set(inviters).subtracting(known.map(\.user.id))
                if !missing.isEmpty {
                    add(try await db.all(.namedMembers(page, Array(missing))))
                }
            }
            for row in messages {
                states[row.channel]?.lastMessage = readable([row.message.readable]).first
            }
            for row in unread {
                states[row.channel]?.unreadCount = row.unread
                states[row.channel]?.mentionCount = row.mentions
            }
            return order.compactMap { states[$0.0] }
        }
    }

    package func listings(of id: UserID) async throws(StorageError) -> [ChannelListing] {
        try await listings(.listings(of: id, base: changeBase, margin: clockMargin))
    }

    package func presentListings(of id: UserID) async throws(StorageError) -> [ChannelListing] {
        try await listings(.presentListings(of: id, base: changeBase, margin: clockMargin))
    }

    private func listings(
        _ query: PostgresQuery<ChannelListing>
    ) async throws(StorageError) -> [ChannelListing] {
        let base = changeBase
        return try await read { db async throws(PostgresError) in
            let (listings, unsettled) = try await db.all(query, .unsettledChange)
            let settled = base + (unsettled.first ?? 1) - 1
            let era = db.era?.shortName ?? ""
            return listings.map { listing in
                var listing = listing
                listing.settledSequence = settled
                listing.era = era
                return listing
            }
        }
    }

    package func newestPlaces(
        of id: UserID, before end: Position
    ) async throws(StorageError) -> [NewestPlace] {
        try await read { db async throws(PostgresError) in
            try await db.all(.newestPlaces(of: id, before: end))
        }
    }

    package func unreadCounts(
        in url: ChannelURL, of ids: Set<UserID>
    ) async throws(StorageError) -> [UserID: Int] {
        try await read { db async throws(PostgresError) in
            let rows = try await db.all(.unreadOfMembers(url, Array(ids), atMost: bounds.unread))
            return Dictionary(rows, uniquingKeysWith: { first, _ in first })
        }
    }

    package func unreadTotal(
        of id: UserID, atMost limit: Int
    ) async throws(StorageError) -> Int {
        try await read { db async throws(PostgresError) in
            try await db.first(.unreadTotal(of: id, atMost: limit)) ?? 0
        }
    }
}

extension PostgresError {
    /// Two transactions met; the next attempt sees the other's result.
    static let conflict = PostgresError(.refused("40001"), "Two servers met in one step.")
}
