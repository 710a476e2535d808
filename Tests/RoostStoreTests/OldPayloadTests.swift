// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Rows whose payloads leave to the columns what those of today say themselves.
struct OldPayloadTests {
    @Test(.enabled(if: !Fixture.isSealed))
    func `rows of an older release say the same, before and after an edit (scar 77)`() async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        var reply = Fixture.message(7, from: User(id: "bob", nickname: "Bob"), updatedAt: 9)
        reply.customType = "greeting"
        reply.parentID = 3
        let plain = Fixture.message(8, from: nil)
        try await store.writer.commit([
            .messages(Fixture.channel, [reply, plain], covering: Fixture.range(7, 8))
        ])
        let other = try Connection(.file(folder.file("app/anna/cache.sqlite")))
        for message in [reply, plain] {
            var payload: [UInt8] = []
            MessagePayload.write(message, to: &payload) { _ in 1 }
            payload[0] = 2
            try other.execute(.age, (payload, message.messageID?.rawValue ?? 0))
        }
        try other.executeScript(
            """
            UPDATE holding SET payload_bytes = (SELECT sum(length(payload)) FROM message);
            UPDATE store_state SET sequence = sequence + 1;
            """)
        #expect(try await store.reader.newest() == [reply, plain])
        #expect(try await store.reader.message(7).value == reply)
        #expect(try await store.verify().findings == [])

        reply.content = .user(text: "edited")
        reply.updatedAt = Timestamp(milliseconds: 12)
        try await store.writer.commit([.edited(reply)])
        #expect(try await store.reader.newest() == [reply, plain])
        #expect(try await store.verify().findings == [])
        await store.close()
    }
}

extension Query where Input == ([UInt8], Int64), Output == Void {
    fileprivate static let age = Query(
        sql: "UPDATE message SET payload = ?1 WHERE message_id = ?2",
        bind: { input, bindings in
            bindings.append(input.0)
            bindings.append(input.1)
        })
}
