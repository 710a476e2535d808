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

/// Encryption of a plain store, and rotation of the master key.
struct SealingWorkTests {
    private let key = StoreProtection.sealed(MasterKeys(Fixture.key(1)))

    @Test func `opening a plain store with a key seals all of it (R136)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(.none)
        try await Secrets.fill(store)
        await store.close()
        #expect(!Secrets.found(in: place.files()).isEmpty)
        let told = Guarded<[MigrationProgress]>([])
        var protection = key
        protection.progress = { step in told.withLock { $0.append(step) } }
        store = try await place.open(protection)
        let end = MigrationProgress(name: "sealing", done: 40, total: 40)
        #expect(told.withLock { $0.last } == end)
        try await Secrets.expectAll(in: store)
        Secrets.expectNone(in: place.files())
        await store.close()
        Secrets.expectNone(in: place.files())
        #expect(await place.error(.none) == .keyMissing)
    }

    @Test func `an interrupted sealing continues with the rest (scar 154)`() async throws {
        let place = try SealedFolder()
        var store = try await place.open(.none)
        try await Secrets.fill(store)
        await store.close()
        store = try await place.open(key)
        await store.close()
        // The state after a crash: names are sealed, and so are some of the messages.
        let plain = try SealedFolder()
        store = try await plain.open(.none)
        try await Secrets.fill(store)
        await store.close()
        let connection = try Connection(.file(try place.path("cache.sqlite")))
        let other = try Connection(.file(try plain.path("cache.sqlite")))
        for (id, payload) in try other.all(Self.payloads) where id.isMultiple(of: 2) {
            try connection.execute(Self.putPayload, (id, payload))
        }
        try connection.executeScript("UPDATE vault SET stage = 1")
        #expect(!Secrets.found(in: place.files()).isEmpty)
        store = try await place.open(key)
        try await Secrets.expectAll(in: store)
        await store.close()
        Secrets.expectNone(in: place.files())
    }

    /// Reads without the folder's lock, as an inspection does.
    private static let reading = ConnectionOptions(access: .readOnly)

    @Test(arguments: ["cache.sqlite", "outbox.sqlite"])
    func `a sealing waits for a reader of the plaintext and changes no sound file (R136, scar 42)`(
        _ name: String
    ) async throws {
        let place = try SealedFolder()
        var store = try await place.open(.none)
        try await Secrets.fill(store)
        await store.close()
        do {
            let reader = try Connection(.file(try place.path(name)), Self.reading)
            try reader.executeScript("BEGIN; SELECT count(*) FROM sqlite_schema")
            for _ in 0..<2 { #expect(await place.error(key) == .locked) }
            try reader.executeScript("COMMIT")
        }
        #expect(!place.files().contains { $0.name.contains(".damaged-") })
        store = try await place.open(key)
        #expect(store.report == .intact && store.outboxReport == .intact)
        try await Secrets.expectAll(in: store)
        await store.close()
        Secrets.expectNone(in: place.files())
    }

    @Test func `a repair amid a sealing keeps no plaintext copy of the cache (R136, scar 48)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(key)
        await store.close()
        let path = try place.path("cache.sqlite")
        do {
            let connection = try Connection(.file(path))
            try connection.executeScript(
                """
                UPDATE vault SET stage = 1;
                INSERT INTO word (text) VALUES ('Custom-Type-Garganey')
                """)
            let root = try connection.first(
                Query<Void, Int64>(
                    sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'message'"
                ) { $0.int64(0) })
            _ = try connection.emptyLog()
            let file = try FileHandle(forUpdating: URL(filePath: path))
            try file.seek(toOffset: UInt64((try #require(root) - 1) * 4_096))
            try file.write(contentsOf: Data(repeating: 0xFF, count: 64))
            try file.close()
        }
        #expect(!Secrets.found(in: place.files()).isEmpty)
        store = try await place.open(key)
        #expect(store.report != .intact)
        await store.close()
        Secrets.expectNone(in: place.files())
    }

    @Test func `a plain message is refused once a store is sealed`() async throws {
        let place = try SealedFolder()
        var store = try await place.open(key)
        try await Secrets.fill(store)
        await store.close()
        let plain = try SealedFolder()
        store = try await plain.open(.none)
        try await Secrets.fill(store)
        await store.close()
        let other = try Connection(.file(try plain.path("cache.sqlite")))
        let connection = try Connection(.file(try place.path("cache.sqlite")))
        for (id, payload) in try other.all(Self.payloads) {
            try connection.execute(Self.putPayload, (id, payload))
        }
        store = try await place.open(key)
        #expect(try await store.reader.newest(in: Secrets.channel) == [])
        await store.close()
    }

    @Test func `a new key opens both databases, and the old one opens neither (R132)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(.keyFolder(place.keys.path))
        try await Secrets.fill(store)
        await store.close()
        let old = try #require(try place.keyFile().read())
        store = try await place.open(.keyFolder(place.keys.path, replacesKey: true))
        try await Secrets.expectAll(in: store)
        await store.close()
        let new = try #require(try place.keyFile().read())
        #expect(new.previous.isEmpty && !new.current.isSame(as: old.current))
        #expect(await place.error(.sealed(old)) == .wrongKey)
        store = try await place.open(.keyFolder(place.keys.path))
        try await Secrets.expectAll(in: store)
        await store.close()
    }

    @Test(arguments: ["begun", "cache", "outbox"])
    func `a rotation interrupted at any step is completed by the next opening (scar 15)`(
        _ cut: String
    ) async throws {
        let place = try SealedFolder()
        var store = try await place.open(.keyFolder(place.keys.path))
        try await Secrets.fill(store)
        await store.close()
        let keys = try place.keyFile().beginReplacement()
        for name in ["cache.sqlite", "outbox.sqlite"] where cut != "begun" {
            let connection = try Connection(.file(try place.path(name)))
            let vault = try #require(try Vault.open(in: connection, keys))
            _ = try vault.rewrap(keys.current, in: connection)
            if name.hasPrefix(cut) { break }
        }
        store = try await place.open(.keyFolder(place.keys.path))
        try await Secrets.expectAll(in: store)
        await store.close()
        let left = try #require(try place.keyFile().read())
        #expect(left.previous.isEmpty && left.current.isSame(as: keys.current))
    }

    /// The keys of a file in which another process begins a replacement during an opening.
    private struct OvertakenKeys: MasterKeySource {
        let file: KeyFile

        func masterKeys(makesMissing: Bool) throws(MasterKeyError) -> MasterKeys? {
            try file.masterKeys(makesMissing: makesMissing)
        }

        func forgetPrevious(ifInUse isInUse: (MasterKey) -> Bool) throws(MasterKeyError) {
            do throws(KeyFileError) {
                _ = try file.beginReplacement()
            } catch {
                throw .unavailable(error.description)
            }
            try file.forgetPrevious(ifInUse: isInUse)
        }
    }

    @Test func `an opening keeps the old key of a replacement that began meanwhile (R132)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(.keyFolder(place.keys.path))
        try await Secrets.fill(store)
        await store.close()
        let old = try #require(try place.keyFile().read())
        let other = try await place.open(.sealed(OvertakenKeys(file: place.keyFile())))
        var left = try #require(try place.keyFile().read())
        #expect(left.previous.count == 1 && left.previous[0].isSame(as: old.current))
        // The databases keep the old key as long as another process has them open.
        #expect(await place.error(.keyFolder(place.keys.path, replacesKey: true)) == .locked)
        // A store in memory does not use the owner's files, and says nothing about them.
        var options = Store.Options()
        options.protection = .keyFolder(place.keys.path)
        await (try await Store.open(.memory, owner: Secrets.owner, options)).close()
        left = try #require(try place.keyFile().read())
        #expect(left.previous.count == 1)
        await other.close()
        store = try await place.open(.keyFolder(place.keys.path, replacesKey: true))
        try await Secrets.expectAll(in: store)
        await store.close()
        left = try #require(try place.keyFile().read())
        #expect(left.previous.isEmpty && !left.current.isSame(as: old.current))
    }

    @Test func `unsent messages of a sealed outbox survive a damaged page (scar 42)`() async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(key)
        try await Secrets.fill(store)
        await store.close()
        // The index of request IDs: the items and the vault are in other pages.
        let path = try place.path("outbox.sqlite")
        let root = try Connection(.file(path)).first(
            Query<Void, Int64>(
                sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_item_1'"
            ) { $0.int64(0) })
        let offset = (try #require(root) - 1) * 4_096
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(repeating: 0xFF, count: 64))
        try file.close()
        store = try await place.open(key)
        guard case .repaired(_, _, let saved) = store.outboxReport else {
            Issue.record("The damage was not seen.")
            return
        }
        #expect(saved.messages == 1)
        #expect(try await store.outbox.items().items.map(\.content) == [Secrets.unsent])
        await store.close()
        Secrets.expectNone(in: place.files())
    }

    private static let payloads = Query<Void, (id: Int64, payload: [UInt8])>(
        sql: "SELECT message_id, payload FROM message"
    ) { row in (row.int64(0), row.bytes(1)) }

    private static let putPayload = Query<(id: Int64, payload: [UInt8]), Void>(
        sql: "UPDATE message SET payload = ?2 WHERE message_id = ?1",
        bind: { input, bindings in
            bindings.append(input.id)
            bindings.append(input.payload)
        })
}

extension SealedFolder {
    func keyFile() throws -> KeyFile {
        let base = URL(fileURLWithPath: keys.path)
        let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String }
        let name = try #require(names?.first { $0.hasSuffix(".key") })
        return KeyFile("\(keys.path)/\(name)")
    }
}
