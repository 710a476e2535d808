// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostPostgres
package import RoostServer

extension PostgresStorage {
    package func members(
        of url: ChannelURL, after id: UserID?, limit: Int
    ) async throws(StorageError) -> [MemberRecord] {
        try await page(after: id, limit: limit) { last in
            .members(of: url, after: last, limit: limit)
        }
    }

    package func memberCounts(
        of urls: [ChannelURL]
    ) async throws(StorageError) -> [ChannelURL: Int] {
        let rows = try await read { db async throws(PostgresError) in
            try await db.all(.memberCounts(of: urls))
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    package func memberRecords(
        of url: ChannelURL, among ids: [UserID]
    ) async throws(StorageError) -> [MemberRecord] {
        let rows = try await read { db async throws(PostgresError) in
            try await db.all(.knownMembers(of: url, ids))
        }
        return readable(rows).map(\.member)
    }

    package func operators(
        of urls: [ChannelURL]
    ) async throws(StorageError) -> [ChannelURL: [User]] {
        let rows = try await read { db async throws(PostgresError) in
            try await db.all(.operators(of: urls))
        }
        var operators: [ChannelURL: [User]] = [:]
        for row in rows {
            operators[row.url, default: []] += readable([row.user])
        }
        return operators.filter { !$0.value.isEmpty }
    }

    package func restrictedMembers(
        of url: ChannelURL, by kind: Restriction.Kind, at now: Timestamp, after id: UserID?,
        limit: Int
    ) async throws(StorageError) -> [MemberRecord] {
        try await page(after: id, limit: limit) { last in
            .restricted(in: url, by: kind, at: now, after: last, limit: limit)
        }
    }

    /// Reads a page of members; an unreadable row makes no page short, because a short page is the
    /// last.
    private func page(
        after id: UserID?, limit: Int,
        _ query: @Sendable (UserID?) -> PostgresQuery<(id: UserID, row: Readable<MemberRow>)>
    ) async throws(StorageError) -> [MemberRecord] {
        var members: [MemberRecord] = []
        var last = id
        while members.count < limit {
            let next = query(last)
            let rows = try await read { db async throws(PostgresError) in try await db.all(next) }
            members += readable(rows.map(\.row)).map(\.member)
            guard rows.count == limit, let end = rows.last?.id else { break }
            last = end
        }
        return Array(members.prefix(limit))
    }

    package func restrictedCount(
        of url: ChannelURL, atMost limit: Int, now: Timestamp
    ) async throws(StorageError) -> Int {
        let (count, hasEnded) = try await read {
            db async throws(PostgresError) -> (Int, Bool) in
            guard let channel = try await db.first(.channelRow(url)) else { return (0, false) }
            let count = try await db.first(.restrictedCount(of: channel.id, atMost: limit)) ?? 0
            guard count >= limit else { return (count, false) }
            // Most full channels have none, and then neither their traits nor a lock are needed.
            let ended = try await db.first(.endedRestriction(of: channel.id, by: now))
            return (count, ended != nil)
        }
        guard hasEnded else { return count }
        return try await write { db async throws(PostgresError) -> Int in
            guard let channel = try await db.first(.lockedChannel(url)) else { return 0 }
            var count = 0
            var changed: [(user: Int64, traits: MemberTraits)] = []
            for row in try await db.all(.restrictions(of: channel.id)) {
                var traits = row.traits
                traits.forgetRestrictions(endedBy: now)
                if traits != row.traits { changed.append((row.user, traits)) }
                if traits.isRestricted { count += 1 }
            }
            if !changed.isEmpty { db.add(.setTraits(of: channel.id, changed)) }
            return min(count, limit)
        }
    }
}
