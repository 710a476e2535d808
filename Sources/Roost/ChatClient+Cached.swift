// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore

// What the cache holds, asked as one asks a database: without a connection, and the server hears nothing
// of it. Nothing here sees a hole in history; `holes(in:)` does.

extension ChatClient {
    /// A channel as the cache has it; nil when it has none.
    public func cachedChannel(_ url: ChannelURL) async throws(RoostError) -> GroupChannel? {
        do {
            return try await store.readers[0].channel(url).value
        } catch {
            throw RoostError(error)
        }
    }

    /// A message as the cache has it; nil when it has none.
    public func cachedMessage(_ id: MessageID) async throws(RoostError) -> Message? {
        do { return try await store.readers[0].message(id).value } catch { throw RoostError(error) }
    }

    /// A page of a channel's cached messages; the next one begins behind the last of this.
    ///
    /// What has not been delivered is not among them (see `unsentMessages(in:)`).
    ///
    /// - Parameters:
    ///   - channel: The channel; of one that is not cached there are none.
    ///   - filter: Which messages are meant: by kind, type, sender, or as replies to one.
    ///   - lower: All of them come after this place.
    ///   - upper: And before this one.
    ///   - newestFirst: The order, and with it from which end the page is taken.
    ///   - limit: How many at most.
    /// - Returns: The messages; fewer than `limit` where there are no more.
    /// - Throws: `.invalidParameter` for a limit below one, or `.localDatabaseError`.
    /// - Complexity: Walks the index that fits the filter best, for as long as it takes to fill the page.
    public func cachedMessages(
        of channel: ChannelURL, matching filter: MessageFilter = .everything,
        after lower: Position = .distantPast, before upper: Position = .distantFuture,
        newestFirst: Bool = true, limit: Int = 100
    ) async throws(RoostError) -> [Message] {
        try check(limit)
        let query = MessageQuery(
            in: channel, filter: filter, from: lower.next, through: upper.previous,
            newestFirst: newestFirst, limit: limit)
        return try await cached { reader throws(StoreError) in try await reader.messages(query) }
    }

    /// Cached messages of a channel that were edited at or after a moment, the earliest edit first.
    ///
    /// The next page begins at the `updatedAt` of the last of this one, behind its `position`.
    ///
    /// The first call makes an index for it: it reads every cached message once, and commits wait meanwhile.
    /// Where that cannot be written, as on a full disk, each call reads the channel.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - moment: A time of the server's.
    ///   - place: Of the messages edited at that very moment those behind this place are meant.
    ///   - limit: How many at most.
    /// - Returns: The messages; fewer than `limit` where there are no more.
    /// - Throws: As `cachedMessages`.
    public func cachedEdits(
        in channel: ChannelURL, since moment: Timestamp, after place: Position = .distantPast,
        limit: Int = 100
    ) async throws(RoostError) -> [Message] {
        try check(limit)
        return try await cached { reader throws(StoreError) in
            try await reader.edited(
                in: channel, since: moment, after: place, limit: limit)
        }
    }

    /// Cached messages of all channels in which others mention me, newest first.
    ///
    /// - Parameters:
    ///   - place: Where the page before this one ended.
    ///   - limit: How many at most.
    /// - Returns: The messages; fewer than `limit` where there are no more.
    /// - Throws: As `cachedMessages`.
    public func cachedMentions(
        before place: Position = .distantFuture, limit: Int = 100
    ) async throws(RoostError) -> [Message] {
        try check(limit)
        return try await cached { reader throws(StoreError) in
            try await reader.mentions(before: place, limit: limit)
        }
    }

    private func check(_ limit: Int) throws(RoostError) {
        guard limit > 0 else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "A page of messages has a limit of one or more; \(limit) was asked for.")
        }
    }

    private func cached<Value>(
        _ read: (StoreReader) async throws(StoreError) -> Snapshot<Value>
    ) async throws(RoostError) -> Value {
        do {
            // The last one, as for a search: a long walk holds up nobody who reads a page.
            return try await read(store.readers[store.readers.count - 1]).value
        } catch {
            throw RoostError(error)
        }
    }
}
