// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostPostgres
package import RoostServer

extension PostgresStorage {
    package func memberRecords(of url: ChannelURL) async throws(StorageError) -> [MemberRecord] {
        let rows = try await read { db async throws(PostgresError) in
            try await db.all(.everyMember(of: url))
        }
        return readable(rows).map(\.member)
    }

    package func updateMember(
        _ id: UserID, of url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout MemberRecord) -> Void
    ) async throws(StorageError) -> MemberRecord? {
        try await write { db async throws(PostgresError) in
            guard let channel = try await db.first(.lockedChannel(url)) else { return nil }
            let (users, known) = try await db.all(.user(id), .keptMembers(of: channel.id, [id]))
            guard let user = users.first else { return nil }
            var record: MemberRecord
            if let member = known.first?.member {
                record = member
            } else {
                record = MemberRecord(
                    user: user.user, state: .none, role: .none, joinedAt: nil, lastRead: now)
                db.add(
                    .addMembers(
                        channel.id, .none, [NewMember(user: user.id, traits: MemberTraits())],
                        now))
            }
            let before = record
            change(&record)
            record.user = before.user
            record.state = before.state
            record.joinedAt = before.joinedAt
            record.deliveredAt = before.deliveredAt
            db.add(.updateMember(channel.id, user.id, record))
            db.add(.touchAll([channel.id], now))
            return record
        }
    }

    package func forgetHistory(
        of url: ChannelURL, through end: Timestamp, now: Timestamp
    ) async throws(StorageError) -> Bool {
        try await write { db async throws(PostgresError) in
            guard let channel = try await db.first(.lockedChannel(url)) else { return false }
            db.add(.forgetHistory(of: channel.id, through: end))
            db.add(.touchAll([channel.id], now))
            return true
        }
    }

    package func addMembers(
        _ ids: [UserID], as state: MembershipState, inviter: UserID?, to url: ChannelURL,
        now: Timestamp
    ) async throws(StorageError) -> [UserID] {
        try await write { db async throws(PostgresError) in
            guard let channel = try await db.first(.lockedChannel(url)) else { return [] }
            var known = KnownMembers(try await db.all(.keptMembers(of: channel.id, ids)))
            return try await db.add(
                ids, as: state, by: inviter, to: channel, &known, now: now)
        }
    }

    package func removeMember(
        _ id: UserID, from url: ChannelURL, now: Timestamp
    ) async throws(StorageError) -> Bool {
        try await write { db async throws(PostgresError) in
            guard let channel = try await db.first(.lockedChannel(url)) else { return false }
            let (users, known) = try await db.all(.user(id), .keptMembers(of: channel.id, [id]))
            guard let user = users.first, let member = known.first?.member, member.state != .none
            else { return false }
            db.add(.removeMember(channel.id, user.id, now))
            db.add(.touchAll([channel.id], now))
            return true
        }
    }

    package func memberIDs(of url: ChannelURL) async throws(StorageError) -> [UserID] {
        try await read { db async throws(PostgresError) in try await db.all(.memberIDs(of: url)) }
    }

    package func someMemberIDs(
        of url: ChannelURL, atMost limit: Int
    ) async throws(StorageError) -> [UserID] {
        try await read { db async throws(PostgresError) in
            try await db.all(.someMemberIDs(of: url, atMost: limit))
        }
    }

    package func audienceMembers(
        of url: ChannelURL
    ) async throws(StorageError) -> [AudienceMember] {
        try await read { db async throws(PostgresError) in
            try await db.all(.audienceMembers(of: url))
        }
    }

    package func markRead(
        _ url: ChannelURL, by id: UserID, now: Timestamp
    ) async throws(StorageError) -> Timestamp? {
        try await write { db async throws(PostgresError) in
            guard let channel = try await db.first(.lockedChannel(url)) else { return nil }
            let moment = max(now.milliseconds, channel.lastTime ?? 0)
            guard let mark = try await db.first(.raiseReadMark(channel.id, id, moment)) else {
                return nil
            }
            db.add(.touchAll([channel.id], now))
            return mark
        }
    }

    package func markDelivered(
        _ marks: [DeliveryMark]
    ) async throws(StorageError) -> [DeliveryMark] {
        guard !marks.isEmpty else { return [] }
        return try await write { db async throws(PostgresError) in
            try await db.all(.raiseDeliveryMarks(marks)).map { marks[$0] }
        }
    }
}

/// The rows of users in a channel, before and during their entry.
struct KnownMembers {
    private(set) var members: [UserID: (user: Int64, member: MemberRecord?)] = [:]

    init(_ rows: [UserInChannel]) {
        for row in rows { members[row.user.user.id] = (row.user.id, row.member) }
    }

    /// Lets a user in.
    ///
    /// - Returns: The new row; nil for an unknown or banned user, and for one with an equal or better
    ///   state.
    mutating func admit(
        _ id: UserID, as state: MembershipState, by inviter: UserID?, now: Timestamp
    ) -> NewMember? {
        guard let (user, before) = members[id] else { return nil }
        var traits = before?.traits ?? MemberTraits()
        if traits.isBanned(at: now) { return nil }
        if let before, before.state == .joined || before.state == state { return nil }
        traits.admit(as: state, by: inviter, now: now)
        var after =
            before
            ?? MemberRecord(
                user: User(id: id), state: state, role: .none, joinedAt: nil, lastRead: nil)
        after.state = state
        after.traits = traits
        members[id] = (user, after)
        return NewMember(user: user, traits: traits)
    }
}

struct NewMember: Sendable {
    let user: Int64
    let traits: MemberTraits
}

extension PostgresTransaction {
    /// Lets the members of a new channel in.
    func add(
        _ new: NewChannel, to channel: ChannelRow, _ rows: [UserInChannel], now: Timestamp
    ) async throws(PostgresError) -> [UserID] {
        var known = KnownMembers(rows)
        var changed: [UserID] = []
        for (state, members) in new.runs {
            let inviter = state == .invited ? new.inviter : nil
            changed += try await add(
                members, as: state, by: inviter, to: channel, &known, now: now)
        }
        return changed
    }

    /// Adds users to a channel whose row is locked.
    func add(
        _ ids: [UserID], as state: MembershipState, by inviter: UserID?, to channel: ChannelRow,
        _ known: inout KnownMembers, now: Timestamp
    ) async throws(PostgresError) -> [UserID] {
        var changed: [UserID] = []
        var new: [NewMember] = []
        for id in ids {
            guard let member = known.admit(id, as: state, by: inviter, now: now) else { continue }
            changed.append(id)
            new.append(member)
        }
        guard !changed.isEmpty else { return [] }
        add(.addMembers(channel.id, state, new, now))
        add(.touchAll([channel.id], now))
        return changed
    }
}
