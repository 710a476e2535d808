// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostModel

/// A channel of either kind, for the calls that the old libraries have for both.
package struct ChannelAddress: Hashable, Sendable {
    package let url: ChannelURL
    package let isOpen: Bool

    package init(_ url: ChannelURL, isOpen: Bool) {
        self.url = url
        self.isOpen = isOpen
    }
}

// MARK: - Moderation

extension ChatClient {
    package func mute(
        _ user: UserID, in channel: ChannelAddress, for duration: Duration?, reason: String
    ) async throws(RoostError) {
        guard channel.isOpen else {
            try await makeNow(
                .mute(user, for: duration, reason: reason), in: channel.url)
            return
        }
        try await muteNow(user, inOpenChannel: channel.url, for: duration, reason: reason)
    }

    package func unmute(_ user: UserID, in channel: ChannelAddress) async throws(RoostError) {
        guard channel.isOpen else {
            try await makeNow(.unmute(user), in: channel.url)
            return
        }
        try await unmuteNow(user, inOpenChannel: channel.url)
    }

    package func muteInfo(in channel: ChannelAddress) async throws(RoostError) -> MuteInfo {
        guard channel.isOpen else { return try await muteInfo(in: channel.url) }
        return try await muteInfo(inOpenChannel: channel.url)
    }

    package func ban(
        _ user: UserID, from channel: ChannelAddress, for duration: Duration?, reason: String
    ) async throws(RoostError) {
        guard channel.isOpen else {
            return try await ban(user, from: channel.url, for: duration, reason: reason)
        }
        try await ban(user, fromOpenChannel: channel.url, for: duration, reason: reason)
    }

    package func unban(_ user: UserID, from channel: ChannelAddress) async throws(RoostError) {
        guard channel.isOpen else { return try await unban(user, from: channel.url) }
        try await unban(user, fromOpenChannel: channel.url)
    }

    package func addOperators(
        _ users: [UserID], to channel: ChannelAddress
    ) async throws(RoostError) {
        guard channel.isOpen else { return try await addOperators(users, to: channel.url) }
        try await addOperators(users, toOpenChannel: channel.url)
    }

    package func removeOperators(
        _ users: [UserID], from channel: ChannelAddress
    ) async throws(RoostError) {
        guard channel.isOpen else { return try await removeOperators(users, from: channel.url) }
        try await removeOperators(users, fromOpenChannel: channel.url)
    }

    package func removeAllOperators(from channel: ChannelAddress) async throws(RoostError) {
        guard channel.isOpen else { return try await removeAllOperators(from: channel.url) }
        try await removeAllOperators(fromOpenChannel: channel.url)
    }

    package func operators(
        of channel: ChannelAddress, pageSize: Int, after token: String?
    ) async throws(RoostError) -> Page<User> {
        guard channel.isOpen else {
            return try await operators(of: channel.url, pageSize: pageSize, after: token)
        }
        return try await operators(ofOpenChannel: channel.url, pageSize: pageSize, after: token)
    }

    package func mutedUsers(
        of channel: ChannelAddress, pageSize: Int, after token: String?
    ) async throws(RoostError) -> Page<RestrictedUser> {
        guard channel.isOpen else {
            return try await mutedUsers(of: channel.url, pageSize: pageSize, after: token)
        }
        return try await mutedUsers(ofOpenChannel: channel.url, pageSize: pageSize, after: token)
    }

    package func bannedUsers(
        of channel: ChannelAddress, pageSize: Int, after token: String?
    ) async throws(RoostError) -> Page<RestrictedUser> {
        guard channel.isOpen else {
            return try await bannedUsers(of: channel.url, pageSize: pageSize, after: token)
        }
        return try await bannedUsers(ofOpenChannel: channel.url, pageSize: pageSize, after: token)
    }
}

// MARK: - Metadata and counters

extension ChatClient {
    package func metadata(
        of channel: ChannelAddress, keys: [String]? = nil
    ) async throws(RoostError) -> [String: String] {
        guard channel.isOpen else { return try await metadata(of: channel.url, keys: keys) }
        return try await metadata(ofOpenChannel: channel.url, keys: keys)
    }

    package func createMetadata(
        _ metadata: [String: String], of channel: ChannelAddress
    ) async throws(RoostError) -> [String: String] {
        guard channel.isOpen else { return try await createMetadata(metadata, of: channel.url) }
        return try await createMetadata(metadata, ofOpenChannel: channel.url)
    }

    package func updateMetadata(
        _ metadata: [String: String], of channel: ChannelAddress, addsMissing: Bool
    ) async throws(RoostError) -> [String: String] {
        guard channel.isOpen else {
            return try await updateMetadata(metadata, of: channel.url, addsMissing: addsMissing)
        }
        return try await updateMetadata(
            metadata, ofOpenChannel: channel.url, addsMissing: addsMissing)
    }

    package func deleteMetadata(
        _ key: String? = nil, of channel: ChannelAddress
    ) async throws(RoostError) {
        guard channel.isOpen else { return try await deleteMetadata(key, of: channel.url) }
        try await deleteMetadata(key, ofOpenChannel: channel.url)
    }

    package func counters(
        of channel: ChannelAddress, keys: [String]? = nil
    ) async throws(RoostError) -> [String: Int64] {
        guard channel.isOpen else { return try await counters(of: channel.url, keys: keys) }
        return try await counters(ofOpenChannel: channel.url, keys: keys)
    }

    package func createCounters(
        _ counters: [String: Int64], of channel: ChannelAddress
    ) async throws(RoostError) -> [String: Int64] {
        guard channel.isOpen else { return try await createCounters(counters, of: channel.url) }
        return try await createCounters(counters, ofOpenChannel: channel.url)
    }

    package func changeCounters(
        _ counters: [String: Int64], of channel: ChannelAddress, _ change: CounterChange,
        addsMissing: Bool
    ) async throws(RoostError) -> [String: Int64] {
        guard channel.isOpen else {
            return try await changeCounters(
                counters, of: channel.url, change, addsMissing: addsMissing)
        }
        return try await changeCounters(
            counters, ofOpenChannel: channel.url, change, addsMissing: addsMissing)
    }

    package func deleteCounters(
        _ key: String? = nil, of channel: ChannelAddress
    ) async throws(RoostError) {
        guard channel.isOpen else { return try await deleteCounters(key, of: channel.url) }
        try await deleteCounters(key, ofOpenChannel: channel.url)
    }
}

// MARK: - Messages

extension ChatClient {
    package func fetchMessage(
        _ id: MessageID, in channel: ChannelAddress
    ) async throws(RoostError) -> Message {
        guard channel.isOpen else { return try await fetchMessage(id, in: channel.url) }
        return try await fetchMessage(id, inOpenChannel: channel.url)
    }

    package func fetchMessages(
        of channel: ChannelAddress, around moment: Timestamp, older: Int, newer: Int = 0,
        includesMoment: Bool = false, filter: MessageFilter
    ) async throws(RoostError) -> [Message] {
        guard channel.isOpen else {
            return try await fetchMessages(
                of: channel.url, around: moment, older: older, newer: newer,
                includesMoment: includesMoment, filter: filter)
        }
        return try await fetchMessages(
            ofOpenChannel: channel.url, around: moment, older: older, newer: newer,
            includesMoment: includesMoment, filter: filter)
    }

    package func fetchMessages(
        of channel: ChannelAddress, around message: MessageID, older: Int, newer: Int = 0,
        includesMessage: Bool = false, filter: MessageFilter
    ) async throws(RoostError) -> [Message] {
        guard channel.isOpen else {
            return try await fetchMessages(
                of: channel.url, around: message, older: older, newer: newer,
                includesMessage: includesMessage, filter: filter)
        }
        return try await fetchMessages(
            ofOpenChannel: channel.url, around: message, older: older, newer: newer,
            includesMessage: includesMessage, filter: filter)
    }
}

// MARK: - Polls

extension ChatClient {
    package func fetchPollChanges(
        of channel: ChannelAddress, since start: ChangeLogStart
    ) async throws(RoostError) -> ChangeLog<Poll, PollID> {
        guard channel.isOpen else {
            return try await fetchPollChanges(of: channel.url, since: start)
        }
        return try await fetchPollChanges(ofOpenChannel: channel.url, since: start)
    }
}
