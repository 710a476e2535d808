// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Commits of single messages, and the caches of readers across them.
struct LiveCommitTests {
    private func live(_ id: Int64, from sender: User? = nil) -> Mutation {
        .liveMessage(Fixture.message(id, from: sender), predecessor: MessageID(id - 1))
    }

    @Test func `single messages are stored and published, and the log stays short (scar 150)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        let feed = await store.writer.journal(capacity: 2_000)
        try await store.writer.commit([Fixture.page(1...5)])
        for id in Int64(6)...600 {
            let commit = try await store.writer.commit([live(id)])
            #expect(commit.messages()?.inserted.map(\.messageID) == [MessageID(id)])
        }
        var told = 0
        for await entry in feed {
            guard case .commit = entry else { break }
            told += 1
            if told == 596 { break }
        }
        #expect(told == 596)
        #expect(try await store.reader.newest().count == 600)
        // A checkpoint every 1,000 pages; 595 commits write more than 3,000.
        #expect(await store.writer.fileBytes().log < 1_100 * 4_120)
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test(.enabled(if: !Fixture.isSealed))
    func `a commit waits for another process's lock without blocking its caller's thread`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        var options = Fixture.options
        // A busy machine may hold the lock for long.
        options.connection.busyTimeoutMS = 150_000
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await store.writer.commit([Fixture.page(1...5)])
        let other = try Connection(.file(folder.file("app/anna/cache.sqlite")))
        try other.executeScript("BEGIN IMMEDIATE")
        let thread = ThreadExecutor(name: "caller")
        let commit = Task(executorPreference: thread) {
            try await store.writer.commit([live(6)])
        }
        // Jobs after the commit on the same thread: a commit that blocked the thread would delay
        // them.
        for _ in 0..<10 { await Task(executorPreference: thread) {}.value }
        try other.executeScript("COMMIT")
        #expect(try await commit.value.messages()?.inserted.count == 1)
        await thread.shutDown()
        #expect(try await store.reader.newest().count == 6)
        await store.close()
    }

    @Test func `a reader keeps unchanged values across a commit, and reads changed ones (scar 86)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        let people = (0..<30).map { User(id: UserID("user \($0)"), nickname: "name \($0)") }
        try await store.writer.commit([
            .messages(
                Fixture.channel, (1...30).map { Fixture.message($0, from: people[Int($0) - 1]) },
                covering: Fixture.range(1, 30))
        ])
        _ = try await store.reader.newest(limit: 20)
        func cost() async throws -> Int {
            let before = try await store.reader.costs().readPages
            _ = try await store.reader.newest(limit: 20)
            return try await store.reader.costs().readPages - before
        }
        let alone = try await cost()
        try await store.writer.commit([live(31, from: people[3])])
        let afterLive = try await cost()
        #expect(afterLive <= alone + 6, "twenty senders are not looked up again")

        try await store.writer.commit([.users([User(id: "user 28", nickname: "new")])])
        #expect(
            try await store.reader.newest(limit: 3).map { $0.sender?.user.nickname } == [
                "new", "name 29", "name 3",
            ])
        try await store.writer.commit([.clearMessages(Fixture.channel)])
        #expect(try await store.reader.newest(limit: 20) == [])
        await store.close()
    }

    @Test(.enabled(if: !Fixture.isSealed))
    func `a reader keeps no value across the commit of another process (scar 53)`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        let second = try await Store.test(.folder(folder.path))
        try await store.writer.commit([Fixture.page(1...5)])
        _ = try await store.reader.newest()
        try await second.writer.commit([.users([User(id: "anna", nickname: "Anne")])])
        try await store.writer.commit([live(6)])
        #expect(try await store.reader.newest().first?.sender?.user.nickname == "Anne")
        await second.close()
        await store.close()
    }

    @Test(.enabled(if: !Fixture.isSealed))
    func `a commit is left out if another process has moved the cursor it goes on from`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        let second = try await Store.test(.folder(folder.path))
        let place = Cursor.token("next")
        func goOn(to next: Cursor, from known: Cursor?) async throws -> Commit? {
            try await store.writer.commit(
                [Fixture.page(1...5), .cursor(.channelFill, next)],
                unless: .cursorMoved(.channelFill, from: known))
        }
        #expect(try await goOn(to: place, from: nil) != nil)
        #expect(try await goOn(to: .listEnd, from: nil) == nil)
        #expect(try await store.reader.cursor(.channelFill).value == place)
        let before = try await second.writer.commit([.clearAll])
        #expect(try await goOn(to: .listEnd, from: place) == nil)
        #expect(try await store.reader.cursor(.channelFill).value == nil)
        #expect(try await store.reader.newest() == [])
        // A commit that was left out takes no number.
        let next = try #require(try await goOn(to: place, from: nil))
        #expect(next.sequence == before.sequence + 1)
        await second.close()
        await store.close()
    }
}
