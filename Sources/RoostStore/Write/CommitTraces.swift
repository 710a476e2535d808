// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

/// The rows of one commit that invalidate look-ups of readers.
struct CommitTrace: Sendable {
    let sequence: Int64
    let users: [Int64]
    /// The channels whose covered ranges may have changed.
    let channels: [Int64]
}

/// The traces of this process's last commits, so that a reader keeps its look-ups after most
/// commits.
///
/// A commit without a trace, such as another process's, is a gap: a reader drops all look-ups
/// across it.
struct CommitTraces: Sendable {
    /// After more commits between two reads, few look-ups are still valid.
    private static let capacity = 64

    /// The traces in the order of their numbers, without a gap.
    private var recent: [CommitTrace] = []

    /// Adds the trace of a durable commit.
    mutating func add(_ trace: CommitTrace) {
        if let last = recent.last, last.sequence.addingSaturated(1) != trace.sequence {
            recent = []
        }
        if recent.count == Self.capacity { recent.removeFirst() }
        recent.append(trace)
    }

    /// Removes all traces, because the cache was replaced or changed in ways that a trace cannot
    /// describe.
    mutating func removeAll() { recent = [] }

    /// Returns the traces of all commits after one and up to another; nil if one is missing.
    func between(_ last: Int64, and sequence: Int64) -> ArraySlice<CommitTrace>? {
        // A damaged number may be any number.
        guard last < sequence, let first = recent.first?.sequence, first <= last + 1,
            sequence < first.addingSaturated(Int64(recent.count))
        else { return nil }
        return recent[Int(last + 1 - first)...Int(sequence - first)]
    }
}
