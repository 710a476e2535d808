// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
package import RoostStore

/// The cache and the outbox of a client as a page shows them, without any delivered message.
package struct ClientView: Sendable {
    package let structure: CacheStructure
    /// The missing parts of each channel, by its row.
    package let holes: [Int64: [HistoryHole]]
    /// The channels on a screen.
    package let open: Set<ChannelURL>
    /// The channels that an eviction takes last: those on a screen, and those that an inbox reads.
    package let inUse: Set<ChannelURL>
    package let unsent: OutboxItems
    /// The reasons why pending items are not sent yet.
    package let waits: [RequestID: Health.Wait]
    package let health: Health
}

extension ChatClient {
    /// Returns the cache and the outbox as they are now.
    ///
    /// - Throws: `.localDatabaseError`.
    /// - Complexity: Reads the row and the coverage of every channel, and no message.
    package func view() async throws(RoostError) -> ClientView {
        let structure = try await read { reader throws(StoreError) in
            try await reader.structure()
        }
        let unsent = try await unsent()
        return await engine.read { state in
            var holes: [Int64: [HistoryHole]] = [:]
            for channel in structure.channels {
                guard let url = channel.url else { continue }
                var history = channel.history(of: url)
                history.liveEnd = state.session?.liveEnds[url]
                holes[channel.row] = history.holes.map { HistoryHole($0, in: history, state) }
            }
            var waits: [RequestID: Health.Wait] = [:]
            for item in unsent.items where item.isWaiting {
                waits[item.requestID] = state.wait(of: item)
            }
            return ClientView(
                structure: structure, holes: holes, open: Set(state.timelines.channels),
                inUse: state.channelsInUse, unsent: unsent, waits: waits, health: state.health)
        }
    }
}

extension CacheStructure.Channel {
    /// The missing parts of the channel's history without a connection, oldest first.
    package var holes: [HistoryHole] {
        // A sealed channel has no URL here.
        let history = history(of: url ?? ChannelURL(""))
        return history.holes.map { HistoryHole($0, in: history) }
    }

    fileprivate func history(of url: ChannelURL) -> SearchedChannel {
        SearchedChannel(url: url, coverage: coverage, visibleFrom: visibleFrom)
    }
}
