// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostModel

/// An eviction on its way, step by step, so that others commit in between.
package struct Trim: Sendable {
    enum Phase: Hashable, Sendable {
        case rewrite
        /// Fills the index of what was written anew.
        case indexWords
        case slices
        /// Takes the evicted words out of the search index.
        case forgetWords(isFirst: Bool)
        case giveBack
        case done
    }

    /// The plan that the trim follows.
    package let plan: EvictionPlan
    /// The channels that have lost their messages so far, but for those they keep.
    package internal(set) var evicted: [CachedChannelInfo] = []
    /// Bytes in use after the last step.
    package internal(set) var size: Int64
    /// How large the cache may stay when only channels on a screen are left.
    let spared: Int64
    /// Channels on a screen, as of the last step.
    var open: Set<ChannelURL>
    var remaining: ArraySlice<CachedChannelInfo>
    var phase: Phase
    var isRewritten = false

    package var isDone: Bool { phase == .done }

    init(
        _ plan: EvictionPlan, sparing open: Set<ChannelURL>, below spared: Int64, from phase: Phase
    ) {
        self.plan = plan
        self.open = open
        self.spared = spared
        size = plan.sizeBefore
        remaining = plan.channels[...]
        self.phase = phase
    }

    /// Whether somebody has opened this channel since it was told to go.
    func isOpenedSince(_ channel: CachedChannelInfo) -> Bool {
        !channel.isOpen && open.contains(channel.url)
    }

    /// Whether the cache is small enough to let this channel be.
    func spares(_ channel: CachedChannelInfo) -> Bool {
        size <= (channel.isOpen ? max(spared, goal) : goal)
    }

    /// Where the trim ends.
    ///
    /// The size of what is written anew is foretold; when it is a twentieth off,
    /// no more channels go than those that were announced.
    var goal: Int64 {
        guard isRewritten else { return plan.target }
        let (goal, isOver) = plan.target.addingReportingOverflow(plan.target / 20)
        return isOver ? .max : goal
    }
}
