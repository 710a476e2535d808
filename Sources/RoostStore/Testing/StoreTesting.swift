// SPDX-License-Identifier: Apache-2.0

// Access for tests to the connections, and to the plans of queries that only this module has.

internal import RoostCore
internal import RoostModel
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
}
