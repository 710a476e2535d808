// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

struct JournalTests {
    private func commit(_ sequence: Int64) -> Commit { Commit(sequence: sequence, changes: []) }

    @Test func `a fast reader gets every commit in order`() {
        var buffer = JournalBuffer(capacity: 2)
        for sequence in Int64(1)...9 {
            buffer.append(commit(sequence))
            #expect(buffer.take() == .commit(commit(sequence)))
            #expect(buffer.take() == nil)
        }
    }

    @Test func `a slow reader gets the range of missed commits, then continues (scar 86)`() {
        var buffer = JournalBuffer(capacity: 2)
        for sequence in Int64(1)...2 { buffer.append(commit(sequence)) }
        #expect(buffer.take() == .commit(commit(1)))
        for sequence in Int64(3)...4 { buffer.append(commit(sequence)) }
        buffer.append(commit(5))
        #expect(buffer.take() == .missed(from: 2, through: 4))
        #expect(buffer.take() == .commit(commit(5)))
        #expect(buffer.take() == nil)
    }

    @Test func `a reader that always leaves one commit gets all others in order`() {
        var buffer = JournalBuffer(capacity: 3)
        buffer.append(commit(1))
        for sequence in Int64(2)...1_000 {
            buffer.append(commit(sequence))
            #expect(buffer.take() == .commit(commit(sequence - 1)))
        }
        #expect(buffer.take() == .commit(commit(1_000)))
        #expect(buffer.take() == nil)
    }

    @Test(arguments: 1...6, [UInt64](1...20))
    func `entries follow each other without a hole at any pace (scar 86)`(
        capacity: Int, seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        var buffer = JournalBuffer(capacity: capacity)
        var written: Int64 = 0
        var met: Int64 = 0
        func meet(_ entry: JournalEntry) {
            switch entry {
            case .commit(let commit):
                #expect(commit.sequence == met + 1)
                met = commit.sequence
            case .missed(let from, let through):
                #expect(from == met + 1)
                #expect(through >= from)
                met = through
            }
        }
        for _ in 0..<300 {
            if random.next() % 2 == 0 {
                written += 1
                buffer.append(commit(written))
            } else if let entry = buffer.take() {
                meet(entry)
            }
        }
        while let entry = buffer.take() { meet(entry) }
        #expect(met == written)
    }

    @Test func `a reader gets every commit from its start to the close`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...1)])
        let feeds = [await store.writer.journal(), await store.writer.journal()]
        var commits: [JournalEntry] = []
        for id in Int64(2)...5 {
            commits.append(.commit(try await store.writer.commit([Fixture.page(id...id)])))
        }
        await store.close()
        for feed in feeds {
            var heard: [JournalEntry] = []
            for await entry in feed { heard.append(entry) }
            #expect(heard == commits)
        }
        for await _ in await store.writer.journal() { Issue.record("Nothing happens any more.") }
    }

    @Test func `a slow observer of 10,000 commits ends with the store's state (scar 86)`()
        async throws
    {
        let store = try await Store.test()
        let feed = await store.writer.journal(capacity: 8)
        let observer = Task {
            var sequence: Int64 = 0
            for await entry in feed {
                switch entry {
                case .commit(let commit) where commit.sequence <= sequence: break  // Read already.
                case .commit(let commit):
                    #expect(commit.sequence == sequence + 1)
                    sequence = commit.sequence
                case .missed(let from, let through):
                    #expect(from <= sequence + 1)
                    sequence = try await store.reader.cursor(.channelChanges).sequence
                    #expect(sequence >= through)
                }
                if sequence == 10_000 { break }
            }
            return sequence
        }
        for _ in 0..<10_000 { try await store.writer.commit([]) }
        #expect(try await observer.value == 10_000)
        await store.close()
    }

    @Test func `a reader whose task is cancelled ends and is removed`() async throws {
        let store = try await Store.test()
        let feed = await store.writer.journal()
        let observer = Task {
            var count = 0
            for await _ in feed { count += 1 }
            return count
        }
        let before = await store.writer.feedCount
        observer.cancel()
        #expect(await observer.value == 0)
        try await store.writer.commit([])
        #expect(await store.writer.feedCount == before - 1)
        await store.close()
    }
}
