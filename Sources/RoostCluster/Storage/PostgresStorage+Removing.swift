// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel
import RoostPostgres
package import RoostServer

/// The deleted channels whose messages are not all removed.
struct ChannelRemains: Sendable {
    /// The rows of the channels that this server knows of.
    var channels: Set<Int64> = []
    /// Whether the database may have others: after the start, and when a read was not whole.
    var mayHaveMore = true
}

// A channel of millions of messages cannot be removed in the time of one transaction. So its row is
// buried first: from then on no call finds the channel. Its messages are removed in steps, and
// `last_time` stays in the buried row until none is left.
extension PostgresStorage {
    package func deleteChannel(
        _ url: ChannelURL, now: Timestamp
    ) async throws(StorageError) -> Bool {
        let buried: Int64?
        do throws(StorageError) {
            buried = try await write { db async throws(PostgresError) -> Int64? in
                guard let channel = try await db.first(.lockedChannel(url)) else { return nil }
                db.add(.emptyChannel(channel.id, now))
                db.add(.endDocuments(ofChannel: url))
                db.add(.buryChannel(channel.id, now))
                return channel.id
            }
        } catch {
            // The transaction may have taken effect, although the database did not say so.
            remains.withLock { $0.mayHaveMore = true }
            throw error
        }
        guard let buried else {
            // A server that has ended since may have buried it and left messages.
            remains.withLock { $0.mayHaveMore = true }
            return false
        }
        remains.withLock { _ = $0.channels.insert(buried) }
        do throws(StorageError) {
            // Most channels have only one step.
            if try await removeMessages(of: buried, after: 0) == nil { forgetRemains(of: buried) }
        } catch {
            // The channel is deleted, and `removeRemains` tries again.
        }
        return true
    }

    /// Removes the messages that deletions of channels have left; a host calls it every 5 seconds.
    ///
    /// A channel whose removal fails does not stop those behind it.
    ///
    /// - Throws: A failure of the storage; the next call goes on.
    package func removeRemains() async throws(StorageError) {
        if remains.withLock({ $0.mayHaveMore }) {
            let found = try await read { db async throws(PostgresError) in
                try await db.all(.buriedChannels(Self.buriedLimit))
            }
            remains.withLock { remains in
                remains.channels.formUnion(found)
                remains.mayHaveMore = found.count == Self.buriedLimit
            }
        }
        var failure: StorageError?
        for channel in remains.withLock({ $0.channels.sorted() }) {
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
        var place: Int64 = 0
        while let end = try await removeMessages(of: channel, after: place) {
            place = end
            if Task.isCancelled { throw .cancelled() }
        }
        forgetRemains(of: channel)
    }

    private func forgetRemains(of channel: Int64) {
        remains.withLock { _ = $0.channels.remove(channel) }
    }

    /// Removes some messages of a deleted channel, in the order of their IDs.
    ///
    /// - Returns: The ID of the last one; nil if the channel has no more.
    private func removeMessages(
        of channel: Int64, after id: Int64
    ) async throws(StorageError) -> Int64? {
        let limit = removalStep
        return try await write(recognisesItself: true) { db async throws(PostgresError) -> Int64? in
            // Another server has removed the rest, and a new channel of the URL may have the row.
            guard try await db.first(.lockedRemains(channel)) != nil else { return nil }
            let ids = try await db.all(.messageIDs(of: channel, after: id, limit))
            if !ids.isEmpty {
                db.add(.removeMentions(channel, ids))
                db.add(.removeMessages(channel, ids))
            }
            guard ids.count == limit, let last = ids.last else {
                db.add(.noteEmpty(channel))
                return nil
            }
            return last
        }
    }

    /// The most channels of one look for remains.
    private static let buriedLimit = 100
}

extension PostgresQuery where Output == Int64 {
    fileprivate static func buriedChannels(_ limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id FROM channel WHERE deleted_at IS NOT NULL AND last_time IS NOT NULL
            ORDER BY id LIMIT $1
            """, .int(Int64(limit))
        ) { $0.int64(0) }
    }

    /// The deleted channel of a URL whose messages are not all removed.
    static func buriedChannel(_ url: ChannelURL) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id FROM channel
            WHERE url = $1 AND deleted_at IS NOT NULL AND last_time IS NOT NULL
            """, .text(url.rawValue)
        ) { $0.int64(0) }
    }

    /// A deleted channel whose URL no new channel gets until the end of the transaction.
    fileprivate static func lockedRemains(_ channel: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id FROM channel
            WHERE id = $1 AND deleted_at IS NOT NULL AND last_time IS NOT NULL FOR NO KEY UPDATE
            """, .int(channel)
        ) { $0.int64(0) }
    }

    fileprivate static func messageIDs(
        of channel: Int64, after id: Int64, _ limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            "SELECT id FROM message WHERE channel = $1 AND id > $2 ORDER BY id LIMIT $3",
            .int(channel), .int(id), .int(Int64(limit))
        ) { $0.int64(0) }
    }
}

extension PostgresQuery where Output == Void {
    fileprivate static func removeMentions(_ channel: Int64, _ ids: [Int64]) -> PostgresQuery {
        PostgresQuery(
            "DELETE FROM mention WHERE channel = $1 AND message = ANY ($2::bigint[])",
            .int(channel), .ints(ids))
    }

    fileprivate static func removeMessages(_ channel: Int64, _ ids: [Int64]) -> PostgresQuery {
        PostgresQuery(
            "DELETE FROM message WHERE channel = $1 AND id = ANY ($2::bigint[])",
            .int(channel), .ints(ids))
    }

    fileprivate static func noteEmpty(_ channel: Int64) -> PostgresQuery {
        PostgresQuery(
            "UPDATE channel SET last_time = NULL WHERE id = $1 AND deleted_at IS NOT NULL",
            .int(channel))
    }
}
