// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

struct ClearingTests {
    private static let everything: [Mutation] = [
        .channels([Fixture.group(Fixture.channel, last: Fixture.message(5), name: "secret name")]),
        Fixture.page(1...50), Fixture.page(101...150, in: "other"),
        .liveMessage(Fixture.message(60, text: "secret text"), predecessor: nil),
        .users([User(id: "bob", nickname: "secret nickname")]),
        .cursor(.channelChanges, .token("secret token")),
        .cursor(.messageChanges("third"), .token("secret token")),
    ]

    @Test func `clearing the cache removes every row except the outbox (scars 35, 37)`()
        async throws
    {
        let store = try await Store.test()
        _ = try await store.outbox.append(
            "r", to: Fixture.channel, createdAt: .distantPast,
            content: .userMessage(UserMessageParams(text: "unsent")))
        try await store.writer.commit(Self.everything)
        let commit = try await store.writer.commit([.clearAll])
        #expect(commit.channels?.deleted == [Fixture.channel])
        #expect(commit.messages()?.coverageAfter == Coverage())
        #expect(commit.messages(in: "other")?.coverageAfter == Coverage())
        let left = try await store.reader.inspection()
        #expect(left.channels == [])
        #expect(left.userCount == 0)
        #expect(left.channelCursor == nil)
        #expect(left.sequence == 2)
        #expect(try await store.reader.cursor(.messageChanges("third")).value == nil)
        #expect(try await store.reader.damage() == [])
        #expect(try await store.outbox.items().items.count == 1)
        #expect(try await store.writer.commit([.clearAll]).changes == [])
    }

    @Test func `objects that the clearing commit writes anew are there with their users`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit(Self.everything)
        let commit = try await store.writer.commit([.clearAll, Fixture.page(50...51)])
        #expect(commit.messages()?.inserted == [Fixture.message(51)])
        #expect(commit.messages()?.deleted.count == 50)
        #expect(try await store.reader.newest() == [50, 51].map { Fixture.message($0) })
    }

    @Test
    func `compacted files are small and contain no removed text (scars 36, 152)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        try await store.writer.commit(Self.everything)
        for page in Int64(1)...40 {
            try await store.writer.commit([Fixture.page((page * 100)...(page * 100 + 99))])
        }
        let full = await store.writer.fileBytes()
        #expect(full.cache + full.log > 400_000)
        try await store.writer.commit([.clearAll])
        try await store.writer.compact()
        let empty = await store.writer.fileBytes()
        #expect(empty.cache < 150_000)  // Each of some thirty trees keeps a page.
        #expect(empty.log == 0)
        for name in ["cache.sqlite", "cache.sqlite-wal"] {
            let path = folder.file("app/anna/\(name)")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(bytes.range(of: Data("secret".utf8)) == nil)
        }
        try await store.writer.commit([Fixture.page(1...3)])
        #expect(try await store.reader.newest().count == 3)
        await store.close()
    }

    /// Adds messages with the word "violin", and others to the channel "other" with "xylophone".
    private func addWords(to store: Store) async throws {
        for id in Int64(1)...40 {
            let isGone = id % 2 == 0
            let channel: ChannelURL = isGone ? "other" : Fixture.channel
            let message = Fixture.message(
                id, in: channel, text: isGone ? "xylophone" : "violin")
            try await store.writer.commit([
                .messages(channel, [message], covering: Fixture.range(id, id))
            ])
        }
    }

    private func indexSays(_ word: String, in folder: TemporaryFolder) throws -> Bool {
        let connection = try Connection(
            .file(folder.file("app/anna/cache.sqlite")), ConnectionOptions(access: .readOnly))
        return try connection.all(.indexBlocks).contains { block in
            Data(block).range(of: Data(word.utf8)) != nil
        }
    }

    @Test(.enabled(if: !Fixture.isSealed, "The words of a sealed cache are in memory."))
    func `a clearing that is repeated after a crash removes the words that the first one left`()
        async throws
    {
        let folder = try TemporaryFolder()
        var store = try await Store.test(.folder(folder.path))
        try await addWords(to: store)
        // The process ends between the two parts of the call.
        try await store.writer.commit([.clearMessages("other")])
        await store.close()
        store = try await Store.test(.folder(folder.path))
        #expect(try indexSays("xylophone", in: folder))
        try await store.writer.commit([.clearMessages("other")])
        try await store.writer.trim(downTo: .max)
        #expect(try !indexSays("xylophone", in: folder))
        #expect(try indexSays("violin", in: folder))
        await store.close()
    }

    @Test(.enabled(if: !Fixture.isSealed, "The words of a sealed cache are in memory."))
    func `the trim after a clearing removes the cleared words from the index (scar 36)`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        try await addWords(to: store)
        try await store.writer.commit([.clearMessages("other")])
        #expect(try indexSays("xylophone", in: folder))
        try await store.writer.trim(downTo: .max)
        #expect(try !indexSays("xylophone", in: folder))
        #expect(try indexSays("violin", in: folder))
        #expect(try await store.verify().findings == [])
        // Without a clearing in between there is nothing to merge.
        let begun = try await store.writer.beginTrim(downTo: .max)
        #expect(try await store.writer.advance(begun).trim.isDone)
        await store.close()
    }

    @Test func `a full clearing removes files put aside and unreadable items (scars 36, 37)`()
        async throws
    {
        let folder = try TemporaryFolder()
        func path(_ name: String) -> String { folder.file("app/anna/\(name)") }
        let (oldCache, oldOutbox) = (
            path("cache.sqlite.damaged-1"), path("outbox.sqlite.damaged-1")
        )
        func putAside(_ name: String) throws {
            try FileManager.default.copyItem(
                atPath: path(name), toPath: path("\(name).damaged-1"))
        }
        func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
        var store = try await Store.test(.folder(folder.path))
        for id: RequestID in ["a", "b"] {
            _ = try await store.outbox.append(
                id, to: Fixture.channel, createdAt: .distantPast,
                content: .fileMessage(
                    FileMessageParams(files: [
                        OutgoingFile(.bytes([1, 2, 3]), name: "a", type: "a/b")
                    ]), copies: [nil]))
        }
        let kept = try #require(try await store.outbox.items().items.first?.copies.first?.name)
        try await store.writer.commit(Self.everything)
        await store.close()
        for name in ["cache.sqlite", "outbox.sqlite"] { try putAside(name) }
        do {
            let connection = try Connection(.file(path("outbox.sqlite")))
            try connection.executeScript("UPDATE item SET payload = x'63' WHERE sequence = 2")
        }
        store = try await Store.test(.folder(folder.path))
        let attachments = try #require(store.outbox.attachments)
        // A copy whose item an earlier repair has lost.
        #expect(
            FileManager.default.createFile(atPath: "\(attachments)/7-0-00000000", contents: nil))
        try await store.clearRemains(includingUnsent: false)
        #expect(!exists(oldCache) && exists(oldOutbox))
        #expect(try await store.outbox.items().unreadable.count == 1)
        try await store.clearRemains(includingUnsent: true)
        #expect(!exists(oldOutbox))
        let left = try await store.outbox.items()
        #expect(left.unreadable == [] && left.items.map(\.requestID) == ["a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: attachments) == [kept])
        await store.close()

        try putAside("cache.sqlite")
        store = try await Store.test(.folder(folder.path))
        _ = try await store.writer.erase(Fixture.channel)
        #expect(!exists(oldCache))
        await store.close()
    }
}

extension Query where Input == Void, Output == [UInt8] {
    /// The parts of the index of words, as they are on disk.
    fileprivate static var indexBlocks: Query {
        Query(sql: "SELECT block FROM message_text_data") { row in row.bytes(0) }
    }
}
