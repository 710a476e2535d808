// SPDX-License-Identifier: Apache-2.0

package import RoostCore

/// The next entry for a reader of the journal.
package enum JournalEntry: Hashable, Sendable {
    case commit(Commit)
    /// The reader was slower than the writer: these commits are gone, read the store again.
    case missed(from: Int64, through: Int64)
}

/// The commits one reader has not taken yet, up to a capacity.
///
/// Past it, all that waits becomes one entry that says so: the reader reads the store anew, which is
/// cheaper than any number of changes, and no change is lost without a word (scar 86).
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

    /// Notes commits of which nothing but their numbers is known; what waits becomes part of them.
    package mutating func miss(_ range: ClosedRange<Int64>) {
        let first = missed?.lowerBound ?? (next < commits.count ? commits[next].sequence : nil)
        missed = min(first ?? range.lowerBound, range.lowerBound)...range.upperBound
        commits = []
        next = 0
    }

    /// The next entry in order, or nil when the reader has met all.
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
