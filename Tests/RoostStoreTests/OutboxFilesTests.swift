// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostSealing
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

/// The files of unsent messages: copying, deletion, reading.
struct OutboxFilesTests {
    private let folder: TemporaryFolder
    private let store: Store

    init() async throws {
        folder = try TemporaryFolder(inMemory: true)
        store = try await Store.test(.folder(folder.path))
    }

    private static func file(_ source: OutgoingFile.Source) -> OutgoingFile {
        OutgoingFile(source, name: "a", type: "a/b")
    }

    private func send(
        _ sources: OutgoingFile.Source..., as id: RequestID = "r", in store: Store? = nil
    ) async throws -> OutboxItem {
        let params = FileMessageParams(files: sources.map(Self.file), caption: "caption")
        return try await (store ?? self.store).outbox.append(
            id, to: Fixture.channel, createdAt: Timestamp(milliseconds: 1),
            content: .fileMessage(params, copies: sources.map { _ in nil }))
    }

    private func script(_ sql: SQL) throws {
        let connection = try Connection(.file(folder.file("app/anna/outbox.sqlite")))
        try connection.executeScript(sql)
    }

    private func params(_ item: OutboxItem) throws -> FileMessageParams {
        guard case .fileMessage(let params, _) = item.content else {
            throw StoreError(.unexpected, "It is no file message.")
        }
        return params
    }

    /// The names in the outbox's folder.
    private func names() throws -> [String] {
        PlainFile.names(in: try #require(store.outbox.attachments)).sorted()
    }

    // MARK: Copying

    @Test func `a message that the disk refuses leaves no copy of its file (scar 61)`()
        async throws
    {
        try script(
            "CREATE TRIGGER no BEFORE INSERT ON item BEGIN SELECT RAISE(ABORT, 'no'); END")
        await #expect(throws: StoreError.self) { try await send(.bytes([1, 2])) }
        #expect(try names() == [])
        try script("DROP TRIGGER no")
        let item = try await send(.bytes([1, 2]))
        #expect(try names() == item.copies.map(\.name))
        await store.close()
    }

    @Test func `only local files are copied, each once (scar 61)`()
        async throws
    {
        let path = folder.file("original")
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let item = try await send(.reference(to: path), .bytes([4, 5]), .url("https://a/b"))
        #expect(item.copies.count == 1)
        #expect(try names() == item.copies.map(\.name))
        let files = try params(item).files
        #expect(files.map(\.source) == [.reference(to: path), .bytes([]), .url("https://a/b")])
        #expect(files.map { $0.size?.bytes } == [3, 2, nil])
        #expect(try await store.outbox.items().items == [item])
        await store.close()
    }

    @Test(arguments: [false, true])
    func `an unsent message shows its file's copy, and a sealed one shows none`(isSealed: Bool)
        async throws
    {
        let other = try TemporaryFolder(inMemory: true)
        var options = Store.Options()
        if isSealed { options.protection = .sealed(MasterKeys(Fixture.key(7))) }
        let store = try await Store.open(.folder(other.path), owner: Fixture.owner, options)
        let path = folder.file("original")
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let item = try await send(.copy(of: path), in: store)
        let attachments = try #require(store.outbox.attachments)
        let copy = "\(attachments)/\(try #require(item.copies.first).name)"
        let shown = try #require(item.message(from: nil, files: attachments))
        guard case .file(let content) = shown.content else { return #expect(Bool(false)) }
        #expect(content.url == "file://" + (isSealed ? path : copy))
        await store.close()
    }

    @Test func `an encrypted copy whose pieces changed places is not sent`() async throws {
        let other = try TemporaryFolder(inMemory: true)
        var options = Store.Options()
        options.protection = .sealed(MasterKeys(Fixture.key(7)))
        let store = try await Store.open(.folder(other.path), owner: Fixture.owner, options)
        let item = try await send(.bytes([UInt8](repeating: 7, count: 1 << 17)), in: store)
        let copy = try #require(item.copies.first)
        let url = URL(
            fileURLWithPath: "\(try #require(store.outbox.attachments))/\(copy.name)")
        let data = try Data(contentsOf: url)
        let half = data.count / 2
        try (data.suffix(half) + data.prefix(half)).write(to: url)
        let reader = try store.outbox.reader(of: try params(item).files[0], copy)
        #expect(reader.next() == nil)
        await store.close()
    }

    // MARK: Tidying

    @Test func `a copy that may belong to an unreadable item stays (scars 61, 65)`()
        async throws
    {
        _ = try await send(.bytes([1]), as: "a")
        let other = try await send(.bytes([2]), as: "b")
        let before = try names()
        #expect(before.count == 2)
        try script("UPDATE item SET payload = x'63' WHERE sequence = 1")
        try await store.outbox.tidyFiles(madeBefore: .distantFuture)
        #expect(try names() == before)
        // Without this item no item names the copy.
        try script("DELETE FROM item WHERE sequence = 1")
        try await store.outbox.tidyFiles(madeBefore: .distantFuture)
        #expect(try names() == other.copies.map(\.name))
        await store.close()
    }

    @Test func `of unreferenced copies only old ones are deleted (scar 61)`()
        async throws
    {
        _ = try await send(.bytes([1]))
        let path = try #require(store.outbox.attachments)
        let named = try names()
        for (name, second) in [("old", 1_000), ("young", 3_000)] {
            let file = URL(fileURLWithPath: "\(path)/\(name)")
            try Data([1]).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: TimeInterval(second))],
                ofItemAtPath: file.path)
        }
        try await store.outbox.tidyFiles(madeBefore: Timestamp(milliseconds: 2_000_000))
        #expect(try names() == (named + ["young"]).sorted())
        await store.close()
    }

    // MARK: Reading

    @Test(arguments: [-1, 0, 1])
    func `a copy of changed length is not sent (scar 61)`(
        difference: Int
    ) async throws {
        let item = try await send(.bytes([UInt8](repeating: 7, count: 100)))
        let copy = try #require(item.copies.first)
        let path = "\(try #require(store.outbox.attachments))/\(copy.name)"
        var data = try #require(FileManager.default.contents(atPath: path))
        if difference < 0 { data.removeLast() }
        if difference > 0 { data.append(7) }
        try data.write(to: URL(fileURLWithPath: path))
        let reader = try store.outbox.reader(of: try params(item).files[0], copy)
        #expect(reader.size == 100)
        var count = 0
        var bytes = reader.next()
        while let some = bytes, !some.isEmpty {
            count += some.count
            bytes = reader.next()
        }
        // No bytes at the end; nil if the length differs.
        #expect((bytes == []) == (difference == 0))
        #expect(count <= 100)
        await store.close()
    }

    // MARK: Editing

    @Test func `a pending edit changes the fields it names and no others`()
        async throws
    {
        let now = Timestamp(milliseconds: 9)
        _ = try await send(.bytes([1]), as: "file")
        let contents: [(RequestID, OutboxContent)] = [
            ("text", .userMessage(UserMessageParams(text: "caption"))),
            ("edit", .change(.edit(.delivered(1), MessageEdit(text: "caption")))),
        ]
        for (id, content) in contents {
            _ = try await store.outbox.append(
                id, to: Fixture.channel, createdAt: now, content: content)
        }
        func words(_ content: OutboxContent) -> [String?] {
            switch content {
            case .userMessage(let params): [params.text, params.data, params.customType]
            case .fileMessage(let params, _): [params.caption, params.data, params.customType]
            case .change(.edit(_, let edit)): [edit.text, edit.data, edit.customType]
            case .change, .draft, .inbox: []
            }
        }
        for id: RequestID in ["file", "text", "edit"] {
            var last: OutboxItem?
            for edit in [MessageEdit(data: "d"), MessageEdit(customType: "t")] {
                last = try await store.outbox.fold(edit, into: id, at: now)
            }
            #expect(words(try #require(last).content) == ["caption", "d", "t"], "\(id)")
            let edit = MessageEdit(text: "new")
            last = try await store.outbox.fold(edit, into: id, at: now)
            #expect(words(try #require(last).content) == ["new", "d", "t"], "\(id)")
        }
        #expect(try names().count == 1)
        await store.close()
    }
}
