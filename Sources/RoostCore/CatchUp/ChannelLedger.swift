// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The record of channel events that arrive while answers about channels are in flight.
///
/// Such an answer may be older or newer than an event. An event that it contains already changes
/// nothing, so all of them are applied to it. If that is impossible, the channel is looked up
/// again.
package struct ChannelLedger: Equatable, Codable, Sendable {
    /// The moment of a request: later records may be newer than its answer.
    package struct Mark: Equatable, Codable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry: Equatable, Codable, Sendable {
        let channel: ChannelURL
        /// Nil if only the server knows the channel's new state.
        let news: ChannelNews?
    }

    private var fetches = 0
    private var entries: [Entry] = []

    package init() {}

    /// Begins a request; `end` is called when its answer is stored or dropped.
    package mutating func begin() -> Mark {
        fetches += 1
        return Mark(number: entries.count)
    }

    package mutating func end() {
        precondition(fetches > 0, "A fetch ended that never began.")
        fetches -= 1
        if fetches == 0 { entries = [] }
    }

    package mutating func note(_ news: ChannelNews, in channel: ChannelURL) {
        if fetches > 0 { entries.append(Entry(channel: channel, news: news)) }
    }

    /// Notes a change that only the answer to a later request contains.
    package mutating func note(changeOf channel: ChannelURL) {
        if fetches > 0 { entries.append(Entry(channel: channel, news: nil)) }
    }

    /// Returns whether an answer may be older than the known state of the channel.
    package func isUnsure(_ channel: ChannelURL, since mark: Mark) -> Bool {
        entries[mark.number...].contains { $0.channel == channel && $0.news == nil }
    }

    /// Divides an answer into channels to store and channels to look up again.
    package func parted(
        _ channels: [GroupChannel], since mark: Mark
    ) -> (fresh: [GroupChannel], stale: [ChannelURL]) {
        var parted: (fresh: [GroupChannel], stale: [ChannelURL]) = ([], [])
        for channel in channels {
            let news = entries[mark.number...].filter { $0.channel == channel.url }.map(\.news)
            if news.contains(where: { $0.map(channel.isUnsure) ?? true }) {
                parted.stale.append(channel.url)
            } else {
                parted.fresh.append(news.reduce(channel) { $1.map($0.applying) ?? $0 })
            }
        }
        return parted
    }
}

extension GroupChannel {
    /// Returns whether only the server knows the channel's state after the event.
    fileprivate func isUnsure(after news: ChannelNews) -> Bool {
        switch news {
        case .edited, .read, .readBy, .deliveredTo: false
        // Whether it was hidden before or after.
        case .received: hiddenState == .untilNextMessage
        case .frozen, .hidden, .historyReset, .metadata, .memberCounts, .countPreference,
            .pushTrigger:
            true
        case .deleted(let ids):
            unreadMessageCount > 0 || (lastMessage?.messageID).map(ids.contains) ?? false
        }
    }
}
