// SPDX-License-Identifier: Apache-2.0

package import RoostCore

/// The next entry for a reader of the journal.
package enum JournalEntry: Equatable, Sendable {
    case commit(Commit)
    /// The reader was too slow and has missed these commits; it has to read the store again.
    case missed(from: Int64, through: Int64)
}

/// The commits that one reader has not taken yet, up to a capacity.
///
/// Beyond it, all waiting commits become one `missed` entry. The reader then reads the store again,
/// which costs less than applying many changes; no change is lost silently (scar 86).
package struct JournalBuffer: Sendable {
    private let capacity: Int
    private var missed: ClosedRange<Int64>?
    private var commits: [Commit] = []
    private var next = 0

    package init(capacity: Int) {
        precondition(capacity > 0, "A journal's reader needs room for one commit at least.")
        self.capacity = capacity
    }

    package mutating func append(_ commit: Commit) {
        guard commits.count - next >= capacity else {
            commits.append(commit)
            return
        }
        let first = missed?.lowerBound ?? commits[next].sequence
        missed = first...commit.sequence
        commits = []
        next = 0
    }

    /// Adds commits of which only the numbers are known; waiting commits are joined with them.
    package mutating func miss(_ range: ClosedRange<Int64>) {
        let first = missed?.lowerBound ?? (next < commits.count ? commits[next].sequence : nil)
        missed = min(first ?? range.lowerBound, range.lowerBound)...range.upperBound
        commits = []
        next = 0
    }

    /// Returns the next entry in order; nil if the reader has taken all.
    package mutating func take() -> JournalEntry? {
        if let missed {
            self.missed = nil
            return .missed(from: missed.lowerBound, through: missed.upperBound)
        }
        guard next < commits.count else { return nil }
        defer {
            next += 1
            if next == commits.count {
                commits.removeAll(keepingCapacity: true)
                next = 0
            }
        }
        return .commit(commits[next])
    }
}
