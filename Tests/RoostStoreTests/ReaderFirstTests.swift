// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// The opening of an intact cache by a reader, and of its second connection by the first work
/// (docs/adr/0025).
@Suite(.enabled(if: !Fixture.isSealed))
struct ReaderFirstTests {
    private func filled() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        // A new file is made by the writer.
        #expect(try await store.writer.hasConnection())
        try await store.writer.commit([Fixture.page(1...3)])
        await store.close()
        return folder
    }

    private func lock(_ folder: TemporaryFolder) -> String { folder.file("app/anna/lock") }

    @Test func `the first screen needs one connection, the first commit makes the other`()
        async throws
    {
        let folder = try await filled()
        let store = try await Store.test(.folder(folder.path))
        #expect(store.report == .intact)
        #expect(try await store.reader.newest().count == 3)
        _ = try await store.reader.channels(order: .latestLastMessage, limit: 20)
        #expect(try await !store.writer.hasConnection())
        try await store.writer.commit([Fixture.page(3...5)])
        #expect(try await store.writer.hasConnection())
        #expect(try await store.reader.newest().count == 5)
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `commits of others between the opening and the first work are missed (scar 51)`()
        async throws
    {
        let folder = try await filled()
        let store = try await Store.test(.folder(folder.path))
        let other = try await Store.test(.folder(folder.path))
        let theirs = try await other.writer.commit([Fixture.page(3...5)])
        #expect(try await !store.writer.hasConnection())
        var feed = await store.writer.missedCommits().makeAsyncIterator()
        #expect(
            await feed.next() == .missed(from: theirs.sequence, through: theirs.sequence))
        await other.close()
        await store.close()
    }

    @Test func `a store without its second connection keeps other processes from its files`()
        async throws
    {
        let folder = try await filled()
        let store = try await Store.test(.folder(folder.path))
        #expect(throws: FileError.self) { _ = try FolderLock(file: lock(folder)) }
        // The lock outlives the change from the reader to the writer.
        try await store.writer.commit([Fixture.page(3...5)])
        #expect(throws: FileError.self) { _ = try FolderLock(file: lock(folder)) }
        await store.close()
        _ = try FolderLock(file: lock(folder))
    }

    @Test func `a suspension before the first work releases every lock (scar 49)`() async throws {
        let folder = try await filled()
        let store = try await Store.test(.folder(folder.path))
        await store.suspend()
        _ = try FolderLock(file: lock(folder))
        #expect(try await !store.writer.hasConnection())
        let commit = Task { try await store.writer.commit([Fixture.page(3...5)]) }
        #expect(try await store.resume() == Repairs())
        _ = try await commit.value
        #expect(try await store.reader.newest().count == 5)
        await store.close()
    }

    @Test func `a suspension interrupts the first work's opening, which the resumption repeats`()
        async throws
    {
        let folder = try await filled()
        let disk = SimulatedDisk(folder.path)
        let store = try await Store.test(.folder(folder.path))
        // From its second read on, the opening finds the file locked, and waits.
        disk.plan(.init(.read, of: "cache.sqlite", nth: 2, code: 5, lasts: true))
        let commit = Task { try await store.writer.commit([Fixture.page(3...5)]) }
        while disk.hits < 2 { await Task.yield() }
        await store.suspend()
        disk.plan(nil)
        _ = try FolderLock(file: lock(folder))
        #expect(try await store.resume() == Repairs())
        _ = try await commit.value
        #expect(try await store.reader.newest().count == 5)
        await store.close()
    }

    @Test func `commits of others in a suspension before the first work are missed (scar 51)`()
        async throws
    {
        let folder = try await filled()
        let store = try await Store.test(.folder(folder.path))
        await store.suspend()
        var feed = await store.writer.missedCommits().makeAsyncIterator()
        let other = try await Store.test(.folder(folder.path))
        let theirs = try await other.writer.commit([Fixture.page(3...5)])
        await other.close()
        try await store.resume()
        #expect(
            await feed.next() == .missed(from: theirs.sequence, through: theirs.sequence))
        await store.close()
    }

    @Test func `a resumption without a suspension leaves the opening to the first work`()
        async throws
    {
        let folder = try await filled()
        let store = try await Store.test(.folder(folder.path))
        // A mark of another process would make an opening wait for the reader's own lock.
        try Data().write(to: URL(fileURLWithPath: folder.file("app/anna/cache.suspect")))
        #expect(try await store.resume() == Repairs())
        #expect(try await !store.writer.hasConnection())
        try await store.writer.commit([Fixture.page(3...5)])
        #expect(try await store.reader.newest().count == 5)
        await store.close()
    }

    @Test func `damage found by a read stays known when the first work opens the cache (scar 43)`()
        async throws
    {
        let folder = try await filled()
        let disk = SimulatedDisk(folder.path)
        // No mark can be written: the link leads to a folder that does not exist.
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("app/anna/cache.suspect"),
            withDestinationPath: folder.file("nowhere/mark"))
        let store = try await Store.test(.folder(folder.path))
        var damage = store.damage().makeAsyncIterator()
        disk.plan(.init(.read, of: "cache.sqlite", code: 11, lasts: true))
        // The second reader opens a connection of its own.
        await #expect(throws: StoreError.self) { try await store.readers[1].user("anna") }
        disk.plan(nil)
        try await store.writer.commit([Fixture.page(3...5)])
        guard case .suspected? = await damage.next() else {
            Issue.record("The damage is not reported.")
            return
        }
        #expect(try await store.mend() == .intact)
        await store.close()
        #expect(await damage.next() == nil)
    }

    @Test func `a closed store makes no connection any more`() async throws {
        let folder = try await filled()
        let store = try await Store.test(.folder(folder.path))
        await store.close()
        await #expect(throws: StoreError.self) {
            try await store.writer.commit([Fixture.page(3...5)])
        }
        _ = try FolderLock(file: lock(folder))
    }

    @Test func `an owner, a mark or a journal that needs work makes the writer open first`()
        async throws
    {
        let folder = try await filled()
        let stranger = StoreOwner(application: "app", user: "bob")
        let error = await #expect(throws: StoreError.self) {
            try await Store.open(
                .files(in: folder.file("app/anna")), owner: stranger, Fixture.options)
        }
        #expect(error?.kind == .otherOwner)
        // Without its log's mode the file cannot have a writer beside the reader.
        let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
        try connection.executeScript("PRAGMA journal_mode = DELETE")
        let store = try await Store.test(.folder(folder.path))
        #expect(try await store.writer.hasConnection())
        #expect(try await store.reader.newest().count == 3)
        await store.close()
    }

    @Test func `the rest of an interrupted repair is deleted by the first work`() async throws {
        let folder = try await filled()
        let unfinished = folder.file("app/anna/cache.unfinished")
        try Data([1]).write(to: URL(fileURLWithPath: unfinished))
        let store = try await Store.test(.folder(folder.path))
        #expect(try await store.reader.newest().count == 3)
        try await store.writer.commit([Fixture.page(3...5)])
        #expect(!FileManager.default.fileExists(atPath: unfinished))
        await store.close()
    }

    @Test func `a cache without its index of words can be searched at once`() async throws {
        let folder = try await filled()
        do {
            let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
            try SearchIndex.drop(from: connection)
        }
        let store = try await Store.test(.folder(folder.path))
        #expect(try await store.writer.hasConnection(), "the writer makes the index")
        let found = try await store.reader.search(SearchQuestion("text"))
        #expect(!found.value.index.isComplete)
        await store.close()
    }
}
