// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Files of the last schemas as the releases wrote them that had these.
///
/// They are only ever added. For those of a new schema run
/// `ROOST_RELEASED_FILES=Tests/RoostStoreTests/Released swift test --filter ReleasedFilesTests`
/// before the release: it writes the files under the numbers that the schemas have then.
struct ReleasedFilesTests {
    /// Where the files are to be written; nil in nearly every run.
    private static let target = ProcessInfo.processInfo.environment["ROOST_RELEASED_FILES"]

    private static var released: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Released")
    }

    private static func store(in folder: String) -> URL {
        URL(fileURLWithPath: folder).appendingPathComponent("app/anna")
    }

    @Test(.enabled(if: target != nil && !Fixture.isSealed))
    func `the files of a release are written`() async throws {
        let target = URL(fileURLWithPath: try #require(Self.target))
        let folder = try TemporaryFolder()
        let store = try await Store.test(.folder(folder.path))
        try await ReleasedContent.write(to: store.writer)
        try await ReleasedContent.write(to: store.outbox)
        await store.close()
        for (name, schema) in [
            ("cache", StoreWriter.migrationChecksums.count),
            ("outbox", OutboxStore.migrationChecksums.count),
        ] {
            let file = Self.store(in: folder.path).appendingPathComponent("\(name).sqlite")
            try Connection(.file(file.path)).executeScript("VACUUM")
            let copy = target.appendingPathComponent("\(name)-\(schema).sqlite")
            #expect(!FileManager.default.fileExists(atPath: copy.path), "Released files stay.")
            try FileManager.default.copyItem(at: file, to: copy)
        }
    }

    private func place(in folder: String) throws {
        let target = Self.store(in: folder)
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        for (name, schema) in [("cache", 4), ("outbox", 2)] {
            try FileManager.default.copyItem(
                at: Self.released.appendingPathComponent("\(name)-\(schema).sqlite"),
                to: target.appendingPathComponent("\(name).sqlite"))
        }
    }

    private func checkCache(_ store: Store) async throws {
        let reader = store.reader
        let url = ReleasedContent.channel
        func messages(in channel: ChannelURL) async throws -> [Message] {
            try await reader.messages(
                MessageQuery(in: channel, filter: .everything, newestFirst: false, limit: 100)
            ).value
        }
        let all = try await messages(in: url)
        let wanted =
            ReleasedContent.messages + [ReleasedContent.filtered] + ReleasedContent.live
        #expect(all.map(\.messageID) == wanted.map(\.messageID))
        for (read, written) in zip(all, wanted) { #expect(read == written) }
        #expect(try await messages(in: "old") == [ReleasedContent.old[2]])
        #expect(try await messages(in: "gone") == [])

        #expect(try await reader.coverage(of: url).value.ranges == ReleasedContent.coverage)
        #expect(
            try await reader.coverage(of: url, under: ReleasedContent.filter).value.ranges
                .contains { $0.contains(Fixture.place(15)) })
        #expect(try await reader.message("request 6").value?.messageID == 6)
        #expect(try await reader.mentions(limit: 9).value.map(\.messageID) == [8, 5])
        let edited = try await reader.edited(in: url, since: .distantPast, limit: 9).value
        #expect(edited.map(\.messageID) == [6])

        #expect(try await reader.channel(url).value == ReleasedContent.group)
        #expect(try await reader.channel("c").value == Golden.channel)
        #expect(try await reader.channel("gone").value == nil)
        for user in [ReleasedContent.me] + Golden.people {
            #expect(try await reader.user(user.id).value == user)
        }

        #expect(try await reader.cursor(.messageChanges(url)).value == .token("edits"))
        #expect(
            try await reader.cursor(.messageChanges("old")).value == .moment(Golden.moment(13)))
        #expect(try await reader.cursor(.channelChanges).value == .token("all"))
        #expect(try await reader.cursor(.channelFill).value == .token("page 2"))
        #expect(try await reader.session().value == [1, 2, 255])
        // What is pinned is in no plan, however little room there is.
        let plan = try await store.writer.evictionPlan(downTo: 0)
        #expect(plan.channels.map(\.url) == [url])
        #expect(try await store.verify().findings == [])
    }

    private func checkOutbox(_ outbox: OutboxStore) async throws {
        let read = try await outbox.items()
        #expect(read.unreadable == [])
        #expect(read.items.map(\.requestID) == ReleasedContent.items.map(\.id))
        for (number, (item, written)) in zip(read.items, ReleasedContent.items).enumerated() {
            #expect(item.channel == ReleasedContent.channel)
            #expect(item.createdAt == Golden.moment(Int64(number)))
            #expect(item.state == ReleasedContent.states[written.id] ?? .pending)
            #expect(item.hasLeft == (written.id == "words"))
            #expect(item.attemptCount == (written.id == "words" ? 1 : 0))
            guard written.id == "copied file" else {
                #expect(item.content == written.content)
                continue
            }
            // The outbox gives its copies names of its own.
            guard case .fileMessage(let params, let copies) = item.content,
                case .fileMessage(let wanted, _) = written.content
            else { return #expect(Bool(false)) }
            #expect(params == wanted)
            #expect(copies.map { $0?.size } == [3] && copies[0]?.name.isEmpty == false)
        }
        #expect(read.items.map(\.sequence) == read.items.map(\.sequence).sorted())
    }

    @Test(arguments: [false, true])
    func `all that the releases of schemas 4 and 2 wrote is there (scars 41, 77)`(
        isToBeSealed: Bool
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        try place(in: folder.path)
        var options = Fixture.options
        if isToBeSealed {
            options.protection = try .key([UInt8](repeating: 7, count: 32))
        }
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        #expect(store.report == .intact && store.outboxReport == .intact)
        try await checkCache(store)
        try await checkOutbox(store.outbox)
        await store.close()
    }
}
