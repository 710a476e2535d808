// SPDX-License-Identifier: Apache-2.0

/// How large a cache is, as its budget sees it.
package struct CacheSize: Hashable, Sendable {
    /// Bytes of all pages that hold something, free ones not counted: those are given back for nothing.
    package let used: Int64
    /// What all that is no message would take in a packed file: channels, users, cursors.
    package let other: Int64
    /// What all of it would take in a packed file.
    package let packed: Int64

    /// `packed` is nil where nothing is known of it: then no less than there is now.
    package init(used: Int64, other: Int64, packed: Int64? = nil) {
        self.used = max(used, 0)
        self.other = max(other, 0)
        self.packed = min(max(packed ?? self.used, self.other), self.used)
    }
}

/// Which channels lose their messages, so that the cache fits again; made and shown without doing it.
///
/// - Invariant: No pinned channel is named and none twice; without any one of its steps the plan would not
///   be enough.
package struct EvictionPlan: Hashable, Sendable {
    /// How the messages go; see `docs/adr/0006-eviction.md`.
    package enum Way: Hashable, Sendable {
        /// Deleted channel by channel in small transactions, between which others write.
        case slices
        /// What stays is copied and put in place of the whole, as one transaction.
        case rewrite
    }

    package let way: Way
    /// In the order in which they go.
    package let channels: [CachedChannelInfo]
    package let sizeBefore: Int64
    /// Below `sizeBefore` even without a channel to go, when writing the file anew packs it.
    package let expectedSize: Int64
    /// The size it was made for.
    package let target: Int64
    /// Of each channel so many of the newest messages stay.
    package let keptMessages: Int64

    /// Whether there is nothing to do.
    package var isEmpty: Bool { sizeBefore <= target }
    package var freedBytes: Int64 { sizeBefore - expectedSize }
    package var freedMessages: Int64 {
        Self.sum(channels.map { $0.cachedMessageCount - keptMessages })
    }
    /// False when pinned channels and what is no message are too much by themselves.
    package var reachesTarget: Bool { expectedSize <= target }

    /// Plans for a budget: nothing below the limit, down to the target from there.
    ///
    /// Channels on a screen go last, and only when the cache would stay above the limit with them.
    package init(
        for budget: CacheBudget, channels: [CachedChannelInfo], size: CacheSize,
        order: ClearOrder = .messageCollectionAccessedAt, keeping keptMessages: Int64 = 0,
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

    /// Plans for a size, whatever the budget says.
    ///
    /// - Parameters:
    ///   - target: To end at this size or below it, if that can be.
    ///   - spared: With open channels alone left to take, this size is low enough; nil: the target.
    ///   - channels: All that have cached messages.
    ///   - size: Of the whole cache.
    ///   - order: Who goes first.
    ///   - keptMessages: How many of the newest messages each channel keeps (idea 11).
    ///   - only: The one way that can be taken, as in memory; nil takes the shorter one.
    package init(
        downTo target: Int64, sparingOpenBelow spared: Int64? = nil,
        channels: [CachedChannelInfo], size: CacheSize, order: ClearOrder,
        keeping keptMessages: Int64 = 0, only: Way? = nil
    ) {
        let target = max(target, 0)
        let keptMessages = max(keptMessages, 0)
        guard size.used > target else {
            self.init(nothingBelow: size.used, target: target)
            return
        }
        let way = only ?? (size.used - target > size.used / 4 ? .rewrite : .slices)
        let held = Self.sum([size.other] + channels.map(\.byteCount))
        // Deleting leaves half-empty pages behind, copying does not.
        var left = way == .rewrite ? min(held, size.packed) : size.used
        let candidates = order.sorted(
            channels.filter { !$0.isPinned && $0.cachedMessageCount > keptMessages })
        var going: [CachedChannelInfo] = []
        // A copy's size is foretold to a few percent: a little more at once, instead of one more round.
        let goal = way == .rewrite ? target - target / 32 : target
        // Deleting frees less than the rows took: their neighbours in the indexes stay.
        let most = left
        let share =
            way == .slices
            ? 7.0 / 8 : Double(max(left - size.other, 0)) / Double(max(held - size.other, 1))
        func freed(_ channel: CachedChannelInfo) -> Int64 {
            let goes =
                Double(channel.cachedMessageCount - keptMessages)
                / Double(channel.cachedMessageCount)
            return Int64(exactly: (Double(channel.byteCount) * share * goes).rounded()) ?? .max
        }
        func enough(_ isOpen: Bool) -> Int64 { isOpen ? max(spared ?? goal, goal) : goal }
        for isOpen in [false, true] {
            for channel in candidates where channel.isOpen == isOpen && left > enough(isOpen) {
                going.append(channel)
                left = max(left - freed(channel), 0)
            }
        }
        // One large channel may have been so much that others need not go: whoever would have gone last.
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
        way: Way, channels: [CachedChannelInfo], sizeBefore: Int64, expectedSize: Int64,
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
