// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

/// What one cache holds, as its journal tells it; compared with the disk now and then.
struct Mirror {
    struct Channel: Hashable {
        var messages: [MessageID: Glimpse] = [:]
        var coverage = Coverage()

        /// What stands here and not there, in a few words.
        func difference(from other: Channel) -> String {
            let ranges = coverage.ranges.filter { !other.coverage.ranges.contains($0) }
            let own = messages.values.filter { other.messages[$0.place.messageID] != $0 }
            let others = other.messages.values.filter { messages[$0.place.messageID] == nil }
            return "\(own.count) more messages, \(others.count) fewer and "
                + "\(ranges.map { "\($0.lower)...\($0.upper)" })"
        }
    }

    var channels: [ChannelURL: Channel] = [:]
    var groupChannels: [ChannelURL: GroupChannel] = [:]
    var sequence: Int64 = .min

    mutating func apply(_ change: MessagesChange) {
        if let cut = change.cutThrough {
            let kept = channels[change.channel]?.messages.filter { $0.value.place.createdAt > cut }
            channels[change.channel]?.messages = kept ?? [:]
        }
        var channel = channels.removeValue(forKey: change.channel) ?? Channel()
        for message in change.deleted { channel.messages[message.messageID ?? 0] = nil }
        for message in change.inserted + change.updated.map(\.after) {
            guard let glimpse = Glimpse(message) else { continue }
            channel.messages[glimpse.place.messageID] = glimpse
        }
        channel.coverage = change.coverageAfter
        // That nothing is covered says that nothing is left; it is not told message by message.
        if channel.coverage.isEmpty { channel.messages = [:] }
        if change.coverageBefore.ranges.contains(where: { !channel.coverage.holds($0) }) {
            let coverage = channel.coverage
            channel.messages = channel.messages.filter {
                coverage.range(containing: $0.value.place) != nil
            }
        }
        channels[change.channel] = channel
    }

    mutating func apply(_ change: ChannelsChange) {
        for url in change.deleted {
            groupChannels[url] = nil
            channels[url] = nil
        }
        for channel in change.inserted + change.updated.map(\.after) {
            groupChannels[channel.url] = channel
        }
    }
}

extension Coverage {
    /// Whether all of a range is known still.
    fileprivate func holds(_ range: CoveredRange) -> Bool {
        self.range(containing: range.lower).map { $0.upper >= range.upper } ?? false
    }
}

/// What tells one state of a delivered message from another.
struct Glimpse: Hashable, Sendable, CustomStringConvertible {
    let place: Position
    let text: String
    let updatedAt: Timestamp?
    let reactions: [String: Set<UserID>]

    init?(_ message: Message) {
        guard let place = message.position else { return nil }
        self.place = place
        text = message.text
        updatedAt = message.updatedAt
        reactions = Dictionary(
            (message.details.reactions ?? []).map { ($0.key, Set($0.userIDs)) },
            uniquingKeysWith: { first, _ in first })
    }

    var description: String {
        "\(place) “\(text)”" + (updatedAt.map { " edited \($0)" } ?? "")
            + (reactions.isEmpty ? "" : " \(reactions)")
    }
}
