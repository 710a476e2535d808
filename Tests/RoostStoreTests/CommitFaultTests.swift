// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostSealing
import RoostStore
import RoostTestSupport
import Testing

struct CommitFaultTests {
    /// A page of a change log as one commit: the messages and the cursor.
    static let page: [Mutation] = {
        let messages = (1...300).map { id in
            Fixture.message(
                Int64(id), text: String(repeating: "x", count: 300),
                from: User(id: UserID("user \(id % 20)")))
        }
        return [
            .channels([Fixture.group(Fixture.channel, last: messages.last)]),
            .messages(Fixture.channel, messages, covering: Fixture.range(1, 300)),
            .cursor(.messageChanges(Fixture.channel), .token("after 300")),
            .cursor(.channelChanges, .token("after the channel")),
        ]
    }()

    @Test
    func `a failed commit stores data and cursor or neither (scars 6, 7, 45)`()
        async throws
    {
        var failures = 0
        for extraPages in 0... {
            let folder = try TemporaryFolder()
            let store = try await Store.test(.folder(folder.path))
            var feed = await store.writer.journal().makeAsyncIterator()
            try await store.writer.limitPages(to: try await store.writer.pageCount() + extraPages)
            do {
                try await store.writer.commit(Self.page)
                try await expectPage(in: store)
                await store.close()
                break
            } catch let error as StoreError {
                failures += 1
                #expect(error.kind == .full)
                #expect(try await store.writer.busyStatementCount() == 0)
                try await expectNothing(in: store)
            }
            // With room again the same call succeeds and is the first published commit.
            try await store.writer.limitPages(to: nil)
            let commit = try await store.writer.commit(Self.page)
            #expect(commit.sequence == 1)
            #expect(await feed.next() == .commit(commit))
            try await expectPage(in: store)
            await store.close()
        }
        #expect(failures > 20)
    }

    private func expectNothing(in store: Store) async throws {
        for reader in store.readers {
            let inspection = try await reader.inspection()
            #expect(inspection.channels == [])
            #expect(inspection.channelCursor == nil)
            #expect(inspection.userCount == 0)
            #expect(inspection.sequence == 0)
            #expect(try await reader.cursor(.messageChanges(Fixture.channel)).value == nil)
        }
    }

    private func expectPage(in store: Store) async throws {
        for reader in store.readers {
            #expect(try await reader.newest().count == 300)
            let cursor = try await reader.cursor(.messageChanges(Fixture.channel))
            #expect(cursor.value == .token("after 300"))
            #expect(cursor.sequence == 1)
            #expect(
                try await reader.cursor(.channelChanges).value == .token("after the channel"))
        }
    }

    @Test func `a failed write affects no other, and the next one succeeds (scar 40)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        try await store.writer.commit([Fixture.page(1...5, in: "before")])
        try await store.writer.limitPages(to: 1)
        let error = await #expect(throws: StoreError.self) {
            try await store.writer.commit(Self.page)
        }
        #expect(error?.kind == .full)
        #expect(
            error?.message.hasPrefix("The disk is full: free some space. What comes from the ")
                == true)
        try await store.writer.limitPages(to: nil)
        try await store.writer.commit([Fixture.page(6...7, in: "before")])
        #expect(try await store.reader.inspection().channels.map(\.messageCount) == [7])
        #expect(try await store.reader.damage() == [])
        await store.close()
    }

    @Test func `a failed erasure keeps messages and key, and no observer is told (scars 40, 45)`()
        async throws
    {
        var options = Fixture.options
        options.protection = .sealed(MasterKeys(Fixture.key(1)))
        var failures = 0
        for nth in 1... {
            let folder = try TemporaryFolder(inMemory: true)
            let disk = SimulatedDisk(folder.path)
            let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
            let group = Fixture.group(Fixture.channel, name: "n")
            try await store.writer.commit([.channels([group]), Fixture.page(1...40)])
            var feed = await store.writer.journal().makeAsyncIterator()
            disk.plan(
                .init(.write, of: "cache.sqlite-wal", nth: nth, code: DiskFaultTests.Code.full))
            var erased: Commit?
            do throws(StoreError) {
                erased = try await store.writer.erase(Fixture.channel).commit
            } catch {
                failures += 1
                #expect(error.kind == .full)
                #expect(try await store.reader.newest() == (1...40).map { Fixture.message($0) })
            }
            let isOver = disk.hits == 0
            disk.plan(nil)
            if erased == nil { erased = try await store.writer.erase(Fixture.channel).commit }
            let commit = try #require(erased)
            // The first commit that a feed returns is the one that has changed the rows.
            let told = await feed.next()
            #expect(told == .commit(commit))
            #expect(commit.sequence == 2)
            #expect(commit.messages()?.coverageAfter == Coverage())
            #expect(try await store.reader.newest() == [])
            #expect(try await store.reader.channel(Fixture.channel).value == group)
            await store.close()
            if isOver { break }
        }
        #expect(failures > 10)
    }

    @Test func `a page of a hundred is one commit (scar 159)`() async throws {
        let store = try await Store.test()
        let commit = try await store.writer.commit([Fixture.page(1...100)])
        #expect(commit.sequence == 1)
        #expect(try await store.reader.inspection().sequence == 1)
    }

    @Test func `a reader continues during writes and names the state it saw`() async throws {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        try await withThrowingTaskGroup { group in
            group.addTask {
                for id in 1...200 {
                    let message = Fixture.message(Int64(id))
                    let predecessor = id == 1 ? nil : MessageID(Int64(id - 1))
                    try await store.writer.commit([
                        .liveMessage(message, predecessor: predecessor)
                    ])
                }
            }
            for reader in store.readers {
                group.addTask {
                    for _ in 0..<100 {
                        let window = try await reader.window(
                            .around(
                                .distantFuture, in: Fixture.channel, olderCount: 500, newerCount: 0)
                        )
                        // Each commit adds one message, so the counts are equal.
                        #expect(window.messages.count == Int(window.sequence))
                        #expect(window.coverage.ranges.count == (window.sequence == 0 ? 0 : 1))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.writer.busyStatementCount() == 0)
        await store.close()
    }

    @Test func `an unsent message in the cache stops the program`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let store = try await Store.test()
            var message = Fixture.message(1)
            message.delivery = .unsent("r", .pending)
            try await store.writer.commit([.liveMessage(message, predecessor: nil)])
        }
        // An error that the closure throws ends the process with a failure, too.
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("Only delivered messages are cached"))
    }
}
