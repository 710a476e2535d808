// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestKit

/// The content of one cache by its journal, compared with the disk now and then.
struct Mirror {
    struct Channel: Hashable, HeldHistory {
        var messages: [MessageID: Glimpse] = [:]
        /// The coverage without a filter.
        var coverage = Coverage()
        /// The coverage under the filters that were shown on this device.
        var filtered: [MessageFilter: Coverage] = [:]
        /// Whether the disk has to supply the remaining messages: for filters the journal reports
        /// that coverage changed, and not how.
        var needsReread = false

        func glimpse(of id: MessageID) -> Glimpse? { messages[id] }

        func glimpses(from lower: Position, through upper: Position) -> [Glimpse] {
            messages.values.filter { lower <= $0.place && $0.place <= upper }
                .sorted { $0.place < $1.place }
        }

        func covers(_ glimpse: Glimpse) -> Bool {
            if coverage.range(containing: glimpse.place) != nil { return true }
            return filtered.contains { filter, known in
                known.range(containing: glimpse.place) != nil && filter.matches(glimpse.message)
            }
        }

        /// Describes the content that is here and not there.
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
        if !change.filters.isEmpty { channel.needsReread = true }
        // Lost coverage removes messages without a report of each.
        let hasShrunk =
            channel.coverage.isEmpty
            || change.coverageBefore.ranges.contains { !channel.coverage.holds($0) }
        if hasShrunk, !channel.needsReread {
            let known = channel
            channel.messages = channel.messages.filter { known.covers($0.value) }
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
    /// Whether the whole range is still covered.
    fileprivate func holds(_ range: CoveredRange) -> Bool {
        self.range(containing: range.lower).map { $0.upper >= range.upper } ?? false
    }
}
