// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostSealing
import RoostStore
import RoostTestSupport
import Testing

/// Removal of the encryption.
struct UnsealingTests {
    private let key = StoreProtection.sealed(MasterKeys(Fixture.key(1)))

    private func filled() async throws -> SealedFolder {
        let place = try SealedFolder()
        let store = try await place.open(key)
        try await Secrets.fill(store)
        await store.close()
        return place
    }

    @Test func `removing the encryption restores all plain values (R131)`() async throws {
        let place = try await filled()
        var store = try await place.open(key.takenOff())
        try await Secrets.expectAll(in: store)
        #expect(try await store.verify().findings == [])
        await store.suspend()
        try await store.resume()
        try await store.finishIndex()
        #expect(try await Secrets.search(store).found.count == 39)
        await store.close()
        // Once more, and then without any key.
        for protection in [key.takenOff(), .none] {
            store = try await place.open(protection)
            #expect(store.report == .intact && store.outboxReport == .intact)
            try await Secrets.expectAll(in: store)
            await store.close()
        }
        for name in ["cache.sqlite", "outbox.sqlite"] {
            let connection = try Connection(.file(try place.path(name)))
            let count = Query<Void, Int64>(
                sql: "SELECT (SELECT count(*) FROM vault) + (SELECT count(*) FROM data_key)"
            ) { $0.int64(0) }
            #expect(try connection.first(count) == 0)
        }
        store = try await place.open(key)
        try await Secrets.expectAll(in: store)
        await store.close()
        Secrets.expectNone(in: place.files())
    }

    @Test func `a wrong key removes no encryption (scar 44)`() async throws {
        let place = try await filled()
        let other = StoreProtection.sealed(MasterKeys(Fixture.key(2)))
        #expect(await place.error(other.takenOff()) == .wrongKey)
        #expect(await place.error(.keyFolder(place.keys.path).takenOff()) == .keyMissing)
        Secrets.expectNone(in: place.files())
    }

    @Test(arguments: [true, false])
    func `an interrupted removal continues, or is reverted (scars 15, 154)`(goesOn: Bool)
        async throws
    {
        let place = try await filled()
        // The state after a crash: some messages are plain, the names are sealed.
        let connection = try Connection(.file(try place.path("cache.sqlite")))
        let vault = try #require(try Vault.open(in: connection, MasterKeys(Fixture.key(1))))
        let opener = PayloadOpener(vault, connection)
        let payloads = Query<Void, (row: Int64, id: Int64, payload: [UInt8])>(
            sql: "SELECT channel_id, message_id, payload FROM message WHERE message_id % 2 = 0"
        ) { ($0.int64(0), $0.int64(1), $0.bytes(2)) }
        for (row, id, payload) in try connection.all(payloads) {
            let plain = try opener.open(
                payload.span, at: .message(channelRow: row, createdAt: id, id: id),
                reading: "a message"
            ) { bytes in bytes.indices.map { bytes[$0] } }
            try connection.execute(Self.putPayload, (id, plain))
        }
        try connection.executeScript("UPDATE vault SET stage = 3")
        #expect(!Secrets.found(in: place.files()).isEmpty)
        #expect(await place.error(.none) == .keyMissing)
        var store = try await place.open(goesOn ? key.takenOff() : key)
        #expect(store.report == .intact)
        try await Secrets.expectAll(in: store)
        await store.close()
        if goesOn {
            store = try await place.open(.none)
            try await Secrets.expectAll(in: store)
            await store.close()
        } else {
            Secrets.expectNone(in: place.files())
        }
    }

    @Test func `a message that cannot be opened does not block the others (scar 42)`() async throws
    {
        let place = try await filled()
        let broken = try Connection(.file(try place.path("cache.sqlite")))
        try SealedColumn.messages.flip(bit: 300, ofRow: 19, in: broken)
        let store = try await place.open(key.takenOff())
        guard case .repaired(_, _, let salvaged) = store.report else {
            Issue.record("The damage was not told: \(store.report)")
            return
        }
        #expect(salvaged.messages == 39 && !salvaged.isWhole)
        #expect(try await store.reader.message(MessageID(19)).value?.text == "Text-Lapwing 19")
        #expect(try await store.outbox.items().items.map(\.content) == [Secrets.unsent])
        await store.close()
    }

    @Test func `removing the encryption keeps an unsent message of a later release (scar 65)`()
        async throws
    {
        let place = try SealedFolder()
        var store = try await place.open(.none)
        try await Secrets.fill(store)
        await store.close()
        let payload = Query<Void, (id: String, channel: String, payload: [UInt8])>(
            sql: "SELECT request_id, channel_url, payload FROM item"
        ) { ($0.text(0), $0.text(1), $0.bytes(2)) }
        let path = try place.path("outbox.sqlite")
        try Connection(.file(path)).executeScript(
            "UPDATE item SET payload = CAST(x'03' || substr(payload, 2) AS BLOB)")
        let written = try #require(try Connection(.file(path)).first(payload))
        for protection in [key, key.takenOff()] {
            store = try await place.open(protection)
            let items = try await store.outbox.items()
            #expect(items.items == [] && items.damaged == [] && items.newer.count == 1)
            await store.close()
        }
        let left = try #require(try Connection(.file(path)).first(payload))
        #expect(left == written)
        store = try await place.open(.none)
        #expect(try await store.outbox.items().newer == [RequestID(written.id)])
        await store.close()
    }

    private static let putPayload = Query<(id: Int64, payload: [UInt8]), Void>(
        sql: "UPDATE message SET payload = ?2 WHERE message_id = ?1",
        bind: { input, bindings in
            bindings.append(input.id)
            bindings.append(input.payload)
        })
}
