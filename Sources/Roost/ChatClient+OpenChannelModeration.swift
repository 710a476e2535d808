// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostWire

// Each call needs a connection, and throws `.connectionRequired` without one. The users inside the
// channel get an event of the change.

extension ChatClient {
    // MARK: Operators and moderation

    /// Freezes or unfreezes an open channel; only operators write in a frozen one.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func setFrozen(
        _ isFrozen: Bool, openChannel channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(InOpenChannel(ChannelRequest.freeze(channel, isFrozen)))
    }

    /// Makes users operators of an open channel.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func addOperators(
        _ users: [UserID], toOpenChannel channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(InOpenChannel(ChannelRequest.addOperators(channel, users)))
    }

    /// Makes operators of an open channel ordinary participants.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func removeOperators(
        _ users: [UserID], fromOpenChannel channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(InOpenChannel(ChannelRequest.removeOperators(channel, users)))
    }

    /// Makes all operators of an open channel ordinary participants.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func removeAllOperators(
        fromOpenChannel channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(InOpenChannel(ChannelRequest.removeAllOperators(channel)))
    }

    /// Returns a page of an open channel's operators.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - pageSize: The size of the page, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func operators(
        ofOpenChannel channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<User> {
        try await ask(
            InOpenChannel(ListPeople(.operators(channel), limit: pageSize, token: token)))
    }

    /// Needs a connection: mutes a user in an open channel, who may not write until the mute ends.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - channel: The channel.
    ///   - duration: The time in whole seconds, rounded up; nil for no end.
    ///   - reason: A text that the server keeps with the mute.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func muteNow(
        _ user: UserID, inOpenChannel channel: ChannelURL, for duration: Duration? = nil,
        reason: String = ""
    ) async throws(RoostError) {
        _ = try await ask(
            InOpenChannel(
                ChannelRequest.mute(
                    channel, user, seconds: duration?.wholeSeconds, reason: reason)))
    }

    /// Needs a connection: ends the mute of a user in an open channel.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func unmuteNow(
        _ user: UserID, inOpenChannel channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(InOpenChannel(ChannelRequest.unmute(channel, user)))
    }

    /// Returns the user's own mute in an open channel.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func muteInfo(
        inOpenChannel channel: ChannelURL
    ) async throws(RoostError) -> MuteInfo {
        try await ask(
            InOpenChannel(AskMute(channelURL: channel, userID: configuration.userID)))
    }

    /// Returns a page of the muted users of an open channel.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - pageSize: The size of the page, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func mutedUsers(
        ofOpenChannel channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<RestrictedUser> {
        try await ask(
            InOpenChannel(
                ListRestricted(channelURL: channel, isBan: false, limit: pageSize, token: token)))
    }

    /// Bans a user, who is put out of the open channel and may not enter until the ban ends.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - channel: The channel.
    ///   - duration: The time in whole seconds, rounded up; nil for no end.
    ///   - reason: A text that the server keeps with the ban.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func ban(
        _ user: UserID, fromOpenChannel channel: ChannelURL, for duration: Duration? = nil,
        reason: String = ""
    ) async throws(RoostError) {
        _ = try await ask(
            InOpenChannel(
                ChannelRequest.ban(
                    channel, user, seconds: duration?.wholeSeconds, reason: reason)))
    }

    /// Ends the ban of a user, who may enter the open channel again.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func unban(
        _ user: UserID, fromOpenChannel channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(InOpenChannel(ChannelRequest.unban(channel, user)))
    }

    /// Returns a page of the banned users of an open channel.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - pageSize: The size of the page, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func bannedUsers(
        ofOpenChannel channel: ChannelURL, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<RestrictedUser> {
        try await ask(
            InOpenChannel(
                ListRestricted(channelURL: channel, isBan: true, limit: pageSize, token: token)))
    }

    // MARK: Metadata

    /// Returns the metadata of an open channel.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - keys: The keys; nil for all.
    /// - Returns: The metadata under these keys, as far as they exist.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func metadata(
        ofOpenChannel channel: ChannelURL, keys: [String]? = nil
    ) async throws(RoostError) -> [String: String] {
        try await ask(InOpenChannel(MetadataQuestion.get(channel, keys: keys)))
    }

    /// Adds metadata to an open channel.
    ///
    /// - Returns: The metadata as written.
    /// - Throws: `.connectionRequired`; the server's refusal if one of the keys exists.
    @discardableResult
    public func createMetadata(
        _ metadata: [String: String], ofOpenChannel channel: ChannelURL
    ) async throws(RoostError) -> [String: String] {
        try await ask(InOpenChannel(MetadataQuestion.write(channel, metadata, .create)))
    }

    /// Changes metadata of an open channel.
    ///
    /// - Parameters:
    ///   - metadata: The new values.
    ///   - channel: The channel.
    ///   - addsMissing: Whether keys that do not exist are added; otherwise they are ignored.
    /// - Returns: The metadata as written.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func updateMetadata(
        _ metadata: [String: String], ofOpenChannel channel: ChannelURL,
        addsMissing: Bool = false
    ) async throws(RoostError) -> [String: String] {
        try await ask(
            InOpenChannel(
                MetadataQuestion.write(channel, metadata, .update(isUpsert: addsMissing))))
    }

    /// Deletes the metadata of an open channel under a key, or all of them if `key` is nil.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteMetadata(
        _ key: String? = nil, ofOpenChannel channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(InOpenChannel(ChannelRequest.deleteMetadata(channel, key: key)))
    }

    // MARK: Counters

    /// Returns the counters of an open channel.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - keys: The keys; nil for all.
    /// - Returns: The counters under these keys, as far as they exist.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func counters(
        ofOpenChannel channel: ChannelURL, keys: [String]? = nil
    ) async throws(RoostError) -> [String: Int64] {
        try await ask(InOpenChannel(CounterQuestion.get(channel, keys: keys)))
    }

    /// Adds counters to an open channel; existing ones stay as they are.
    ///
    /// - Returns: The counters under these keys.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func createCounters(
        _ counters: [String: Int64], ofOpenChannel channel: ChannelURL
    ) async throws(RoostError) -> [String: Int64] {
        try await ask(InOpenChannel(CounterQuestion.write(channel, counters, .create, .set)))
    }

    /// Changes counters of an open channel.
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
        _ counters: [String: Int64], ofOpenChannel channel: ChannelURL, _ change: CounterChange,
        addsMissing: Bool = false
    ) async throws(RoostError) -> [String: Int64] {
        try await ask(
            InOpenChannel(
                CounterQuestion.write(
                    channel, counters, .update(isUpsert: addsMissing), change.mode)))
    }

    /// Deletes the counter of an open channel under a key, or all of them if `key` is nil.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deleteCounters(
        _ key: String? = nil, ofOpenChannel channel: ChannelURL
    ) async throws(RoostError) {
        _ = try await ask(InOpenChannel(ChannelRequest.deleteCounters(channel, key: key)))
    }
}
