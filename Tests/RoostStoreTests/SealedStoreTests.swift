// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostSealing
import RoostStore
import RoostTestSupport
import Testing

/// A folder with a store, opened with one key or another.
struct SealedFolder {
    let folder: TemporaryFolder
    let keys: TemporaryFolder

    init(inMemory: Bool = false) throws {
        folder = try TemporaryFolder(inMemory: inMemory)
        keys = try TemporaryFolder(inMemory: inMemory)
    }

    /// Copies the store's present files to a folder of their own, with the same key.
    func copy() throws -> SealedFolder {
        let copy = try SealedFolder(inMemory: true)
        for name in try folder.contents() {
            try FileManager.default.copyItem(
                atPath: folder.file(name), toPath: copy.folder.file(name))
        }
        return copy
    }

    func open(
        _ protection: StoreProtection, owner: StoreOwner = Secrets.owner
    ) async throws -> Store {
        var options = Store.Options()
        options.protection = protection
        options.patience = .milliseconds(100)
        return try await Store.open(.folder(folder.path), owner: owner, options)
    }

    func error(_ protection: StoreProtection) async -> StoreError.Kind? {
        do {
            let store = try await open(protection)
            await store.close()
            return nil
        } catch {
            return (error as? StoreError)?.kind
        }
    }

    /// Every file below the folder with its content.
    func files() -> [(name: String, bytes: [UInt8])] {
        let base = URL(fileURLWithPath: folder.path)
        let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String }
        return (names ?? []).compactMap { name in
            // A folder has no data.
            guard let data = try? Data(contentsOf: base.appendingPathComponent(name)) else {
                return nil
            }
            return (name, [UInt8](data))
        }
    }

    func path(_ name: String) throws -> String {
        let file = files().first { $0.name.hasSuffix(name) }
        return "\(folder.path)/\(try #require(file).name)"
    }
}

struct SealedStoreTests {
    private let key = StoreProtection.sealed(MasterKeys(Fixture.key(1)))
    private let otherKey = StoreProtection.sealed(MasterKeys(Fixture.key(2)))

    @Test func `no file of a sealed store shows a text or a name (R136)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(key)
        try await Secrets.fill(store)
        // While the store is open, the log has its content.
        Secrets.expectNone(in: place.files())
        await store.close()
        Secrets.expectNone(in: place.files())
        store = try await place.open(key)
        try await Secrets.change(store)
        Secrets.expectNone(in: place.files())
        try await Secrets.expectAll(in: store)
        await store.close()
        Secrets.expectNone(in: place.files())
    }

    @Test func `a sealed store in memory makes a key too (R136)`() async throws {
        let keys = try TemporaryFolder()
        var options = Store.Options()
        options.protection = .keyFolder(keys.path)
        let store = try await Store.open(.memory, owner: Secrets.owner, options)
        try await Secrets.fill(store)
        try await Secrets.expectAll(in: store)
        #expect(try await Secrets.search(store).found.count == 39)
        await store.close()
        #expect(try keys.contents() != [])
    }

    @Test func `the search for secrets finds them in a plain store`() async throws {
        let place = try SealedFolder()
        let store = try await place.open(.none)
        try await Secrets.fill(store)
        await store.close()
        let found = Secrets.found(in: place.files())
        #expect(found.count > 10)
        #expect(found.contains("Text-Lapwing as a word in \(Self.cacheName)"))
    }

    @Test func `a sealed store returns all values`() async throws {
        let place = try SealedFolder()
        var store = try await place.open(key)
        try await Secrets.fill(store)
        try await Secrets.expectAll(in: store)
        await store.close()
        store = try await place.open(key)
        try await Secrets.expectAll(in: store)
        await store.close()
    }

    @Test
    func `wrong, missing and locked keys are distinct errors (scars 43, 44, 47)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(key)
        try await Secrets.fill(store)
        await store.close()
        let before = place.files().map(\.name).sorted()
        #expect(await place.error(otherKey) == .wrongKey)
        #expect(await place.error(.none) == .keyMissing)
        #expect(await place.error(.sealed(LockedKeys())) == .keyUnavailable)
        // A missing key file is not made: a new one would hide that the right one is missing.
        #expect(await place.error(.keyFolder(place.keys.path)) == .keyMissing)
        #expect(place.files().map(\.name).sorted() == before)
        store = try await place.open(key)
        #expect(store.report == .intact && store.outboxReport == .intact)
        try await Secrets.expectAll(in: store)
        await store.close()
    }

    @Test func `drafts and changes of channels are sealed like messages (R136)`() async throws {
        let place = try SealedFolder()
        var store = try await place.open(key)
        let moment = Timestamp(milliseconds: 5)
        func draft(_ text: String) -> OutboxWrite {
            .keep(
                OutboxDraft(
                    "draft", to: "zebra-channel", createdAt: moment,
                    content: .draft(DraftContent(text, in: 7))))
        }
        let change = OutboxContent.change(
            .channel(.update(ChannelUpdateParams(name: "zebra name"))))
        let append = OutboxDraft(
            "change", to: "zebra-channel", createdAt: moment, content: change)
        for write in [draft("zebra one"), .append(append), draft("zebra two")] {
            for result in await store.outbox.perform([write]) { _ = try result.get() }
        }
        await store.close()
        let secret = Array("zebra".utf8)
        for (name, bytes) in place.files() {
            #expect(bytes.firstRange(of: secret) == nil, "\(name)")
        }
        store = try await place.open(key)
        let items = try await store.outbox.items().items
        #expect(items.map(\.content) == [change, .draft(DraftContent("zebra two", in: 7))])
        #expect(items.map(\.channel) == ["zebra-channel", "zebra-channel"])
        await store.close()
    }

    @Test func `no key is made while only the outbox is sealed (scar 43)`() async throws {
        let place = try SealedFolder()
        let store = try await place.open(.keyFolder(place.keys.path))
        try await Secrets.fill(store)
        await store.close()
        for name in ["cache.sqlite"] {
            try FileManager.default.removeItem(atPath: try place.path(name))
        }
        let elsewhere = try TemporaryFolder()
        #expect(await place.error(.keyFolder(elsewhere.path)) == .keyMissing)
        let again = try await place.open(.keyFolder(place.keys.path))
        #expect(try await again.outbox.items().items.count == 1)
        await again.close()
    }

    @Test func `a cache with a damaged vault is quarantined, and unsent messages stay (scar 42)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(key)
        try await Secrets.fill(store)
        await store.close()
        try Self.run("UPDATE vault SET header = zeroblob(194)", in: place.path("cache.sqlite"))
        store = try await place.open(key)
        guard case .repaired = store.report else {
            Issue.record("The cache was opened as if nothing were wrong.")
            return
        }
        #expect(try await store.outbox.items().items.map(\.content) == [Secrets.unsent])
        await store.close()
    }

    @Test func `a message with a broken seal is reported, forgotten and fetched again (R136)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(key)
        try await Secrets.fill(store)
        await store.close()
        try Self.run(
            "UPDATE message SET payload = zeroblob(length(payload)) WHERE message_id = 2",
            in: place.path("cache.sqlite"))
        store = try await place.open(key)
        var damage = store.damage().makeAsyncIterator()
        let left = try await store.reader.newest(in: Secrets.channel)
        #expect(left == Secrets.messages.filter { $0.messageID.map { $0 > 2 } ?? false })
        #expect(await damage.next() == .forgotten(messages: 1, in: Secrets.channel))
        try await store.writer.commit([Secrets.page])
        #expect(try await store.reader.newest(in: Secrets.channel).count == Secrets.messages.count)
        await store.close()
    }

    @Test func `a row moved to another place cannot be opened`() async throws {
        let place = try SealedFolder()
        var store = try await place.open(key)
        try await Secrets.fill(store)
        await store.close()
        try Self.run(
            """
            UPDATE message SET payload = (SELECT payload FROM message WHERE message_id = 1)
            WHERE message_id = 2
            """, in: place.path("cache.sqlite"))
        store = try await place.open(key)
        #expect(try await store.reader.message(2).value == nil)
        #expect(try await store.reader.message(1).value == Secrets.messages[0])
        await store.close()
    }

    @Test func `an erased channel cannot be opened in a copy made later`() async throws {
        let place = try SealedFolder()
        let store = try await place.open(key)
        try await Secrets.fill(store)
        let sealed = try Self.payloads(in: place.path("cache.sqlite"))
        #expect(sealed.count == Secrets.messages.count)
        let (commit, erasure) = try await store.writer.erase(Secrets.channel)
        #expect(erasure == .complete)
        #expect(commit.messages(in: Secrets.channel)?.coverageAfter.ranges.isEmpty == true)
        // The channel is still in the list, with its last message.
        let channel = try await store.reader.channel(Secrets.channel).value
        #expect(channel?.lastMessage?.content == .user(text: Secrets.lastText))
        await store.close()
        let copy = try Connection(
            .file(try place.path("cache.sqlite")), ConnectionOptions(access: .readOnly))
        let vault = try #require(try Vault.open(in: copy, MasterKeys(Fixture.key(1))))
        let opener = PayloadOpener(vault, copy)
        for (id, payload) in sealed {
            #expect(throws: SQLiteError.self) {
                try opener.open(
                    payload.span, at: .message(channelRow: 1, createdAt: id, id: id),
                    reading: "a message"
                ) { _ in }
            }
        }
    }

    @Test func `a removed channel takes its key with it`() async throws {
        let place = try SealedFolder()
        let store = try await place.open(key)
        try await Secrets.fill(store)
        let cache = try place.path("cache.sqlite")
        #expect(try Self.keyCount(channelRow: 1, in: cache) == 1)
        try await store.writer.commit([.removeChannel(Secrets.channel)])
        #expect(try Self.keyCount(channelRow: 1, in: cache) == 0)
        try await store.writer.commit([.channels([Secrets.group]), Secrets.page])
        #expect(try await store.reader.newest(in: Secrets.channel).count == Secrets.messages.count)
        await store.close()
    }

    private static let cacheName = "%41pplication-%4Bestrel/%4Fwner-%57agtail/cache.sqlite"

    private static func keyCount(channelRow: Int64, in path: String) throws -> Int64? {
        try Connection(.file(path), ConnectionOptions(access: .readOnly)).first(
            Query<Int64, Int64>(
                sql: "SELECT count(*) FROM data_key WHERE channel_id = ?1",
                bind: { row, bindings in bindings.append(row) }, decode: { $0.int64(0) }),
            channelRow)
    }

    private static func payloads(in path: String) throws -> [(id: Int64, payload: [UInt8])] {
        try Connection(.file(path), ConnectionOptions(access: .readOnly)).all(
            Query(sql: "SELECT message_id, payload FROM message") { ($0.int64(0), $0.bytes(1)) })
    }

    private static func run(_ script: SQL, in path: String) throws {
        try Connection(.file(path)).executeScript(script)
    }
}

struct LockedKeys: MasterKeySource {
    func masterKeys(makesMissing: Bool) throws(MasterKeyError) -> MasterKeys? {
        throw .unavailable("the device is locked")
    }

    func forgetPrevious(ifInUse isInUse: (MasterKey) -> Bool) {}
}
