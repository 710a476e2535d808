// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostWire

// Each call needs a connection unless it says otherwise, and throws `.connectionRequired` without
// one. Its effect is in the cache, durable, when it returns. If the connection ends before the
// channel is looked up, the next connection fetches the effect.

extension ChatClient {
    // MARK: Membership

    /// Joins a public channel.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - accessCode: The code, if the channel asks for one.
    /// - Returns: The channel with the user as a member.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func join(
        _ channel: ChannelURL, accessCode: String? = nil
    ) async throws(RoostError) -> GroupChannel {
        try await engine.join(channel, accessCode: accessCode)
    }

    /// Leaves a channel and removes everything of it from the cache.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func leave(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.leaveChannel(channel)
    }

    /// Invites users; those who accept invitations automatically join at once.
    ///
    /// - Returns: The channel with its new members.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func invite(
        _ users: [UserID], to channel: ChannelURL
    ) async throws(RoostError) -> GroupChannel {
        try await engine.change(InviteMembers(channelURL: channel, userIDs: users))
    }

    /// Accepts an invitation and joins the channel.
    ///
    /// - Returns: The channel with the user as a member.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func acceptInvitation(
        to channel: ChannelURL, accessCode: String? = nil
    ) async throws(RoostError) -> GroupChannel {
        try await engine.join(channel, accessCode: accessCode)
    }

    /// Declines an invitation and removes the channel from the cache.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func declineInvitation(to channel: ChannelURL) async throws(RoostError) {
        try await engine.end(.decline(channel), channel)
    }

    // MARK: The channel

    /// Changes properties of a channel; nil leaves a property as it is.
    ///
    /// - Returns: The channel as changed.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func update(
        _ channel: ChannelURL, _ params: ChannelUpdateParams
    ) async throws(RoostError) -> GroupChannel {
        try await engine.update(channel, params)
    }

    /// Deletes a channel for everybody; only operators may.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteChannel(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.end(.delete(channel), channel)
    }

    /// Freezes or unfreezes a channel; only operators write in a frozen one.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func setFrozen(
        _ isFrozen: Bool, _ channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.request(.freeze(channel, isFrozen), .frozen(isFrozen), of: channel)
    }

    /// Hides a channel from the user's lists; other members see no change.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - hidesPrevious: Whether the messages up to now become invisible to the user for good.
    ///   - allowsAutoUnhide: Whether the next message shows the channel again.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func hide(
        _ channel: ChannelURL, hidesPrevious: Bool = false, allowsAutoUnhide: Bool = true
    ) async throws(RoostError) {
        try await engine.hide(
            channel, hidesPrevious: hidesPrevious, allowsAutoUnhide: allowsAutoUnhide)
    }

    /// Shows a hidden channel in the user's lists again.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func unhide(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.request(
            .unhide(channel), .hidden(.unhidden, through: nil), of: channel)
    }

    /// Makes all messages up to now invisible for good, to the user or to everybody.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - forEverybody: Whether all members are affected; only operators may.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func resetHistory(
        of channel: ChannelURL, forEverybody: Bool = false
    ) async throws(RoostError) {
        try await engine.resetHistory(of: channel, forEverybody: forEverybody)
    }

    // MARK: Polls

    /// Votes in a poll of a message in the channel; no options withdraw the user's votes.
    ///
    /// When the call returns, the vote counts and a cached message shows it. It is durable too,
    /// unless the disk refused; then the change log brings it.
    ///
    /// - Throws: `.connectionRequired`. `.ackTimeout` after eight seconds without an answer; the
    ///   vote may count then. Otherwise the server's refusal, such as `.invalidValue` for a closed
    ///   poll.
    public func vote(
        for options: [Int64], in poll: Int64, of channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.vote(for: options, in: poll, of: channel)
    }

    // MARK: Operators and moderation

    /// Makes members operators of a channel.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func addOperators(
        _ users: [UserID], to channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.request(.addOperators(channel, users), thenLookUp: channel)
    }

    /// Removes some operators of a channel, or all of them if `users` is nil.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func removeOperators(
        _ users: [UserID]? = nil, from channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.request(
            users.map { .removeOperators(channel, $0) } ?? .removeAllOperators(channel),
            thenLookUp: channel)
    }

    /// Returns a page of a channel's operators from the server.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - pageSize: The size of the page, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func operators(
        of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<User> {
        try await engine.call(ListPeople(.operators(channel), limit: pageSize, token: token))
    }

    /// Mutes a member, who may not write until the mute ends.
    ///
    /// - Parameters:
    ///   - user: The member.
    ///   - channel: The channel.
    ///   - seconds: The duration; nil for no end.
    ///   - reason: A text that the server keeps with the mute.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func mute(
        _ user: UserID, in channel: ChannelURL, forSeconds seconds: Int? = nil,
        reason: String = ""
    ) async throws(RoostError) {
        try await engine.request(
            .mute(channel, user, seconds: seconds, reason: reason), thenLookUp: channel)
    }

    /// Ends the mute of a member.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func unmute(_ user: UserID, in channel: ChannelURL) async throws(RoostError) {
        try await engine.request(.unmute(channel, user), thenLookUp: channel)
    }

    /// Returns a page of a channel's muted members from the server.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - pageSize: The size of the page, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func mutedUsers(
        of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<RestrictedUser> {
        try await engine.call(
            ListRestricted(channelURL: channel, isBan: false, limit: pageSize, token: token))
    }

    /// Bans a user, who leaves the channel and can neither join nor be invited until the ban ends.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - channel: The channel.
    ///   - seconds: The duration; nil for no end.
    ///   - reason: A text that the server keeps with the ban.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func ban(
        _ user: UserID, from channel: ChannelURL, forSeconds seconds: Int? = nil,
        reason: String = ""
    ) async throws(RoostError) {
        try await engine.request(
            .ban(channel, user, seconds: seconds, reason: reason), thenLookUp: channel)
    }

    /// Ends the ban of a user, who may join again.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func unban(_ user: UserID, from channel: ChannelURL) async throws(RoostError) {
        try await engine.request(.unban(channel, user), thenLookUp: channel)
    }

    /// Returns a page of a channel's banned users from the server.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - pageSize: The size of the page, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func bannedUsers(
        of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<RestrictedUser> {
        try await engine.call(
            ListRestricted(channelURL: channel, isBan: true, limit: pageSize, token: token))
    }

    // MARK: Preferences

    /// Sets the counts of a channel that go into the unread totals.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func setCountPreference(
        _ preference: CountPreference, of channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.request(
            .setCountPreference(channel, preference, by: configuration.userID),
            .countPreference(preference), of: channel)
    }

    /// Sets the messages of a channel that push to the user's devices.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func setPushTrigger(
        _ trigger: PushTrigger, of channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.request(
            .setPushTrigger(channel, trigger, by: configuration.userID), .pushTrigger(trigger),
            of: channel)
    }

    // MARK: Metadata and counters

    /// Returns a channel's metadata from the server; the cached copy is in `GroupChannel.metadata`.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - keys: The keys; nil for all.
    /// - Returns: The metadata under these keys, as far as they exist.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func metadata(
        of channel: ChannelURL, keys: [String]? = nil
    ) async throws(RoostError) -> [String: String] {
        try await engine.call(MetadataQuestion.get(channel, keys: keys))
    }

    /// Adds metadata to a channel.
    ///
    /// - Returns: The metadata as written.
    /// - Throws: `.connectionRequired`, or the server's refusal, as if one of the keys exists;
    ///   nothing was added then.
    @discardableResult
    public func createMetadata(
        _ metadata: [String: String], of channel: ChannelURL
    ) async throws(RoostError) -> [String: String] {
        try await engine.writeMetadata(metadata, of: channel, .create)
    }

    /// Changes metadata of a channel.
    ///
    /// - Parameters:
    ///   - metadata: The new values.
    ///   - channel: The channel.
    ///   - addsMissing: Whether keys that do not exist are added; otherwise they are ignored.
    /// - Returns: The metadata as written.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func updateMetadata(
        _ metadata: [String: String], of channel: ChannelURL, addsMissing: Bool = false
    ) async throws(RoostError) -> [String: String] {
        try await engine.writeMetadata(metadata, of: channel, .update(isUpsert: addsMissing))
    }

    /// Deletes the metadata under a key, or all of them if `key` is nil.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteMetadata(
        _ key: String? = nil, of channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.deleteMetadata(key, of: channel)
    }

    /// Returns a channel's counters from the server; they are never cached.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - keys: The keys; nil for all.
    /// - Returns: The counters under these keys, as far as they exist.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func counters(
        of channel: ChannelURL, keys: [String]? = nil
    ) async throws(RoostError) -> [String: Int64] {
        try await engine.call(CounterQuestion.get(channel, keys: keys))
    }

    /// Adds counters to a channel; existing ones stay as they are.
    ///
    /// - Returns: The counters under these keys.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func createCounters(
        _ counters: [String: Int64], of channel: ChannelURL
    ) async throws(RoostError) -> [String: Int64] {
        try await engine.call(CounterQuestion.write(channel, counters, .create, .set))
    }

    /// The way in which a counter changes.
    public enum CounterChange: Hashable, Sendable {
        /// The counter takes the value.
        case set
        /// The value is added to the counter.
        case increase
        /// The value is subtracted from the counter.
        case decrease
    }

    /// Changes counters of a channel.
    ///
    /// - Parameters:
    ///   - counters: The values by key.
    ///   - channel: The channel.
    ///   - change: The way in which the values are applied.
    ///   - addsMissing: Whether keys that do not exist are added; otherwise they are ignored.
    /// - Returns: The counters after the change.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func changeCounters(
        _ counters: [String: Int64], of channel: ChannelURL, _ change: CounterChange,
        addsMissing: Bool = false
    ) async throws(RoostError) -> [String: Int64] {
        let mode: CounterQuestion.Mode =
            switch change {
            case .set: .set
            case .increase: .increase
            case .decrease: .decrease
            }
        return try await engine.call(
            CounterQuestion.write(channel, counters, .update(isUpsert: addsMissing), mode))
    }

    /// Deletes the counter under a key, or all of them if `key` is nil.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteCounters(
        _ key: String? = nil, of channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await engine.call(ChannelRequest.deleteCounters(channel, key: key))
    }

    // MARK: People

    /// Returns a page of a channel's members from the server, with their receipts.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - query: The selection, order and size of a page.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func members(
        of channel: ChannelURL, _ query: MemberQuery = MemberQuery(), after token: String? = nil
    ) async throws(RoostError) -> Page<Member> {
        try await engine.call(ListMembers(channelURL: channel, query: query, token: token))
    }

    /// Returns a page of the public channels that match; they are not cached, and the user need not
    /// be a member.
    ///
    /// - Parameters:
    ///   - filter: The conditions.
    ///   - pageSize: The size of the page, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func publicChannels(
        _ filter: ChannelFilter = ChannelFilter(), pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<GroupChannel> {
        try await engine.call(ListPublicChannels(filter: filter, limit: pageSize, token: token))
    }

    /// Blocks a user, whose messages no longer count for the user.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func block(_ user: UserID) async throws(RoostError) {
        _ = try await engine.call(ChannelRequest.block(user, by: configuration.userID))
    }

    /// Ends the block of a user.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func unblock(_ user: UserID) async throws(RoostError) {
        _ = try await engine.call(ChannelRequest.unblock(user, by: configuration.userID))
    }

    /// Returns a page of the users whom the user has blocked.
    ///
    /// - Parameters:
    ///   - pageSize: The size of the page, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func blockedUsers(
        pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<User> {
        try await engine.call(
            ListPeople(.blocked(by: configuration.userID), limit: pageSize, token: token))
    }

    // MARK: Receipts and typing

    /// Marks a channel as read; a screen may call it as often as it likes.
    ///
    /// The call returns when the server has taken this mark or a later one, and at once if nothing
    /// is unread. Simultaneous calls become one request.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func markAsRead(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.markAsRead(channel)
    }

    /// Moves the user's read mark back, so that a message and all later ones are unread again.
    ///
    /// When the call returns, the server has the mark and the cache shows it with the counts. If
    /// the connection or the disk fails in between, the next connection brings them; the user's
    /// other devices get them with their next connection too. Other members get no event. A mark
    /// that already lies before the message stays. Earlier waiting marks are dropped; a later mark
    /// as read wins.
    ///
    /// - Throws: `.connectionRequired`; `.messageNotFound` if the channel has no such message.
    public func markAsUnread(
        _ channel: ChannelURL, from message: MessageID
    ) async throws(RoostError) {
        try await engine.markAsUnread(channel, from: message)
    }

    /// Marks some channels as read, or all of them if `channels` is nil; returns when the server
    /// has done so.
    ///
    /// The cache learns of it by an event of each channel, possibly after the return.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func markAllAsRead(_ channels: [ChannelURL]? = nil) async throws(RoostError) {
        _ = try await engine.call(
            ChannelRequest.markAllAsRead(channels, by: configuration.userID))
    }

    /// Reports that all messages of a channel have arrived on this device.
    ///
    /// Live messages are reported automatically; use it for messages that arrived by push.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func markAsDelivered(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.markAsDelivered(channel)
    }

    /// Reports that the user is typing.
    ///
    /// The call may be made with every key; the client limits the reports. It does nothing without
    /// a connection.
    public func startTyping(in channel: ChannelURL) async {
        await engine.startTyping(in: channel)
    }

    /// Reports that the user has stopped typing; does nothing without a connection.
    public func endTyping(in channel: ChannelURL) async { await engine.stopTyping(in: channel) }

    /// Returns the members who are typing, without the user; a member drops out after ten seconds.
    public func typingUsers(in channel: ChannelURL) async -> [User] {
        await engine.typingUsers(in: channel)
    }

    // MARK: Totals

    /// Returns the unread counts from disk, in channels of these custom types, or in all if none is
    /// given.
    ///
    /// The result is complete once the cache has all channels, after the first connection.
    ///
    /// - Throws: `.localDatabaseError`.
    public func unreadTotals(
        customTypes: Set<String> = []
    ) async throws(RoostError) -> UnreadTotals {
        try await engine.unreadTotals(customTypes: customTypes)
    }

    /// Returns the unread counts of the server, in channels of these custom types, or in all if
    /// none is given.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func fetchUnreadTotals(
        customTypes: Set<String> = []
    ) async throws(RoostError) -> UnreadTotals {
        try await engine.fetchUnreadTotals(customTypes: customTypes)
    }

    // MARK: Events

    /// Returns a stream of all later events; it ends when the client is closed.
    ///
    /// A reader more than 256 events behind gets `.missed` in place of the events that do not fit.
    public func events() async -> AsyncStream<ChatEvent> { await engine.events() }
}
