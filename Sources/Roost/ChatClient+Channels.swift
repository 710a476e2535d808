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
        try await change(.join(JoinChannel(channel, accessCode: accessCode)))
    }

    /// Accepts an invitation and joins the channel.
    ///
    /// - Returns: The channel with the user as a member.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func acceptInvitation(
        to channel: ChannelURL, accessCode: String? = nil
    ) async throws(RoostError) -> GroupChannel {
        try await change(.join(JoinChannel(channel, accessCode: accessCode)))
    }

    /// Declines an invitation and removes the channel from the cache.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func declineInvitation(to channel: ChannelURL) async throws(RoostError) {
        try await act(.request(.decline(channel)), .departure(channel))
    }

    // MARK: The channel

    /// Deletes a channel for all members; permitted to operators only.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteChannel(_ channel: ChannelURL) async throws(RoostError) {
        try await act(.request(.delete(channel)), .departure(channel))
    }

    /// Freezes or unfreezes a channel; only operators write in a frozen one.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func setFrozen(
        _ isFrozen: Bool, _ channel: ChannelURL
    ) async throws(RoostError) {
        try await act(
            .request(.freeze(channel, isFrozen)), .news(.frozen(isFrozen), channel))
    }

    /// Needs a connection: hides a channel from the user's lists; other members see no change.
    ///
    /// The server can only hide all messages up to the moment at which it gets the request, so the
    /// request cannot wait. `hide(_:allowsAutoUnhide:)` waits in the outbox.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - hidesPrevious: Whether the messages up to now become invisible to the user for good.
    ///   - allowsAutoUnhide: Whether the next message shows the channel again.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func hideNow(
        _ channel: ChannelURL, hidesPrevious: Bool, allowsAutoUnhide: Bool = true
    ) async throws(RoostError) {
        try await act(
            .moment(
                .hide(channel, hidesPrevious: hidesPrevious, allowsAutoUnhide: allowsAutoUnhide)),
            .hidden(
                allowsAutoUnhide ? .untilNextMessage : .untilShown, hidesPrevious: hidesPrevious,
                channel))
    }

    /// Makes all messages up to now invisible for good, to the user or to all members.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - forEverybody: Whether all members are affected; only operators may.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func resetHistory(
        of channel: ChannelURL, forEverybody: Bool = false
    ) async throws(RoostError) {
        try await act(
            .moment(.resetHistory(channel, ofEverybody: forEverybody)), .historyReset(channel))
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
        try await ask(ListMembers(channelURL: channel, query: query, token: token))
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
        try await ask(ListPublicChannels(filter: filter, limit: pageSize, token: token))
    }

    /// Blocks a user, who can then neither invite the user nor write to them in a channel of two.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func block(_ user: UserID) async throws(RoostError) {
        _ = try await ask(ChannelRequest.block(user, by: configuration.userID))
    }

    /// Ends the block of a user.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func unblock(_ user: UserID) async throws(RoostError) {
        _ = try await ask(ChannelRequest.unblock(user, by: configuration.userID))
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
        try await ask(
            ListPeople(.blocked(by: configuration.userID), limit: pageSize, token: token))
    }
}
