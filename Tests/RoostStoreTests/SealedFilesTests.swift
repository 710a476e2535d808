// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import RoostSQLite
import RoostSealing
import RoostTestSupport
import StoreTestSupport
import Testing

@testable import RoostStore

/// The copies of the files of unsent messages, when a plaintext store is sealed.
struct SealedFilesTests {
    private static let secret = Array(String(repeating: "Picture-Pintail ", count: 10_000).utf8)

    private let key = StoreProtection.sealed(MasterKeys(Fixture.key(1)))
    private let place: SealedFolder

    init() throws { place = try SealedFolder(inMemory: true) }

    private func file(_ bytes: [UInt8]) -> OutgoingFile {
        OutgoingFile(.bytes(bytes), name: "a", type: "a/b")
    }

    /// Writes a message with two files into a plaintext store.
    private func fill() async throws -> OutboxItem {
        let store = try await place.open(.none)
        let files = [file(Self.secret), file(Array(Self.secret.prefix(9)))]
        let item = try await store.outbox.append(
            "r", to: "c", createdAt: Timestamp(milliseconds: 1),
            content: .fileMessage(FileMessageParams(files: files), copies: [nil, nil]))
        await store.close()
        return item
    }

    private func hasSecret() -> Bool {
        place.files().contains { $0.bytes.firstRange(of: Array("Picture-Pin".utf8)) != nil }
    }

    private var names: [String] {
        place.files().map(\.name).filter { $0.contains("outbox.files/") }.map {
            String($0.split(separator: "/").last ?? "")
        }.sorted()
    }

    /// Expects that the outbox has the message, and that its files are encrypted and whole.
    private func expectSealed(_ store: Store, _ item: OutboxItem) async throws {
        let items = try await store.outbox.items().items
        #expect(items.map(\.requestID) == [item.requestID])
        let copies = items.flatMap(\.copies)
        #expect(copies.map { $0.key?.count } == [32, 32])
        #expect(names == copies.map(\.name).sorted())
        #expect(!hasSecret())
        for (copy, bytes) in zip(copies, [Self.secret, Array(Self.secret.prefix(9))]) {
            #expect(try store.outbox.reader(of: file([]), copy).all() == bytes)
        }
    }

    @Test func `opening a plain store with a key seals the files of unsent messages (R136)`()
        async throws
    {
        let item = try await fill()
        #expect(hasSecret() && names == item.copies.map(\.name).sorted())
        for _ in 0..<2 {
            let store = try await place.open(key)
            try await expectSealed(store, item)
            await store.close()
        }
    }

    @Test(arguments: ["in a copy", "after an item"])
    func `an interrupted sealing of files is resumed, and loses none (R136, scar 61)`(
        _ moment: String
    ) async throws {
        let item = try await fill()
        let plain = place.files().filter { $0.name.contains("outbox.files/") }
        let folder = try #require(plain.first).name.split(separator: "/").dropLast()
        let path = "\(place.folder.path)/\(folder.joined(separator: "/"))"
        if moment == "in a copy" {
            // The beginning of an encrypted copy that no item names.
            try Data([1, 2, 3]).write(to: URL(filePath: "\(path)/\(item.copies[0].name)-sealed"))
        } else {
            let store = try await place.open(key)
            await store.close()
            // The item names its encrypted copies, and the plaintext ones are still there.
            for (name, bytes) in plain {
                try Data(bytes).write(to: URL(filePath: "\(place.folder.path)/\(name)"))
            }
            try Connection(.file(place.path("outbox.sqlite"))).executeScript(
                "UPDATE vault SET stage = 1")
        }
        #expect(hasSecret())
        let store = try await place.open(key)
        try await expectSealed(store, item)
        await store.close()
    }

    @Test func `a missing copy does not keep a store from being sealed`() async throws {
        let item = try await fill()
        let found = try #require(place.files().first { $0.name.hasSuffix(item.copies[0].name) })
        try FileManager.default.removeItem(atPath: "\(place.folder.path)/\(found.name)")
        let store = try await place.open(key)
        let copies = try await store.outbox.items().items.flatMap(\.copies)
        #expect(copies.map { $0.key?.count } == [nil, 32])
        #expect(!hasSecret())
        await store.close()
    }

    @Test func `a damaged plain outbox that is opened with a key loses nothing (scar 42)`()
        async throws
    {
        let item = try await fill()
        // The index of request IDs; the items are in another page.
        let path = try place.path("outbox.sqlite")
        let root = try Connection(.file(path)).first(
            Query<Void, Int64>(
                sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_item_1'"
            ) { $0.int64(0) })
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64((try #require(root) - 1) * 4_096))
        try file.write(contentsOf: Data(repeating: 0xFF, count: 64))
        try file.close()
        let store = try await place.open(key)
        guard case .repaired(_, _, let saved) = store.outboxReport else {
            Issue.record("The damage was not noticed.")
            return
        }
        #expect(saved.messages == 1)
        let items = try await store.outbox.items().items
        #expect(items.map(\.requestID) == [item.requestID])
        #expect(items.flatMap(\.copies).map { $0.key?.count } == [32, 32])
        await store.close()
    }

    @Test func `a stopped sealing of a file leaves its plaintext copy (R136)`() async throws {
        let item = try await fill()
        let files = StoreLocation.folder(place.folder.path).files(of: Secrets.owner)
        let folder = AttachmentFolder(path: try #require(files).attachments)
        #expect(
            try folder.sealed(#require(item.copies.first), to: "half", unless: { true }) == nil)
        #expect(hasSecret())
        let store = try await place.open(key)
        try await expectSealed(store, item)
        await store.close()
    }

    @Test func `no file's name of a sealed store shows a request ID (R136)`() async throws {
        let store = try await place.open(key)
        for id: RequestID in ["request-stint", "Request-Stint"] {
            _ = try await store.outbox.append(
                id, to: "c", createdAt: Timestamp(milliseconds: 1),
                content: .fileMessage(FileMessageParams(files: [file([1, 2])]), copies: [nil]))
        }
        #expect(names.count == 2)
        for name in place.files().map({ $0.name.lowercased() }) {
            #expect(!name.contains("request") && !name.contains("stint"), "\(name)")
        }
        await store.close()
    }

    @Test func `a damaged copy that is sent again is named as the cause (scar 61)`() async throws {
        let store = try await place.open(key)
        let item = try await store.outbox.append(
            "r", to: "c", createdAt: Timestamp(milliseconds: 1),
            content: .fileMessage(FileMessageParams(files: [file(Self.secret)]), copies: [nil]))
        let copy = try #require(item.copies.first)
        let path = "\(try #require(store.outbox.attachments))/\(copy.name)"
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.truncate(atOffset: try handle.seekToEnd() - 1)
        try handle.close()
        var again = file([])
        again.sealedCopy = SealedCopy(
            path: path, size: copy.size, key: try #require(copy.key))
        let before = names
        let error = await #expect(throws: StoreError.self) {
            try await store.outbox.append(
                "again", to: "c", createdAt: Timestamp(milliseconds: 2),
                content: .fileMessage(FileMessageParams(files: [again]), copies: [nil]))
        }
        #expect(error?.kind == .fileUnreadable)
        #expect(names == before)
        await store.close()
    }
}
