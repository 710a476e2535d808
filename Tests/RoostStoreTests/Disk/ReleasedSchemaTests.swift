// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostDiskSimulation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Files as the build that had only schema 1 wrote them.
struct ReleasedSchemaTests {
    /// What the script wrote that made the files; kept as it was.
    private enum Written {
        static let users = (0..<7).map { index in
            User(
                id: UserID("user \(index)"), nickname: "Name \(index)",
                profileURL: "https://example.com/\(index).png")
        }
        static let anna = User(id: "anna", nickname: "Anna")

        static func id(_ channel: Int, _ index: Int) -> Int64 { Int64(channel * 1_000 + index + 1) }
    }

    private static var released: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Released")
    }

    private func place(in folder: String) throws {
        let target = URL(fileURLWithPath: folder).appendingPathComponent("app/anna")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        for name in ["cache", "outbox"] {
            try FileManager.default.copyItem(
                at: Self.released.appendingPathComponent("\(name)-1.sqlite"),
                to: target.appendingPathComponent("\(name).sqlite"))
        }
    }

    /// Compares all of a store with what was written.
    private func check(_ store: Store, _ place: Comment? = nil) async throws {
        #expect(store.report == .intact && store.outboxReport == .intact, place)
        #expect(try await store.reader.damage() == [], place)
        for channel in 0..<3 {
            let url = ChannelURL("channel-\(channel)")
            let messages = try await store.reader.newest(in: url)
            try #require(messages.count == 200, place)
            for (index, message) in messages.enumerated() { check(message, channel, index) }
            try await checkIndices(store.reader, url, channel)
            let coverage = try await store.reader.coverage(of: url).value.ranges
            #expect(coverage.count == 1, place)
            let last = try #require(messages.last?.position)
            #expect(coverage[0].contains(last), place)
            #expect(coverage[0].contains(try #require(messages.first?.position)), place)
            #expect(
                try await store.reader.cursor(.messageChanges(url)).value
                    == .token("token \(channel)"), place)
            let group = try #require(try await store.reader.channel(url).value)
            #expect(group.name == "Channel \(channel)" && group.customType == "kind \(channel)")
            #expect(group.createdAt == Timestamp(milliseconds: 1_690_000_000_000))
            #expect(group.unreadMessageCount == channel && group.members.count == 8)
            #expect(group.isSuper == (channel == 1))
        }
        #expect(try await store.reader.cursor(.channelChanges).value == .token("all"), place)
        let unsent = try await store.outbox.items()
        #expect(unsent.items.map(\.requestID) == ["waiting"] && unsent.unreadable == [], place)
        let content = try #require(unsent.items.first?.content)
        guard case .userMessage(let params) = content else { return }
        #expect(params.text == "unsent words", place)
    }

    private func check(_ message: Message, _ channel: Int, _ index: Int) {
        let id = Written.id(channel, index)
        let sender = index % 11 == 0 ? nil : (Written.users + [Written.anna])[index % 8]
        #expect(message.messageID == MessageID(id))
        #expect(message.createdAt == Timestamp(milliseconds: 1_700_000_000_000 + id * 1_000))
        #expect(message.sender?.user == sender)
        #expect(message.customType == (index % 5 == 0 ? "type \(index % 3)" : ""))
        #expect(message.requestID == (index % 8 == 7 ? RequestID("request-\(id)") : nil))
        #expect(
            message.parentID == (index % 7 == 0 && index > 0 ? MessageID(id - 1) : nil))
        #expect(
            message.updatedAt
                == (index % 13 == 0 ? Timestamp(milliseconds: 1_700_000_900_000) : nil))
        #expect(message.mention.userIDs == (index % 19 == 0 ? ["anna"] : []))
        #expect(
            message.unknownFields.fields.map { "\($0.name) \($0.json)" }
                == (index % 23 == 0 ? [#"new_field {"a":[1,2]}"#] : []))
        switch message.content {
        case .admin(let text): #expect(index % 11 == 0 && index % 17 != 0 && text == "notice \(id)")
        case .file(let file):
            #expect(index % 17 == 0)
            #expect(file.url == "https://example.com/f\(id)" && file.name == "f\(id).png")
            #expect(file.type == "image/png" && file.size == ByteCount(bytes: id))
        case .user(let text):
            #expect(index % 11 != 0 && index % 17 != 0)
            #expect(text == "text \(id) of channel \(channel)")
        default: Issue.record("\(id) is of a kind that was not written.")
        }
    }

    /// The columns that schema 2 has added find what they should.
    private func checkIndices(
        _ reader: StoreReader, _ url: ChannelURL, _ channel: Int
    ) async throws {
        let indices = 0..<200
        let mine = try await reader.message(RequestID("request-\(Written.id(channel, 15))")).value
        #expect(mine?.messageID == MessageID(Written.id(channel, 15)))
        #expect(mine?.channelURL == url)
        let edited = try await reader.edited(in: url, since: .distantPast, limit: 300).value
        #expect(edited.count == indices.count { $0 % 13 == 0 })
        let filter = MessageFilter(customTypes: ["type 1"])
        let typed = try await reader.messages(
            MessageQuery(in: url, filter: filter, limit: 300)
        ).value
        // The filter leaves replies out.
        #expect(
            typed.count == indices.count { $0 % 5 == 0 && $0 % 3 == 1 && $0 % 7 != 0 })
        let calling = try await reader.mentions(limit: 300).value.filter { $0.channelURL == url }
        #expect(calling.count == indices.count { $0 % 19 == 0 && $0 % 8 != 7 })
    }

    @Test func `all that the first release wrote is there after the upgrade (scars 41, 77, 154)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try place(in: folder.path)
        var options = Fixture.options
        let (steps, told) = AsyncStream.makeStream(of: MigrationProgress.self)
        options.migrating = { told.yield($0) }
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        told.finish()
        try await check(store)
        #expect(
            await steps.reduce(into: []) { $0.append("\($1.name) \($1.done)/\($1.total)") }
                == ["lean rows 0/600", "lean rows 600/600"])
        await store.close()
    }

    @Test func `what the first release wrote shows nothing once it is sealed (scar 41, R134)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try place(in: folder.path)
        let written = [
            "text 2 of channel", "Channel 0", "channel-0", "user 1", "Name 1", "type 1",
            "https://example.com", "f18.png", "token 0", "new_field", "unsent words", "waiting",
        ]
        func shown() throws -> [String] {
            var bytes = Data()
            let store = folder.file("app/anna")
            for name in try FileManager.default.contentsOfDirectory(atPath: store) {
                bytes += try Data(contentsOf: URL(fileURLWithPath: "\(store)/\(name)"))
            }
            return written.filter { bytes.range(of: Data($0.utf8)) != nil }
        }
        #expect(try shown() == written)
        var options = Fixture.options
        options.protection = try .key([UInt8](repeating: 7, count: 32))
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await check(store)
        #expect(try shown() == [])
        await store.close()
        #expect(try shown() == [])
    }

    /// Ten times as many messages, in the first release's own table.
    private func multiply(_ folder: String) throws {
        let connection = try Connection(.file("\(folder)/app/anna/cache.sqlite"))
        for copy in 1...9 {
            try connection.execute(.copyOldMessages, Int64(copy))
        }
        try connection.executeScript(
            """
            UPDATE coverage SET upper_at = upper_at + 9000000000, upper_id = upper_id + 9000000
            WHERE filter = ''
            """)
    }

    @Test func `a large upgrade goes slice by slice, and goes on where it was cut (scars 41, 154)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try place(in: folder.path)
        try multiply(folder.path)
        let told = Guarded<[String]>([])
        var options = Fixture.options
        options.migrating = { step in
            told.withLock { $0.append("\(step.done)/\(step.total)") }
            // The device is locked after the second slice of the first run.
            if step.total == 6_000, step.done == 4_000 {
                disk.plan(.init(.write, code: 778, lasts: true))
            }
        }
        let chosen = options
        let cut = await #expect(throws: StoreError.self) {
            _ = try await Store.open(.folder(folder.path), owner: Fixture.owner, chosen)
        }
        #expect(cut?.kind == .notAccessible)
        disk.plan(nil)
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, chosen)
        #expect(store.report == .intact)
        #expect(
            told.withLock { $0 } == ["0/6000", "2000/6000", "4000/6000", "0/2000", "2000/2000"])
        #expect(try await store.reader.damage() == [])
        for channel in 0..<3 {
            let url = ChannelURL("channel-\(channel)")
            let messages = try await store.reader.newest(in: url, limit: 10_000)
            #expect(messages.count == 2_000)
            for (index, message) in messages.prefix(200).enumerated() {
                check(message, channel, index)
            }
        }
        await store.close()
    }

    @Test func `whoever only looks says that a file is old, and repairs nothing (scar 41)`()
        async throws
    {
        let folder = try TemporaryFolder()
        try place(in: folder.path)
        let store = "\(folder.path)/app/anna"
        let looked = await #expect(throws: StoreError.self) {
            _ = try await FolderInspection.of(store)
        }
        #expect(looked?.kind == .olderSchema)
        let repaired = await #expect(throws: StoreError.self) {
            _ = try await FolderInspection.repair(store, owner: Fixture.owner)
        }
        #expect(repaired?.kind == .olderSchema)
        let opened = try await Store.test(.folder(folder.path))
        try await check(opened)
        await opened.close()
    }

    @Test func `an upgrade that loses power anywhere goes on and loses nothing (scars 41, 154)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path, records: true)
        try place(in: folder.path)
        // The disk knows only what SQLite wrote, so the old files are put below every moment.
        let store = try await Store.test(.folder(disk.folder))
        await store.close()
        let count = disk.events.count
        #expect(count > 20)
        for moment in ScriptedLife.sample(0...count, quick: 25, seed: 154) {
            let found = try TemporaryFolder(inMemory: true)
            try place(in: found.path)
            try disk.lose(after: moment, .some(seed: UInt64(moment)), in: found.path)
            let store = try await Store.test(.folder(found.path))
            try await check(store, "moment \(moment) of \(count)")
            await store.close()
        }
    }
}

extension Query where Input == Int64, Output == Void {
    fileprivate static var copyOldMessages: Query {
        Query(
            sql: """
                INSERT INTO message
                SELECT channel_id, created_at + ?1 * 1000000000, message_id + ?1 * 1000000, sender_id,
                    kind, custom_type, NULL, updated_at, NULL, payload
                FROM message WHERE message_id < 1000000
                """,
            bind: { $1.append($0) })
    }
}
