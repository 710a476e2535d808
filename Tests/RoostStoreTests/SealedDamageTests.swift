// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostSealing
import RoostStore
import RoostTestSupport
import Testing

/// Flipped bits in sealed values.
struct SealedDamageTests {
    private let key = StoreProtection.sealed(MasterKeys(Fixture.key(1)))

    private func filled() async throws -> SealedFolder {
        let place = try SealedFolder(inMemory: true)
        let store = try await place.open(key)
        try await Secrets.fill(store)
        await store.close()
        return place
    }

    /// Returns the result of a read, or nil if it reported damage; any other error fails the test.
    private func read<Value>(
        _ place: Comment, _ told: inout Int, _ body: () async throws -> Value
    ) async throws -> Value? {
        do {
            return try await body()
        } catch let error as StoreError {
            #expect(error.kind == .damaged, place)
            told += 1
            return nil
        }
    }

    /// Opens the store and compares all readable values with the written ones.
    ///
    /// - Returns: The number of reports of damage.
    private func told(by place: SealedFolder, _ comment: Comment) async throws -> Int {
        var told = 0
        guard let store = try await read(comment, &told, { try await place.open(key) }) else {
            return told
        }
        let damage = store.damage()
        if store.report != .intact { told += 1 }
        if store.outboxReport != .intact { told += 1 }
        let reader = store.reader
        for message in Secrets.messages {
            guard let id = message.messageID else { continue }
            let found = try await read(comment, &told) { try await reader.message(id).value }
            if let found = found ?? nil { #expect(found == message, comment) }
        }
        for url in [Secrets.channel, Secrets.otherChannel] {
            _ = try await read(comment, &told) { try await reader.newest(in: url) }
            let found = try await read(comment, &told) { try await reader.channel(url).value }
            if let found = found ?? nil {
                #expect(["Channel-Name-Smew", ""].contains(found.name), comment)
            }
        }
        let listed = try await read(comment, &told) {
            try await reader.channels(order: .chronological, limit: 9).value.map(\.url)
        }
        #expect(Set(listed ?? []).isSubset(of: [Secrets.channel, Secrets.otherChannel]), comment)
        let user = try await read(comment, &told) { try await reader.user(Secrets.sender.id).value }
        if let user = user ?? nil { #expect(user == Secrets.sender, comment) }
        let cursor = try await read(comment, &told) {
            try await reader.cursor(.channelChanges).value
        }
        if let cursor = cursor ?? nil { #expect(cursor == .token("Token-Pochard"), comment) }
        let hits = try await read(comment, &told) { try await Secrets.search(store).found }
        for hit in hits ?? [] {
            #expect(Secrets.messages.contains(hit.message), comment)
        }
        if let items = try await read(comment, &told, { try await store.outbox.items() }) {
            told += items.unreadable.count
            #expect(items.items.allSatisfy { $0.content == Secrets.unsent }, comment)
        }
        if let found = try await read(comment, &told, { try await store.verify() }) {
            told += found.findings.count
        }
        await store.close()
        for await _ in damage { told += 1 }
        return told
    }

    @Test(arguments: SealedColumn.ofCache + SealedColumn.ofVault)
    func `a flipped bit in a sealed cache is reported and shows no wrong text (scars 42, 43)`(
        _ column: SealedColumn
    ) async throws {
        let place = try await filled()
        #expect(try await told(by: place, "nothing is broken yet") == 0)
        var random = SplitMix64(seed: UInt64(column.testDescription.utf8.count))
        for _ in 0..<(Sample.isWhole ? 200 : 2) {
            let damaged = try place.copy()
            let (bit, row) = (Int(random.next() >> 1), Int(random.next() >> 1))
            try column.flip(
                bit: bit, ofRow: row, in: Connection(.file(try damaged.path("cache.sqlite"))))
            let comment: Comment = "\(column.testDescription), \(bit), \(row)"
            #expect(try await told(by: damaged, comment) > 0, comment)
            // Unsent messages are in the other database.
            let store = try await damaged.open(key)
            #expect(try await store.outbox.items().items.map(\.content) == [Secrets.unsent])
            await store.close()
            Secrets.expectNone(in: damaged.files())
        }
    }

    @Test(arguments: SealedColumn.ofCache)
    func `a write that meets a broken value succeeds, after a repair at the latest (scars 42, 43)`(
        _ column: SealedColumn
    ) async throws {
        let place = try await filled()
        var message = Fixture.message(
            60, in: Secrets.channel, text: "Text-Lapwing", from: Secrets.sender)
        message.customType = "Custom-Type-Garganey"
        let live = message
        for row in 0..<3 {
            let damaged = try place.copy()
            try column.flip(
                bit: 77, ofRow: row, in: Connection(.file(try damaged.path("cache.sqlite"))))
            let store = try await damaged.open(key)
            func succeed(_ work: () async throws -> Void) async throws {
                do {
                    try await work()
                } catch let error as StoreError {
                    #expect(error.kind == .damaged, "\(column.testDescription), \(row)")
                    guard case .repaired? = try await store.mend() else {
                        Issue.record("The check has found nothing: \(error)")
                        return
                    }
                    try await work()
                }
            }
            try await succeed {
                try await store.writer.commit([.liveMessage(live, predecessor: 40)])
                for _ in 0..<2 { #expect(try await store.reader.message(60).value == live) }
            }
            try await succeed {
                try await store.writer.commit([
                    .evicted(Secrets.otherChannel, through: .distantFuture)
                ])
            }
            try await succeed { try await store.writer.commit([.clearAll]) }
            #expect(try await store.reader.inspection().channels == [])
            await store.close()
        }
    }

    @Test(arguments: SealedColumn.ofOutbox + SealedColumn.ofVault)
    func `a flipped bit in a sealed outbox is reported and shows no wrong text (scar 42)`(
        _ column: SealedColumn
    ) async throws {
        let place = try await filled()
        var random = SplitMix64(seed: 7)
        for _ in 0..<(Sample.isWhole ? 200 : 2) {
            let damaged = try place.copy()
            let (bit, row) = (Int(random.next() >> 1), Int(random.next() >> 1))
            try column.flip(
                bit: bit, ofRow: row, in: Connection(.file(try damaged.path("outbox.sqlite"))))
            let comment: Comment = "\(column.testDescription), \(bit), \(row)"
            #expect(try await told(by: damaged, comment) > 0, comment)
            if SealedColumn.ofVault.contains(where: { $0.testDescription == "\(column)" }) {
                // These values have a second copy.
                let store = try await damaged.open(key)
                #expect(try await store.outbox.items().items.map(\.content) == [Secrets.unsent])
                await store.close()
            }
            Secrets.expectNone(in: damaged.files())
        }
    }

    /// Changes that no checksum covers: swapped rows of the vault.
    private static let moves: [SQL] = [
        "UPDATE vault SET stage = 6", "DELETE FROM vault",
        "UPDATE data_key SET number = number + 64",
        "UPDATE data_key SET channel_id = 1 - channel_id",
        "UPDATE data_key SET channel_id = channel_id + 4",
        "DELETE FROM data_key WHERE channel_id = 0", "DELETE FROM data_key WHERE channel_id = 1",
    ]

    @Test(arguments: moves.indices)
    func `a moved or lost row of the vault is reported and shows no wrong text (scar 42)`(
        index: Int
    ) async throws {
        let place = try await filled()
        let comment: Comment = "move \(index)"
        try Connection(.file(try place.path("cache.sqlite"))).executeScript(Self.moves[index])
        #expect(try await told(by: place, comment) > 0, comment)
        // A channel can be fetched again after the loss of its key.
        let store = try await place.open(key)
        #expect(try await store.outbox.items().items.map(\.content) == [Secrets.unsent])
        await store.close()
    }

    @Test
    func `unsent messages survive the loss of the vault, and a new key (scars 15, 42)`()
        async throws
    {
        let place = try SealedFolder(inMemory: true)
        let (old, new) = (MasterKeys(Fixture.key(1)), Fixture.key(2))
        var store = try await place.open(.sealed(old))
        try await Secrets.fill(store)
        await store.close()
        let both = StoreProtection.sealed(MasterKeys(new, previous: [old.current]))
        for protection in [StoreProtection.sealed(old), both, .sealed(MasterKeys(new))] {
            store = try await place.open(protection)
            #expect(store.outboxReport == .intact)
            await store.close()
            let damaged = try place.copy()
            try Connection(.file(try damaged.path("outbox.sqlite"))).executeScript(
                "DELETE FROM vault; UPDATE data_key SET wrapped = zeroblob(8)")
            store = try await damaged.open(protection)
            #expect(store.outboxReport != .intact)
            #expect(try await store.outbox.items().items.map(\.content) == [Secrets.unsent])
            await store.close()
        }
        // The copy is rewrapped with the new key too, and is removed together with the encryption.
        let copy = try Connection(.file(try place.path("outbox.vault")))
        #expect(throws: VaultError.wrongKey) { try Vault.open(in: copy, old) }
        store = try await place.open(StoreProtection.sealed(MasterKeys(new)).takenOff())
        await store.close()
        #expect(!place.files().contains { $0.name.hasSuffix("outbox.vault") })
    }

    @Test func `a channel whose key is broken is fetched again (R136)`()
        async throws
    {
        let place = try await filled()
        let connection = try Connection(.file(try place.path("cache.sqlite")))
        try connection.executeScript(
            "UPDATE data_key SET wrapped = zeroblob(length(wrapped)) WHERE channel_id = 1")
        let store = try await place.open(key)
        #expect(try await store.reader.newest(in: Secrets.channel) == [])
        try await store.writer.commit([.channels([Secrets.group]), Secrets.page])
        #expect(try await store.reader.newest(in: Secrets.channel).count == 40)
        await store.close()
        let again = try await place.open(key)
        #expect(try await again.verify().findings == [])
        await again.close()
    }

    @Test func `a second vault that cannot be written now is kept (scar 42)`() async throws {
        let place = try SealedFolder(inMemory: true)
        let keys = MasterKeys(Fixture.key(1))
        var store = try await place.open(.sealed(keys))
        try await Secrets.fill(store)
        await store.close()
        let copy = try place.path("outbox.vault")
        let file = PlainFile.identity(copy)
        do {
            let other = try Connection(.file(copy))
            try other.executeScript("BEGIN IMMEDIATE")
            // The new key changes the vault, and its copy is locked.
            let new = MasterKeys(Fixture.key(2), previous: [keys.current])
            store = try await place.open(.sealed(new))
            await store.close()
            try other.executeScript("ROLLBACK")
        }
        #expect(file != nil && PlainFile.identity(copy) == file)
    }
}
