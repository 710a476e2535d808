// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

struct StoreOpeningTests {
    private func cache(in folder: TemporaryFolder) -> String {
        folder.file("app/anna/cache.sqlite")
    }
    private func outbox(in folder: TemporaryFolder) -> String {
        folder.file("app/anna/outbox.sqlite")
    }

    /// Makes and closes a store with five messages in the cache and one in the outbox.
    private func usedFolder() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        try await store.writer.commit([Fixture.page(1...5)])
        _ = try await store.outbox.append(
            "r", to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
            content: .userMessage(UserMessageParams(text: "unsent")))
        await store.close()
        return folder
    }

    private func write(_ content: Data, to path: String) throws {
        try content.write(to: URL(fileURLWithPath: path))
    }

    private func failure(opening folder: TemporaryFolder) async -> StoreError? {
        await #expect(throws: StoreError.self) {
            let store = try await Store.test(.folder(folder.path))
            await store.close()
        }
    }

    @Test func `written data survive a restart, and no log remains (scar 36)`()
        async throws
    {
        let folder = try await usedFolder()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("app/anna"))
        let copy = Fixture.isSealed ? ["outbox.vault"] : []
        #expect(files.sorted() == ["cache.sqlite", "lock", "outbox.lock", "outbox.sqlite"] + copy)
        let store = try await Store.test(.folder(folder.path))
        #expect(store.report == .intact)
        #expect(try await store.reader.newest().count == 5)
        #expect(try await store.outbox.items().items.count == 1)
        #expect(try await store.writer.commit([]).sequence == 2)
        await store.close()
    }

    @Test func `users A, B, A on one device have separate data (scar 34)`() async throws {
        let folder = try TemporaryFolder()
        let owners = [("app", "a"), ("app", "A"), ("other", "a"), ("app", "a/../A"), ("app", "..")]
        for _ in 0..<2 {
            for (index, (application, user)) in owners.enumerated() {
                let store = try await Store.open(
                    .folder(folder.path), owner: StoreOwner(application: application, user: user))
                let id = Int64(index + 1)
                try await store.writer.commit([Fixture.page(id...id)])
                #expect(try await store.reader.newest() == [Fixture.message(id)])
                await store.close()
            }
        }
        #expect(try folder.contents() == ["app", "other"])
    }

    @Test func `files of another owner are refused, wherever they were moved (scar 34)`()
        async throws
    {
        let folder = try await usedFolder()
        let other = StoreOwner(application: "app", user: "bob")
        try FileManager.default.moveItem(
            atPath: folder.file("app/anna"), toPath: folder.file("app/bob"))
        let error = await #expect(throws: StoreError.self) {
            try await Store.open(.folder(folder.path), owner: other, Fixture.options)
        }
        #expect(error?.kind == .otherOwner)
    }

    @Test(arguments: [
        ("anna", "anna"), ("Anna", "%41nna"), ("..", "%2E%2E"), ("a/b", "a%2Fb"), ("\0", "%00"),
        ("", "%"), ("%", "%25"), ("é", "%C3%A9"),
    ])
    func `a name becomes one component of a path`(name: String, component: String) async throws {
        let folder = try TemporaryFolder()
        let store = try await Store.open(
            .folder(folder.path), owner: StoreOwner(application: name, user: "u"))
        #expect(try folder.contents() == [component])
        await store.close()
    }

    @Test func `names too long for a file system stay distinct`() async throws {
        let folder = try TemporaryFolder()
        for last in ["a", "b"] {
            let name = String(repeating: "ü", count: 5_000) + last
            let store = try await Store.open(
                .folder(folder.path), owner: StoreOwner(application: name, user: "u"))
            await store.close()
        }
        #expect(try folder.contents().count == 2)
    }

    @Test
    func
        `an unreadable cache is quarantined and made anew, and the app is informed (scars 42, 43)`()
        async throws
    {
        let folder = try await usedFolder()
        let damaged = Data(String(repeating: "This is a letter. ", count: 500).utf8)
        for _ in 1...2 {
            try write(damaged, to: cache(in: folder))
            let store = try await Store.test(.folder(folder.path))
            guard case .repaired(let path?, let reason, _) = store.report else {
                Issue.record("The report should tell of the rebuilt cache.")
                return
            }
            // Only the newest of the old files is kept, because they contain messages.
            #expect(path == "\(cache(in: folder)).damaged-1")
            #expect(reason == "file is not a database")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
            #expect(try await store.reader.newest() == [])
            #expect(try await store.outbox.items().items.map(\.requestID) == ["r"])
            try await store.writer.commit([Fixture.page(1...3)])
            await store.close()
        }
    }

    @Test func `a check finds a flipped page, and unsent messages survive it (scar 42)`()
        async throws
    {
        let folder = try await usedFolder()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: cache(in: folder)))
        for offset in 4_096..<bytes.count { bytes[offset] ^= 0x55 }
        try write(bytes, to: cache(in: folder))
        var options = Fixture.options
        options.checksForDamage = true
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        #expect(store.report != .intact)
        #expect(try await store.reader.newest() == [])
        #expect(try await store.outbox.items().items.map(\.requestID) == ["r"])
        await store.close()
    }

    @Test(arguments: [false, true])
    func `repairs of an opening that fails later are reported (scars 42, 43)`(
        isResumption: Bool
    ) async throws {
        let folder = try await usedFolder()
        let store = isResumption ? try await Store.test(.folder(folder.path)) : nil
        await store?.suspend()
        func setVersion(_ script: SQL) throws {
            let connection = try Connection(.file(outbox(in: folder)))
            try connection.executeScript(script)
        }
        try write(Data(String(repeating: "A letter. ", count: 900).utf8), to: cache(in: folder))
        try setVersion("PRAGMA user_version = 99")
        let error: StoreError?
        if let store {
            error = await #expect(throws: StoreError.self) { _ = try await store.resume() }
        } else {
            error = await failure(opening: folder)
        }
        #expect(error?.kind == .newerSchema)
        try setVersion("PRAGMA user_version = 1")
        let found: RepairReport?
        if let store {
            found = try await store.resume().cache
            #expect(found != .intact)
            await store.suspend()
            #expect(try await store.resume() == Repairs())
            await store.close()
        } else {
            found = error?.repairs.cache
        }
        guard case .repaired(.some, "file is not a database", _) = found else {
            Issue.record("It should be told that the cache was rebuilt, and not \(found as Any).")
            return
        }
    }

    @Test(arguments: ["cache", "outbox"])
    func `a file of a newer release is refused unchanged (scar 41)`(name: String) async throws {
        let folder = try await usedFolder()
        let path = folder.file("app/anna/\(name).sqlite")
        do {
            let connection = try Connection(.file(path))
            try connection.executeScript("PRAGMA user_version = 99")
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = await failure(opening: folder)
        #expect(error?.kind == .newerSchema)
        #expect(error?.message.hasSuffix("knows up to 1: update the app.") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test(arguments: ["cache", "outbox"])
    func `a database of another program is refused unchanged`(name: String) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("app/anna"), withIntermediateDirectories: true)
        let path = folder.file("app/anna/\(name).sqlite")
        do {
            let connection = try Connection(.file(path))
            try connection.executeScript("CREATE TABLE diary (day TEXT)")
            // The journal of most programs.
            try connection.executeScript("PRAGMA journal_mode = DELETE")
        }
        func rights() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(await failure(opening: folder)?.kind == .notADatabase)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try rights() == 0o644)
    }

    /// Places where no user can make a folder, root included.
    @Test(arguments: ["/proc/roost", "/dev/null/roost"])
    func `a folder that cannot be made is named before a message can be sent (scar 46)`(
        folder: String
    ) async {
        let error = await #expect(throws: StoreError.self) {
            try await Store.test(.folder(folder))
        }
        #expect(error?.kind == .folderNotWritable)
        #expect(error?.message.contains("\(folder)/app/anna") == true)
        #expect(error?.message.hasSuffix("or name another folder.") == true)
    }

    @Test
    func `two clients of one folder see each other's writes (scar 51)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let first = try await Store.test(.folder(folder.path))
        let second = try await Store.test(.folder(folder.path))
        try await first.writer.commit([Fixture.page(1...3)])
        try await second.writer.commit([Fixture.page(4...5, in: "other")])
        for store in [first, second] {
            #expect(try await store.reader.newest().count == 3)
            #expect(try await store.reader.newest(in: "other").count == 2)
        }
        await first.close()
        #expect(try await second.writer.commit([]).sequence == 3)
        await second.close()
    }

    @Test
    func `files in use are not replaced, and the error names who has them open (scar 146)`()
        async throws
    {
        let folder = try await usedFolder()
        let lock = try FolderLock(file: folder.file("app/anna/lock"), .shared)
        try write(Data(String(repeating: "A letter. ", count: 900).utf8), to: cache(in: folder))
        var options = Fixture.options
        options.patience = .zero
        let error = await #expect(throws: StoreError.self) {
            try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        }
        #expect(error?.kind == .locked)
        #expect(error?.message.hasSuffix("another process has it open: close it first.") == true)
        _ = consume lock
        let store = try await Store.test(.folder(folder.path))
        #expect(store.report != .intact)
        await store.close()
    }

    @Test func `a closed store answers that it is closed, and closing twice has no effect`()
        async throws
    {
        let folder = try TemporaryFolder()
        for location in [StoreLocation.memory, .folder(folder.path)] {
            let store = try await Store.test(location)
            await store.close()
            await store.close()
            var errors: [StoreError?] = []
            errors.append(
                await #expect(throws: StoreError.self) { try await store.writer.commit([]) })
            errors.append(
                await #expect(throws: StoreError.self) {
                    try await store.reader.cursor(.channelChanges)
                })
            errors.append(
                await #expect(throws: StoreError.self) { try await store.outbox.items() })
            #expect(errors.map(\.?.kind) == [.closed, .closed, .closed])
        }
    }

    @Test func `opening and closing leaves no file open (scar 145)`() async throws {
        let folder = try TemporaryFolder()
        func openFiles() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count {
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/dev/fd/\($0)")
                return target?.hasPrefix(folder.path) ?? false
            }
        }
        for _ in 0..<20 {
            let store = try await Store.test(.folder(folder.path))
            try await store.writer.commit([Fixture.page(1...3)])
            #expect(try openFiles() > 0)
            await store.close()
        }
        #expect(try openFiles() == 0)
    }
}
