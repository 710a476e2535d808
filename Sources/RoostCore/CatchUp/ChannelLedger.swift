// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What happened in channels while answers about channels were on their way.
///
/// Such an answer may be older than the news, or newer: news that it knows already changes nothing, so
/// it is brought up to date by all of them. Where that cannot be done, the channel is asked for again.
package struct ChannelLedger: Hashable, Sendable {
    /// When a question was asked: what is noted later may be newer than its answer.
    package struct Mark: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry: Hashable, Sendable {
        let channel: ChannelURL
        /// Nil when nobody but the server can tell what the channel is now.
        let news: ChannelNews?
    }

    private var fetches = 0
    private var entries: [Entry] = []

    package init() {}

    /// A question is asked; `end` when its answer is stored or given up.
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

    /// Something happened that only an answer to a later question can tell.
    package mutating func note(changeOf channel: ChannelURL) {
        if fetches > 0 { entries.append(Entry(channel: channel, news: nil)) }
    }

    /// Whether an answer may be older than what is known of the channel.
    package func isUnsure(_ channel: ChannelURL, since mark: Mark) -> Bool {
        entries[mark.number...].contains { $0.channel == channel && $0.news == nil }
    }

    /// Parts an answer into what may be stored and what has to be asked for again.
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
    /// Whether nobody but the server can tell what the channel is after the news.
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
