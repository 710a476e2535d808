// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostSealing
import RoostStore
import RoostTestSupport
import Testing

/// Search in a cache whose file has no index of words, and inspection from outside.
struct SealedSearchTests {
    private let key = StoreProtection.sealed(MasterKeys(Fixture.key(1)))

    @Test func `the search of a sealed cache is exact after any change (R136)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(key)
        try await Secrets.fill(store)
        let answer = try await Secrets.search(store)
        #expect(answer.found.count == 39 && answer.index.isComplete)
        guard case .partial(let periods) = answer.sight else {
            Issue.record("Nobody knows what was written before.")
            return
        }
        #expect(Set(periods.map(\.channel)) == [Secrets.otherChannel, Secrets.channel])
        let byOne = SearchQuestion("lapwing ", in: [Secrets.channel], by: ["Sender-Bittern"])
        #expect(try await store.reader.search(byOne).value.found.count == 20)
        try await store.writer.commit([
            .edited(
                Fixture.message(
                    3, in: Secrets.channel, text: "Edited-Text-Ruff", from: Secrets.sender,
                    updatedAt: 100)), .deleted(Secrets.channel, [4, 5]),
        ])
        #expect(try await Secrets.search(store).found.count == 36)
        #expect(try await store.reader.search(SearchQuestion("ruff")).value.found.count == 1)
        Secrets.expectNone(in: place.files())
        _ = try await store.writer.erase(Secrets.channel)
        #expect(try await Secrets.search(store).found.isEmpty)
        try await store.writer.commit([Secrets.page])
        #expect(try await Secrets.search(store).found.count == 39)
        await store.suspend()
        try await store.resume()
        #expect(try await Secrets.search(store).found.count == 39)
        await store.close()
        store = try await place.open(key)
        #expect(try await Secrets.search(store).found.count == 39)
        await store.close()
        Secrets.expectNone(in: place.files())
    }

    @Test func `a searchable plain cache loses its index when it is sealed (R136)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(.none)
        try await Secrets.fill(store)
        #expect(try await Secrets.search(store).found.count == 39)
        await store.close()
        store = try await place.open(key)
        #expect(try await Secrets.search(store).found.count == 39)
        Secrets.expectNone(in: place.files())
        await store.close()
        Secrets.expectNone(in: place.files())
    }

    @Test func `a message edited when it enters the history loses its old words (R136)`()
        async throws
    {
        let place = try SealedFolder()
        let store = try await place.open(key)
        func message(_ text: String, updatedAt: Int64? = nil) -> Message {
            var message = Fixture.message(
                3, in: Secrets.channel, text: text, from: Secrets.sender, updatedAt: updatedAt)
            message.customType = "Custom-Type-Garganey"
            return message
        }
        func count(_ word: String) async throws -> Int {
            try await store.reader.search(SearchQuestion(word)).value.found.count
        }
        try await store.writer.commit([
            .messages(
                Secrets.channel, [message("heron")], covering: Fixture.range(1, 40),
                under: Secrets.filter)
        ])
        #expect(try await count("heron") == 1)
        try await store.writer.commit([
            .messages(
                Secrets.channel, [message("egret", updatedAt: 100)],
                covering: Fixture.range(1, 40))
        ])
        let answer = try await store.reader.search(SearchQuestion("heron")).value
        #expect(answer.found.isEmpty && answer.index.isComplete)
        #expect(try await count("egret") == 1)
        await store.close()
    }

    @Test func `eviction leaves no readable text in a sealed folder (R120, R136)`() async throws {
        let place = try SealedFolder()
        let store = try await place.open(key)
        try await Secrets.fill(store)
        _ = try await Secrets.search(store)
        let trim = try await store.writer.trim(downTo: 0)
        #expect(trim.evicted.contains { $0.url == Secrets.channel })
        Secrets.expectNone(in: place.files())
        #expect(try await Secrets.search(store).found.isEmpty)
        #expect(try await store.reader.channel(Secrets.channel).value?.name == "Channel-Name-Smew")
        await store.close()
        Secrets.expectNone(in: place.files())
    }

    @Test func `an inspection needs the key and finds all with it (scars 43, 44)`()
        async throws
    {
        let place = try SealedFolder()
        let store = try await place.open(.keyFolder(place.keys.path))
        try await Secrets.fill(store)
        await store.close()
        let cache = try place.path("cache.sqlite")
        let folder = String(cache.dropLast("/cache.sqlite".count))
        let keys = StoreProtection.keyFolder(place.keys.path)
        let before = place.files().map(\.name).sorted()
        let found = try await FolderInspection.of(folder, keys)
        #expect(found.owner == Secrets.owner)
        #expect(found.cache.channels.map(\.url) == [Secrets.otherChannel, Secrets.channel])
        #expect(found.outbox.items.map(\.content) == [Secrets.unsent])
        #expect(try await FolderInspection.verify(folder, keys).findings == [])
        let question = SearchQuestion("lapwing", limit: 100)
        let answer = try await FolderInspection.search(folder, for: question, keys)
        #expect(answer.found.count == 39 && answer.index.isComplete)
        let other = try TemporaryFolder()
        let elsewhere = StoreProtection.keyFolder(other.path)
        for protection in [StoreProtection.none, elsewhere] {
            let looks: [() async throws -> Void] = [
                { _ = try await FolderInspection.of(folder, protection) },
                { _ = try await FolderInspection.verify(folder, protection) },
                { _ = try await FolderInspection.search(folder, for: question, protection) },
                {
                    _ = try await FolderInspection.repair(
                        folder, owner: Secrets.owner, protection)
                },
            ]
            for look in looks {
                let error = await #expect(throws: StoreError.self) { try await look() }
                #expect(error?.kind == .keyMissing)
            }
        }
        #expect(place.files().map(\.name).sorted() == before)
        let report = try await FolderInspection.repair(folder, owner: Secrets.owner, keys)
        guard case .repaired(.some, _, let salvaged) = report else {
            Issue.record("A repair should tell of itself.")
            return
        }
        #expect(salvaged.isWhole && salvaged.channels == 2 && salvaged.messages == 40)
        Secrets.expectNone(in: place.files())
        let again = try await place.open(keys)
        try await Secrets.expectAll(in: again)
        await again.close()
    }

    @Test
    func `plain quarantined copies are deleted when a cache is sealed, sealed ones stay (R136)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(.none)
        try await Secrets.fill(store)
        await store.close()
        let cache = try place.path("cache.sqlite")
        let folder = String(cache.dropLast("/cache.sqlite".count))
        try FileManager.default.copyItem(atPath: cache, toPath: cache + ".damaged-1")
        // A repair with a key seals at once, but its quarantined file is plain.
        var report = try await FolderInspection.repair(folder, owner: Secrets.owner, key)
        guard case .repaired(nil, _, let salvaged) = report else {
            Issue.record("What lay in the clear should be gone: \(report)")
            return
        }
        #expect(salvaged.messages == 40)
        try FileManager.default.copyItem(atPath: cache, toPath: cache + ".damaged-2")
        let clear = try SealedFolder()
        store = try await clear.open(.none)
        try await Secrets.fill(store)
        await store.close()
        try FileManager.default.copyItem(
            atPath: try clear.path("cache.sqlite"), toPath: cache + ".damaged-1")
        store = try await place.open(key)
        try await Secrets.expectAll(in: store)
        await store.close()
        Secrets.expectNone(in: place.files())
        let names = place.files().map(\.name)
        #expect(!names.contains { $0.hasSuffix(".damaged-1") })
        #expect(names.contains { $0.hasSuffix(".damaged-2") })
        report = try await FolderInspection.repair(folder, owner: Secrets.owner, key)
        guard case .repaired(let quarantine?, _, _) = report else {
            Issue.record("The old file should be quarantined.")
            return
        }
        #expect(FileManager.default.fileExists(atPath: quarantine))
        Secrets.expectNone(in: place.files())
    }

    @Test
    func `a wrong key never makes a new cache, however damaged the old one is (scars 43, 44)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(key)
        try await Secrets.fill(store)
        await store.close()
        let cache = try place.path("cache.sqlite")
        let bytes = Data(repeating: 0x55, count: 40_000)
        try bytes.write(to: URL(fileURLWithPath: cache))
        for (protection, kind) in [
            (StoreProtection.sealed(MasterKeys(Fixture.key(2))), StoreError.Kind.wrongKey),
            (.none, .keyMissing),
        ] {
            #expect(await place.error(protection) == kind)
            #expect(try Data(contentsOf: URL(fileURLWithPath: cache)) == bytes)
        }
        store = try await place.open(key)
        #expect(try await store.outbox.items().items.map(\.content) == [Secrets.unsent])
        await store.close()
    }
}
