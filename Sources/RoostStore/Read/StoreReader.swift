// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite

/// The result of a read, and the last commit that the read has seen.
package struct Snapshot<Value: Sendable>: Sendable {
    package let value: Value
    package let sequence: Int64
}

/// Queries of the cache; each result is from one state of it.
///
/// A file has readers with connections and executors of their own; readers and the writer do not
/// wait for each other. In memory the writer answers.
package struct StoreReader: Sendable {
    let source: any SnapshotSource
    /// Answers searches if the file does not contain the index of words.
    var index: (any SnapshotSource)?

    /// Returns the messages of a timeline's window, all from one covered range.
    package func window(_ query: WindowQuery) async throws(StoreError) -> CacheWindow {
        try await ask { session throws(SQLiteError) in try session.window(query) }
    }

    /// Returns a message by the server's ID; nil if it is not cached.
    package func message(_ id: MessageID) async throws(StoreError) -> Snapshot<Message?> {
        try await snapshot { session throws(SQLiteError) in
            try session.firstMessage(.messageByID, id)
        }
    }

    /// Returns a message by its request ID; nil if it is not cached as delivered.
    package func message(_ id: RequestID) async throws(StoreError) -> Snapshot<Message?> {
        try await snapshot { session throws(SQLiteError) in
            // Two request IDs may share a key, so the ID itself decides.
            try session.messages(
                .messagesByRequest, RequestKey(rawValue: session.connection.requestKey(id))
            ).first { $0.requestID == id }
        }
    }

    /// Returns messages of a channel that match; walks the index that fits the filter best.
    package func messages(_ query: MessageQuery) async throws(StoreError) -> Snapshot<[Message]> {
        try await snapshot { session throws(SQLiteError) in
            guard let row = try session.channelRow(query.channel), query.lower <= query.upper,
                let filter = try session.rowFilter(query.filter)
            else { return [] }
            return try session.messages(
                MessageStretch(channelRow: row, lower: query.lower, upper: query.upper), filter,
                in: query.channel, newestFirst: query.newestFirst, limit: query.limit)
        }
    }

    /// Returns at most `limit` messages of other users that mention the user, in all channels,
    /// newest first.
    ///
    /// `place` is the position of the last message of the page before.
    package func mentions(
        before place: Position = .distantFuture, limit: Int
    ) async throws(StoreError) -> Snapshot<[Message]> {
        try await snapshot { session throws(SQLiteError) in
            try session.messages(.mentions, (before: place, limit: limit))
        }
    }

    /// Returns messages of a channel that were edited at or after a moment, earliest edit first.
    ///
    /// Messages edited at the moment itself are returned only after the given position. The first call
    /// on a cache makes an index. That reads every message once and delays writes meanwhile: 0.2 s
    /// for 1,600,000 small messages in memory, and as long as the disk takes to read the file. If
    /// the index cannot be written, for example on a full disk, the channel is read instead.
    package func edited(
        in channel: ChannelURL, since: Timestamp, after place: Position = .distantPast,
        limit: Int
    ) async throws(StoreError) -> Snapshot<[Message]> {
        try? await source.writer?.indexEdits()
        return try await snapshot { session throws(SQLiteError) in
            guard let row = try session.channelRow(channel) else { return [] }
            let input = (channelRow: row, since: since, place: place, limit: limit)
            return try session.messages(.edited, input, in: channel)
        }
    }

    /// Returns the number of cached messages of a channel from a moment to a place, both included.
    package func messageCount(
        in channel: ChannelURL, from: Timestamp, through: Position
    ) async throws(StoreError) -> Snapshot<Int> {
        try await snapshot { session throws(SQLiteError) in
            guard let row = try session.channelRow(channel) else { return 0 }
            return Int(try session.connection.first(.countMessages, (row, from, through)) ?? 0)
        }
    }

    /// Returns the number of cached messages of a channel, and about how many bytes they take.
    package func holding(
        of channel: ChannelURL
    ) async throws(StoreError) -> Snapshot<(messages: Int, bytes: Int64)> {
        try await snapshot { session throws(SQLiteError) in
            guard let row = try session.channelRow(channel),
                let holding = try session.connection.first(.holding, row)
            else { return (0, 0) }
            return (
                Int(clamping: holding.messageCount),
                Int64(exactly: PackedBytes.rows(holding).rounded()) ?? .max
            )
        }
    }

    /// Returns the time of a channel's oldest cached message; nil if none is cached.
    package func oldestMessage(
        in channel: ChannelURL
    ) async throws(StoreError) -> Snapshot<Timestamp?> {
        try await snapshot { session throws(SQLiteError) in
            guard let row = try session.channelRow(channel) else { return nil }
            return try session.connection.first(.oldestMessage, row) ?? nil
        }
    }

    /// Returns a page of the user's channels in a list's order.
    ///
    /// - Parameters:
    ///   - filter: The selection of channels.
    ///   - order: The list's order; ties are ordered by URL, so each read has the same order (scar
    ///     98).
    ///   - last: The place before the page; nil for the first page.
    ///   - limit: The highest number of channels in the page.
    /// - Returns: The page; one with fewer channels is the last.
    /// - Throws: The error of the database.
    package func channels(
        _ filter: ChannelFilter = ChannelFilter(), order: ChannelOrder,
        after last: ChannelSortKey? = nil, limit: Int
    ) async throws(StoreError) -> Snapshot<[GroupChannel]> {
        precondition(limit > 0, "A page has room for one channel at least.")
        return try await snapshot { session throws(SQLiteError) in
            if !filter.urls.isEmpty {
                return try session.channels(filter, order, after: last, limit: limit)
            }
            var typeRow: Int64?
            if let name = filter.customTypes.first, filter.customTypes.count == 1, !name.isEmpty {
                typeRow = try session.customTypeRow(name)
                if typeRow == nil { return [] }
            }
            let me = try session.me()
            let query: Query<ChannelPage, StoredChannel> =
                order == .latestLastMessage ? .channelsByLastMessage : .channelsByCreation
            guard order.isByTime else {
                let all = ChannelPage(after: nil, filter: filter, customTypeRow: typeRow)
                return try session.channelsByText(query, all, order, after: last, limit: limit) {
                    filter.matches($0, viewer: me)
                }
            }
            let page = ChannelPage(after: last, filter: filter, customTypeRow: typeRow)
            if session.rowSeals != nil {
                return try session.sealedChannels(query, page, after: last, order, limit: limit) {
                    filter.matches($0, viewer: me)
                }
            }
            var channels: [GroupChannel] = []
            var waiting: [StoredChannel] = []
            func take() throws(SQLiteError) {
                session.preloadMembers(of: waiting)
                for stored in waiting {
                    if let channel = try session.channel(stored),
                        filter.matches(channel, viewer: me)
                    {
                        channels.append(channel)
                    }
                }
                waiting.removeAll(keepingCapacity: true)
            }
            try session.connection.scan(query, page) { row throws(SQLiteError) in
                waiting.append(StoredChannel(row))
                if channels.count + waiting.count == limit { try take() }
                return channels.count < limit
            }
            try take()
            return channels
        }
    }

    /// Returns a channel; nil when only its URL is known.
    package func channel(_ url: ChannelURL) async throws(StoreError) -> Snapshot<GroupChannel?> {
        try await snapshot { session throws(SQLiteError) in
            guard let stored = try session.connection.storedChannel(url) else { return nil }
            return try session.channel(stored)
        }
    }

    /// Returns a cached user.
    package func user(_ id: UserID) async throws(StoreError) -> Snapshot<User?> {
        try await snapshot { session throws(SQLiteError) in
            try session.connection.user(id)?.user
        }
    }

    /// Returns a channel's coverage under a filter.
    package func coverage(
        of channel: ChannelURL, under filter: MessageFilter = .everything
    ) async throws(StoreError) -> Snapshot<Coverage> {
        try await snapshot { session throws(SQLiteError) in
            guard let row = try session.channelRow(channel) else { return Coverage() }
            return try session.coverage(ofRow: row, under: filter.normalized)
        }
    }

    /// Returns the place up to which a change log has been read; nil if it never was.
    package func cursor(_ key: CursorKey) async throws(StoreError) -> Snapshot<Cursor?> {
        try await snapshot { session throws(SQLiteError) in
            guard let row = try key.channel.map(session.channelRow) ?? 0 else { return nil }
            return try session.connection.cursor(kind: key.kind, channelRow: row)
        }
    }

    func snapshot<Value: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> Value
    ) async throws(StoreError) -> Snapshot<Value> {
        try await ask { session throws(SQLiteError) in
            Snapshot(value: try read(session), sequence: session.sequence)
        }
    }

    func ask<Value: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> Value
    ) async throws(StoreError) -> Value {
        try await leavingOut { () async throws(StoreError) in try await source.snapshot(read) }
    }

    /// Asks once more when messages that cannot be read have been taken out.
    func leavingOut<Value: Sendable>(
        _ ask: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        while true {
            let forgottenCount = source.writer?.damage.forgottenCount ?? 0
            do throws(StoreError) {
                return try await ask()
            } catch  where error.kind == .damaged && error.cause?.isMalformedValue == true {
                // Each round takes a message out at least.
                guard let writer = source.writer,
                    await writer.forgetUnreadable(since: forgottenCount)
                else { throw error }
            }
        }
    }
}

extension ChannelPage {
    init(after last: ChannelSortKey?, filter: ChannelFilter, customTypeRow: Int64?) {
        // Before every place: later than any time, and a URL that no other precedes.
        self.init(
            lastMessageAt: last.map { $0.lastMessageAt ?? .distantPast } ?? .distantFuture,
            createdAt: last?.createdAt ?? .distantFuture, url: last?.url ?? ChannelURL(""),
            filter: filter, customTypeRow: customTypeRow)
    }
}
