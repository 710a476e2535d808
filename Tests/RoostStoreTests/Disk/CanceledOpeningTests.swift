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
        options.reportMigration { done, _ in
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
        try expectNoLocks(folder)
        options.reportMigration { _, _ in }
        store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
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
        for _ in 0..<100 { await Task.yield() }
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
        for _ in 0..<1_000 { await Task.yield() }
        try FileManager.default.removeItem(atPath: cache)
        try FileManager.default.moveItem(atPath: "\(cache).away", toPath: cache)
        _ = consume lock
        store = try await opening.value
        #expect(store.report == .intact)
        await store.close()
    }
}
