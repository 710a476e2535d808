// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQLite

// A channel of millions of messages cannot be removed in one transaction: the server has one thread
// for its database. So the row of the channel is buried first: from then on no call finds the
// channel. Its messages are removed in steps, and the table `removal` has the channel until none is
// left.
extension SQLiteStorage {
    package func deleteChannel(
        _ url: ChannelURL, now: Timestamp
    ) throws(StorageError) -> Bool {
        try write { db throws(SQLiteError) in
            guard let id = try db.first(.channelRow, url) else { return false }
            try db.execute(.emptyChannel, (id, db.nextChange(now)))
            try db.execute(.endDocumentsOfChannel, url)
            try db.execute(.buryChannel, (id, now))
            try db.execute(.noteRemoval, id)
            // Most channels have only one step.
            _ = try db.removeMessages(of: id, atMost: bounds.removal)
            return true
        }
    }

    /// Removes the messages that deletions of channels have left; a host calls it every 5 seconds.
    ///
    /// A channel whose removal fails does not stop those behind it.
    ///
    /// - Throws: A failure of the storage; the next call goes on.
    package func removeRemains() async throws(StorageError) {
        var failure: StorageError?
        for channel in try read({ db throws(SQLiteError) in try db.all(.removals) }) {
            if Task.isCancelled { throw .cancelled() }
            do throws(StorageError) {
                try await removeAllMessages(of: channel)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Removes the messages of a deleted channel, before another channel gets its row.
    func removeAllMessages(of channel: Int64) async throws(StorageError) {
        // Other work gets its turn between two steps.
        while try removeMessages(of: channel) { try await pause() }
    }

    /// Removes some messages of a deleted channel.
    ///
    /// - Returns: Whether the channel may have more.
    private func removeMessages(of channel: Int64) throws(StorageError) -> Bool {
        try write { db throws(SQLiteError) in
            // Other work has removed the rest, and a new channel of the URL may have the row.
            guard try db.first(.removal, channel) != nil else { return false }
            return try db.removeMessages(of: channel, atMost: bounds.removal)
        }
    }
}

extension Connection {
    /// Removes the oldest messages of a deleted channel; returns whether it may have more.
    fileprivate func removeMessages(
        of channel: Int64, atMost limit: Int
    ) throws(SQLiteError) -> Bool {
        try execute(.removeMentions, (channel, limit))
        guard try execute(.removeMessages, (channel, limit)) < limit else { return true }
        try execute(.endRemoval, channel)
        return false
    }
}

extension Query where Input == Void, Output == Int64 {
    /// The deleted channels whose messages are not all removed.
    fileprivate static var removals: Query {
        Query(sql: "SELECT channel FROM removal ORDER BY channel") { row in row.int64(0) }
    }
}

extension Query where Input == Int64, Output == Int64 {
    fileprivate static var removal: Query {
        Query(
            sql: "SELECT channel FROM removal WHERE channel = ?1",
            bind: { channel, bindings in bindings.append(channel) },
            decode: { row in row.int64(0) })
    }
}

extension Query where Input == ChannelURL, Output == Int64 {
    /// The deleted channel of a URL whose messages are not all removed.
    static var removalOfURL: Query {
        Query(
            sql: """
                SELECT r.channel FROM channel AS c CROSS JOIN removal AS r ON r.channel = c.id
                WHERE c.url = ?1
                """,
            bind: { url, bindings in bindings.append(url.rawValue) },
            decode: { row in row.int64(0) })
    }
}

extension Query where Input == Int64, Output == Void {
    fileprivate static var noteRemoval: Query {
        Query(
            sql: "INSERT INTO removal (channel) VALUES (?1)",
            bind: { channel, bindings in bindings.append(channel) })
    }

    fileprivate static var endRemoval: Query {
        Query(
            sql: "DELETE FROM removal WHERE channel = ?1",
            bind: { channel, bindings in bindings.append(channel) })
    }
}

extension Query where Input == (channel: Int64, limit: Int), Output == Void {
    /// Removes the mentions of a channel's oldest messages.
    static var removeMentions: Query {
        Query(
            sql: """
                DELETE FROM mention WHERE message IN (
                    SELECT id FROM message WHERE channel = ?1 ORDER BY created_at, id LIMIT ?2)
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.limit)
            })
    }

    /// Removes a channel's oldest messages.
    static var removeMessages: Query {
        Query(
            sql: """
                DELETE FROM message WHERE id IN (
                    SELECT id FROM message WHERE channel = ?1 ORDER BY created_at, id LIMIT ?2)
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.limit)
            })
    }
}
