// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The policy for checks of the cache's size, and for noting that a channel was opened.
package struct BudgetWatch: Equatable, Codable, Sendable {
    /// The number of commits between two checks of the size.
    package static let interval = 16
    /// A channel that is opened again within a minute is not noted again.
    private static let accessPauseMS: Int64 = 60_000

    private var commitsLeft: Int?
    private var isTrimming = false
    private var openedAt: [ChannelURL: Timestamp] = [:]

    package init() {}

    /// Counts a commit, and returns whether a check of the size is due; never before the first
    /// login.
    package mutating func countCommit() -> Bool {
        guard let left = commitsLeft, !isTrimming else { return false }
        commitsLeft = left > 1 ? left - 1 : Self.interval
        return left == 1
    }

    /// Begins the watch with the first login.
    ///
    /// - Returns: Whether this login is the first one.
    package mutating func begin() -> Bool {
        guard commitsLeft == nil else { return false }
        commitsLeft = Self.interval
        return true
    }

    /// Begins a trim, unless one is under way: its own steps are commits.
    package mutating func beginTrim() -> Bool {
        defer { isTrimming = true }
        return !isTrimming
    }

    package mutating func endTrim() { isTrimming = false }

    /// Returns whether the opening of a channel is worth a commit.
    package mutating func noteOpening(of channel: ChannelURL, at now: Timestamp) -> Bool {
        if let last = openedAt[channel],
            last <= now, now.milliseconds(since: last) < Self.accessPauseMS
        {
            return false
        }
        openedAt[channel] = now
        return true
    }

    /// Forgets a channel that the cache has lost.
    package mutating func forget(_ channel: ChannelURL) { openedAt[channel] = nil }
}
