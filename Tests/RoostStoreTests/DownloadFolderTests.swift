// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostSealing
import RoostTestSupport
import StoreTestSupport
import Testing

@testable import RoostStore

/// The folder of downloaded files: parts, sealing and eviction.
struct DownloadFolderTests {
    private static let address = "https://files.example/secret/film.MP4?x=1.txt"
    private static let piece = Int(FileFetch.piece)
    private static let owner = StoreOwner(application: "app", user: "anna")

    private let folder: TemporaryFolder
    private let clock = Guarded<Int64>(1_000)

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    private static func key(_ byte: UInt8) throws -> StoreProtection {
        try .key([UInt8](repeating: byte, count: 32))
    }

    /// Opens a store; its clock advances by a second with each use of a file.
    private func open(
        limit: Int64 = 1 << 30, _ protection: StoreProtection = .none
    ) async throws -> Store {
        var options = Store.Options()
        options.downloadsLimit = limit
        options.protection = protection
        options.wallTime = { [clock] in
            Timestamp(
                milliseconds: clock.withLock { now in
                    now += 1_000
                    return now
                })
        }
        return try await Store.open(.folder(folder.path), owner: Self.owner, options)
    }

    private static func part(
        _ received: Int, of total: Int, _ validator: String = "\"1\""
    ) -> FileFetch.Part {
        FileFetch.Part(total: Int64(total), validator: validator, received: Int64(received))
    }

    /// Downloads a file in one piece or more.
    @discardableResult
    private static func download(
        _ address: String, _ bytes: [UInt8], in store: Store
    ) async throws -> DownloadedCopy {
        _ = try await store.downloads.begin(address)
        var received = 0
        while true {
            let count = min(2 * piece, bytes.count - received)
            let state = try await store.downloads.write(
                Array(bytes[received..<(received + count)]),
                behind: part(received, of: bytes.count), of: address)
            received += count
            if case .whole(let copy) = state {
                await store.downloads.end(address)
                return copy
            }
        }
    }

    private static func part(_ state: DownloadFolder.State) -> FileFetch.Part? {
        if case .part(let part) = state { part } else { nil }
    }

    private var files: [String] {
        let base = URL(fileURLWithPath: folder.path)
        let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String }
        return (names ?? []).filter { $0.contains("/files") }
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 400_000], [false, true])
    func `a file is whole under a name with its extension, and its bytes are the same`(
        count: Int, isSealed: Bool
    ) async throws {
        let store = try await open(isSealed ? try Self.key(1) : .none)
        let copy = try await Self.download(Self.address, Self.bytes(count), in: store)
        #expect(copy.path.hasSuffix(".mp4") != isSealed)
        #expect(copy.size == Int64(count))
        #expect(copy.isSealed == isSealed)
        let stored = [UInt8](try Data(contentsOf: URL(fileURLWithPath: copy.path)))
        #expect((stored == Self.bytes(count)) != isSealed)
        #expect(try await store.downloads.contents(of: Self.address) == Self.bytes(count))
        guard case .whole(copy) = try await store.downloads.begin(Self.address) else {
            return #expect(Bool(false))
        }
        await store.close()
    }

    @Test(arguments: [false, true])
    func `a part survives a relaunch without its torn last piece`(isSealed: Bool) async throws {
        let protection = isSealed ? try Self.key(1) : .none
        let bytes = Self.bytes(3 * Self.piece)
        let store = try await open(protection)
        _ = try await store.downloads.begin(Self.address)
        _ = try await store.downloads.write(
            Array(bytes[..<(2 * Self.piece)]), behind: Self.part(0, of: bytes.count),
            of: Self.address)
        await store.close()
        let name = try #require(files.first { $0.hasSuffix(".part") })
        let handle = try #require(FileHandle(forUpdatingAtPath: folder.file(name)))
        try handle.truncate(atOffset: try handle.seekToEnd() - 10)
        try handle.close()

        let again = try await open(protection)
        let state = try await again.downloads.begin(Self.address)
        #expect(Self.part(state) == Self.part(Self.piece, of: bytes.count))
        let rest = try await again.downloads.write(
            Array(bytes[Self.piece...]), behind: Self.part(Self.piece, of: bytes.count),
            of: Self.address)
        guard case .whole = rest else { return #expect(Bool(false)) }
        #expect(try await again.downloads.contents(of: Self.address) == bytes)
        #expect(!files.contains { $0.contains(".part") })
        await again.close()
    }

    @Test func `a part without a validator is not continued later`() async throws {
        let store = try await open()
        _ = try await store.downloads.begin(Self.address)
        let first = Self.part(0, of: 3 * Self.piece, "")
        let bytes = Self.bytes(Self.piece)
        let state = try await store.downloads.write(bytes, behind: first, of: Self.address)
        let part = try #require(Self.part(state))
        #expect(part.received == Int64(Self.piece))
        let next = try await store.downloads.write(bytes, behind: part, of: Self.address)
        #expect(Self.part(next)?.received == Int64(2 * Self.piece))
        await store.downloads.end(Self.address)
        #expect(Self.part(try await store.downloads.begin(Self.address)) == nil)
        #expect(files.allSatisfy { !$0.contains(".part") })
        await store.close()
    }

    @Test func `two processes bring one part further together`() async throws {
        let (one, two) = (try await open(), try await open())
        let bytes = Self.bytes(3 * Self.piece)
        for store in [one, two] { _ = try await store.downloads.begin(Self.address) }
        let start = Self.part(0, of: bytes.count)
        _ = try await one.downloads.write(
            Array(bytes[..<(2 * Self.piece)]), behind: start, of: Self.address)
        // The slower one continues behind the other's part.
        let state = try await two.downloads.write(
            Array(bytes[..<Self.piece]), behind: start, of: Self.address)
        let part = try #require(Self.part(state))
        #expect(part.received == Int64(2 * Self.piece))
        let end = try await two.downloads.write(
            Array(bytes[(2 * Self.piece)...]), behind: part, of: Self.address)
        guard case .whole(let copy) = end else { return #expect(Bool(false)) }
        guard
            case .whole(copy) = try await one.downloads.write(
                Array(bytes[(2 * Self.piece)...]), behind: part, of: Self.address)
        else { return #expect(Bool(false)) }
        #expect(try await one.downloads.contents(of: Self.address) == bytes)
        await one.close()
        await two.close()
    }

    @Test func `a sealed folder reveals neither bytes nor address nor version`() async throws {
        let store = try await open(try Self.key(1))
        let bytes = Self.bytes(200_000)
        let copy = try await Self.download(Self.address, bytes, in: store)
        #expect(copy.isSealed)
        let stored = try Data(contentsOf: URL(fileURLWithPath: copy.path))
        #expect(stored.range(of: Data(bytes[..<64])) == nil)
        #expect(try await store.downloads.contents(of: Self.address) == bytes)
        _ = try await store.downloads.begin("b")
        _ = try await store.downloads.write(
            [UInt8](repeating: 0, count: Self.piece),
            behind: Self.part(0, of: 2 * Self.piece, "\"the-secret\""), of: "b")
        let version = try #require(files.first { $0.hasSuffix(".info") })
        let info = try Data(contentsOf: URL(fileURLWithPath: folder.file(version)))
        #expect(info.range(of: Data("secret".utf8)) == nil)
        let clear = DownloadNames(nil).name(of: Self.address).prefix(40)
        #expect(!files.contains { $0.contains(clear) || $0.hasSuffix(".mp4") })
        await store.close()
    }

    @Test func `a cut, changed or foreign sealed file is downloaded again`() async throws {
        let store = try await open(try Self.key(1))
        let bytes = Self.bytes(3 * Self.piece)
        for harm in 0..<4 {
            let copy = try await Self.download(Self.address, bytes, in: store)
            let handle = try #require(FileHandle(forUpdatingAtPath: copy.path))
            switch harm {
            case 0: try handle.truncate(atOffset: UInt64(2 * (Self.piece + SealedForm.overhead)))
            case 1:
                try handle.seek(toOffset: 100)
                try handle.write(contentsOf: Data([1, 2, 3]))
            case 2: try handle.truncate(atOffset: 5)
            default: try handle.truncate(atOffset: 0)
            }
            try handle.close()
            await #expect(throws: StoreError.self) {
                try await store.downloads.contents(of: Self.address)
            }
            #expect(try await store.downloads.copy(of: Self.address) == nil)
            guard case .part(nil) = try await store.downloads.begin(Self.address) else {
                return #expect(Bool(false))
            }
            await store.downloads.end(Self.address)
        }
        await store.close()
    }

    @Test func `a change of the protection leaves no file of the other kind`() async throws {
        let store = try await open()
        try await Self.download(Self.address, Self.bytes(1_000), in: store)
        await store.close()
        let sealed = try await open(try Self.key(1))
        #expect(files.allSatisfy { !$0.hasSuffix(".mp4") })
        #expect(try await sealed.downloads.copy(of: Self.address) == nil)
        try await Self.download(Self.address, Self.bytes(1_000), in: sealed)
        await sealed.close()
        let other = try await open(try Self.key(1).takenOff())
        #expect(try await other.downloads.copy(of: Self.address) == nil)
        #expect(try await other.downloads.byteCount() == 0)
        await other.close()
    }

    @Test func `the least recently used file goes first, and a use counts`() async throws {
        let store = try await open(limit: 4_000)
        for name in ["a", "b", "c"] {
            try await Self.download(name, Self.bytes(1_000), in: store)
            // Whole files count as used when they are asked for.
            #expect(try await store.downloads.copy(of: name) != nil)
        }
        #expect(try await store.downloads.copy(of: "a") != nil)
        try await Self.download("d", Self.bytes(1_500), in: store)
        #expect(try await store.downloads.copy(of: "b") == nil)
        #expect(try await store.downloads.copy(of: "a") != nil)
        #expect(try await store.downloads.copy(of: "c") != nil)
        #expect(try await store.downloads.byteCount() <= 4_000)
        await store.close()
    }

    @Test func `running downloads are never evicted, and take the room of no other`() async throws {
        let store = try await open(limit: 3 * FileFetch.piece)
        let total = 2 * Self.piece
        _ = try await store.downloads.begin("a")
        _ = try await store.downloads.write(
            Self.bytes(Self.piece), behind: Self.part(0, of: total), of: "a")
        _ = try await store.downloads.begin("b")
        let error = await #expect(throws: StoreError.self) {
            try await store.downloads.write(
                Self.bytes(Self.piece), behind: Self.part(0, of: total), of: "b")
        }
        #expect(error?.kind == .full)
        await store.downloads.end("b")
        // The part of the ended download makes room.
        await store.downloads.end("a")
        try await Self.download("b", Self.bytes(total), in: store)
        #expect(Self.part(try await store.downloads.begin("a")) == nil)
        #expect(try await store.downloads.byteCount() <= 3 * FileFetch.piece)
        try await store.downloads.clear()
        #expect(try await store.downloads.byteCount() == 0)
        await store.close()
    }

    @Test func `a suspended store writes no file until it resumes`() async throws {
        let store = try await open()
        await store.suspend()
        let downloads = store.downloads
        let isDone = Guarded(false)
        let download = Task {
            let copy = try await Self.download(Self.address, Self.bytes(1_000), in: store)
            isDone.withLock { $0 = true }
            return copy
        }
        // The folder's thread has had the call, which waits at the gate.
        await downloads.letGo()
        #expect(!isDone.withLock { $0 })
        #expect(!files.contains { $0.hasSuffix(".mp4") })
        try await store.resume()
        #expect(try await download.value.size == 1_000)
        await store.close()
    }

    @Test func `a copy is decrypted and replaces a file of its name`() async throws {
        let store = try await open(try Self.key(1))
        let bytes = Self.bytes(200_000)
        try await Self.download(Self.address, bytes, in: store)
        let target = folder.file("target")
        try Data([1]).write(to: URL(fileURLWithPath: target))
        try await store.downloads.export(Self.address, to: target)
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: target))) == bytes)
        await #expect(throws: StoreError.self) {
            try await store.downloads.export(Self.address, to: folder.file("missing/target"))
        }
        await store.close()
    }

    @Test func `a copy of a download replaces its target and touches no file beside it`()
        async throws
    {
        let store = try await open(try Self.key(1))
        let bytes = Self.bytes(100_000)
        try await Self.download(Self.address, bytes, in: store)
        let place = try TemporaryFolder(inMemory: true)
        let target = place.file("film.mp4")
        for name in ["film.mp4", "film.mp4.part"] {
            try Data([7]).write(to: URL(filePath: place.file(name)))
        }
        try await store.downloads.export(Self.address, to: target)
        #expect(try Data(contentsOf: URL(filePath: target)) == Data(bytes))
        try await store.downloads.clear()
        await #expect(throws: StoreError.self) {
            try await store.downloads.export(Self.address, to: target)
        }
        #expect(try Data(contentsOf: URL(filePath: target)) == Data(bytes))
        #expect(try Data(contentsOf: URL(filePath: place.file("film.mp4.part"))) == Data([7]))
        #expect(try place.contents() == ["film.mp4", "film.mp4.part"])
        await store.close()
    }

    @Test func `a client in memory has no folder for files`() async throws {
        let store = try await Store.open(.memory, owner: Self.owner)
        await #expect(throws: StoreError.self) { try await store.downloads.begin(Self.address) }
        try await store.downloads.clear()
        await store.close()
    }

    /// Waits for a condition of another thread.
    private static func wait(until isSo: () -> Bool) async {
        while !isSo() { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a suspension waits neither for a file's end nor for another process (scar 49)`()
        async throws
    {
        let store = try await open(try Self.key(1))
        let bytes = Self.bytes(16 << 20)
        let copy = try await Self.download(Self.address, bytes, in: store)
        let target = folder.file("film.mp4")
        func export() -> Task<Void, any Error> {
            Task { try await store.downloads.export(Self.address, to: target) }
        }
        func written() -> Int64 {
            let part = PlainFile.names(in: self.folder.path).first { $0.hasPrefix("film.mp4") }
            return part.flatMap { PlainFile.extent(self.folder.file($0))?.byteCount } ?? 0
        }
        var copying = export()
        await Self.wait { written() > 0 }
        await store.suspend()
        // On a loaded machine a suspension can begin behind the end of the file: copy again.
        for _ in 1...20 where written() == bytes.count {
            try await store.resume()
            try await copying.value
            try PlainFile.delete(target)
            copying = export()
            await Self.wait { written() > 0 }
            await store.suspend()
        }
        #expect(written() < bytes.count)
        try await store.resume()
        try await copying.value
        // No piece is missing and none was written twice.
        #expect(try Data(contentsOf: URL(filePath: target)) == Data(bytes))

        let folder = String(copy.path[..<(try #require(copy.path.lastIndex(of: "/")))])
        let lock = try FolderLock(file: "\(folder)/lock")
        let step = Task { try await store.downloads.copy(of: Self.address) }
        await Self.wait { Self.openCount(of: "\(folder)/lock") == 2 }
        await store.suspend()
        _ = consume lock
        try await store.resume()
        #expect(try await step.value == copy)
        await store.close()
    }

    @Test func `an uploaded file whose copying could not begin is cleared later (scar 37)`()
        async throws
    {
        let store = try await open()
        let file = OutgoingFile(.bytes(Self.bytes(100)), name: "a", type: "a/b")
        let item = try await store.outbox.append(
            "r", to: "c", createdAt: Timestamp(milliseconds: 1),
            content: .fileMessage(FileMessageParams(files: [file]), copies: [nil]))
        let copy = try #require(item.copies.first)
        let attachments = try #require(store.outbox.attachments)
        let inTheWay = folder.file("app/anna/files")
        #expect(FileManager.default.createFile(atPath: inTheWay, contents: nil))
        await #expect(throws: StoreError.self) {
            try await store.downloads.adopt(copy, in: attachments, as: Self.address)
        }
        try FileManager.default.removeItem(atPath: inTheWay)
        try await store.downloads.adopt(copy, in: attachments, as: Self.address)
        #expect(try await store.downloads.byteCount() > 0)
        try await store.downloads.clear()
        #expect(try await store.downloads.byteCount() == 0)
        await store.close()
    }

    /// Returns the number of this process's open descriptors of a file.
    private static func openCount(of path: String) -> Int {
        let manager = FileManager.default
        let numbers = (try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.count { number in
            (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path
        }
    }
}
