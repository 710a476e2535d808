// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Synchronization
import Testing

/// The log pages that live messages write, and the channel states on the shared page.
struct LivePagesTests {
    /// Runs jobs in order on a queue of its own, and counts those enqueued from another thread.
    private final class CountingExecutor: SerialExecutor, TaskExecutor {
        private static let key = DispatchSpecificKey<ObjectIdentifier>()
        private let queue = DispatchQueue(label: "counting")
        private let counter = Atomic(0)

        init() { queue.setSpecific(key: Self.key, value: ObjectIdentifier(self)) }

        var count: Int { counter.load(ordering: .relaxed) }

        func enqueue(_ job: consuming ExecutorJob) {
            let isOwn = DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self)
            if !isOwn { counter.add(1, ordering: .relaxed) }
            let job = UnownedJob(job)
            queue.async {
                // SAFETY: the closure keeps the executor until the job has run.
                unsafe job.runSynchronously(
                    isolatedTo: self.asUnownedSerialExecutor(),
                    taskExecutor: self.asUnownedTaskExecutor())
            }
        }
    }

    private static func channel(_ number: Int) -> ChannelURL { ChannelURL("channel \(number)") }

    /// A live message whose ID contains its channel: 3,007 is the seventh of channel 3.
    private static func live(_ id: Int64) -> Mutation {
        .liveMessage(
            Fixture.message(id, in: channel(Int(id / 1_000))), predecessor: MessageID(id - 1))
    }

    private static func options(isSearchable: Bool) -> Store.Options {
        var options = Fixture.options
        options.isSearchable = isSearchable
        return options
    }

    /// Commits a page of five messages in each channel.
    private func fill(_ store: Store, channels: Range<Int>) async throws {
        for number in channels {
            let first = Int64(number * 1_000)
            try await store.writer.commit([
                .channels([Fixture.group(Self.channel(number))]),
                Fixture.page(first...(first + 4), in: Self.channel(number)),
            ])
        }
    }

    /// Checks the coverage of each channel from its first to its last message, and the invariants
    /// of the cache.
    private func check(_ store: Store, channels: Range<Int>, last: Int64) async throws {
        for number in channels {
            let first = Int64(number * 1_000)
            #expect(
                try await store.reader.coverage(of: Self.channel(number)).value.ranges
                    == [Fixture.range(first, first + last)])
            #expect(
                try await store.reader.holding(of: Self.channel(number)).value.messages
                    == Int(last) + 1)
        }
        #expect(try await store.verify().findings == [])
    }

    /// Returns the number of frames that each commit adds to the log.
    private func pages(_ store: Store, _ ids: [Int64]) async throws -> [Int] {
        var pages: [Int] = []
        for id in ids {
            let before = await store.writer.fileBytes().log
            try await store.writer.commit([Self.live(id)])
            // A frame is a page of 4,096 bytes after a header of 24.
            pages.append(Int(await store.writer.fileBytes().log - before) / 4_120)
        }
        return pages
    }

    @Test func `a live message writes at most three pages of the log in any channel (scar 157)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.open(
            .folder(folder.path), owner: Fixture.owner, Self.options(isSearchable: false))
        try await fill(store, channels: 1..<11)
        func ids(_ offsets: ClosedRange<Int64>) -> [Int64] {
            offsets.flatMap { offset in (Int64(1)..<11).map { $0 * 1_000 + offset } }
        }
        _ = try await pages(store, ids(5...5))
        let counts = try await pages(store, ids(6...15))
        #expect(counts.allSatisfy { $0 > 0 })
        // A full leaf becomes two.
        #expect(counts.count { $0 > 3 } <= 10, "\(counts)")
        try await check(store, channels: 1..<11, last: 15)
        await store.close()
    }

    @Test func `a commit changes threads twice`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let (home, disk) = (CountingExecutor(), CountingExecutor())
        var options = Self.options(isSearchable: false)
        options.executor = disk
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await fill(store, channels: 1..<2)
        let jobs = try await Task(executorPreference: home) {
            let before = (home.count, disk.count)
            for id in Int64(1_005)..<1_055 { try await store.writer.commit([Self.live(id)]) }
            return (home.count - before.0, disk.count - before.1)
        }.value
        #expect(jobs.1 == 50, "one job for each commit, to the writer")
        #expect(jobs.0 == 50, "and one back")
        await store.close()
    }

    @Test
    func `states beyond the shared page are folded, and a restart finds all of them (scar 36)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        try await fill(store, channels: 1..<121)
        for round in Int64(5)...7 {
            for number in Int64(1)..<121 {
                try await store.writer.commit([Self.live(number * 1_000 + round)])
            }
        }
        try await check(store, channels: 1..<121, last: 7)
        await store.close()
        let again = try await Store.test(.folder(folder.path))
        try await check(again, channels: 1..<121, last: 7)
        await again.close()
    }

    @Test func `any other change of a channel keeps the coverage of its live messages`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        try await fill(store, channels: 1..<4)
        for number in Int64(1)..<4 {
            for round in Int64(5)...9 {
                try await store.writer.commit([Self.live(number * 1_000 + round)])
            }
        }
        // An older page, a separate range after the end, and a cut at the beginning.
        try await store.writer.commit([Fixture.page(900...1_000, in: Self.channel(1))])
        try await store.writer.commit([Fixture.page(2_900...2_910, in: Self.channel(2))])
        try await store.writer.commit([
            .evicted(Self.channel(3), through: Timestamp(milliseconds: 3_004))
        ])
        func ranges(_ number: Int) async throws -> [CoveredRange] {
            try await store.reader.coverage(of: Self.channel(number)).value.ranges
        }
        #expect(try await ranges(1) == [Fixture.range(900, 1_009)])
        #expect(try await ranges(2) == [Fixture.range(2_000, 2_009), Fixture.range(2_900, 2_910)])
        #expect(try await ranges(3).last?.upper == Fixture.place(3_009))
        #expect(try await store.reader.holding(of: Self.channel(3)).value.messages == 5)
        #expect(try await store.verify().findings == [])
        try await store.writer.commit([.removeChannel(Self.channel(2)), Self.live(3_010)])
        #expect(try await ranges(2) == [])
        #expect(try await ranges(3).last?.upper == Fixture.place(3_010))
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test(.enabled(if: !Fixture.isSealed))
    func `alternating live messages of two processes leave one state (scar 53)`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let ours = try await Store.test(.folder(folder.path))
        let theirs = try await Store.test(.folder(folder.path))
        try await fill(ours, channels: 1..<2)
        for id in Int64(1_005)...1_024 {
            try await (id.isMultiple(of: 2) ? ours : theirs).writer.commit([Self.live(id)])
        }
        try await check(ours, channels: 1..<2, last: 24)
        try await check(theirs, channels: 1..<2, last: 24)
        await theirs.close()
        await ours.close()
    }
}
