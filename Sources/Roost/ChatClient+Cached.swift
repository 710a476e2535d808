// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore

// Queries of the cache. They need no connection and send nothing to the server. They do not show
// gaps in the history; `holes(in:)` does.
//
// Messages are shown with the changes that wait in the outbox. The cache itself has the server's
// state only.

extension ChatClient {
    /// Returns a channel from the cache, as the server has it; nil if the cache does not have it.
    ///
    /// `channel(_:)` shows the changes that wait in the outbox.
    ///
    /// - Throws: `.localDatabaseError`.
    public func cachedChannel(_ url: ChannelURL) async throws(RoostError) -> GroupChannel? {
        try await read { reader throws(StoreError) in try await reader.channel(url).value }
    }

    /// Returns a message from the cache; nil if the cache does not have it, or its deletion waits.
    ///
    /// It shows the changes that wait in the outbox (`Message.pendingChanges`).
    ///
    /// - Throws: `.localDatabaseError`.
    public func cachedMessage(_ id: MessageID) async throws(RoostError) -> Message? {
        let message = try await read { reader throws(StoreError) in
            try await reader.message(id).value
        }
        guard let message else { return nil }
        return await marks(in: message.channelURL).shown(message)
    }

    /// Returns the delivered message of a request ID from the cache; nil as in `cachedMessage(_:)`.
    package func cachedMessage(sentAs id: RequestID) async throws(RoostError) -> Message? {
        let message = try await read { reader throws(StoreError) in
            try await reader.message(id).value
        }
        guard let message else { return nil }
        return await marks(in: message.channelURL).shown(message)
    }

    /// Returns a page of a channel's cached messages; the next page begins behind the last message
    /// of this one.
    ///
    /// Unsent messages are not included (see `unsentMessages(in:)`). Messages show the changes that
    /// wait in the outbox, and those whose deletions wait are left out. A waiting edit that brings
    /// a message under the filter counts when it is made.
    ///
    /// - Parameters:
    ///   - channel: The channel; one that is not cached has no messages.
    ///   - filter: The selection by kind, type, sender or parent.
    ///   - lower: The lower bound of positions, excluded.
    ///   - upper: The upper bound of positions, excluded.
    ///   - newestFirst: The order, and the end from which the page is taken.
    ///   - limit: The greatest number of messages; at least 1.
    /// - Returns: The messages; fewer than `limit` only at the end.
    /// - Throws: `.invalidParameter` for a limit below 1; `.localDatabaseError`.
    /// - Complexity: Walks the index that fits the filter best until the page is full.
    public func cachedMessages(
        of channel: ChannelURL, matching filter: MessageFilter = .everything,
        after lower: Position = .distantPast, before upper: Position = .distantFuture,
        newestFirst: Bool = true, limit: Int = 100
    ) async throws(RoostError) -> [Message] {
        try check(limit)
        let marks = await marks(in: channel)
        var (lower, upper) = (lower.next, upper.previous)
        return try await page(of: limit) { () throws(RoostError) in
            let query = MessageQuery(
                in: channel, filter: filter, from: lower, through: upper,
                newestFirst: newestFirst, limit: limit)
            let found = try await readAtLength { reader throws(StoreError) in
                try await reader.messages(query)
            }
            if let last = found.last?.position {
                if newestFirst { upper = last.previous } else { lower = last.next }
            }
            return (found, marks.shown(found, under: filter))
        }
    }

    /// Fills a page although some of the messages that are read are not shown.
    private func page(
        of limit: Int,
        _ read: () async throws(RoostError) -> (found: [Message], shown: [Message])
    ) async throws(RoostError) -> [Message] {
        var page: [Message] = []
        while true {
            let (found, shown) = try await read()
            page += shown
            // Each read begins behind the last message of the one before.
            guard page.count < limit, found.count == limit, found.last?.position != nil else {
                return Array(page.prefix(limit))
            }
        }
    }

    /// Returns the waiting changes of a channel's messages, if this client shows them.
    func marks(in channel: ChannelURL) async -> MessageMarks {
        guard configuration.showsWaitingChanges else { return MessageMarks() }
        return await engine.read { $0.outbox.messageMarks(in: channel) }
    }

    /// Returns the cached messages of a channel edited at or after a moment, the earliest edit
    /// first.
    ///
    /// The messages are as the server has them, because waiting edits have no time yet.
    ///
    /// The next page begins at the last message's `updatedAt`, behind its `position`.
    ///
    /// The first call builds an index: it reads every cached message once, and commits wait
    /// meanwhile. If the index cannot be written, as on a full disk, each call reads the whole
    /// channel.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - moment: A time of the server's clock.
    ///   - place: Of the messages edited at exactly this moment, only those behind this position.
    ///   - limit: The greatest number of messages; at least 1.
    /// - Returns: The messages; fewer than `limit` only at the end.
    /// - Throws: As `cachedMessages(of:matching:after:before:newestFirst:limit:)`.
    public func cachedEdits(
        in channel: ChannelURL, since moment: Timestamp, after place: Position = .distantPast,
        limit: Int = 100
    ) async throws(RoostError) -> [Message] {
        try check(limit)
        return try await readAtLength { reader throws(StoreError) in
            try await reader.edited(
                in: channel, since: moment, after: place, limit: limit)
        }
    }

    /// Returns the cached messages of all channels in which other users mention the user, newest
    /// first.
    ///
    /// They show the changes that wait in the outbox.
    ///
    /// - Parameters:
    ///   - place: The position of the last message of the page before.
    ///   - limit: The greatest number of messages; at least 1.
    /// - Returns: The messages; fewer than `limit` only at the end.
    /// - Throws: As `cachedMessages(of:matching:after:before:newestFirst:limit:)`.
    public func cachedMentions(
        before place: Position = .distantFuture, limit: Int = 100
    ) async throws(RoostError) -> [Message] {
        try check(limit)
        let marks = await messageMarks()
        var place = place
        return try await page(of: limit) { () throws(RoostError) in
            let found = try await readAtLength { [place] reader throws(StoreError) in
                try await reader.mentions(before: place, limit: limit)
            }
            place = found.last?.position ?? place
            let shown = found.compactMap { message in
                marks[message.channelURL, default: MessageMarks()].shown(message)
            }
            return (found, shown)
        }
    }

    /// Returns the waiting changes of all channels' messages, if this client shows them.
    func messageMarks() async -> [ChannelURL: MessageMarks] {
        guard configuration.showsWaitingChanges else { return [:] }
        return await engine.read { $0.outbox.messageMarks }
    }

    private func check(_ limit: Int) throws(RoostError) {
        guard limit > 0 else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "The limit of a page must be at least 1, but it is \(limit).")
        }
    }
}
