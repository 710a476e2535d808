// SPDX-License-Identifier: Apache-2.0

import RoostCore
package import RoostModel
import RoostStore

// What an app kept elsewhere comes into the cache.

extension ChatClient {
    /// Takes channels that the cache does not know; of the others it knows more than anybody's copy.
    ///
    /// The next connection asks what became of them since.
    package func adopt(_ channels: [GroupChannel]) async throws(RoostError) {
        var news: [GroupChannel] = []
        for channel in channels {
            let known = try await ask { reader throws(StoreError) in
                try await reader.channel(channel.url).value
            }
            if known == nil { news.append(channel) }
        }
        let moments = news.map { $0.lastMessage?.createdAt ?? $0.createdAt }
        guard let oldest = moments.min() else { return }
        try await engine.commit(
            [.channels(news)] + firstCursor(.channelChanges, oldest), from: .local)
    }

    /// Takes delivered messages of a channel of which the cache has none.
    ///
    /// `areWhole` says that no other message stands between the first and the last.
    package func adopt(
        _ messages: [Message], in channel: ChannelURL, areWhole: Bool
    ) async throws(RoostError) {
        let positions = messages.compactMap(\.position)
        guard let first = positions.min(), let last = positions.max() else { return }
        // Where something is known, a message that is not there was deleted, and must not come back.
        let coverage = try await ask { reader throws(StoreError) in
            try await reader.coverage(of: channel).value
        }
        guard coverage.isEmpty else { return }
        let mutations: [Mutation] =
            areWhole
            ? [.messages(channel, messages, covering: CoveredRange(lower: first, upper: last))]
            : messages.map { .liveMessage($0, predecessor: nil) }
        // Whatever happened to a copy happened after the oldest of them was written.
        try await engine.commit(
            mutations + firstCursor(.messageChanges(channel), first.createdAt), from: .local)
    }

    /// Where the change log is read on, unless it has been read before.
    private func firstCursor(
        _ key: CursorKey, _ moment: Timestamp
    ) async throws(RoostError) -> [Mutation] {
        let known = try await ask { reader throws(StoreError) in
            try await reader.cursor(key).value
        }
        return known == nil ? [.cursor(key, .moment(moment))] : []
    }

    private func ask<Answer: Sendable>(
        _ question: (StoreReader) async throws(StoreError) -> Answer
    ) async throws(RoostError) -> Answer {
        do { return try await question(engine.reader) } catch { throw RoostError(error) }
    }
}
