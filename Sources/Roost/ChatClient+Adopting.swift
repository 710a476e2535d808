// SPDX-License-Identifier: Apache-2.0

import RoostCore
package import RoostModel
import RoostStore

// The import of objects that an app kept elsewhere.

// A copy may be older than the place to which a change log was read: its channel was left since, or
// its message deleted, and no page tells. So nothing is added under a log that has a cursor.

extension ChatClient {
    /// Adds channels to a cache that has read no change log of them; the copy of a cached channel
    /// is ignored, because it is older.
    ///
    /// The next connection reads the change log from the oldest of them on.
    package func adopt(_ channels: [GroupChannel]) async throws(RoostError) {
        var rest = channels
        // The server may describe one of them between the look and the commit, which is left out
        // then. Each further round has a channel less.
        for _ in 0...channels.count {
            rest = try await unknown(among: rest)
            let moments = rest.map { $0.lastMessage?.createdAt ?? $0.createdAt }
            guard let oldest = moments.min() else { return }
            let isDone = try await commit(
                [.channels(rest), .cursor(.channelChanges, .moment(oldest))],
                unless: .channelsKnown(any: rest.map(\.url)))
            if isDone { return }
        }
    }

    /// Returns the channels that the cache does not have; none once it has read their log.
    private func unknown(
        among channels: [GroupChannel]
    ) async throws(RoostError) -> [GroupChannel] {
        let cursor = try await read { reader throws(StoreError) in
            try await reader.cursor(.channelChanges).value
        }
        guard cursor == nil else { return [] }
        var unknown: [GroupChannel] = []
        for channel in channels {
            let known = try await read { reader throws(StoreError) in
                try await reader.channel(channel.url).value
            }
            if known == nil { unknown.append(channel) }
        }
        return unknown
    }

    /// Adds delivered messages of a cached channel of which the cache knows none, and whose change
    /// log it has not read.
    ///
    /// `areWhole` states that no other message lies between the first and the last.
    package func adopt(
        _ messages: [Message], in channel: ChannelURL, areWhole: Bool
    ) async throws(RoostError) {
        let positions = messages.compactMap(\.position)
        guard let first = positions.min(), let last = positions.max() else { return }
        let mutations: [Mutation] =
            areWhole
            ? [.messages(channel, messages, covering: CoveredRange(lower: first, upper: last))]
            : messages.map { .liveMessage($0, predecessor: nil) }
        // All changes of the copies happened after the oldest message was written.
        let cursor = Mutation.cursor(.messageChanges(channel), .moment(first.createdAt))
        _ = try await commit(mutations + [cursor], unless: .messagesKnown(of: channel))
    }
}
