// SPDX-License-Identifier: Apache-2.0

// What tests need to see or break from the outside; nothing else uses it.

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension StoreWriter {
    /// Makes the disk full beyond so many pages; nil lifts the limit.
    package func limitPages(to count: Int?) throws(StoreError) {
        try inspect { connection throws(SQLiteError) in
            try connection.limitPages(to: count ?? 1_000_000_000)
        }
    }

    /// Pages of the file, those in the log included.
    package func pageCount() throws(StoreError) -> Int {
        try inspect { connection throws(SQLiteError) in
            Int(try connection.first(Query(sql: "PRAGMA page_count") { $0.int64(0) }) ?? 0)
        }
    }

    /// Zero between any two calls (scar 50).
    package func busyStatementCount() throws(StoreError) -> Int {
        try inspect { connection throws(SQLiteError) in connection.busyStatementCount }
    }

    /// How the queries that run often walk their tables, by name.
    package func hotPlans() throws(StoreError) -> [String: [String]] {
        try inspect { connection throws(SQLiteError) in
            [
                "oldestMessages": try connection.plan(
                    of: Query<MessageStretch, StoredMessage>.oldestMessages),
                "newestMessages": try connection.plan(
                    of: Query<MessageStretch, StoredMessage>.newestMessages),
                "messageAtPlace": try connection.plan(
                    of: Query<MessagePlace, StoredMessage>.messageAtPlace),
                "updateMessage": try connection.plan(
                    of: Query<(channelRow: Int64, stored: StoredMessage), Void>.updateMessage),
                "deleteMessage": try connection.plan(
                    of: Query<MessagePlace, Void>.deleteMessage),
                "coverage": try connection.plan(of: Query<Int64, CoveredRange>.coverage),
                "messageByID": try connection.plan(
                    of: Query<MessageID, StoredMessage>.messageByID),
                "messageByRequest": try connection.plan(
                    of: Query<RequestID, StoredMessage>.messageByRequest),
                "positionOfMessage": try connection.plan(
                    of: Query<(channelRow: Int64, id: MessageID), Position>.positionOfMessage),
                "countMessages": try connection.plan(
                    of: Query<(channelRow: Int64, from: Timestamp, through: Timestamp), Int64>
                        .countMessages),
                "channelsByLastMessage": try connection.plan(
                    of: Query<ChannelPage, StoredChannel>.channelsByLastMessage),
                "channelsByCreation": try connection.plan(
                    of: Query<ChannelPage, StoredChannel>.channelsByCreation),
                "userByID": try connection.plan(of: Query<UserID, StoredUser>.userByID),
            ]
        }
    }

    /// The checksum of each migration of the cache, in order.
    package static var migrationChecksums: [Int64] { [Migration.cache0001.checksum] }
}

extension OutboxStore {
    /// The checksum of each migration of the outbox, in order.
    package static var migrationChecksums: [Int64] { [Migration.outbox0001.checksum] }
}
