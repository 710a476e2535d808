// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

struct OutboxStoreTests {
    private static func content(_ text: String) -> OutboxContent {
        .userMessage(UserMessageParams(text: text))
    }

    @discardableResult
    private func append(
        _ id: RequestID, to channel: ChannelURL = Fixture.channel, in store: Store
    ) async throws -> OutboxItem {
        try await store.outbox.append(
            id, to: channel, createdAt: Timestamp(milliseconds: 1),
            content: Self.content(id.rawValue))
    }

    @Test func `a message survives a restart with every parameter (scars 15, 120)`()
        async throws
    {
        let folder = try TemporaryFolder()
        var store = try await Store.test(.folder(folder.path))
        let item = try await store.outbox.append(
            "r", to: Fixture.channel, createdAt: Timestamp(milliseconds: -5),
            content: .userMessage(PayloadTests.params))
        await store.close()
        store = try await Store.test(.folder(folder.path))
        #expect(try await store.outbox.items().items == [item])
        #expect(try await store.outbox.items().unreadable == [])
        #expect(item.state == .pending)
        #expect(item.attemptCount == 0)
        #expect(!item.hasLeft)
        await store.close()
    }

    @Test func `the returned item equals the stored one for any content`() async throws {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        let files = FileMessageParams(
            files: [OutgoingFile(.url("https://a/b"), name: "b", type: "a/b")], caption: "c")
        let changes: [PendingChange.Action] = [
            .edit(.delivered(1), MessageEdit(text: "t", data: "d", customType: "e")),
            .edit(.delivered(1), MessageEdit(text: "t", mentionTemplate: "@{bob}")),
            .delete(.unsent("r0")), .addReaction("k", .delivered(2)),
            .removeReaction("k", .unsent("r1")), .markAsRead(through: Timestamp(milliseconds: 7)),
        ]
        let contents: [OutboxContent] =
            [.userMessage(PayloadTests.params), .fileMessage(files, copies: [nil])]
            + changes.map { .change($0) }
        var returned: [OutboxItem?] = []
        for (number, content) in contents.enumerated() {
            returned.append(
                try await store.outbox.append(
                    RequestID("r\(number)"), to: Fixture.channel,
                    createdAt: Timestamp(milliseconds: Int64(number)), content: content,
                    leaves: number.isMultiple(of: 2)))
        }
        #expect(try await store.outbox.items().items == returned)
        // A known request ID writes nothing.
        let again = try await store.outbox.append(
            "r0", to: "elsewhere", createdAt: Timestamp(milliseconds: 9),
            content: Self.content("other"))
        #expect(again == returned[0])
        #expect(try await store.outbox.items().items == returned)
        await store.close()
    }

    @Test func `a hundred items of one millisecond are a hundred rows in order`()
        async throws
    {
        let store = try await Store.test()
        let ids = (0..<100).map { RequestID("r\($0)") }
        for id in ids { try await append(id, in: store) }
        let items = try await store.outbox.items().items
        #expect(items.map(\.requestID) == ids)
        #expect(items.map(\.sequence) == items.map(\.sequence).sorted())
        #expect(Set(items.map(\.sequence)).count == 100)
    }

    @Test func `each item keeps its own channel (scar 60)`() async throws {
        let store = try await Store.test()
        for index in 0..<50 {
            try await append(
                RequestID("r\(index)"), to: ChannelURL("channel \(index % 5)"), in: store)
        }
        try await store.outbox.note(.state("r7", .failed(.ackTimeout)))
        let items = try await store.outbox.items().items
        #expect(items.count == 50)
        for item in items {
            let index = Int(item.requestID.rawValue.dropFirst()) ?? -1
            #expect(item.channel == ChannelURL("channel \(index % 5)"))
            #expect(item.state == (index == 7 ? .failed(.ackTimeout) : .pending))
        }
    }

    @Test func `the same request ID twice is one item, the first (scar 10)`() async throws {
        let store = try await Store.test()
        let first = try await append("r", in: store)
        try await store.outbox.note(.attempt("r"))
        let second = try await store.outbox.append(
            "r", to: "elsewhere", createdAt: Timestamp(milliseconds: 99),
            content: Self.content("no"))
        #expect(second.content == first.content)
        #expect(second.channel == first.channel)
        #expect(second.attemptCount == 1)
        #expect(try await store.outbox.items().items == [second])
    }

    @Test(arguments: [
        UnsentState.pending, .canceled, .failed(.ackTimeout), .failed(RoostError.Code(-1)),
    ])
    func `a state survives a restart (scar 72)`(state: UnsentState) async throws {
        let folder = try TemporaryFolder()
        var store = try await Store.test(.folder(folder.path))
        try await append("r", in: store)
        try await store.outbox.note(.state("r", .failed(.networkError)))
        try await store.outbox.note(.state("r", state))
        for _ in 0..<3 { try await store.outbox.note(.attempt("r")) }
        await store.close()
        store = try await Store.test(.folder(folder.path))
        let item = try #require(try await store.outbox.items().items.first)
        #expect(item.state == state)
        #expect(item.attemptCount == 3)
        #expect(item.hasLeft)
        await store.close()
    }

    @Test func `a removed item stays removed, and its number is not given again`() async throws {
        let store = try await Store.test()
        try await append("a", in: store)
        let last = try await append("b", in: store)
        try await store.outbox.note(.removal("b"))
        try await store.outbox.note(.removal("b"))
        try await store.outbox.note(.state("b", .pending))
        try await store.outbox.note(.attempt("b"))
        #expect(try await store.outbox.items().items.map(\.requestID) == ["a"])
        #expect(try await append("c", in: store).sequence > last.sequence)
    }

    @Test(arguments: MessageMergingTests.hostileNames.indices)
    func `any request ID works (scar 38)`(index: Int) async throws {
        let name = MessageMergingTests.hostileNames[index]
        let store = try await Store.test()
        let item = try await append(RequestID(name), to: ChannelURL(name), in: store)
        #expect(try await store.outbox.items().items == [item])
        #expect(item.channel.rawValue == name)
        try await store.outbox.note(.state(RequestID(name), .canceled))
        try await store.outbox.note(.removal(RequestID(name)))
        #expect(try await store.outbox.items().items == [])
    }

    @Test func `an unreadable item blocks no other and stays (scar 65)`() async throws {
        let folder = try TemporaryFolder()
        var store = try await Store.test(.folder(folder.path))
        for id: RequestID in ["a", "b", "c"] { try await append(id, in: store) }
        await store.close()
        do {
            let connection = try Connection(.file(folder.file("app/anna/outbox.sqlite")))
            try connection.executeScript(
                "UPDATE item SET payload = x'63' WHERE sequence = 2")
        }
        store = try await Store.test(.folder(folder.path))
        let items = try await store.outbox.items()
        #expect(items.items.map(\.requestID) == ["a", "c"])
        // A sealed outbox shows no name of an item it cannot open.
        #expect(items.unreadable.count == 1)
        #expect(items.unreadable == ["b"] || Fixture.isSealed)
        await store.close()
    }

    @Test func `clearing the cache keeps unsent messages (scars 16, 40, 41)`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...5)])
        let item = try await append("r", in: store)
        try await store.writer.commit([
            .clearMessages(Fixture.channel), .removeChannel(Fixture.channel),
        ])
        #expect(try await store.outbox.items().items == [item])
    }

    @Test func `an unsent message shows its content`() async throws {
        let store = try await Store.test()
        let item = try await store.outbox.append(
            "r", to: Fixture.channel, createdAt: Timestamp(milliseconds: 4),
            content: .userMessage(PayloadTests.params))
        let sender = Sender(user: PayloadTests.user)
        let message = try #require(item.message(from: sender))
        #expect(message.delivery == .unsent("r", .pending))
        #expect(message.position == nil)
        #expect(message.text == "Hi")
        #expect(message.metaArrays == PayloadTests.params.metaArrays)
        #expect(message.parentID == 3)
        #expect(message.sender == sender)
    }
}
