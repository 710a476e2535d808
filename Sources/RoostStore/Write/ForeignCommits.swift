// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

/// Finds the commits of other processes by the numbers of all commits.
///
/// Every commit takes the next number inside its transaction. So a number missing between two
/// commits of this process belongs to another process.
package struct ForeignCommits: Equatable, Sendable {
    /// The last commit that the readers have received, as a commit or as missed.
    package private(set) var last: Int64

    package init(last: Int64) {
        self.last = last
    }

    /// Notes a commit of this process, before its readers receive it.
    ///
    /// - Returns: The earlier commits of other processes that the readers have not received.
    package mutating func noteOwn(_ sequence: Int64) -> ClosedRange<Int64>? {
        defer { last = sequence }
        return unknown(through: sequence.subtractingSaturated(1))
    }

    /// Notes the number of the cache's last commit, for example after a signal or a pause.
    ///
    /// - Returns: The commits of other processes that the readers have not received.
    package mutating func noteFound(_ sequence: Int64) -> ClosedRange<Int64>? {
        defer { last = sequence }
        return unknown(through: sequence)
    }

    /// Notes that the cache was replaced, so earlier numbers have no meaning.
    ///
    /// - Returns: All commits of the new cache.
    package mutating func noteNewCache(_ sequence: Int64) -> ClosedRange<Int64> {
        last = sequence
        return 0...max(sequence, 0)
    }

    private func unknown(through sequence: Int64) -> ClosedRange<Int64>? {
        if sequence == last { return nil }
        // A lower number belongs to a replaced cache, so everything has to be read again.
        return sequence > last ? (last + 1)...sequence : 0...max(sequence, 0)
    }
}
