// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import Testing

struct MessageMergingTests {
    @Test
    func `one message that a commit brings in every way is one row and one insertion (scar 54)`()
        async throws
    {
        let store = try await Store.test()
        let message = Fixture.message(5, request: "r")
        let commit = try await store.writer.commit([
            .liveMessage(message, predecessor: nil),
            .messages(Fixture.channel, [message, message], covering: Fixture.range(5, 5)),
            .edited(message),
            .messages(Fixture.channel, [message], covering: nil),
        ])
        #expect(commit.messages()?.inserted == [message])
        #expect(commit.messages()?.updated == [])
        #expect(try await store.reader.newest() == [message])
        let again = try await store.writer.commit([
            .liveMessage(message, predecessor: nil), Fixture.page(5...5),
        ])
        #expect(again.changes == [])
        #expect(again.sequence == commit.sequence + 1)
    }

    @Test func `of four concurrent changes of one message the last edit stays (scar 142)`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(5...5)])
        try await withThrowingTaskGroup { group in
            for task in Int64(0)..<4 {
                group.addTask {
                    for round in Int64(0)..<25 {
                        let moment = round * 4 + task + 1
                        let text = "edit \(moment)"
                        try await store.writer.commit([
                            .edited(Fixture.message(5, text: text, updatedAt: moment))
                        ])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.reader.newest().map(\.text) == ["edit 100"])
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `the copy with the later edit wins in any order (scar 119)`() async throws {
        let versions = [
            Fixture.message(5, text: "first"),
            Fixture.message(5, text: "second", updatedAt: 10),
            Fixture.message(5, text: "third", updatedAt: 20),
        ]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let store = try await Store.test()
            try await store.writer.commit([Fixture.page(5...5)])
            for index in order { try await store.writer.commit([.edited(versions[index])]) }
            #expect(try await store.reader.newest().map(\.text) == ["third"])
        }
    }

    @Test func `new content under the same time is stored (scar 118)`() async throws {
        let store = try await Store.test()
        let before = Fixture.message(5, text: "Hallo", updatedAt: 10)
        var after = before
        after.data = "{\"en\":\"Hello\"}"
        try await store.writer.commit([.liveMessage(before, predecessor: nil)])
        let commit = try await store.writer.commit([.edited(after)])
        #expect(commit.messages()?.updated == [Update(before: before, after: after)])
        #expect(try await store.writer.commit([.edited(after)]).changes == [])
    }

    @Test func `an edit of a message that is not cached changes nothing`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...3)])
        let commit = try await store.writer.commit([
            .edited(Fixture.message(9)), .edited(Fixture.message(2, in: "elsewhere")),
            .deleted(Fixture.channel, [9]),
        ])
        #expect(commit.changes == [])
    }

    @Test func `a copy without sender or request ID erases neither`() async throws {
        let store = try await Store.test()
        let own = Fixture.message(5, request: "r")
        try await store.writer.commit([.liveMessage(own, predecessor: nil)])
        let bare = Fixture.message(5, from: nil)
        #expect(try await store.writer.commit([.edited(bare)]).changes == [])
        let edited = Fixture.message(5, text: "edited", from: nil, updatedAt: 9)
        try await store.writer.commit([.edited(edited)])
        let expected = Fixture.message(5, text: "edited", request: "r", updatedAt: 9)
        #expect(try await store.reader.message(MessageID(5)).value == expected)
        #expect(try await store.reader.message(RequestID("r")).value == expected)
        #expect(try await store.reader.message(RequestID("other")).value == nil)
    }

    @Test func `a stale copy still adds the missing request ID`() async throws {
        let store = try await Store.test()
        let seen = Fixture.message(5, text: "edited", updatedAt: 9)
        try await store.writer.commit([.liveMessage(seen, predecessor: nil)])
        let commit = try await store.writer.commit([.edited(Fixture.message(5, request: "r"))])
        let expected = Fixture.message(5, text: "edited", request: "r", updatedAt: 9)
        #expect(commit.messages()?.updated == [Update(before: seen, after: expected)])
    }

    @Test func `a message outside every covered range is not kept`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...3)])
        let commit = try await store.writer.commit([
            .messages(
                Fixture.channel, [Fixture.message(2, text: "new"), Fixture.message(9)],
                covering: nil)
        ])
        #expect(commit.messages()?.inserted == [])
        #expect(commit.messages()?.updated.map(\.after.messageID) == [2])
        #expect(try await store.reader.message(MessageID(9)).value == nil)
        #expect(try await store.reader.damage() == [])
    }

    @Test func `a message added and deleted in one commit is not reported`() async throws {
        let store = try await Store.test()
        let commit = try await store.writer.commit([
            Fixture.page(1...3), .deleted(Fixture.channel, [2]),
        ])
        #expect(commit.messages()?.inserted.map(\.messageID) == [1, 3])
        #expect(commit.messages()?.deleted == [])
    }

    @Test func `a message whose time changed is stored once`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...9)])
        let moved = Fixture.message(4, at: 7)
        let commit = try await store.writer.commit([
            .messages(Fixture.channel, [moved], covering: nil)
        ])
        #expect(commit.messages()?.updated == [Update(before: Fixture.message(4), after: moved)])
        #expect(
            try await store.reader.newest().compactMap(\.messageID) == [1, 2, 3, 5, 6, 4, 7, 8, 9])
    }

    @Test func `a message keeps every kind of content and every field`() async throws {
        let store = try await Store.test()
        var rich = PayloadTests.rich
        rich.parentID = 3
        rich.customType = "sticker"
        rich.updatedAt = Timestamp(milliseconds: 8)
        let messages = [
            rich, Fixture.message(8, from: nil), Fixture.message(9, from: PayloadTests.user),
        ]
        try await store.writer.commit([
            .messages(Fixture.channel, messages, covering: Fixture.range(7, 9))
        ])
        var expected = messages
        expected[0].sender?.user = PayloadTests.user
        #expect(try await store.reader.newest() == expected)
    }

    @Test func `reactions and replies change cached messages only (scar 78)`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...3)])
        let change = ReactionChange(
            key: "k", userID: "bob", isAdded: true, updatedAt: Timestamp(milliseconds: 5))
        var thread = ThreadInfo(replyCount: 2)
        thread.updatedAt = Timestamp(milliseconds: 7)
        let commit = try await store.writer.commit([
            .reacted(Fixture.channel, 2, change), .replied(Fixture.channel, 2, thread),
            .reacted(Fixture.channel, 9, change), .replied("elsewhere", 2, thread),
        ])
        #expect(commit.messages()?.updated.map(\.after.messageID) == [2])
        #expect(commit.messages()?.inserted == [])
        var older = ThreadInfo(replyCount: 1)
        older.updatedAt = Timestamp(milliseconds: 6)
        let again = try await store.writer.commit([
            .reacted(Fixture.channel, 2, change), .replied(Fixture.channel, 2, older),
        ])
        #expect(again.changes == [])
        let details = try await store.reader.message(2).value?.details
        #expect(details?.reactions?.map(\.userIDs) == [["bob"]])
        #expect(details?.threadInfo == thread)
    }

    static let hostileNames: [String] = [
        "'; DROP TABLE message; --", "a\"b`c", "a\0b", "\0", "👩‍👩‍👧‍👦", "../..", " ",
        String(repeating: "ü", count: 10_000),
    ]

    @Test(arguments: hostileNames.indices)
    func `any name works in every query (scars 38, 149)`(index: Int) async throws {
        let name = Self.hostileNames[index]
        let owner = StoreOwner(application: "app", user: name)
        let store = try await Store.open(.memory, owner: owner)
        let (url, user) = (ChannelURL(name), User(id: UserID(name), nickname: name))
        let message = Fixture.message(15, in: url, text: name, from: user, request: RequestID(name))
        let channel = Fixture.group(url, last: message, members: [user], name: name)
        try await store.writer.commit([
            Fixture.page(1...9), .channels([channel]), .liveMessage(message, predecessor: nil),
            .cursor(.messageChanges(url), .token(name)), .edited(message),
        ])
        let reader = store.reader
        #expect(try await reader.newest(in: url) == [message])
        #expect(try await reader.message(RequestID(name)).value == message)
        #expect(try await reader.channel(url).value == channel)
        #expect(try await reader.user(UserID(name)).value == user)
        #expect(try await reader.cursor(.messageChanges(url)).value == .token(name))
        #expect(
            try await reader.channels(order: .chronological, limit: 9).value
                == [channel])
        try await store.writer.commit([
            .deleted(url, [15]), .clearMessages(url), .removeChannel(url),
        ])
        #expect(try await reader.channel(url).value == nil)
        #expect(try await reader.newest().count == 9)
    }
}
