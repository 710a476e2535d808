// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// A cache above its limit, on real files.
struct EvictionTests {
    private typealias Cache = EvictionFixture

    /// Percent of the size to keep: little is deleted in slices, much by a rewrite.
    static let shares: [Int64] = [85, 40]

    @Test(arguments: shares)
    func `a trim evicts the channels of its plan and shrinks the file (scar 152, R120)`(
        _ share: Int64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder)
        let target = try await store.writer.evictionPlan(downTo: .max).sizeBefore * share / 100
        let plan = try await store.writer.evictionPlan(downTo: target)
        #expect(plan.way == (share > 75 || Fixture.isSealed ? .slices : .rewrite))
        #expect(try await Cache.emptyChannels(of: store) == [])
        let trim = try await store.writer.trim(downTo: target)
        // A sealed cache is emptied in slices, which may be enough one channel earlier.
        let spared = Fixture.isSealed ? 1 : 0
        #expect(plan.channels.map(\.url).starts(with: trim.urls))
        #expect(trim.urls.count >= plan.channels.count - spared)
        #expect(trim.urls == Array(Cache.channels.prefix(trim.evicted.count)))
        // The plan predicts the size of a copy.
        #expect(trim.size <= (plan.way == .rewrite ? target + target / 20 : target))
        let miss = Double(trim.size - plan.expectedSize) / Double(plan.expectedSize)
        #expect(
            abs(miss) <= 0.08,
            "\(trim.size), foretold \(plan.expectedSize)")
        let last = try #require(plan.channels.last)
        // A rewrite aims a little lower.
        #expect(trim.size + last.size.bytes > target - target / 32)
        #expect(try await Cache.emptyChannels(of: store) == trim.urls)
        #expect(try await Cache.faults(of: store) == [])
        let bytes = try Cache.fileBytes(in: folder.path)
        #expect(Double(abs(bytes - trim.size)) <= 0.05 * Double(bytes))
        // Filters lose the coverage of the evicted channels, and only of those.
        for channel in Cache.channels {
            let known = try await store.reader.coverage(of: channel, under: Cache.filter).value
            #expect(known.isEmpty == trim.urls.contains(channel))
        }
        await store.close()
        let again = try await Store.test(.folder(folder.path))
        #expect(again.report == .intact)
        #expect(try await Cache.emptyChannels(of: again) == trim.urls)
        await again.close()
    }

    @Test func `a channel opened under a clock that was ahead is evicted in its turn (R121)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder)
        let (first, second) = (Cache.channels[0], Cache.channels[1])
        for (channel, moment) in [(first, 1_000_000), (first, 1_010), (second, 1_020)] {
            try await store.writer.commit([
                .accessed(channel, at: Timestamp(milliseconds: Int64(moment)))
            ])
        }
        let plan = try await store.writer.evictionPlan(downTo: 0)
        let order = plan.channels.map(\.url)
        #expect(order.suffix(2) == [first, second])
        await store.close()
    }

    @Test(arguments: shares)
    func `no file of the folder contains a word of an evicted channel (scar 48)`(
        _ share: Int64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder)
        #expect(try Cache.words(in: folder.path) == Cache.shown(Cache.channels))
        let size = try await store.writer.evictionPlan(downTo: .max).sizeBefore
        let trim = try await store.writer.trim(downTo: size * share / 100)
        #expect(!trim.evicted.isEmpty)
        let left = Set(Cache.channels).subtracting(trim.urls)
        #expect(try Cache.words(in: folder.path) == Cache.shown(left))
        await store.close()
        #expect(try Cache.words(in: folder.path) == Cache.shown(left))
    }

    @Test(arguments: shares)
    func `a channel pinned or opened during a trim stays (R120, R127)`(
        _ share: Int64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder)
        let size = try await store.writer.evictionPlan(downTo: .max).sizeBefore
        var trim = try await store.writer.beginTrim(downTo: size * share / 100)
        let late = trim.plan.channels.suffix(2).map(\.url)
        try await store.writer.commit([.pinned(late[0], true)])
        while !trim.isDone {
            trim = try await store.writer.advance(trim, sparing: [late[1]]).trim
        }
        #expect(Set(trim.urls).isDisjoint(with: late))
        #expect(try await Set(Cache.emptyChannels(of: store)) == Set(trim.urls))
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test(arguments: shares)
    func `each step reports lost coverage to observers (R120, scar 29)`(
        _ share: Int64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder)
        let size = try await store.writer.evictionPlan(downTo: .max).sizeBefore
        var trim = try await store.writer.beginTrim(downTo: size * share / 100)
        var sequence = try await store.reader.inspection().sequence
        var told: [ChannelURL] = []
        while !trim.isDone {
            let step = try await store.writer.advance(trim)
            trim = step.trim
            guard let commit = step.commit else { continue }
            sequence += 1
            #expect(commit.sequence == sequence)
            for case .messages(let change) in commit.changes {
                #expect(!change.coverageBefore.isEmpty)
                #expect(change.filters == [Cache.filter])
                #expect(change.coverageAfter.isEmpty)
                told.append(change.channel)
            }
        }
        #expect(told == trim.urls)
        #expect(try await store.reader.inspection().sequence == sequence)
        await store.close()
    }

    @Test
    func `a long channel goes slice by slice, and the rest stays covered meanwhile (scar 29)`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...4_500)])
        var trim = try await store.writer.beginTrim(downTo: 0)
        var oldest: [Int64] = []
        while !trim.isDone {
            trim = try await store.writer.advance(trim).trim
            let messages = try await store.reader.newest(limit: 10_000)
            let known = try await store.reader.coverage(of: Fixture.channel).value
            if let first = messages.first?.position {
                #expect(known.range(containing: first)?.upper == Fixture.place(4_500))
                // A page that comes now finds no older message in its place.
                try await store.writer.commit([Fixture.page(1...3)])
            }
            oldest.append(messages.first?.messageID?.rawValue ?? 0)
        }
        #expect(oldest.prefix(3) == [2_001, 3_998, 0])
        await store.close()
    }

    @Test(arguments: [1, 30])
    func `each channel keeps its newest messages if configured`(
        _ kept: Int
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        var options = Fixture.options
        options.keptMessages = kept
        let store = try await Cache.store(in: folder, options)
        // Two messages of one moment, of which one would be enough, stay together.
        let pair = (1...2).map { Fixture.message(900_000 + $0, at: 5_000_000, in: "pair") }
        try await store.writer.commit([
            .messages(
                "pair", [Fixture.message(900_000, at: 10, in: "pair")] + pair,
                covering: CoveredRange(
                    lower: .distantPast, upper: Fixture.place(5_000_000, 900_002)))
        ])
        var before: [ChannelURL: [Message]] = [:]
        for channel in Cache.channels + ["pair"] {
            before[channel] = try await store.reader.newest(in: channel, limit: 10_000)
        }
        let plan = try await store.writer.evictionPlan(downTo: 0)
        #expect(plan.way == .slices && plan.expectedSize > plan.target)
        #expect(plan.keptMessages == Int64(kept))
        let trim = try await store.writer.trim(downTo: 0)
        #expect(trim.size < trim.plan.sizeBefore)
        for channel in Cache.channels {
            let left = try await store.reader.newest(in: channel, limit: 10_000)
            #expect(left == before[channel]?.suffix(kept), "\(channel)")
            let coverage = try await store.reader.coverage(of: channel).value
            #expect(coverage.ranges.count == 1)
            #expect(coverage.ranges.first?.lower ?? .distantPast > .distantPast)
        }
        let paired = try await store.reader.newest(in: "pair")
        #expect(paired == (kept == 1 ? pair : before["pair"]))
        #expect(try await Cache.faults(of: store) == [])
        // No channel is left to evict, and none is evicted twice.
        let rest = try await store.writer.evictionPlan(downTo: 0).channels
        // A plan counts messages and does not see that the two are of one moment.
        #expect(rest.map(\.url) == (kept == 1 ? ["pair"] : []))
        try await store.writer.commit([.clearMessages(Cache.channels[0])])
        #expect(try await store.reader.newest(in: Cache.channels[0]).isEmpty)
        await store.close()
    }

    @Test func `in memory a trim deletes messages and frees their pages (R120)`() async throws {
        let store = try await Store.test()
        try await Cache.fill(store)
        let size = try await store.writer.cacheBytes()
        let plan = try await store.writer.evictionPlan(downTo: size / 3)
        #expect(plan.way == .slices)
        let trim = try await store.writer.trim(downTo: size / 3)
        #expect(trim.size <= size / 3)
        #expect(try await store.writer.cacheBytes() == trim.size)
        #expect(try await Cache.faults(of: store) == [])
        await store.close()
    }

    @Test func `pinned channels stay at any limit (R120)`() async throws {
        let store = try await Store.test()
        try await Cache.fill(store)
        let pinned = Array(Cache.channels.prefix(3))
        try await store.writer.commit(pinned.map { .pinned($0, true) })
        let trim = try await store.writer.trim(downTo: 0)
        #expect(trim.urls == Array(Cache.channels.dropFirst(3)))
        #expect(trim.plan.expectedSize > trim.plan.target)
        #expect(try await Cache.faults(of: store) == [])
        try await store.writer.commit([.pinned(pinned[1], false)])
        #expect(try await store.writer.trim(downTo: 0).urls == [pinned[1]])
        await store.close()
    }

    @Test func `an app's own order decides, even a contradictory one (R123, R124)`()
        async throws
    {
        let last: ClearOrder.Comparator = { left, right in left.url > right.url }
        for comparator in [last, { _, _ in true }] as [ClearOrder.Comparator] {
            var options = Fixture.options
            options.clearOrder = ClearOrder(comparator)
            let store = try await Store.open(.memory, owner: Fixture.owner, options)
            try await Cache.fill(store)
            let size = try await store.writer.cacheBytes()
            let trim = try await store.writer.trim(downTo: size / 2)
            // Freed space is measured during the deletion, so the last channel of the plan may
            // stay.
            #expect(trim.plan.channels.map(\.url).starts(with: trim.urls))
            #expect(trim.urls == Array(Cache.channels.reversed().prefix(trim.evicted.count)))
            #expect(trim.size <= size / 2)
            #expect(try await Cache.faults(of: store) == [])
            await store.close()
        }
    }

    @Test func `a budget is kept from its limit on, and channels on a screen go last (R126, R127)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        var options = Fixture.withoutIndex
        options.budget = CacheBudget(ByteCount(mebibytes: 1))
        let budget = try #require(options.budget)
        #expect(budget.limit == 64 * 1_048_576)
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await Cache.fill(store, bytes: 2_400)
        #expect(try await store.writer.keepBudget() == nil)
        // Two channels fill the rest; one of them was visited first of all.
        let large: [ChannelURL] = ["large", "seen"]
        for (number, channel) in large.enumerated() {
            for part in 0..<50 {
                let id = Int64(number * 1_000_000 + part * 10 + 1)
                let text = String(repeating: "\(id) ", count: 700_000 / "\(id) ".utf8.count)
                try await store.writer.commit([
                    .messages(
                        channel, [Fixture.message(id, in: channel, text: text)],
                        covering: Fixture.range(id, id + 9)),
                    .accessed(channel, at: Timestamp(milliseconds: 0)),
                ])
            }
        }
        #expect(try await store.writer.isBudgetReached())
        let trim = try #require(try await store.writer.keepBudget(sparing: ["seen"]))
        #expect(trim.size < budget.limit)
        #expect(trim.urls.contains("large"))
        #expect(!trim.urls.contains("seen"))
        #expect(try await store.writer.keepBudget() == nil)
        #expect(try await store.writer.cacheBytes() <= budget.limit)
        // Pinned and shown channels take more than the trim's target and less than the limit, so
        // they stay.
        try await store.writer.commit(Cache.channels.map { .pinned($0, true) })
        func fill(_ channel: ChannelURL, until isEnough: () async throws -> Bool) async throws {
            var id: Int64 = channel == "seen" ? 2_000_000 : 3_000_000
            while try await !isEnough() {
                id += 1
                let text = String(repeating: "\(id) ", count: 88_000)
                try await store.writer.commit([
                    .messages(
                        channel, [Fixture.message(id, in: channel, text: text)],
                        covering: Fixture.range(id, id)),
                    .accessed(channel, at: Timestamp(milliseconds: 0)),
                ])
            }
        }
        let target = budget.limit * 7 / 8
        try await fill("seen") {
            try await store.writer.evictionPlan(downTo: .max).sizeBefore > target + 2_000_000
        }
        try await fill("large") { try await store.writer.isBudgetReached() }
        let rest = try #require(try await store.writer.keepBudget(sparing: ["seen"]))
        #expect(rest.isDone && rest.urls.contains("large") && !rest.urls.contains("seen"))
        #expect(rest.size > target && rest.size < budget.limit)
        await store.close()
    }

    @Test
    func `the reported size is that of the files after filling, clearing and closing (scar 151)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        func check(_ store: Store, _ moment: String) async throws {
            let told = try await store.writer.cacheBytes()
            let there = try Cache.fileBytes(in: folder.path)
            // The shared memory of the log is the system's, takes 32 KB, and counts too.
            #expect(Double(abs(told - there)) <= 0.05 * Double(there) + 32_768, "\(moment)")
        }
        let store = try await Store.test(.folder(folder.path))
        try await check(store, "empty")
        try await Cache.fill(store)
        try await check(store, "filled")
        try await store.writer.commit([.clearMessages(Cache.channels[0])])
        try await check(store, "cleared")
        let before = try await store.writer.cacheBytes()
        try await store.writer.trim(downTo: before / 2)
        try await check(store, "evicted")
        #expect(try await store.writer.cacheBytes() < before * 6 / 10)
        await store.close()
        let again = try await Store.test(.folder(folder.path))
        try await check(again, "opened again")
        await again.close()
    }

    @Test(.enabled(if: !Fixture.isSealed, "The index of a sealed cache has no file."))
    func `an index has two leaves per page, and the plan predicts its size (R120)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder)
        await store.close()
        try checkIndex(in: folder)
        let full = try await Store.test(.folder(folder.path))
        let size = try await full.writer.evictionPlan(downTo: .max).sizeBefore
        let trim = try await full.writer.trim(downTo: size / 2)
        #expect(trim.plan.way == .rewrite)
        await full.close()
        try checkIndex(in: folder)
    }

    private func checkIndex(in folder: TemporaryFolder) throws {
        let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
        let longest = try connection.first(.longestLeaf) ?? 0
        #expect((1_000...2_040).contains(longest), "Two of \(longest) bytes")
        let foretold = try SearchIndex.byteCount(in: connection)
        let whole = try connection.space().usedBytes
        try connection.executeScript("BEGIN")
        try SearchIndex.drop(from: connection)
        let taken = try whole - connection.space().usedBytes
        // The first page of each of its tables is counted elsewhere.
        #expect(abs(taken - foretold) <= 6 * 4_096 + taken / 10, "\(taken), foretold \(foretold)")
        try connection.executeScript("ROLLBACK")
    }
}

extension Query where Input == Void, Output == Int64 {
    /// The length of the longest leaf of the index: only leaves have such row numbers and more than
    /// a few bytes.
    fileprivate static let longestLeaf = Query(
        sql: "SELECT max(length(block)) FROM message_text_data WHERE id > 10"
    ) { row in row.int64(0) }
}
