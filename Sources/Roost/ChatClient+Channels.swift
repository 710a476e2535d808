// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostWire

// Each of these needs a connection unless it says otherwise, and throws `.connectionRequired` without
// one. What it changed is on disk when it returns, unless the connection was lost before the channel
// could be looked up: then the next one brings it.

extension ChatClient {
    // MARK: Membership

    /// Enters a public channel; some ask for an access code.
    @discardableResult
    public func join(
        _ channel: ChannelURL, accessCode: String? = nil
    ) async throws(RoostError) -> GroupChannel {
        try await engine.join(channel, accessCode: accessCode)
    }

    /// Leaves a channel; nothing of it stays in the cache.
    public func leave(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.leaveChannel(channel)
    }

    /// Invites users; who accepts invitations without being asked is in at once.
    @discardableResult
    public func invite(
        _ users: [UserID], to channel: ChannelURL
    ) async throws(RoostError) -> GroupChannel {
        try await engine.change(InviteMembers(channelURL: channel, userIDs: users))
    }

    @discardableResult
    public func acceptInvitation(
        to channel: ChannelURL, accessCode: String? = nil
    ) async throws(RoostError) -> GroupChannel {
        try await engine.join(channel, accessCode: accessCode)
    }

    public func declineInvitation(to channel: ChannelURL) async throws(RoostError) {
        try await engine.end(.decline(channel), channel)
    }

    // MARK: The channel

    @discardableResult
    public func update(
        _ channel: ChannelURL, _ params: ChannelUpdateParams
    ) async throws(RoostError) -> GroupChannel {
        try await engine.update(channel, params)
    }

    /// Deletes a channel for everybody; only operators may.
    public func deleteChannel(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.end(.delete(channel), channel)
    }

    /// Lets only operators write, or everybody again.
    public func setFrozen(
        _ isFrozen: Bool, _ channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.request(.freeze(channel, isFrozen), .frozen(isFrozen), of: channel)
    }

    /// Takes a channel out of the user's lists, for the user alone.
    ///
    /// `hidesPrevious` makes all that was written until now invisible for good; `allowsAutoUnhide` brings
    /// the channel back with the next message.
    public func hide(
        _ channel: ChannelURL, hidesPrevious: Bool = false, allowsAutoUnhide: Bool = true
    ) async throws(RoostError) {
        try await engine.hide(
            channel, hidesPrevious: hidesPrevious, allowsAutoUnhide: allowsAutoUnhide)
    }

    public func unhide(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.request(
            .unhide(channel), .hidden(.unhidden, through: nil), of: channel)
    }

    /// Makes all that was written until now invisible for good; only operators may do it for everybody.
    public func resetHistory(
        of channel: ChannelURL, forEverybody: Bool = false
    ) async throws(RoostError) {
        try await engine.resetHistory(of: channel, forEverybody: forEverybody)
    }

    // MARK: Polls

    /// Votes in a poll that a message of the channel carries; no options take the user's votes back.
    ///
    /// Needs a connection. When it returns, the vote counts, and a message that the cache has shows it, on
    /// disk too unless the disk refused: then the change log brings it.
    ///
    /// - Throws: `.connectionRequired`, or `.ackTimeout` after eight seconds without an answer: the vote may
    ///   count then; otherwise what the server says, as `.invalidValue` of a poll that is closed.
    public func vote(
        for options: [Int64], in poll: Int64, of channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.vote(for: options, in: poll, of: channel)
    }

    // MARK: Operators and moderation

    public func addOperators(
        _ users: [UserID], to channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.request(.addOperators(channel, users), thenLookUp: channel)
    }

    /// Takes the office from some operators, or from all.
    public func removeOperators(
        _ users: [UserID]? = nil, from channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.request(
            users.map { .removeOperators(channel, $0) } ?? .removeAllOperators(channel),
            thenLookUp: channel)
    }

    public func operators(
        of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<User> {
        try await engine.call(ListPeople(.operators(channel), limit: pageSize, token: token))
    }

    /// Forbids a member to write, for a time or for ever.
    public func mute(
        _ user: UserID, in channel: ChannelURL, forSeconds seconds: Int? = nil,
        reason: String = ""
    ) async throws(RoostError) {
        try await engine.request(
            .mute(channel, user, seconds: seconds, reason: reason), thenLookUp: channel)
    }

    public func unmute(_ user: UserID, in channel: ChannelURL) async throws(RoostError) {
        try await engine.request(.unmute(channel, user), thenLookUp: channel)
    }

    public func mutedUsers(
        of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<RestrictedUser> {
        try await engine.call(
            ListRestricted(channelURL: channel, isBan: false, limit: pageSize, token: token))
    }

    /// Puts somebody out of a channel and keeps them out, for a time or for ever.
    public func ban(
        _ user: UserID, from channel: ChannelURL, forSeconds seconds: Int? = nil,
        reason: String = ""
    ) async throws(RoostError) {
        try await engine.request(
            .ban(channel, user, seconds: seconds, reason: reason), thenLookUp: channel)
    }

    public func unban(_ user: UserID, from channel: ChannelURL) async throws(RoostError) {
        try await engine.request(.unban(channel, user), thenLookUp: channel)
    }

    public func bannedUsers(
        of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<RestrictedUser> {
        try await engine.call(
            ListRestricted(channelURL: channel, isBan: true, limit: pageSize, token: token))
    }

    // MARK: Preferences

    /// Chooses what of a channel counts towards the unread totals.
    public func setCountPreference(
        _ preference: CountPreference, of channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.request(
            .setCountPreference(channel, preference, by: configuration.userID),
            .countPreference(preference), of: channel)
    }

    /// Chooses which messages of a channel push to the user.
    public func setPushTrigger(
        _ trigger: PushTrigger, of channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.request(
            .setPushTrigger(channel, trigger, by: configuration.userID), .pushTrigger(trigger),
            of: channel)
    }

    // MARK: Metadata and counters

    /// A channel's metadata as the server has it; what is cached stands in the channel.
    public func metadata(
        of channel: ChannelURL, keys: [String]? = nil
    ) async throws(RoostError) -> [String: String] {
        try await engine.call(MetadataQuestion.get(channel, keys: keys))
    }

    /// Adds metadata; refused when one of the keys exists.
    @discardableResult
    public func createMetadata(
        _ metadata: [String: String], of channel: ChannelURL
    ) async throws(RoostError) -> [String: String] {
        try await engine.writeMetadata(metadata, of: channel, .create)
    }

    /// Changes metadata and returns what was written; of unknown keys only with `addsMissing`.
    @discardableResult
    public func updateMetadata(
        _ metadata: [String: String], of channel: ChannelURL, addsMissing: Bool = false
    ) async throws(RoostError) -> [String: String] {
        try await engine.writeMetadata(metadata, of: channel, .update(isUpsert: addsMissing))
    }

    /// Deletes what stands under a key, or all of it.
    public func deleteMetadata(
        _ key: String? = nil, of channel: ChannelURL
    ) async throws(RoostError) {
        try await engine.deleteMetadata(key, of: channel)
    }

    /// A channel's counters; they are not cached.
    public func counters(
        of channel: ChannelURL, keys: [String]? = nil
    ) async throws(RoostError) -> [String: Int64] {
        try await engine.call(CounterQuestion.get(channel, keys: keys))
    }

    /// Adds counters; those that exist stay as they are.
    @discardableResult
    public func createCounters(
        _ counters: [String: Int64], of channel: ChannelURL
    ) async throws(RoostError) -> [String: Int64] {
        try await engine.call(CounterQuestion.write(channel, counters, .create, .set))
    }

    /// How a counter changes.
    public enum CounterChange: Hashable, Sendable {
        case set
        case increase
        case decrease
    }

    /// Changes counters and returns what they are now; unknown ones only with `addsMissing`.
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

    /// Deletes a counter, or all of them.
    public func deleteCounters(
        _ key: String? = nil, of channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await engine.call(ChannelRequest.deleteCounters(channel, key: key))
    }

    // MARK: People

    /// A page of a channel's members as the server has them, with their receipts.
    ///
    /// `token` is `next` of the page before; nil asks for the first.
    public func members(
        of channel: ChannelURL, _ query: MemberQuery = MemberQuery(), after token: String? = nil
    ) async throws(RoostError) -> Page<Member> {
        try await engine.call(ListMembers(channelURL: channel, query: query, token: token))
    }

    /// A page of the public channels that match; the user need not be in them, and they are not cached.
    public func publicChannels(
        _ filter: ChannelFilter = ChannelFilter(), pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<GroupChannel> {
        try await engine.call(ListPublicChannels(filter: filter, limit: pageSize, token: token))
    }

    public func block(_ user: UserID) async throws(RoostError) {
        _ = try await engine.call(ChannelRequest.block(user, by: configuration.userID))
    }

    public func unblock(_ user: UserID) async throws(RoostError) {
        _ = try await engine.call(ChannelRequest.unblock(user, by: configuration.userID))
    }

    public func blockedUsers(
        pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<User> {
        try await engine.call(
            ListPeople(.blocked(by: configuration.userID), limit: pageSize, token: token))
    }

    // MARK: Receipts and typing

    /// Marks a channel as read; a screen may call it at will.
    ///
    /// Returns when the server has taken this mark or a later one, and at once when nothing is unread.
    /// Calls that come together become one request.
    public func markAsRead(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.markAsRead(channel)
    }

    /// Takes the user's read mark back, so that a message and what follows it are unread again.
    ///
    /// Needs a connection. When it returns, the server has taken it, and the cache shows the mark and the
    /// counts; when the connection or the disk fails in between, they come with the next connection, and so
    /// they do to the user's other devices. Others are not told; who asks for the channel sees the mark as it
    /// is now. A mark that stands before the message already stays. What was marked as read before does not
    /// come after; whatever marks the channel as read later wins.
    ///
    /// - Throws: `.connectionRequired`; `.messageNotFound` when the channel has no such message.
    public func markAsUnread(
        _ channel: ChannelURL, from message: MessageID
    ) async throws(RoostError) {
        try await engine.markAsUnread(channel, from: message)
    }

    /// Marks some channels as read, or all of them; returns when the server has done so.
    ///
    /// The cache learns of it as another device does, by an event of each channel, which may come later.
    public func markAllAsRead(_ channels: [ChannelURL]? = nil) async throws(RoostError) {
        _ = try await engine.call(
            ChannelRequest.markAllAsRead(channels, by: configuration.userID))
    }

    /// Says that all messages of a channel have arrived on this device.
    ///
    /// Live messages say so by themselves; it is for those that came by push.
    public func markAsDelivered(_ channel: ChannelURL) async throws(RoostError) {
        try await engine.markAsDelivered(channel)
    }

    /// Tells the others that the user is typing; may be called with every key, and does nothing without
    /// a connection.
    public func startTyping(in channel: ChannelURL) async {
        await engine.startTyping(in: channel)
    }

    public func endTyping(in channel: ChannelURL) async { await engine.stopTyping(in: channel) }

    /// Who types in a channel now, the user left out; who says no more is left out after ten seconds.
    public func typingUsers(in channel: ChannelURL) async -> [User] {
        await engine.typingUsers(in: channel)
    }

    // MARK: Totals

    /// What is unread, from disk, in channels of these custom types; in all where none is named.
    ///
    /// It is true as far as the cache has all channels, which the first connection brings about.
    public func unreadTotals(
        customTypes: Set<String> = []
    ) async throws(RoostError) -> UnreadTotals {
        try await engine.unreadTotals(customTypes: customTypes)
    }

    /// What is unread, as the server counts it.
    public func fetchUnreadTotals(
        customTypes: Set<String> = []
    ) async throws(RoostError) -> UnreadTotals {
        try await engine.fetchUnreadTotals(customTypes: customTypes)
    }

    // MARK: Events

    /// Everything that happens from now on; ends when the client closes.
    ///
    /// A reader that is more than 256 events behind finds `.missed` in place of those it has no room for.
    public func events() async -> AsyncStream<ChatEvent> { await engine.events() }
}
