// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The decision which of two channels loses its messages first.
package enum ClearPrecedence: Equatable, Sendable {
    /// The left channel.
    case leftFirst
    /// Either; the channels keep their order.
    case same
    /// The right channel.
    case rightFirst
}

/// The order in which channels lose their messages when the cache is too large.
package enum ClearOrder: Sendable {
    package typealias Comparator =
        @Sendable (_ left: CachedChannel, _ right: CachedChannel) -> ClearPrecedence

    /// Channels whose collection was never opened first, then the least recently opened.
    ///
    /// Among equals the one without messages is first, then the one with the older newest message.
    case messageCollectionAccessedAt
    /// An app's own order; without a comparator it is the order above (R125).
    ///
    /// A contradictory comparator gives some order, and no crash.
    case custom(Comparator?)

    /// Returns the channels in the order in which they would be evicted.
    package func sorted(_ channels: [CachedChannel]) -> [CachedChannel] {
        // The standard library's sort is undefined for a contradictory comparator. This merge
        // visits each place once with any comparator.
        let comparator = self.comparator
        var runs = channels.map { [$0] }
        while runs.count > 1 {
            runs = stride(from: 0, to: runs.count, by: 2).map { index in
                guard index + 1 < runs.count else { return runs[index] }
                return Self.merge(runs[index], runs[index + 1], comparator)
            }
        }
        return runs.first ?? []
    }

    private var comparator: Comparator {
        switch self {
        case .messageCollectionAccessedAt, .custom(nil): Self.byAccess
        case .custom(let comparator?): comparator
        }
    }

    private static func merge(
        _ left: [CachedChannel], _ right: [CachedChannel], _ comparator: Comparator
    ) -> [CachedChannel] {
        var merged: [CachedChannel] = []
        merged.reserveCapacity(left.count + right.count)
        var (leftPlace, rightPlace) = (0, 0)
        while leftPlace < left.count, rightPlace < right.count {
            if comparator(left[leftPlace], right[rightPlace]) == .rightFirst {
                merged.append(right[rightPlace])
                rightPlace += 1
            } else {
                merged.append(left[leftPlace])
                leftPlace += 1
            }
        }
        return merged + left[leftPlace...] + right[rightPlace...]
    }

    @Sendable private static func byAccess(
        _ left: CachedChannel, _ right: CachedChannel
    ) -> ClearPrecedence {
        switch earlier(left.openedAt, right.openedAt) {
        case .same: break
        case let decided: return decided
        }
        switch earlier(left.lastMessageAt, right.lastMessageAt) {
        case .same: break
        case let decided: return decided
        }
        // The address decides last, so that the same cache always gives the same plan.
        return earlier(left.url, right.url)
    }

    /// Compares two values: the smaller is first, and nil is before any value.
    private static func earlier<Value: Comparable>(
        _ left: Value?, _ right: Value?
    ) -> ClearPrecedence {
        switch (left, right) {
        case (nil, nil): .same
        case (nil, _): .leftFirst
        case (_, nil): .rightFirst
        case (let left?, let right?):
            left < right ? .leftFirst : right < left ? .rightFirst : .same
        }
    }
}
