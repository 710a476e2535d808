// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The next step of an inbox in one channel, by the cached messages right after a place.
package enum InboxStep: Equatable, Codable, Sendable {
    /// The messages after the place are on disk without a hole.
    case hand([Message])
    /// Cached messages may have been changed or deleted meanwhile: the change log comes first.
    case check
    /// Messages may be missing after a position: the server is asked, and nothing beyond is handed
    /// over before.
    case fetch(after: Position)
    /// No message is missing, and later ones come live.
    case rest
    /// The next step needs a connection.
    case wait

    /// Decides on the next step.
    ///
    /// - Parameters:
    ///   - window: The cached messages after the place.
    ///   - place: The position through which messages were handed over.
    ///   - isChecked: Whether the cached messages are as of the present connection.
    ///   - liveEnd: The position behind which every message comes live; nil before the channel is
    ///     caught up on this connection.
    ///   - isConnected: Whether there is a connection.
    package init(
        _ window: CacheWindow, after place: Position, isChecked: Bool, liveEnd: Position?,
        isConnected: Bool
    ) {
        let next = place.next
        let range =
            window.coverage.range(containing: next) ?? window.coverage.range(containing: place)
        if range?.contains(next) == true, !window.messages.isEmpty {
            self = isChecked ? .hand(window.messages) : isConnected ? .check : .wait
        } else if Self.isAtEnd(range, window.coverage.newest, place, liveEnd) {
            self = .rest
        } else {
            // A page after a place beyond the newest range would be a range of its own, and hide
            // it.
            let end = range?.upper ?? min(place, window.coverage.newest?.upper ?? place)
            self = isConnected ? .fetch(after: end) : .wait
        }
    }

    /// Returns whether no message is missing after the place.
    ///
    /// The end of the channel is known only while the newest range reaches it, because its messages
    /// may have been lost.
    private static func isAtEnd(
        _ range: CoveredRange?, _ newest: CoveredRange?, _ place: Position, _ liveEnd: Position?
    ) -> Bool {
        guard let newest, let liveEnd, newest.upper >= liveEnd else { return false }
        return range.map { $0 == newest } ?? (newest.upper < place)
    }
}
