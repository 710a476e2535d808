// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQLite

extension SQLiteStorage {
    package func members(
        of url: ChannelURL, after id: UserID?, limit: Int
    ) throws(StorageError) -> [MemberRecord] {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return [] }
            return try page(after: id, limit: limit) { last throws(SQLiteError) in
                try db.all(.membersAfter, (channel, last, limit))
            }
        }
    }

    package func memberCounts(
        of urls: [ChannelURL]
    ) throws(StorageError) -> [ChannelURL: Int] {
        try read { db throws(SQLiteError) in
            var counts: [ChannelURL: Int] = [:]
            for url in urls {
                guard let channel = try db.first(.channelRow, url) else { continue }
                counts[url] = try db.first(.memberCount, channel)
            }
            return counts
        }
    }

    package func memberRecords(
        of url: ChannelURL, among ids: [UserID]
    ) throws(StorageError) -> [MemberRecord] {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return [] }
            var rows: [Readable<MemberRow>] = []
            for id in Set(ids) { rows += try db.all(.knownMember, (channel, id)) }
            return readable(rows).map(\.member)
        }
    }

    package func operators(
        of urls: [ChannelURL]
    ) throws(StorageError) -> [ChannelURL: [User]] {
        try read { db throws(SQLiteError) in
            var operators: [ChannelURL: [User]] = [:]
            for url in urls {
                guard let channel = try db.first(.channelRow, url) else { continue }
                let found = readable(try db.all(.operators, channel)).map(\.user)
                if !found.isEmpty { operators[url] = found }
            }
            return operators
        }
    }

    package func restrictedMembers(
        of url: ChannelURL, by kind: Restriction.Kind, at now: Timestamp, after id: UserID?,
        limit: Int
    ) throws(StorageError) -> [MemberRecord] {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return [] }
            return try page(after: id, limit: limit) { last throws(SQLiteError) in
                try db.all(
                    .restrictedAfter,
                    RestrictedPage(channel: channel, kind: kind, now: now, last: last, limit: limit)
                )
            }
        }
    }

    /// Reads a page of members; an unreadable row makes no page short, because a short page is the
    /// last.
    private func page(
        after id: UserID?, limit: Int,
        _ read: (UserID?) throws(SQLiteError) -> [(id: UserID, row: Readable<MemberRow>)]
    ) throws(SQLiteError) -> [MemberRecord] {
        var members: [MemberRecord] = []
        var last = id
        while members.count < limit {
            let rows = try read(last)
            members += readable(rows.map(\.row)).map(\.member)
            guard rows.count == limit, let end = rows.last?.id else { break }
            last = end
        }
        return Array(members.prefix(limit))
    }

    package func restrictedCount(
        of url: ChannelURL, atMost limit: Int, now: Timestamp
    ) throws(StorageError) -> Int {
        let (count, hasEnded) = try read { db throws(SQLiteError) -> (Int, Bool) in
            guard let channel = try db.first(.channelRow, url) else { return (0, false) }
            let count = try db.first(.restrictedCount, (channel, limit)) ?? 0
            guard count >= limit else { return (count, false) }
            // Most full channels have none, and then their traits are not read.
            return (count, try db.first(.endedRestriction, (channel, now)) != nil)
        }
        guard hasEnded else { return count }
        return try write { db throws(SQLiteError) -> Int in
            guard let channel = try db.first(.channelRow, url) else { return 0 }
            for (user, before) in try db.all(.restrictions, channel) {
                var traits = before
                traits.forgetRestrictions(endedBy: now)
                if traits != before { try db.execute(.setTraits, (channel, user, traits)) }
            }
            return try db.first(.restrictedCount, (channel, limit)) ?? 0
        }
    }

    package func forgetHistory(
        of url: ChannelURL, through end: Timestamp, now: Timestamp
    ) throws(StorageError) -> Bool {
        try write { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return false }
            try db.execute(.forgetHistory, (channel, end))
            try db.touch(channel, db.nextChange(now))
            return true
        }
    }
}
