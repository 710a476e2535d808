// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The size of a cache for its budget.
package struct CacheSize: Equatable, Sendable {
    /// The bytes of all used pages.
    ///
    /// Free pages are not counted, because they can be returned at once.
    package let used: Int64
    /// The size of everything but messages in a packed file: channels, users, cursors.
    package let other: Int64
    /// The size of everything in a packed file.
    package let packed: Int64

    /// Makes a size; `packed` is nil if it is unknown, and then no less than the present size.
    package init(used: Int64, other: Int64, packed: Int64? = nil) {
        self.used = max(used, 0)
        self.other = max(other, 0)
        self.packed = min(max(packed ?? self.used, self.other), self.used)
    }
}

/// The channels that have to lose their messages so that the cache fits again.
///
/// - Invariant: No channel is pinned or named twice. Without any one of its steps the plan would
///   not be enough.
package struct EvictionPlan: Equatable, Sendable {
    /// The way in which messages are removed; see `docs/adr/0006-eviction.md`.
    package enum Way: Equatable, Sendable {
        /// Deletes channel by channel in small transactions, between which other connections can
        /// write.
        case slices
        /// Copies the remaining rows and replaces the database by the copy, in one transaction.
        case rewrite
    }

    package let way: Way
    /// The channels in the order of their eviction.
    package let channels: [CachedChannel]
    package let sizeBefore: Int64
    /// The predicted size.
    ///
    /// It is below `sizeBefore` even without a channel to evict if a rewrite packs the file.
    package let expectedSize: Int64
    /// The target of the plan.
    ///
    /// Pinned channels and other data may be too large by themselves for it.
    package let target: Int64
    /// The number of newest messages that each channel keeps.
    package let keptMessages: Int64

    /// Whether no step is needed.
    package var isEmpty: Bool { sizeBefore <= target }

    /// Plans for a budget: no eviction below the limit, and from there down to the target.
    ///
    /// Channels on a screen go last, and only if the cache would stay above the limit with them.
    package init(
        for budget: CacheBudget, channels: [CachedChannel], size: CacheSize,
        order: ClearOrder = .lastOpened, keeping keptMessages: Int64 = 0,
        only way: Way? = nil
    ) {
        guard budget.isReached(by: size.used) else {
            self.init(nothingBelow: size.used, target: budget.limit)
            return
        }
        self.init(
            downTo: budget.target, sparingOpenBelow: budget.limit, channels: channels, size: size,
            order: order, keeping: keptMessages, only: way)
    }

    /// Plans for a size, independently of the budget.
    ///
    /// - Parameters:
    ///   - target: The greatest size afterwards, if it can be reached.
    ///   - spared: The size that is small enough if only open channels are left to evict; nil for
    ///     the target.
    ///   - channels: All channels with cached messages.
    ///   - size: The size of the whole cache.
    ///   - order: The order of eviction.
    ///   - keptMessages: The number of newest messages that each channel keeps.
    ///   - only: The only possible way, as in memory; nil chooses the shorter one.
    package init(
        downTo target: Int64, sparingOpenBelow spared: Int64? = nil,
        channels: [CachedChannel], size: CacheSize, order: ClearOrder,
        keeping keptMessages: Int64 = 0, only: Way? = nil
    ) {
        let target = max(target, 0)
        let keptMessages = max(keptMessages, 0)
        guard size.used > target else {
            self.init(nothingBelow: size.used, target: target)
            return
        }
        let way = only ?? (size.used - target > size.used / 4 ? .rewrite : .slices)
        let held = Self.sum([size.other] + channels.map(\.size.bytes))
        // Deletion leaves half-empty pages, a copy does not.
        var left = way == .rewrite ? min(held, size.packed) : size.used
        let candidates = order.sorted(
            channels.filter { !$0.isPinned && $0.cachedMessageCount > keptMessages })
        var going: [CachedChannel] = []
        // The size of a copy is predicted to a few percent. A little more at once saves another
        // round.
        let goal = way == .rewrite ? target - target / 32 : target
        // Deletion frees less than the size of the rows, because neighbours in the indexes stay.
        let most = left
        let share =
            way == .slices
            ? 7.0 / 8 : Double(max(left - size.other, 0)) / Double(max(held - size.other, 1))
        func freed(_ channel: CachedChannel) -> Int64 {
            let goes =
                Double(channel.cachedMessageCount - keptMessages)
                / Double(channel.cachedMessageCount)
            return Int64(exactly: (Double(channel.size.bytes) * share * goes).rounded()) ?? .max
        }
        func enough(_ isOpen: Bool) -> Int64 { isOpen ? max(spared ?? goal, goal) : goal }
        for isOpen in [false, true] {
            for channel in candidates where channel.isOpen == isOpen && left > enough(isOpen) {
                going.append(channel)
                left = max(left - freed(channel), 0)
            }
        }
        // One large channel may have freed so much that others need not go; the last in the order
        // are spared first.
        for index in going.indices.reversed() {
            let (withIt, isOver) = left.addingReportingOverflow(freed(going[index]))
            guard !isOver, withIt <= enough(going[index].isOpen) else { continue }
            left = min(withIt, most)
            going.remove(at: index)
        }
        self.init(
            way: way, channels: going, sizeBefore: size.used, expectedSize: left, target: target,
            keptMessages: keptMessages)
    }

    private init(nothingBelow size: Int64, target: Int64) {
        self.init(
            way: .slices, channels: [], sizeBefore: size, expectedSize: size, target: target,
            keptMessages: 0)
    }

    private init(
        way: Way, channels: [CachedChannel], sizeBefore: Int64, expectedSize: Int64,
        target: Int64, keptMessages: Int64
    ) {
        self.keptMessages = keptMessages
        self.way = way
        self.channels = channels
        self.sizeBefore = sizeBefore
        self.expectedSize = expectedSize
        self.target = target
    }

    private static func sum(_ values: [Int64]) -> Int64 {
        values.reduce(0) { sum, value in
            let (total, overflow) = sum.addingReportingOverflow(value)
            return overflow ? .max : total
        }
    }
}
