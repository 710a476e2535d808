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
    ///   - isCaughtUp: Whether the server has named the newest message on this connection.
    ///   - isConnected: Whether there is a connection.
    package init(
        _ window: CacheWindow, after place: Position, isChecked: Bool, isCaughtUp: Bool,
        isConnected: Bool
    ) {
        let next = place.next
        let range =
            window.coverage.range(containing: next) ?? window.coverage.range(containing: place)
        if range?.contains(next) == true, !window.messages.isEmpty {
            self = isChecked ? .hand(window.messages) : isConnected ? .check : .wait
        } else if let range, isCaughtUp, range.upper == window.coverage.newest?.upper {
            self = .rest
        } else {
            self = isConnected ? .fetch(after: range?.upper ?? place) : .wait
        }
    }
}
