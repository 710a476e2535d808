// SPDX-License-Identifier: Apache-2.0

import RoostCore
package import RoostModel
import RoostStore

// The import of objects that an app kept elsewhere.

extension ChatClient {
    /// Adds channels that the cache does not have; the copy of a cached channel is ignored, because
    /// it is older.
    ///
    /// The next connection reads the change log from the oldest of them on.
    package func adopt(_ channels: [GroupChannel]) async throws(RoostError) {
        var news: [GroupChannel] = []
        for channel in channels {
            let known = try await read { reader throws(StoreError) in
                try await reader.channel(channel.url).value
            }
            if known == nil { news.append(channel) }
        }
        let moments = news.map { $0.lastMessage?.createdAt ?? $0.createdAt }
        guard let oldest = moments.min() else { return }
        try await commit([.channels(news)] + firstCursor(.channelChanges, oldest))
    }

    /// Adds delivered messages of a channel of which the cache has none.
    ///
    /// `areWhole` states that no other message lies between the first and the last.
    package func adopt(
        _ messages: [Message], in channel: ChannelURL, areWhole: Bool
    ) async throws(RoostError) {
        let positions = messages.compactMap(\.position)
        guard let first = positions.min(), let last = positions.max() else { return }
        // Inside the coverage a missing message was deleted and must not come back.
        let coverage = try await read { reader throws(StoreError) in
            try await reader.coverage(of: channel).value
        }
        guard coverage.isEmpty else { return }
        let mutations: [Mutation] =
            areWhole
            ? [.messages(channel, messages, covering: CoveredRange(lower: first, upper: last))]
            : messages.map { .liveMessage($0, predecessor: nil) }
        // All changes of the copies happened after the oldest message was written.
        try await commit(mutations + firstCursor(.messageChanges(channel), first.createdAt))
    }

    /// Returns the start of a change log, unless the log has a cursor already.
    private func firstCursor(
        _ key: CursorKey, _ moment: Timestamp
    ) async throws(RoostError) -> [Mutation] {
        let known = try await read { reader throws(StoreError) in
            try await reader.cursor(key).value
        }
        return known == nil ? [.cursor(key, .moment(moment))] : []
    }
}
