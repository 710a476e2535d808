// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostSealing
import RoostStore
import RoostTestSupport
import Testing

/// Openings whose tasks are canceled, as by an app that is about to be suspended.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct CanceledOpeningTests {
    private typealias Cache = EvictionFixture

    /// Expects that no lock of a folder is held.
    private func expectNoLocks(_ folder: TemporaryFolder) throws {
        for name in ["lock", "outbox.lock"] {
            _ = try FolderLock(file: folder.file("app/anna/\(name)"), .exclusive)
        }
    }

    /// Waits until an opening waits for a lock of its folder, which the test holds.
    ///
    /// The opening has the lock's file open then, as the test has.
    private func waitUntilQueued(at lock: String) async throws {
        let manager = FileManager.default
        var count = 0
        while count < 2 {
            await Task.yield()
            count = try manager.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
                // The descriptor may be closed by now.
                (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == lock
            }
        }
    }

    @Test func `an encryption whose opening is canceled continues at the next one (scars 49, 154)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        var options = Fixture.options
        options.protection = .none
        var store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await Cache.fill(store)
        await store.close()
        options.protection = .sealed(MasterKeys(Fixture.key(1)))
        let opening = Guarded<Task<Store, any Error>?>(nil)
        let reached = Guarded((done: 0, total: 0))
        options.reportMigration { done, total in
            reached.withLock { $0 = (done, total) }
            if done == 2_000 { opening.withLock { $0?.cancel() } }
        }
        let canceling = options
        let task = opening.withLock { opening in
            let task = Task {
                try await Store.open(.folder(folder.path), owner: Fixture.owner, canceling)
            }
            opening = task
            return task
        }
        let error = await #expect(throws: StoreError.self) { _ = try await task.value }
        #expect(error?.kind == .canceled)
        let cut = reached.withLock { $0 }
        // A cancellation that came into effect behind the work would have the same error.
        #expect(cut.done < cut.total)
        try expectNoLocks(folder)
        options.reportMigration { done, total in reached.withLock { $0 = (done, total) } }
        store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        let end = reached.withLock { $0 }
        #expect(end.done == end.total)
        #expect(store.report == .intact && store.outboxReport == .intact)
        #expect(try await Cache.faults(of: store) == [])
        #expect(try await Cache.emptyChannels(of: store) == [])
        await store.close()
    }

    @Test func `a canceled opening does not wait for another process (scar 49)`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        var store = try await Store.test(.folder(folder.path))
        await store.close()
        let lock = try FolderLock(file: folder.file("app/anna/lock"), .exclusive)
        var options = Fixture.options
        options.patience = .seconds(100_000)
        let patient = options
        let opening = Task {
            try await Store.open(.folder(folder.path), owner: Fixture.owner, patient)
        }
        try await waitUntilQueued(at: folder.file("app/anna/lock"))
        opening.cancel()
        let error = await #expect(throws: StoreError.self) { _ = try await opening.value }
        #expect(error?.kind == .canceled)
        _ = consume lock
        try expectNoLocks(folder)
        store = try await Store.test(.folder(folder.path))
        await store.close()
    }

    @Test func `an opening in a canceled task makes no file`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let opening = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await Store.test(.folder(folder.path))
        }
        opening.cancel()
        let error = await #expect(throws: StoreError.self) { _ = try await opening.value }
        #expect(error?.kind == .canceled)
        #expect(try folder.contents() == [])
    }

    @Test(.enabled(if: !Fixture.isSealed, "begins with a plaintext cache"))
    func `a cache that another process moves is not taken for a sealed one (scars 43, 44)`()
        async throws
    {
        let (folder, keys) = (try TemporaryFolder(inMemory: true), try TemporaryFolder())
        var store = try await Store.test(.folder(folder.path))
        await store.close()
        let lock = try FolderLock(file: folder.file("app/anna/lock"), .exclusive)
        // A folder in the place of the cache cannot be opened as a database.
        let cache = folder.file("app/anna/cache.sqlite")
        try FileManager.default.moveItem(atPath: cache, toPath: "\(cache).away")
        try FileManager.default.createDirectory(
            atPath: cache, withIntermediateDirectories: false)
        var options = Fixture.options
        options.protection = .keyFolder(keys.path)
        options.patience = .seconds(100_000)
        let patient = options
        let opening = Task {
            try await Store.open(.folder(folder.path), owner: Fixture.owner, patient)
        }
        try await waitUntilQueued(at: folder.file("app/anna/lock"))
        try FileManager.default.removeItem(atPath: cache)
        try FileManager.default.moveItem(atPath: "\(cache).away", toPath: cache)
        _ = consume lock
        store = try await opening.value
        #expect(store.report == .intact)
        await store.close()
    }
}
