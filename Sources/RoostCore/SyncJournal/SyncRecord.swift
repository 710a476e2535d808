// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The last steps of a client, and the state from which they can be replayed.
///
/// The record is bounded: the oldest step is dropped, and the state moves on by that step.
package struct SyncRecord: Hashable, Sendable {
    /// The number of kept steps.
    package static let capacity = 4_000

    /// The state before the first of `entries`.
    package private(set) var base = SyncReplay()
    private var ring: [SyncEntry] = []
    /// The place of the oldest step in the ring, once it is full.
    private var oldest = 0
    private var count = 0
    private let capacity: Int

    package init(capacity: Int = SyncRecord.capacity) { self.capacity = max(1, capacity) }

    /// The number of dropped steps.
    package var droppedCount: Int { count - ring.count }

    /// The kept steps, oldest first.
    package var entries: [SyncEntry] { Array(ring[oldest...] + ring[..<oldest]) }

    package mutating func note(_ step: SyncStep, _ outcome: SyncOutcome, at moment: Timestamp) {
        count += 1
        let entry = SyncEntry(
            number: count, at: moment, step: step, outcome: outcome.withoutWords)
        guard ring.count == capacity else { return ring.append(entry) }
        _ = base.take(ring[oldest].step)
        ring[oldest] = entry
        oldest = (oldest + 1) % capacity
    }
}
