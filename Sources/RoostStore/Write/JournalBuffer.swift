// SPDX-License-Identifier: Apache-2.0

package import RoostCore

/// The next entry for a reader of the journal.
package enum JournalEntry: Equatable, Sendable {
    case commit(Commit)
    /// Commits of which only the numbers are known, so the store has to be read again.
    ///
    /// The reader was too slow for them, or another process has made them.
    case missed(from: Int64, through: Int64)
}

/// The commits that one reader has not taken yet, up to a capacity.
///
/// Beyond it, all waiting commits become one `missed` entry. The reader then reads the store again,
/// which costs less than applying many changes; no change is lost silently (scar 86).
package struct JournalBuffer: Sendable {
    private var missed: ClosedRange<Int64>?
    /// A ring with the waiting commits in their order.
    private var ring: [Commit?]
    private var first = 0
    private var count = 0

    package init(capacity: Int) {
        precondition(capacity > 0, "A journal's reader needs room for one commit at least.")
        ring = Array(repeating: nil, count: capacity)
    }

    package mutating func append(_ commit: Commit) {
        guard count == ring.count else {
            ring[(first + count) % ring.count] = commit
            count += 1
            return
        }
        miss(commit.sequence...commit.sequence)
    }

    /// Replaces the waiting commits and these, of which only the numbers are known, by one missed
    /// range.
    package mutating func miss(_ range: ClosedRange<Int64>) {
        let start = missed?.lowerBound ?? (count > 0 ? ring[first]?.sequence : nil)
        missed = min(start ?? range.lowerBound, range.lowerBound)...range.upperBound
        for place in ring.indices { ring[place] = nil }
        (first, count) = (0, 0)
    }

    /// Returns the next entry in order; nil if the reader has taken all.
    package mutating func take() -> JournalEntry? {
        if let missed {
            self.missed = nil
            return .missed(from: missed.lowerBound, through: missed.upperBound)
        }
        guard count > 0, let commit = ring[first] else { return nil }
        ring[first] = nil
        first = (first + 1) % ring.count
        count -= 1
        return .commit(commit)
    }
}
