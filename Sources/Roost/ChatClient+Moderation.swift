// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostWire

// Each call needs a connection, and throws `.connectionRequired` without one. The effect of a
// change is in the cache, durable, when the call returns. If the connection ends before the channel
// is looked up, the next connection fetches the effect. Lists come from the server; it refuses
// another page size than 1...100 with `.invalidValue`.

extension ChatClient {
    // MARK: Operators and moderation

    /// Makes members operators of a channel.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func addOperators(
        _ users: [UserID], to channel: ChannelURL
    ) async throws(RoostError) {
        try await request(.addOperators(channel, users), thenLookUp: channel)
    }

    /// Makes operators of a channel ordinary members.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func removeOperators(
        _ users: [UserID], from channel: ChannelURL
    ) async throws(RoostError) {
        try await request(.removeOperators(channel, users), thenLookUp: channel)
    }

    /// Makes all operators of a channel ordinary members.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func removeAllOperators(from channel: ChannelURL) async throws(RoostError) {
        try await request(.removeAllOperators(channel), thenLookUp: channel)
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
        try await ask(ListPeople(.operators(channel), limit: pageSize, token: token))
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
        try await ask(
            ListRestricted(channelURL: channel, isBan: false, limit: pageSize, token: token))
    }

    /// Bans a user, who leaves the channel and can neither join nor be invited until the ban ends.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - channel: The channel.
    ///   - duration: The time in whole seconds, rounded up; nil for no end.
    ///   - reason: A text that the server keeps with the ban.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func ban(
        _ user: UserID, from channel: ChannelURL, for duration: Duration? = nil,
        reason: String = ""
    ) async throws(RoostError) {
        try await request(
            .ban(channel, user, seconds: duration?.wholeSeconds, reason: reason),
            thenLookUp: channel)
    }

    /// Ends the ban of a user, who may join again.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func unban(_ user: UserID, from channel: ChannelURL) async throws(RoostError) {
        try await request(.unban(channel, user), thenLookUp: channel)
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
        try await ask(
            ListRestricted(channelURL: channel, isBan: true, limit: pageSize, token: token))
    }
}
