// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Which channels had live news while answers about channels were on their way.
///
/// Such an answer may be older than the news; it is not stored, and the channel is asked for again.
package struct ChannelLedger: Hashable, Sendable {
    private var fetches = 0
    private var changed: Set<ChannelURL> = []

    package init() {}

    package mutating func begin() { fetches += 1 }

    package mutating func end() {
        precondition(fetches > 0, "A fetch ended that never began.")
        fetches -= 1
        if fetches == 0 { changed = [] }
    }

    package mutating func note(_ channel: ChannelURL) {
        if fetches > 0 { changed.insert(channel) }
    }

    /// Parts an answer into what may be stored and what has to be asked for again.
    package func parted(_ channels: [GroupChannel]) -> (fresh: [GroupChannel], stale: [ChannelURL])
    {
        (
            channels.filter { !changed.contains($0.url) },
            channels.map(\.url).filter { changed.contains($0) }
        )
    }
}
