// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The order in which channels lose their messages when the cache is too large.
package struct ClearOrder: Sendable {
    /// Returns whether the left channel loses its messages first.
    package typealias Comparator =
        @Sendable (_ left: CachedChannel, _ right: CachedChannel) -> Bool

    /// Channels whose timeline was never opened first, then the least recently opened.
    ///
    /// Among equals the one without messages is first, then the one with the older newest message.
    package static let lastOpened = ClearOrder { left, right in
        // The address decides last, so that the same cache always gives the same plan.
        (left.openedAt ?? .distantPast, left.lastMessageAt ?? .distantPast, left.url)
            < (right.openedAt ?? .distantPast, right.lastMessageAt ?? .distantPast, right.url)
    }

    private let goesFirst: Comparator

    /// Makes an app's own order (R125).
    ///
    /// A contradictory comparator gives some order, and no crash.
    package init(_ goesFirst: @escaping Comparator) { self.goesFirst = goesFirst }

    /// Returns the channels in the order in which they would be evicted.
    package func sorted(_ channels: [CachedChannel]) -> [CachedChannel] {
        // The standard library's sort is undefined for a contradictory comparator. This merge
        // visits each place once with any comparator.
        var runs = channels.map { [$0] }
        while runs.count > 1 {
            runs = stride(from: 0, to: runs.count, by: 2).map { index in
                guard index + 1 < runs.count else { return runs[index] }
                return merge(runs[index], runs[index + 1])
            }
        }
        return runs.first ?? []
    }

    private func merge(_ left: [CachedChannel], _ right: [CachedChannel]) -> [CachedChannel] {
        var merged: [CachedChannel] = []
        merged.reserveCapacity(left.count + right.count)
        var (leftPlace, rightPlace) = (0, 0)
        while leftPlace < left.count, rightPlace < right.count {
            if goesFirst(right[rightPlace], left[leftPlace]) {
                merged.append(right[rightPlace])
                rightPlace += 1
            } else {
                merged.append(left[leftPlace])
                leftPlace += 1
            }
        }
        return merged + left[leftPlace...] + right[rightPlace...]
    }
}
