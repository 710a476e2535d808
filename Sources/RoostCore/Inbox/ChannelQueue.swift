// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Channels that wait, each once, in the order of their coming.
struct ChannelQueue: Codable, Sendable {
    private var channels: [ChannelURL] = []
    private var waiting: Set<ChannelURL> = []
    private var first = 0

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ channel: ChannelURL) {
        if waiting.insert(channel).inserted { channels.append(channel) }
    }

    mutating func takeFirst() -> ChannelURL? {
        guard first < channels.count else { return nil }
        let channel = channels[first]
        waiting.remove(channel)
        first += 1
        if first > channels.count / 2 {
            channels.removeFirst(first)
            first = 0
        }
        return channel
    }
}
