// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel

/// An eviction in progress, step by step, so other commits can happen in between.
package struct Trim: Sendable {
    enum Phase: Equatable, Sendable {
        case rewrite
        /// Fills the index of a newly written file.
        case indexWords
        case slices
        /// Removes the evicted words from the search index.
        case forgetWords(isFirst: Bool)
        case giveBack
        case done
    }

    /// The plan that the trim follows.
    package let plan: EvictionPlan
    /// The channels whose messages were evicted so far, except for those they keep.
    package internal(set) var evicted: [CachedChannel] = []
    /// The bytes in use after the last step.
    package internal(set) var size: Int64
    /// The size at which channels on a screen are spared.
    let spared: Int64
    /// The channels on a screen, as of the last step.
    var open: Set<ChannelURL>
    var remaining: ArraySlice<CachedChannel>
    var phase: Phase
    var isRewritten = false
    /// Whether the index may contain words that a clearing has removed.
    let followsClearing: Bool
    /// The number of clearings whose words the trim removes from the index.
    var clearings = 0

    package var isDone: Bool { phase == .done }

    init(
        _ plan: EvictionPlan, sparing open: Set<ChannelURL>, below spared: Int64,
        followsClearing: Bool
    ) {
        self.followsClearing = followsClearing
        self.plan = plan
        self.open = open
        self.spared = spared
        size = plan.sizeBefore
        remaining = plan.channels[...]
        phase =
            if plan.isEmpty {
                followsClearing ? .forgetWords(isFirst: true) : .giveBack
            } else {
                plan.way == .rewrite ? .rewrite : .slices
            }
    }

    /// Whether a channel was opened after it was selected for eviction.
    func isOpenedSince(_ channel: CachedChannel) -> Bool {
        !channel.isOpen && open.contains(channel.url)
    }

    /// Whether the cache is small enough to spare a channel.
    func spares(_ channel: CachedChannel) -> Bool {
        size <= (channel.isOpen ? max(spared, goal) : goal)
    }

    /// The size at which the trim ends.
    ///
    /// The size after a rewrite is an estimate. If it is off by a twentieth or less, no further
    /// channels are evicted.
    var goal: Int64 {
        guard isRewritten else { return plan.target }
        let (goal, isOver) = plan.target.addingReportingOverflow(plan.target / 20)
        return isOver ? .max : goal
    }
}
