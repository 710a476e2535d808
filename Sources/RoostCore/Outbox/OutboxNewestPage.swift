// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Fetches the newest messages of a channel without a socket, to close the hole above a timeline's
/// window.
package struct OutboxNewestPage: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, fetching }

    private let channel: ChannelURL
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            let hasHole = sync.timelines.ids(of: channel).contains {
                sync.timelines[$0]?.list.hasHoleAbove == true
            }
            guard hasHole else { return .end(.done) }
            state = .fetching
            let page = PageFetch(
                channel, .newest(Outbox.lookBack), isOffline: true, isPaced: false)
            return .need(.run(.page(page)))
        // A failed page is made good by the next catch-up.
        case (.fetching, .ended): return .end(.done)
        default: return .fail(reply)
        }
    }
}

extension Outbox {
    /// The number of messages searched for one that may have arrived; the server recognises older
    /// duplicates by their request IDs.
    static let lookBack = 100
}
