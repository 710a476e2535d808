// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestSupport
import Testing

extension EvictionPlan {
    fileprivate var reachesTarget: Bool { expectedSize <= target }
    fileprivate var freedMessages: Int64 {
        channels.reduce(0) { $0.addingSaturated($1.cachedMessageCount - keptMessages) }
    }
}

struct EvictionPlanTests {
    private static let mega: Int64 = 1_048_576

    private static func channel(
        _ name: String, megabytes: Int64 = 10, accessedAt: Int64? = nil, last: Int64? = 0,
        isPinned: Bool = false, isOpen: Bool = false
    ) -> CachedChannel {
        CachedChannel(
            url: ChannelURL(name), cachedMessageCount: 100, size: ByteCount(mebibytes: megabytes),
            openedAt: accessedAt.map(Timestamp.init(milliseconds:)),
            lastMessageAt: last.map(Timestamp.init(milliseconds:)),
            isPinned: isPinned, isOpen: isOpen)
    }

    private static func names(_ channels: [CachedChannel]) -> [String] {
        channels.map(\.url.rawValue)
    }

    @Test(
        arguments: [
            (256, 256 * mega), (64, 64 * mega), (63, 64 * mega), (0, 64 * mega), (-1, 64 * mega),
            (Int64.min, 64 * mega), (Int64.max, Int64.max), (Int64.max / mega + 1, Int64.max),
        ] as [(Int64, Int64)])
    func `a budget has a floor and no ceiling (R118, R119)`(megabytes: Int64, limit: Int64) {
        let budget = CacheBudget(ByteCount(mebibytes: megabytes))
        #expect(budget.limit == limit)
        #expect(budget.target < budget.limit)
        #expect(budget.target > budget.limit / 8 * 6)
        #expect(budget.isReached(by: limit))
        #expect(!budget.isReached(by: limit - 1))
    }

    @Test func `mebibytes beyond the greatest number of bytes count as that number`() {
        #expect(ByteCount(mebibytes: 3).bytes == 3 * Self.mega)
        #expect(ByteCount(mebibytes: .max).bytes == .max)
        #expect(ByteCount(mebibytes: .min).bytes == .min)
    }

    @Test func `an unnamed limit is 256 megabytes (R118)`() {
        #expect(CacheBudget().limit == 256 * Self.mega)
    }

    @Test func `never opened channels go first, then the least recently opened (R121)`() {
        let channels = [
            Self.channel("new", accessedAt: 9), Self.channel("old", accessedAt: 3),
            Self.channel("never, written late", last: 7), Self.channel("never, written early"),
            Self.channel("never, empty", last: nil),
        ]
        let order = ["never, empty", "never, written early", "never, written late", "old", "new"]
        #expect(Self.names(ClearOrder.lastOpened.sorted(channels)) == order)
        #expect(Self.names(ClearOrder.lastOpened.sorted(channels.reversed())) == order)
    }

    @Test func `an app's comparator decides, and equal channels keep their order (R123, R124)`() {
        let channels = [
            Self.channel("b", megabytes: 2), Self.channel("c", megabytes: 1),
            Self.channel("a", megabytes: 2),
        ]
        let order = ClearOrder { left, right in left.size > right.size }
        #expect(Self.names(order.sorted(channels)) == ["b", "a", "c"])
    }

    @Test func `below the limit no channel goes, at the limit no more than needed (scar 152)`() {
        let channels = (0..<30).map { Self.channel("\($0)", accessedAt: Int64($0)) }
        let below = EvictionPlan(
            for: CacheBudget(), channels: channels,
            size: CacheSize(used: 256 * Self.mega - 1, other: 0))
        #expect(below.isEmpty && below.channels.isEmpty)
        let plan = EvictionPlan(
            for: CacheBudget(), channels: channels, size: CacheSize(used: 256 * Self.mega, other: 0)
        )
        #expect(Self.names(plan.channels) == ["0", "1", "2", "3"])
        #expect(plan.expectedSize == 221 * Self.mega)
        #expect(plan.freedMessages == 400)
        #expect(plan.way == .slices)
        #expect(plan.reachesTarget)
    }

    @Test func `if a rewrite of the file is enough, no channel goes (scar 152)`() {
        let channels = (0..<10).map { Self.channel("\($0)") }
        let plan = EvictionPlan(
            downTo: 110 * Self.mega, channels: channels,
            size: CacheSize(used: 200 * Self.mega, other: 5 * Self.mega),
            order: .lastOpened)
        #expect(plan.way == .rewrite)
        #expect(plan.channels.isEmpty)
        #expect(!plan.isEmpty)
        #expect(plan.expectedSize == 105 * Self.mega)
    }

    @Test func `a channel on a screen goes last, and only to stay below the limit`() {
        func plan(closed: Int64, open: Int64, used: Int64) -> EvictionPlan {
            EvictionPlan(
                for: CacheBudget(ByteCount(mebibytes: 64)),
                channels: [
                    Self.channel("open", megabytes: open, isOpen: true),
                    Self.channel("closed", megabytes: closed, accessedAt: 5),
                ], size: CacheSize(used: used * Self.mega, other: 0))
        }
        #expect(Self.names(plan(closed: 2, open: 62, used: 64).channels) == ["closed"])
        #expect(plan(closed: 2, open: 62, used: 64).reachesTarget == false)
        #expect(Self.names(plan(closed: 8, open: 72, used: 80).channels) == ["open"])
        #expect(Self.names(plan(closed: 60, open: 70, used: 130).channels) == ["closed", "open"])
    }

    @Test func `unneeded evictions are dropped from the plan, most recently opened first (R121)`() {
        let plan = EvictionPlan(
            downTo: 60 * Self.mega,
            channels: [
                Self.channel("first", megabytes: 8, accessedAt: 1),
                Self.channel("second", megabytes: 8, accessedAt: 2),
                Self.channel("large", megabytes: 40, accessedAt: 3),
                Self.channel("last", megabytes: 44, accessedAt: 4),
            ], size: CacheSize(used: 100 * Self.mega, other: 0),
            order: .lastOpened)
        #expect(Self.names(plan.channels) == ["first", "large"])
        #expect(plan.expectedSize == 52 * Self.mega)
    }

    @Test func `of a channel that keeps some messages only the rest counts as freed`() {
        let channels = (0..<30).map { Self.channel("\($0)", accessedAt: Int64($0)) }
        func plan(keeping kept: Int64) -> EvictionPlan {
            EvictionPlan(
                for: CacheBudget(), channels: channels,
                size: CacheSize(used: 256 * Self.mega, other: 0), keeping: kept)
        }
        // Of a hundred messages each.
        #expect(Self.names(plan(keeping: 0).channels) == ["0", "1", "2", "3"])
        #expect(Self.names(plan(keeping: 50).channels) == (0..<8).map { "\($0)" })
        #expect(plan(keeping: 50).freedMessages == 400)
        #expect(plan(keeping: 50).expectedSize == plan(keeping: 0).expectedSize)
        #expect(plan(keeping: -1) == plan(keeping: 0))
        for kept in [100, 1_000] as [Int64] {
            #expect(plan(keeping: kept).channels.isEmpty && !plan(keeping: kept).reachesTarget)
        }
    }

    @Test(arguments: 1...300)
    func `a plan keeps its invariants for any cache and comparator (scar 152)`(
        seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        let extremes: [Int64] = [.min, -1, 0, 1, 4_096, .max / 2, .max]
        let isExtreme = seed % 3 == 0
        let channels = (0..<Int.random(in: 0...60, using: &random)).map { index in
            CachedChannel(
                url: ChannelURL("\(index)"),
                cachedMessageCount: isExtreme
                    ? extremes.randomElement(using: &random)! : .random(in: 0...50, using: &random),
                size: ByteCount(
                    bytes: isExtreme
                        ? extremes.randomElement(using: &random)!
                        : .random(in: 0...9_999, using: &random)),
                openedAt: Bool.random(using: &random)
                    ? Timestamp(milliseconds: .random(in: 0...9, using: &random)) : nil,
                isPinned: .random(using: &random) && .random(using: &random),
                isOpen: .random(using: &random) && .random(using: &random))
        }
        let used = isExtreme ? extremes.randomElement(using: &random)! : 150_000
        let target =
            isExtreme
            ? extremes.randomElement(using: &random)! : .random(in: 0...150_000, using: &random)
        // A hash of the pair decides: this is no consistent order.
        let order: ClearOrder =
            seed % 2 == 0
            ? .lastOpened
            : ClearOrder { left, right in
                (UInt64(left.url.rawValue)! &* 31 ^ UInt64(right.url.rawValue)! ^ seed) % 3 == 0
            }
        let plan = EvictionPlan(
            downTo: target, channels: channels, size: CacheSize(used: used, other: 100),
            order: order)
        let candidates = channels.filter { !$0.isPinned && $0.cachedMessageCount > 0 }
        #expect(Set(plan.channels).isSubset(of: Set(candidates)))
        #expect(Set(plan.channels).count == plan.channels.count)
        #expect(Self.names(order.sorted(channels)).sorted() == Self.names(channels).sorted())
        #expect(plan.expectedSize <= plan.sizeBefore)
        #expect(plan.freedMessages >= 0)
        if !plan.reachesTarget { #expect(plan.channels.count == candidates.count) }
        if let last = plan.channels.last, plan.expectedSize > 0 {
            // A rewrite aims a little lower, because its size is only predicted.
            let goal = plan.way == .rewrite ? plan.target - plan.target / 32 : plan.target
            for channel in plan.channels {
                let (withIt, isOver) = plan.expectedSize.addingReportingOverflow(
                    channel.size.bytes)
                #expect(isOver || withIt > goal, "\(channel.url) went for nothing")
            }
            let open = plan.channels.count { $0.isOpen }
            #expect(last.isOpen || open == 0)
        }
        if plan.isEmpty { #expect(plan.channels.isEmpty) }
    }
}
