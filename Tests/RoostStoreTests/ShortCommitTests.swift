// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Commits that run on their caller's thread, and what readers keep over them.
struct ShortCommitTests {
    private func live(_ id: Int64, from sender: User? = nil) -> Mutation {
        .liveMessage(Fixture.message(id, from: sender), predecessor: MessageID(id - 1))
    }

    /// Runs a body on a thread that may wait for the disk, as the engine's is.
    private func onThread<T: Sendable>(
        _ body: @Sendable () async throws -> sending T
    ) async throws -> T {
        let thread = ThreadExecutor(name: "caller")
        let outcome = await withTaskExecutorPreference(thread) { () async -> Result<T, any Error> in
            do { return .success(try await body()) } catch { return .failure(error) }
        }
        await thread.shutDown()
        return try outcome.get()
    }

    @Test func `single messages are read, told and carried over in the end (scar 150)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        let feed = await store.writer.journal(capacity: 2_000)
        try await store.writer.commit([Fixture.page(1...5)])
        try await onThread {
            for id in Int64(6)...600 {
                let commit = try await store.writer.commit([live(id)])
                #expect(commit.messages()?.inserted.map(\.messageID) == [MessageID(id)])
            }
        }
        #expect(await store.writer.shortCommits() > 500)
        var told = 0
        for await entry in feed {
            guard case .commit = entry else { break }
            told += 1
            if told == 596 { break }
        }
        #expect(told == 596)
        #expect(try await store.reader.newest().count == 600)
        // What the last commits have put off is done by a job that was queued before this one.
        #expect(try await store.writer.owesCarryOver() == false)
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test(.enabled(if: !Fixture.isSealed))
    func `a commit whose lock another process has waits for it, and its caller's thread does not`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        var options = Fixture.options
        // On a busy machine the lock may be held for long.
        options.connection.busyTimeoutMS = 150_000
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await store.writer.commit([Fixture.page(1...5)])
        let other = try Connection(.file(folder.file("app/anna/cache.sqlite")))
        try other.executeScript("BEGIN IMMEDIATE")
        let thread = ThreadExecutor(name: "caller")
        let commit = Task(executorPreference: thread) {
            try await store.writer.commit([live(6)])
        }
        // Behind the commit on the same thread: would that wait there, it gave up before these have their turns.
        // The commit itself goes through the queue more than once before it comes to the lock.
        for _ in 0..<10 { await Task(executorPreference: thread) {}.value }
        try other.executeScript("COMMIT")
        #expect(try await commit.value.messages()?.inserted.count == 1)
        #expect(await store.writer.shortCommits() == 0)
        await thread.shutDown()
        #expect(try await store.reader.newest().count == 6)
        await store.close()
    }

    @Test func `a reader keeps what a commit has not changed, and sees what it has (scar 86)`()
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
        // The first reads are the writer's, and the next opens the reader's connection.
        for _ in 0..<10 { _ = try await store.reader.newest(limit: 20) }
        func cost() async throws -> Int {
            let before = try await store.reader.readPageCount()
            _ = try await store.reader.newest(limit: 20)
            return try await store.reader.readPageCount() - before
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
    func `a reader keeps nothing over the commit of another process (scar 53)`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        let second = try await Store.test(.folder(folder.path))
        try await store.writer.commit([Fixture.page(1...5)])
        for _ in 0..<10 { _ = try await store.reader.newest() }
        try await second.writer.commit([.users([User(id: "anna", nickname: "Anne")])])
        try await store.writer.commit([live(6)])
        #expect(try await store.reader.newest().first?.sender?.user.nickname == "Anne")
        await second.close()
        await store.close()
    }
}
