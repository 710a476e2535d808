// SPDX-License-Identifier: Apache-2.0

/// Which of two channels loses its messages first.
package enum ClearPrecedence: Hashable, Sendable {
    /// The left one.
    case leftFirst
    /// Either; they stay in the order they came in.
    case same
    /// The right one.
    case rightFirst
}

/// In which order channels lose their messages when the cache is too large.
package enum ClearOrder: Sendable {
    package typealias Comparator =
        @Sendable (_ left: CachedChannelInfo, _ right: CachedChannelInfo) -> ClearPrecedence

    /// The channel whose collection was opened longest ago goes first, never opened ones before all;
    /// among equals the one without messages, then the one with the older newest message.
    case messageCollectionAccessedAt
    /// An app's own; without a comparator it is the order above (R125).
    ///
    /// A comparator that contradicts itself gives some order, and no crash.
    case custom(Comparator?)

    /// The channels in the order in which they would go.
    package func sorted(_ channels: [CachedChannelInfo]) -> [CachedChannelInfo] {
        // The standard library promises nothing for a comparator that is no order; this merge looks
        // at every place once whatever it is told.
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
        _ left: [CachedChannelInfo], _ right: [CachedChannelInfo], _ comparator: Comparator
    ) -> [CachedChannelInfo] {
        var merged: [CachedChannelInfo] = []
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
        _ left: CachedChannelInfo, _ right: CachedChannelInfo
    ) -> ClearPrecedence {
        switch earlier(left.accessedAt, right.accessedAt) {
        case .same: break
        case let decided: return decided
        }
        switch earlier(left.lastMessageAt, right.lastMessageAt) {
        case .same: break
        case let decided: return decided
        }
        // The address decides last, so that one cache always gives one plan.
        return earlier(left.url, right.url)
    }

    /// The lesser first, nothing before something.
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
