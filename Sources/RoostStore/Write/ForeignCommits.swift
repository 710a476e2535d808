// SPDX-License-Identifier: Apache-2.0

/// Tells which commits of a cache another process has made, by the numbers that all of them share.
///
/// Every commit takes the next number inside its transaction, so a number that was skipped between two
/// of ours is somebody else's, whatever wakes us and however late.
package struct ForeignCommits: Hashable, Sendable {
    /// The last commit that our readers have been told of, by us or as missed.
    package private(set) var last: Int64

    package init(last: Int64) {
        self.last = last
    }

    /// Notes a commit of our own, before its readers hear of it.
    ///
    /// - Returns: The foreign commits that came before it and nobody here was told of.
    package mutating func noteOwn(_ sequence: Int64) -> ClosedRange<Int64>? {
        defer { last = sequence }
        return unknown(through: sequence - 1)
    }

    /// Notes what the cache says is its last commit, as after a ring or a pause.
    ///
    /// - Returns: The foreign commits that nobody here was told of.
    package mutating func noteFound(_ sequence: Int64) -> ClosedRange<Int64>? {
        defer { last = sequence }
        return unknown(through: sequence)
    }

    /// Notes that the cache was begun anew: its numbers say nothing of what was told.
    ///
    /// - Returns: All of its commits.
    package mutating func noteNewCache(_ sequence: Int64) -> ClosedRange<Int64> {
        last = sequence
        return 0...max(sequence, 0)
    }

    private func unknown(through sequence: Int64) -> ClosedRange<Int64>? {
        if sequence == last { return nil }
        // A lower number is that of a cache begun anew: nothing that was told holds any more.
        return sequence > last ? (last + 1)...sequence : 0...max(sequence, 0)
    }
}
