// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore

// Changes of channels and of the user's own settings in them. Each call returns once its change is
// on disk, with or without a connection; delivery survives a relaunch (`docs/delivery.md`). Until
// the server has made the change, channel lists and `channel(_:)` show the channel with it
// (`GroupChannel.pendingChanges`). A refused change is in `refusals(in:)`, and the channel is as
// before.

extension ChatClient {
    // MARK: Membership

    /// Leaves a channel; everything of it is removed from the cache once the server has the change.
    ///
    /// The channel vanishes from lists at once. The unsent messages and changes of the channel are
    /// sent before, even those of later calls. A user who is no member any more has left.
    ///
    /// - Returns: The identifier of the change, for `outcome(of:)`.
    /// - Throws: `.localDatabaseError`; nothing was saved then.
    @discardableResult
    public func leave(_ channel: ChannelURL) async throws(RoostError) -> RequestID {
        try await queue(.leave, in: channel)
    }

    /// Invites users; those who accept invitations automatically join at once.
    ///
    /// - Returns: As `queue(_:in:)`.
    /// - Throws: As `queue(_:in:)`.
    @discardableResult
    public func invite(
        _ users: [UserID], to channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await queue(.invite(users), in: channel)
    }

    // MARK: Properties

    /// Changes properties of a channel; nil leaves a property as it is.
    ///
    /// It replaces a waiting edit all of whose properties it sets.
    ///
    /// - Returns: As `queue(_:in:)`.
    /// - Throws: As `queue(_:in:)`.
    @discardableResult
    public func update(
        _ channel: ChannelURL, _ params: ChannelUpdateParams
    ) async throws(RoostError) -> RequestID {
        try await queue(.update(params), in: channel)
    }

    /// Pins a message for all members of its channel; `GroupChannel.pinnedMessageIDs` lists it.
    ///
    /// Another pin of the same message moves it to the front.
    ///
    /// - Returns: As `queue(_:in:)`.
    /// - Throws: As `queue(_:in:)`.
    @discardableResult
    public func pinMessage(
        _ message: MessageID, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await queue(.pin(message), in: channel)
    }

    /// Unpins a message for all members of its channel.
    ///
    /// - Returns: As `queue(_:in:)`.
    /// - Throws: As `queue(_:in:)`.
    @discardableResult
    public func unpinMessage(
        _ message: MessageID, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await queue(.unpin(message), in: channel)
    }

    // MARK: Own settings

    /// Hides a channel from the user's lists; other members see no change.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - allowsAutoUnhide: Whether the next message shows the channel again. A message that comes
    ///     to the server before the change does not.
    /// - Returns: As `queue(_:in:)`.
    /// - Throws: As `queue(_:in:)`.
    @discardableResult
    public func hide(
        _ channel: ChannelURL, allowsAutoUnhide: Bool = true
    ) async throws(RoostError) -> RequestID {
        try await queue(.hide(allowsAutoUnhide: allowsAutoUnhide), in: channel)
    }

    /// Shows a hidden channel in the user's lists again.
    ///
    /// - Returns: As `queue(_:in:)`.
    /// - Throws: As `queue(_:in:)`.
    @discardableResult
    public func unhide(_ channel: ChannelURL) async throws(RoostError) -> RequestID {
        try await queue(.unhide, in: channel)
    }

    /// Sets which messages of a channel the user is notified of; `.off` mutes the channel.
    ///
    /// - Returns: As `queue(_:in:)`.
    /// - Throws: As `queue(_:in:)`.
    @discardableResult
    public func setPushTrigger(
        _ trigger: PushTrigger, of channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await queue(.setPushTrigger(trigger), in: channel)
    }

    /// Sets whether a channel's messages and mentions count towards the unread totals.
    ///
    /// - Returns: As `queue(_:in:)`.
    /// - Throws: As `queue(_:in:)`.
    @discardableResult
    public func setCountPreference(
        _ preference: CountPreference, of channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await queue(.setCountPreference(preference), in: channel)
    }

    // MARK: Members

    /// Mutes a member, who may not write until the mute ends.
    ///
    /// - Parameters:
    ///   - user: The member.
    ///   - channel: The channel.
    ///   - duration: The time from the moment when the server has the change, in whole seconds and
    ///     rounded up; nil for no end.
    ///   - reason: A text that the server keeps with the mute.
    /// - Returns: As `queue(_:in:)`.
    /// - Throws: As `queue(_:in:)`.
    @discardableResult
    public func mute(
        _ user: UserID, in channel: ChannelURL, for duration: Duration? = nil,
        reason: String = ""
    ) async throws(RoostError) -> RequestID {
        // The outbox and the server keep whole seconds.
        let seconds = duration.map { Duration.seconds($0.wholeSeconds) }
        return try await queue(.mute(user, for: seconds, reason: reason), in: channel)
    }

    /// Ends the mute of a member.
    ///
    /// - Returns: As `queue(_:in:)`.
    /// - Throws: As `queue(_:in:)`.
    @discardableResult
    public func unmute(
        _ user: UserID, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        try await queue(.unmute(user), in: channel)
    }

    // MARK: All changes

    /// Queues a change of a channel.
    ///
    /// Changes of one channel are made in the order of their calls. A waiting change of which this
    /// one leaves nothing is dropped.
    ///
    /// - Returns: The identifier of the change, for `outcome(of:)`; for a second departure that of
    ///   the waiting one.
    /// - Throws: Code 400203 if 100 changes of the channel wait or were refused;
    ///   `.localDatabaseError`. Nothing was saved then.
    @discardableResult
    public func queue(
        _ change: ChannelChange, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        let changing = OutboxChanging(.channel(change), in: channel)
        return try await engine.run(.outbox(.changing(changing)), \.requestID)
    }

    /// Makes a change at once, past the outbox, as the doors' SDKs do: they fail without a
    /// connection, and answer with the changed channel.
    @discardableResult
    package func makeNow(
        _ change: ChannelChange, in channel: ChannelURL
    ) async throws(RoostError) -> GroupChannel? {
        let act = Operation.channelAct(
            ChannelAct(change, in: channel, by: configuration.userID))
        return try await engine.run(.inTime(InTime(act))).channel
    }

    /// As `makeNow`, for a change whose answer is the channel.
    package func changeNow(
        _ change: ChannelChange, in channel: ChannelURL
    ) async throws(RoostError) -> GroupChannel {
        guard let changed = try await makeNow(change, in: channel) else { throw .outOfStep }
        return changed
    }

    /// Returns a channel with the changes that wait.
    func marked(_ channel: GroupChannel) async throws(RoostError) -> GroupChannel {
        guard let all = await engine.read({ $0.outbox.marks(of: channel.url) }) else {
            return channel
        }
        let marks = configuration.showsWaitingChanges ? all : all.ofChannelOnly
        guard let last = channel.lastMessage, marks.deletes(last) else {
            return channel.marked(marks)
        }
        let window = try await read { reader throws(StoreError) in
            try await reader.window(WindowQuery(before: last))
        }
        return channel.marked(marks, preview: marks.preview(in: window.messages, before: last))
    }
}
