// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Stores on the same files that signal their commits to each other, and their suspension.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct SharedStoreTests {
    /// Returns the numbers of a feed's commits, each once and in order, up to `last`.
    private func tell(
        _ feed: JournalFeed, from first: Int64, through last: Int64
    ) async -> (own: [Int64], isWhole: Bool) {
        var (next, own) = (first, [Int64]())
        for await entry in feed {
            let numbers: ClosedRange<Int64>
            switch entry {
            case .commit(let commit):
                numbers = commit.sequence...commit.sequence
                own.append(commit.sequence)
            case .missed(let from, let through): numbers = from...through
            }
            guard numbers.lowerBound == next else { return (own, false) }
            next = numbers.upperBound + 1
            if next > last { break }
        }
        return (own, next == last + 1)
    }

    @Test func `an idle store learns of another store's commit (scars 51, 53)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let (app, widget) = (
            try await Store.test(.folder(folder.path)),
            try await Store.test(.folder(folder.path))
        )
        var feed = await widget.writer.journal().makeAsyncIterator()
        try await app.writer.commit([Fixture.page(1...3)])
        #expect(await feed.next() == .missed(from: 1, through: 1))
        #expect(try await widget.reader.newest().count == 3)
        // Its own commit follows the commits it has not seen.
        try await app.writer.commit([Fixture.page(3...5)])
        let own = try await widget.writer.commit([Fixture.page(5...9)])
        #expect(own.sequence == 3)
        #expect(await feed.next() == .missed(from: 2, through: 2))
        #expect(await feed.next() == .commit(own))
        await app.close()
        await widget.close()
    }

    @Test func `each commit of two stores at work is reported exactly once (scars 51, 53, 86)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let stores = [
            try await Store.test(.folder(folder.path)),
            try await Store.test(.folder(folder.path)),
        ]
        let count: Int64 = 150
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                let feed = await store.writer.journal()
                group.addTask {
                    let told = await tell(feed, from: 1, through: 2 * count)
                    #expect(told.isWhole)
                    #expect(!told.own.isEmpty)
                }
            }
            for (index, store) in stores.enumerated() {
                group.addTask {
                    for number in 0..<count {
                        let id = number * 10 + Int64(index) + 1
                        try await store.writer.commit([Fixture.page(id...id)])
                    }
                }
            }
            try await group.waitForAll()
        }
        for store in stores { await store.close() }
    }

    @Test func `an app learns of the commits of its extension, another process (scars 51, 53)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        let feed = await store.writer.journal()
        let helper = try ChildProcess.onStore("write", folder.path, seed: 1, count: 40)
        let told = await tell(feed, from: 1, through: 40)
        #expect(told.isWhole && told.own.isEmpty)
        #expect(try await store.reader.newest().first?.messageID == MessageID(391))
        #expect(await helper.lines().last == "done")
        await store.close()
    }

    /// Returns the files below a folder that this process has open.
    private func openFiles(below folder: String) throws -> [String] {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return descriptors.compactMap { descriptor in
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(descriptor)")
            return path.flatMap { $0.hasPrefix(folder) ? $0 : nil }
        }
    }

    @Test(arguments: 1...3)
    func `a suspended store holds no lock and no database, and does later calls in order (scar 49)`(
        seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        var random = SplitMix64(seed: seed)
        let count: Int64 = 120
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...count {
                    try await store.writer.commit([Fixture.page((number * 10)...(number * 10 + 9))])
                }
            }
            group.addTask {
                for number in 1...Int(count) { try await ScriptedLife.append(number, to: store) }
            }
            for reader in store.readers {
                group.addTask { for _ in 0..<count { _ = try await reader.inspection() } }
            }
            for _ in 0..<10 {
                for _ in 0..<(random.next() % 200) { await Task.yield() }
                await store.suspend()
                // The files of signals stay open. They block nothing, as the locks below show.
                let left = try openFiles(below: folder.path).filter { !$0.hasSuffix("lock") }
                #expect(left == [])
                for name in ["lock", "outbox.lock"] {
                    _ = try FolderLock(file: folder.file("app/anna/\(name)"), .exclusive)
                }
                let found = try await store.resume()
                #expect(found.cache == .intact && found.outbox == .intact)
            }
            try await group.waitForAll()
        }
        #expect(try await store.reader.inspection().sequence == count)
        #expect(try await store.reader.newest(limit: 9).last?.messageID == MessageID(1_209))
        let unsent = try await store.outbox.items().items.map(\.requestID)
        #expect(unsent == (1...Int(count)).map(ScriptedLife.request))
        await store.close()
        #expect(try openFiles(below: folder.path) == [])
    }

    @Test func `a resumed store learns of the commits made meanwhile (scars 49, 53)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let app = try await Store.test(.folder(folder.path))
        var feed = await app.writer.journal().makeAsyncIterator()
        await app.suspend()
        let widget = try await Store.test(.folder(folder.path))
        try await widget.writer.commit([Fixture.page(1...3)])
        try await widget.writer.commit([Fixture.page(3...4)])
        await widget.close()
        try await app.resume()
        #expect(await feed.next() == .missed(from: 1, through: 2))
        #expect(try await app.reader.newest().count == 4)
        await app.close()
    }

    @Test(arguments: [true, false])
    func `closing a suspended store ends all waiting calls (scars 49, 94)`(isInMemory: Bool)
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(isInMemory ? .memory : .folder(folder.path))
        await store.suspend()
        let waiting = [
            Task { _ = try await store.writer.commit([Fixture.page(1...3)]) },
            Task { _ = try await store.reader.newest() },
            Task { try await ScriptedLife.append(1, to: store) },
        ]
        for _ in 0..<100 { await Task.yield() }
        await store.close()
        for task in waiting {
            await #expect(throws: StoreError.closed) { try await task.value }
        }
        // A closed store can be neither suspended nor resumed.
        await store.suspend()
        await #expect(throws: StoreError.closed) { try await store.reader.newest() }
        if !isInMemory {
            await #expect(throws: StoreError.closed) { try await store.resume() }
        }
    }

    @Test func `a store that cannot resume stays suspended and may try again (scars 47, 49)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        try await store.writer.commit([Fixture.page(1...3)])
        await store.suspend()
        let (path, away) = (folder.file("app/anna"), folder.file("away"))
        try FileManager.default.moveItem(atPath: path, toPath: away)
        // A file in the place of the folder: no file below it can be opened.
        try Data().write(to: URL(fileURLWithPath: path))
        await #expect(throws: StoreError.self) { try await store.resume() }
        let reading = Task { try await store.reader.newest().count }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: away, toPath: path)
        try await store.resume()
        #expect(try await reading.value == 3)
        await store.close()
    }
}
