// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// One message of a channel, with damaged bytes that no check of SQLite finds.
///
/// A writer or a reader may meet it first.
struct UnreadableMessageTests {
    private static let channel = Fixture.channel
    private static let broken: MessageID = 3

    /// Mutations that remove the message or bring it again.
    private static let ways: [String: [Mutation]] = [
        "cleared": [.clearMessages(channel)],
        "cleared and filled again": [.clearMessages(channel), Fixture.page(1...5)],
        "removed": [.removeChannel(channel)],
        "evicted": [.evicted(channel, through: .distantFuture)],
        "cut": [.historyCut(channel, through: Timestamp(milliseconds: 4))],
        "deleted": [.deleted(channel, [broken])],
        "said again": [Fixture.page(1...5)],
        "edited": [.edited(Fixture.message(3, text: "edited text"))],
        "replied to": [.replied(channel, broken, ThreadInfo(replyCount: 1))],
    ]

    private func opened(
        _ folder: TemporaryFolder, withoutIndex: Bool = false
    ) async throws -> Store {
        let first = try await Store.test(.folder(folder.path))
        try await first.writer.commit([
            .channels([Fixture.group(Self.channel, name: "n")]), Fixture.page(1...5),
            Fixture.page(10...12, in: "other"),
        ])
        await first.close()
        do {
            let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
            try connection.executeScript(
                "UPDATE message SET payload = zeroblob(length(payload)) WHERE message_id = 3")
            if withoutIndex { try SearchIndex.drop(from: connection) }
        }
        return try await Store.test(.folder(folder.path))
    }

    private func ids(_ store: Store, _ channel: ChannelURL = channel) async throws -> [MessageID] {
        try await store.reader.newest(in: channel).compactMap(\.messageID).sorted()
    }

    @Test(arguments: ways.keys.sorted())
    func `an unreadable message blocks no change of it or its channel (scar 43)`(
        way: String
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await opened(folder)
        try await store.writer.commit(try #require(Self.ways[way]))
        let left: [MessageID] =
            switch way {
            case "cleared", "removed", "evicted": []
            case "cut": [5]
            case "deleted", "replied to": [1, 2, 4, 5]
            default: [1, 2, 3, 4, 5]
            }
        // A timeline ends at a hole.
        #expect(try await ids(store) == (way == "replied to" ? [4, 5] : left))
        #expect(try await ids(store, "other") == [10, 11, 12])
        // Its place is a hole unless a mutation brought it again.
        let coverage = try await store.reader.coverage(of: Self.channel).value
        let isKnown = coverage.range(containing: Fixture.place(3)) != nil
        let saysAll = ["cut", "deleted", "said again", "edited", "cleared and filled again"]
        #expect(isKnown == saysAll.contains(way))
        // All other messages can be found, and nothing else.
        try await store.finishIndex(stepSize: 2)
        let found = try await store.reader.search(SearchQuestion("text")).value.found
        #expect(found.compactMap(\.message.messageID).sorted() == left + [10, 11, 12])
        #expect(try await store.reader.searchFindings() == [])
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `an index is filled around an unreadable message (scar 43)`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await opened(folder, withoutIndex: true)
        try await store.finishIndex(stepSize: 2)
        let found = try await store.reader.search(SearchQuestion("text")).value.found
        #expect(found.compactMap(\.message.messageID).sorted() == [1, 2, 4, 5, 10, 11, 12])
        await store.close()
    }

    @Test func `a read forgets an unreadable message and leaves a known hole (scars 42, 43)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await opened(folder)
        let damage = store.damage()
        let heard = await store.writer.journal()
        // Several reads at once, each of which gets an answer.
        let answers = try await withThrowingTaskGroup(of: [MessageID].self) { group in
            for reader in store.readers + store.readers {
                group.addTask {
                    try await reader.newest(in: Self.channel).compactMap(\.messageID).sorted()
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: [4, 5], count: store.readers.count * 2))
        let coverage = try await store.reader.coverage(of: Self.channel).value
        #expect(coverage.range(containing: Fixture.place(3)) == nil)
        #expect(coverage.range(containing: Fixture.place(2)) != nil)
        #expect(try await store.reader.message(3).value == nil)
        #expect(try await ids(store, "other") == [10, 11, 12])
        #expect(try await store.verify().findings == [])
        // Lists cannot remove a message that no read returned, so they read again.
        var entries = heard.makeAsyncIterator()
        guard case .missed? = await entries.next() else {
            Issue.record("Nobody was told.")
            return
        }
        try await store.writer.commit([Fixture.page(2...4)])
        #expect(try await ids(store) == [1, 2, 3, 4, 5])
        await store.close()
        var told: [CacheDamage] = []
        for await found in damage { told.append(found) }
        #expect(told == [.forgotten(messages: 1, in: Self.channel)])
        // The rest of the cache is intact.
        let again = try await Store.test(.folder(folder.path))
        #expect(again.report == .intact)
        #expect(try await ids(again) == [1, 2, 3, 4, 5])
        await again.close()
    }

    @Test func `a message damaged after it was read is forgotten too (scar 43)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await opened(folder)
        try await store.writer.commit([Fixture.page(1...5)])
        #expect(try await ids(store) == [1, 2, 3, 4, 5])
        do {
            let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
            try connection.executeScript(
                """
                UPDATE message SET payload = zeroblob(length(payload)) WHERE message_id IN (2, 4);
                UPDATE recent SET sequence = sequence + 1 WHERE channel_id = 0;
                """)
        }
        let mine = MessageQuery(in: Self.channel, limit: 9)
        let found = try await store.reader.messages(mine).value
        #expect(found.compactMap(\.messageID).sorted() == [1, 3, 5])
        #expect(try await ids(store) == [5])
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `a search leaves out an unreadable message, and pages continue (scar 43, R8)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await opened(folder)
        try await store.writer.commit([Fixture.page(1...5), Fixture.page(101...140)])
        try await store.finishIndex(stepSize: 100)
        var question = SearchQuestion("text", limit: 4)
        let first = try await store.reader.search(question).value
        #expect(first.found.compactMap(\.message.messageID) == [140, 139, 138, 137])
        do {
            let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
            try connection.executeScript(
                """
                UPDATE message SET payload = zeroblob(length(payload))
                WHERE message_id IN (136, 135, 133, 132, 131, 130, 129, 2);
                UPDATE recent SET sequence = sequence + 1 WHERE channel_id = 0;
                """)
        }
        question = try #require(first.next)
        var answer = try await store.reader.search(question).value
        // The index is filled again meanwhile, and the answer says so.
        if !answer.index.isComplete {
            try await store.finishIndex(stepSize: 100)
            answer = try await store.reader.search(question).value
        }
        var found = first.found.compactMap(\.message.messageID)
        while true {
            found += answer.found.compactMap(\.message.messageID)
            guard let next = answer.next else { break }
            question = next
            answer = try await store.reader.search(question).value
        }
        let lost: Set<MessageID> = [136, 135, 133, 132, 131, 130, 129, 2]
        let all = (Array(1...5) + Array(10...12) + Array(101...140)).map { MessageID($0) }
        #expect(Set(found) == Set(all).subtracting(lost))
        #expect(found.count == Set(found).count)
        // An index in memory is filled without the messages, so no read has met them.
        if !Fixture.isSealed { #expect(try await store.verify().findings == []) }
        await store.close()
    }

    @Test func `a message that the same commit brings again leaves no hole (scar 43)`() async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await opened(folder)
        try await store.writer.commit([
            .edited(Fixture.message(3, text: "edited text")),
            .replied(Self.channel, 4, ThreadInfo(replyCount: 1)),
            .replied(Self.channel, 900, ThreadInfo(replyCount: 1)),
        ])
        #expect(try await ids(store) == [1, 2, 3, 4, 5])
        try await store.finishIndex(stepSize: 2)
        #expect(try await store.verify().findings == [])
        await store.close()
    }
}
