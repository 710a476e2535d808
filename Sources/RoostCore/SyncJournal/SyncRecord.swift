// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The last steps of a client, and the state from which they can be taken again.
///
/// Bounded: the oldest step goes, and the state behind it takes that step.
package struct SyncRecord: Hashable, Sendable {
    /// Steps kept.
    package static let capacity = 4_000

    /// Before the first of `entries`.
    package private(set) var base = SyncReplay()
    private var ring: [SyncEntry] = []
    /// Where the oldest stands in the ring, once it is full.
    private var oldest = 0
    private var count = 0
    private let capacity: Int

    package init(capacity: Int = SyncRecord.capacity) { self.capacity = max(1, capacity) }

    /// How many steps went before the first that is kept.
    package var droppedCount: Int { count - ring.count }

    /// Oldest first.
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
