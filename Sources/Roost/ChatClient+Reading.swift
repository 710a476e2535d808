// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore
import RoostWire

// Each call needs a connection unless it says otherwise, and throws `.connectionRequired` without
// one. Its effect is in the cache, durable, when it returns. If the connection ends before the
// channel is looked up, the next connection fetches the effect.

extension ChatClient {
    // MARK: Receipts and typing

    /// Needs a connection: marks a channel as read; a screen may call it as often as it likes.
    ///
    /// The call returns when the mark is recorded, so a loop that answers messages may await it.
    /// The client sends one mark a second and channel; calls in between become one more mark. A
    /// mark that the connection's loss overtakes is lost with it: `markAsRead(_:through:)` waits on
    /// disk.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - awaitsServer: Whether the call returns only when the server has taken this mark or a
    ///     later one, which may be a second later; at once if nothing is unread.
    /// - Throws: `.connectionRequired`. If the call waits for the server, also its refusal, or the
    ///   loss of the connection.
    public func markAsReadNow(
        _ channel: ChannelURL, awaitingServer awaitsServer: Bool = false
    ) async throws(RoostError) {
        try await engine.run(
            .inTime(InTime(.markAsRead(MarkAsReadCall(channel, awaitingServer: awaitsServer)))))
    }

    /// Moves the user's read mark back, so that a message and all later ones are unread again.
    ///
    /// On return the server has the mark, and the cache shows it with the counts. In a channel that
    /// changes all the time the cache may follow later: the call waits for eight seconds at most.
    /// If the connection or the disk fails in between, the next connection brings them; the user's
    /// other devices get them with their next connection too. Other members get no event. A mark
    /// that already lies before the message stays. Earlier waiting marks are dropped; a later mark
    /// as read wins.
    ///
    /// - Throws: `.connectionRequired`; `.messageNotFound` if the channel has no such message.
    public func markAsUnread(
        _ channel: ChannelURL, from message: MessageID
    ) async throws(RoostError) {
        try await engine.run(.inTime(InTime(.markAsUnread(MarkAsUnread(channel, from: message)))))
    }

    /// Marks some channels as read, or all of them if `channels` is nil; returns when the server
    /// has done so.
    ///
    /// The cache learns of it by an event of each channel, possibly after the return.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func markAllAsRead(_ channels: [ChannelURL]? = nil) async throws(RoostError) {
        _ = try await ask(
            ChannelRequest.markAllAsRead(channels, by: configuration.userID))
    }

    /// Reports that all messages of a channel have arrived on this device.
    ///
    /// Live messages are reported automatically; use it for messages that arrived by push.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func markAsDelivered(_ channel: ChannelURL) async throws(RoostError) {
        try await act(.moment(.markAsDelivered(channel)), .markedAsDelivered(channel))
    }

    /// Reports that the user is typing.
    ///
    /// The call may be made with every key; the client limits the reports. It does nothing without
    /// a connection.
    public func startTyping(in channel: ChannelURL) async {
        await engine.receive(.startedTyping(channel))
    }

    /// Reports that the user has stopped typing; does nothing without a connection.
    public func endTyping(in channel: ChannelURL) async {
        await engine.receive(.stoppedTyping(channel))
    }

    /// Returns the members who are typing, without the user; a member drops out after ten seconds.
    public func typingUsers(in channel: ChannelURL) async -> [User] {
        await engine.read { $0.typing.users(in: channel) }
    }

    // MARK: Totals

    /// Returns the unread counts from disk, in channels of these custom types, or in all if none is
    /// given.
    ///
    /// The result is complete once the cache has all channels, after the first connection. Changes
    /// that wait in the outbox count: a channel that is marked as read, hidden or left on this
    /// device adds nothing any more.
    ///
    /// - Throws: `.localDatabaseError`.
    public func unreadTotals(
        customTypes: Set<String> = []
    ) async throws(RoostError) -> UnreadTotals {
        var filter = ChannelFilter()
        filter.customTypes = customTypes
        let marks = await engine.read { $0.outbox.allMarks.mapValues(\.ofCounts) }
        // A waiting change may bring a channel into the selection.
        var wide = ChannelFilter()
        wide.hidden = .all
        let selection = marks.isEmpty ? filter : wide
        // The reader of pages answers the machine's questions too, which would wait.
        let channels = try await readAtLength { reader throws(StoreError) in
            try await reader.channels(selection, order: .chronological, limit: .max)
        }
        let shows = configuration.showsWaitingChanges
        let me = configuration.userID
        // Not on the caller's thread, which may be the one that draws the screen.
        return await engine.read { [filter] _ in
            UnreadTotals(
                channels.map { channel in
                    channel.marked(shows ? marks[channel.url] : marks[channel.url]?.ofChannelOnly)
                }.filter { filter.matches($0, viewer: me) })
        }
    }

    /// Returns a stream of the current unread counts and all later ones, as for an app's badge; a
    /// slow reader misses some but gets the last.
    ///
    /// The counts are those of `unreadTotals(customTypes:)`. They are computed again at most four
    /// times a second, and published if they have changed. The stream ends with the client.
    public func unreadTotalStates(
        customTypes: Set<String> = []
    ) async -> AsyncStream<UnreadTotals> {
        let changes = engine.performers.notices.countChanges.open(beginningWith: ())
        let (stream, continuation) = AsyncStream.makeStream(
            of: UnreadTotals.self, bufferingPolicy: .bufferingNewest(1))
        // The task ends with the stream or with the client.
        let task = Task(executorPreference: world.executor) { [weak self, clock = world.clock] in
            var last: UnreadTotals?
            for await _ in changes {
                // A failed read leaves the last counts; the next change reads them again.
                if let totals = try? await self?.unreadTotals(customTypes: customTypes),
                    totals != last
                {
                    last = totals
                    continuation.yield(totals)
                }
                try? await clock.sleep(for: .milliseconds(250))
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Returns the unread counts of the server, in channels of these custom types, or in all if
    /// none is given.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func fetchUnreadTotals(
        customTypes: Set<String> = []
    ) async throws(RoostError) -> UnreadTotals {
        try await inWorld { () async throws(RoostError) -> UnreadTotals in
            try await askUnreadTotals(customTypes: customTypes)
        }
    }

    private func askUnreadTotals(
        customTypes: Set<String>
    ) async throws(RoostError) -> UnreadTotals {
        let (me, types) = (configuration.userID, customTypes.sorted())
        // Both questions are asked at once, so the caller waits only as long as for one.
        async let counts = Result { () async throws(RoostError) in
            try await self.ask(CountUnread(userID: me, customTypes: types))
        }
        async let channels = Result { () async throws(RoostError) in
            try await self.ask(CountUnreadChannels(userID: me, customTypes: types))
        }
        var totals = try await counts.get()
        totals.channels = try await channels.get()
        return totals
    }

    // MARK: Events

    /// Returns a stream of all later events; it ends when the client is closed.
    ///
    /// A reader more than 256 events behind gets `.missed` in place of the events that do not fit.
    public func events() async -> AsyncStream<ChatEvent> { engine.performers.notices.events.open() }
}

extension UnreadTotals {
    fileprivate init(_ channels: [GroupChannel]) {
        self.init()
        for channel in channels where channel.countPreference != .off {
            messages = messages.addingSaturated(channel.unreadMessageCount)
            mentions = mentions.addingSaturated(channel.unreadMentionCount)
            if channel.unreadMessageCount > 0 { self.channels += 1 }
            if channel.myState == .invited { invitations += 1 }
        }
    }
}
