// SPDX-License-Identifier: Apache-2.0

// Access for tests to the connections and to the plans of queries that only this module has, and whole
// runs of work that the engine does in steps.

internal import RoostCore
package import RoostModel
package import RoostSQLite

extension StoreWriter {
    /// Whether the writer has made its connection.
    package func hasConnection() throws(StoreError) -> Bool { try checkIsOpen() }

    /// Passes the connection to a test, in its turn.
    package func withConnection<T: Sendable>(
        _ body: @Sendable (Connection) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        try await perform(body)
    }

    /// Returns freed space to the system, and destroys deleted content in it.
    ///
    /// - Throws: `.full` if there is no space for the copy that this needs; the cache is unchanged
    ///   then.
    /// - Complexity: Writes the whole cache once.
    package func compact() async throws(StoreError) {
        try await perform { connection throws(SQLiteError) in try connection.compact() }
    }

    /// The number of feeds of commits that are kept.
    package var feedCount: Int { readers.count }

    /// Bytes of the cache's file and of its log, as the system counts them; zero in memory.
    package func fileBytes() -> (cache: Int64, log: Int64) {
        let counts = DatabaseFiles(path).byteCounts
        return (counts.main, counts.log)
    }

    /// Trims a cache that has reached its budget; nil if it has not.
    @discardableResult
    package func keepBudget(
        sparing open: Set<ChannelURL> = []
    ) async throws(StoreError) -> Trim? {
        guard try await isBudgetReached() else { return nil }
        return try await trim(sparing: open)
    }

    /// Returns the plans of the frequent queries, by name.
    package func hotPlans() async throws(StoreError) -> [String: [String]] {
        try await perform { connection throws(SQLiteError) in
            try connection.defineRelevance()
            var plans = [
                "oldestPage": try connection.plan(of: Query<MessageStretch, Void>.oldestPage),
                "newestPage": try connection.plan(of: Query<MessageStretch, Void>.newestPage),
                "oldestMessages": try connection.plan(
                    of: Query<MessageStretch, Void>.oldestMessages),
                "newestMessages": try connection.plan(
                    of: Query<MessageStretch, Void>.newestMessages),
                "oldestOfCustomType": try connection.plan(
                    of: Query<MessageStretch, Void>.oldestOfCustomType),
                "newestOfCustomType": try connection.plan(
                    of: Query<MessageStretch, Void>.newestOfCustomType),
                "oldestOfKind": try connection.plan(
                    of: Query<MessageStretch, Void>.oldestOfKind),
                "newestOfKind": try connection.plan(
                    of: Query<MessageStretch, Void>.newestOfKind),
                "oldestOfParent": try connection.plan(
                    of: Query<MessageStretch, Void>.oldestOfParent),
                "newestOfParent": try connection.plan(
                    of: Query<MessageStretch, Void>.newestOfParent),
                "replyOfParent": try connection.plan(
                    of: Query<(channelRow: Int64, parent: MessageID), Int64>.replyOfParent),
                "mentions": try connection.plan(
                    of: Query<(before: Position, limit: Int), Void>.mentions),
                "edited": try connection.plan(
                    of: Query<
                        (channelRow: Int64, since: Timestamp, place: Position, limit: Int), Void
                    >.edited),
                "messageAtPlace": try connection.plan(
                    of: Query<MessagePlace, Void>.messageAtPlace),
                "changingMessage": try connection.plan(
                    of: Query<MessagePlace, Void>.changingMessage),
                "changingMessageByID": try connection.plan(
                    of: Query<(channelRow: Int64, id: MessageID), Void>.changingMessageByID),
                "updateContent": try connection.plan(of: Query<MessageEntry, Void>.updateContent),
                "updateMessage": try connection.plan(of: Query<MessageEntry, Void>.updateMessage),
                "deleteMessage": try connection.plan(of: Query<MessagePlace, Void>.deleteMessage),
            ]
            plans.merge(try otherPlans(connection)) { _, new in new }
            plans.merge(try searchPlans(connection)) { _, new in new }
            return plans
        }
    }

    private func otherPlans(_ connection: Connection) throws(SQLiteError) -> [String: [String]] {
        [
            "coverage": try connection.plan(of: Query<CoverageKey, CoveredRange>.coverage),
            "filtersOfChannel": try connection.plan(of: Query<Int64, Int64>.filtersOfChannel),
            "filterRow": try connection.plan(of: Query<MessageFilter, Int64>.filterRow),
            "holding": try connection.plan(of: Query<Int64, Holding>.holding),
            "wordRow": try connection.plan(of: Query<Word, Int64>.wordRow),
            "channelRow": try connection.plan(of: Query<ChannelURL, ChannelRow>.channelRow),
            "messageByID": try connection.plan(of: Query<MessageID, Void>.messageByID),
            "messagesByRequest": try connection.plan(
                of: Query<RequestKey, Void>.messagesByRequest),
            "messageEdits": try connection.plan(
                of: Query<MessageStretch, MessageEditRow>.messageEdits),
            "positionOfMessage": try connection.plan(
                of: Query<(channelRow: Int64, id: MessageID), Position>.positionOfMessage),
            "countMessages": try connection.plan(
                of: Query<(channelRow: Int64, from: Timestamp, through: Position), Int64>
                    .countMessages),
            "channelsByLastMessage": try connection.plan(
                of: Query<ChannelPage, StoredChannel>.channelsByLastMessage),
            "channelsByCreation": try connection.plan(
                of: Query<ChannelPage, StoredChannel>.channelsByCreation),
            "userByID": try connection.plan(of: Query<UserID, StoredUser>.userByID),
            "usersInRows": try connection.plan(of: Query<[Int64], StoredUser>.usersInRows),
            "deleteCursorsOfChannel": try connection.plan(
                of: Query<Int64, Void>.deleteCursorsOfChannel),
        ]
    }

    private func searchPlans(_ connection: Connection) throws(SQLiteError) -> [String: [String]] {
        [
            "newestHits": try connection.plan(of: Query<SearchRequest, SearchHit>.newestHits),
            "newestHitsOfSenders": try connection.plan(
                of: Query<SearchRequest, SearchHit>.newestHitsOfSenders),
            "bestHits": try connection.plan(of: Query<SearchRequest, SearchHit>.bestHits),
            "messagesBelow": try connection.plan(
                of: Query<(below: Int64, limit: Int), Void>.messagesBelow),
            "newestUnindexed": try connection.plan(
                of: Query<Int64, (channelRow: Int64, newest: Timestamp)>.newestUnindexed),
            "searchedChannels": try connection.plan(of: Query<Void, SearchedRow>.searchedChannels),
        ]
    }
}

extension StoreReader {
    /// Passes the connection to a test, during a read of its own.
    package func withConnection<T: Sendable>(
        _ body: @Sendable (Connection) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        try await ask { session throws(SQLiteError) in try body(session.connection) }
    }

    /// Returns the findings about a damaged cache, one sentence each; empty if the cache is sound.
    ///
    /// Checks the file, and that every message is in a covered range.
    ///
    /// - Complexity: Reads the whole file.
    package func damage() async throws(StoreError) -> [String] {
        try await source.snapshot { session throws(SQLiteError) in
            var findings = try session.connection.damage()
            if findings.isEmpty, let stray = try session.connection.first(.strayCount), stray > 0 {
                findings.append("\(stray) messages lie outside every covered range")
            }
            return findings
        }
    }

    /// Verifies the index of words.
    ///
    /// Returns one sentence for each finding; empty if the index is sound or absent.
    ///
    /// - Complexity: Reads every message.
    package func searchFindings() async throws(StoreError) -> [String] {
        try await source.snapshot { session throws(SQLiteError) in try session.searchFindings() }
    }
}

extension Store {
    /// Checks all invariants of the store's files; changes nothing.
    ///
    /// - Parameter progress: Called after each channel with the number of checked messages.
    /// - Returns: The findings, those of the file first.
    /// - Throws: An error that prevents reading; damage is a finding and no error.
    /// - Complexity: Reads everything twice, one row at a time.
    package func verify(
        progress: @Sendable @escaping (Int) -> Void = { _ in }
    ) async throws(StoreError) -> CacheVerification {
        var found = try await readers[0].verification(progress)
        found.add(unreadableIn: try await outbox.items())
        return found
    }
}

extension SearchRequest {
    /// The statement for newest first.
    package static var newestQuery: Query<SearchRequest, SearchHit> { .newestHits }
}

extension Query where Input == Void, Output == Int64 {
    /// The number of messages outside of every range; it must be zero.
    fileprivate static let strayCount = Query(
        sql: """
            SELECT count(*) FROM message WHERE NOT EXISTS (
                SELECT 1 FROM covered
                WHERE covered.channel_id = message.channel_id
                    AND (lower_at, lower_id) <= (created_at, message_id)
                    AND (created_at, message_id) <= (upper_at, upper_id))
            """
    ) { row in row.int64(0) }
}
