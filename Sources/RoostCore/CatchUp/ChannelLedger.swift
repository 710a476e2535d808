// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The record of channel events that arrive while answers about channels are in flight.
///
/// Such an answer may be older or newer than an event. An event that it contains already changes
/// nothing, so all of them are applied to it. If that is impossible, the channel is looked up
/// again.
///
/// Look-ups may overlap for as long as a backlog lasts, so the number of records is limited: an
/// answer that may lack dropped ones is of no use, and its channels are looked up again.
package struct ChannelLedger: Equatable, Codable, Sendable {
    /// The moment of a request: later records may be newer than its answer.
    package struct Mark: Equatable, Codable, Sendable {
        fileprivate let number: Int
    }

    private enum Change: Equatable, Codable, Sendable {
        /// The effect of an event, which can be applied to any answer.
        case news(ChannelNews)
        /// A change that only the answer to a later request has, with the effect of its event if
        /// there was one.
        case unsure(ChannelNews?)
        /// The user left or lost the channel.
        case departure
    }

    private struct Entry: Equatable, Codable, Sendable {
        let channel: ChannelURL
        let change: Change

        var news: ChannelNews? { if case .news(let news) = change { news } else { nil } }
    }

    /// The greatest number of records, which is far above the events during one request.
    package static let limit = 1_000

    private var fetches = 0
    private var entries: [Entry] = []
    /// The number of dropped records.
    private var dropped = 0

    /// The number of records.
    package var count: Int { entries.count }

    package init() {}

    /// Begins a request; `end` is called when its answer is stored or dropped.
    package mutating func begin() -> Mark {
        fetches += 1
        return Mark(number: dropped + entries.count)
    }

    package mutating func end() {
        precondition(fetches > 0, "A fetch ended that never began.")
        fetches -= 1
        if fetches == 0 { (entries, dropped) = ([], 0) }
    }

    package mutating func note(_ news: ChannelNews, in channel: ChannelURL) {
        note(.news(news), channel)
    }

    /// Notes a change that only the answer to a later request contains, and the news of its event.
    package mutating func note(changeOf channel: ChannelURL, by news: ChannelNews? = nil) {
        note(.unsure(news), channel)
    }

    /// Notes that the user has left or lost the channel.
    package mutating func note(departureFrom channel: ChannelURL) { note(.departure, channel) }

    private mutating func note(_ change: Change, _ channel: ChannelURL) {
        guard fetches > 0 else { return }
        if entries.count == Self.limit {
            entries.removeFirst(Self.limit / 2)
            dropped += Self.limit / 2
        }
        entries.append(Entry(channel: channel, change: change))
    }

    /// Returns the records after a moment; nil if some were dropped.
    private func entries(since mark: Mark) -> ArraySlice<Entry>? {
        mark.number < dropped ? nil : entries[(mark.number - dropped)...]
    }

    /// Returns whether an answer may be older than the known state of the channel.
    package func isUnsure(_ channel: ChannelURL, since mark: Mark) -> Bool {
        guard let entries = entries(since: mark) else { return true }
        return entries.contains { $0.channel == channel && $0.news == nil }
    }

    /// Returns whether the effect of the user's own request may be older than the known state of
    /// the channel.
    ///
    /// The event of the request itself is no newer state.
    ///
    /// - Parameters:
    ///   - effect: What the request changed; nil for the user's departure.
    ///   - channel: The channel.
    ///   - mark: The moment of the request.
    /// - Returns: Whether an event or another answer said more about the same state since then.
    package func hasOvertaken(
        _ effect: ChannelNews?, in channel: ChannelURL, since mark: Mark
    ) -> Bool {
        guard effect?.isInDescription ?? true else { return false }
        guard let entries = entries(since: mark) else { return true }
        return entries.contains { entry in
            guard entry.channel == channel else { return false }
            switch (entry.change, effect) {
            case (.departure, _): return effect != nil
            case (.unsure(nil), _): return true
            case (.news(let news), let effect?), (.unsure(let news?), let effect?):
                return news != effect && news.concernsState(of: effect)
            case (.news, nil), (.unsure, nil): return false
            }
        }
    }

    /// Divides an answer into channels to store and channels to look up again.
    package func parted(
        _ channels: [GroupChannel], since mark: Mark
    ) -> (fresh: [GroupChannel], stale: [ChannelURL]) {
        guard let entries = entries(since: mark) else { return ([], channels.map(\.url)) }
        var parted: (fresh: [GroupChannel], stale: [ChannelURL]) = ([], [])
        channels: for answered in channels {
            var channel = answered
            for entry in entries where entry.channel == answered.url {
                // The records before may have brought a message that this one deletes.
                guard let news = entry.news, !channel.isUnsure(after: news) else {
                    parted.stale.append(answered.url)
                    continue channels
                }
                channel = channel.applying(news)
            }
            parted.fresh.append(channel)
        }
        return parted
    }
}

extension ChannelNews {
    /// Whether the server's description of a channel has the state that the news set: otherwise a
    /// look-up cannot bring it, and only the answer to the call that set it does.
    fileprivate var isInDescription: Bool {
        switch self {
        case .pushTrigger, .countPreference: false
        default: true
        }
    }

    /// Returns whether the state that the other news set depends on this one's, too.
    fileprivate func concernsState(of other: ChannelNews) -> Bool {
        switch (self, other) {
        case (.frozen, .frozen), (.hidden, .hidden), (.metadata, .metadata),
            (.received, .hidden(.untilNextMessage, _)):
            true
        default: false
        }
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
        case .deleted(let ids, _):
            unreadMessageCount > 0 || (lastMessage?.messageID).map(ids.contains) ?? false
        }
    }
}
