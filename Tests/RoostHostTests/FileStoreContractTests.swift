// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCluster
import RoostExecutors
import RoostModel
import RoostPages
import RoostServer
import RoostSockets
import RoostTestSupport
import Testing

@testable import RoostHost

/// The promises of the seam, for every store of files.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct FileStoreContractTests {
    enum Kind: CaseIterable { case memory, folder, bucket }

    /// A store, and everything that it needs.
    private struct Fixture {
        let store: any FileStore
        let close: @Sendable () async -> Void

        init(_ kind: Kind) async throws {
            switch kind {
            case .memory:
                store = MemoryFileStore(on: ThreadExecutor(name: "files"))
                close = {}
            case .folder:
                let folder = try TemporaryFolder()
                store = FolderFileStore(
                    folder: folder.path + "/files", on: ThreadExecutor(name: "files"))
                close = { _ = folder }
            case .bucket:
                let server = try await ObjectServer.shared()
                let loop = try EventLoop.start()
                let store = try S3FileStore(try S3Settings(of: server), .test, on: loop)
                try await store.check()
                self.store = store
                close = {
                    await store.close()
                    await loop.shutdown()
                }
            }
        }

        /// Returns a name that no other test has.
        static func name() -> String {
            let digits = (UUID().uuidString + UUID().uuidString).lowercased()
            return String(digits.filter(\.isHexDigit).prefix(40))
        }
    }

    private static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in UInt8(random.below(256)) }
    }

    @Test func `a folder knows the bytes of its kept files, those of an earlier run included`()
        async throws
    {
        let folder = try TemporaryFolder()
        let thread = ThreadExecutor(name: "files")
        let (first, second) = (Fixture.name(), Fixture.name())
        func kept(_ store: FolderFileStore) async -> Int64? {
            await store.disk(with: folder.path + "/database").files
        }
        var store = FolderFileStore(folder: folder.path, on: thread)
        try await store.begin(first, type: "a/b")
        try await store.append(Array("words".utf8), to: first)
        #expect(await kept(store) == 0)
        try await store.keep(first)
        #expect(await kept(store) == 9, "the type has a line of the file")
        store = FolderFileStore(folder: folder.path, on: thread)
        try await store.begin(second, type: "c/d")
        #expect(await kept(store) == 9)
        try await store.keep(second)
        #expect(await kept(store) == 13)
        await store.remove(first)
        await store.remove(first)
        let disk = await store.disk(with: folder.path + "/database")
        #expect(disk.files == 4 && disk.database == 0)
        #expect(disk.free == nil, "the database has no volume yet")
        #expect(await store.disk(with: folder.path).free ?? 0 > 0)
        await thread.shutDown()
    }

    @Test func `a growing file is made durable in steps, so that its end takes no longer`()
        async throws
    {
        let folder = try TemporaryFolder()
        let thread = ThreadExecutor(name: "files")
        let store = FolderFileStore(folder: folder.path, on: thread, syncBytes: 10)
        let name = Fixture.name()
        try await store.begin(name, type: "a/b")
        var waiting: [Int?] = []
        for count in [4, 4, 4, 20, 1] {
            try await store.append([UInt8](repeating: 1, count: count), to: name)
            waiting.append(await store.begun[name])
        }
        #expect(waiting == [4, 8, 0, 0, 1])
        try await store.keep(name)
        #expect(await store.begun.isEmpty)
        #expect(try await store.read(name, 0..<99).count == 33)
        await thread.shutDown()
    }

    @Test(arguments: Kind.allCases)
    func `a file is readable once it is kept, and not before`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let (store, name) = (fixture.store, Fixture.name())
        #expect(try await store.file(name) == nil)
        try await store.begin(name, type: "text/plain; charset=utf-8")
        try await store.append(Array("wo".utf8), to: name)
        #expect(try await store.file(name) == nil)
        try await store.append(Array("rds".utf8), to: name)
        try await store.keep(name)
        #expect(
            try await store.file(name)
                == StoredFile(type: "text/plain; charset=utf-8", byteCount: 5))
        #expect(try await store.read(name, 0..<5) == Array("words".utf8))
        await store.drop(name)
        #expect(try await store.read(name, 1..<3) == Array("or".utf8), "a kept file stays")
        #expect(try await store.read(name, 3..<99) == Array("ds".utf8))
        await store.remove(name)
        #expect(try await store.file(name) == nil)
        await fixture.close()
    }

    @Test(arguments: Kind.allCases)
    func `a dropped file and one that was not begun cannot be kept`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let (store, name) = (fixture.store, Fixture.name())
        try await store.append([1], to: name)
        await #expect(throws: StorageError.self) { try await store.keep(name) }
        try await store.begin(name, type: "a/b")
        try await store.append([1], to: name)
        await store.drop(name)
        await #expect(throws: StorageError.self) { try await store.keep(name) }
        #expect(try await store.file(name) == nil)
        await fixture.close()
    }

    @Test(arguments: Kind.allCases)
    func `an empty file is a file`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let (store, name) = (fixture.store, Fixture.name())
        try await store.begin(name, type: "a/b")
        try await store.keep(name)
        #expect(try await store.file(name) == StoredFile(type: "a/b", byteCount: 0))
        #expect(try await store.read(name, 0..<10).isEmpty)
        await fixture.close()
    }

    @Test(arguments: Kind.allCases)
    func `a file of many parts keeps all bytes in order`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let (store, name) = (fixture.store, Fixture.name())
        // Three parts of a bucket; the last one is short.
        let bytes = Self.bytes(2 * 5_242_880 + 12_345, seed: 7)
        try await store.begin(name, type: "a/b")
        for start in stride(from: 0, to: bytes.count, by: 61_000) {
            try await store.append(
                Array(bytes[start..<min(start + 61_000, bytes.count)]), to: name)
        }
        #expect(try await store.file(name) == nil)
        try await store.keep(name)
        #expect(try await store.file(name)?.byteCount == bytes.count)
        // As the server reads a download.
        var read: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 65_536) {
            read += try await store.read(name, start..<min(start + 65_536, bytes.count))
        }
        #expect(read == bytes)
        await fixture.close()
    }

    @Test(arguments: Kind.allCases)
    func `files that are written at once do not mix`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let store = fixture.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in UInt64(1)...8 {
                group.addTask {
                    let (name, bytes) = (Fixture.name(), Self.bytes(20_000, seed: seed))
                    try await store.begin(name, type: "a/b")
                    for start in stride(from: 0, to: bytes.count, by: 1_000) {
                        try await store.append(Array(bytes[start..<(start + 1_000)]), to: name)
                    }
                    try await store.keep(name)
                    #expect(try await store.read(name, 0..<20_000) == bytes)
                }
            }
            try await group.waitForAll()
        }
        await fixture.close()
    }

    @Test func `a begun file is open only while its bytes are written`() async throws {
        let folder = try TemporaryFolder()
        let store = FolderFileStore(
            folder: folder.path + "/files", on: ThreadExecutor(name: "files"))
        func openFiles() throws -> [String] {
            let manager = FileManager.default
            return try manager.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
                // The folder of descriptors itself is closed again.
                try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
            }.filter { $0.contains(folder.path) }
        }
        let names = (0..<8).map { _ in Fixture.name() }
        for name in names {
            try await store.begin(name, type: "a/b")
            try await store.append([1, 2], to: name)
        }
        #expect(try openFiles() == [])
        for name in names {
            try await store.append([3], to: name)
            try await store.keep(name)
            #expect(try await store.read(name, 0..<9) == [1, 2, 3])
        }
        #expect(try openFiles() == [])
    }

    @Test func `another server reads a kept file at once`() async throws {
        let (one, two) = (try await Fixture(.bucket), try await Fixture(.bucket))
        let name = Fixture.name()
        try await one.store.begin(name, type: "a/b")
        try await one.store.append([1, 2, 3], to: name)
        try await one.store.keep(name)
        #expect(try await two.store.file(name) == StoredFile(type: "a/b", byteCount: 3))
        #expect(try await two.store.read(name, 0..<3) == [1, 2, 3])
        for fixture in [one, two] { await fixture.close() }
    }

    @Test(arguments: [
        ("key", "AWS_ACCESS_KEY_ID"), ("secret", "AWS_SECRET_ACCESS_KEY"),
        ("rights", "give the key the rights"), ("bucket", "create it"), ("clock", "clocks"),
        ("place", "cannot be reached"),
    ])
    func `a wrong setting is refused at the start, with its remedy`(
        wrong: String, words: String
    ) async throws {
        let server = try await ObjectServer.shared()
        var settings = try S3Settings(of: server)
        let (id, secret) = (server.key.id, server.key.secret)
        var world = S3World.test
        switch wrong {
        case "key": settings.keys = S3Keys(id: "AKIDNOBODY", secret: secret)
        case "secret": settings.keys = S3Keys(id: id, secret: "another")
        case "rights":
            settings.keys = S3Keys(id: server.stranger.id, secret: server.stranger.secret)
        case "bucket": settings.bucket = "no-such-bucket"
        case "clock": world.time = { Timestamp(milliseconds: 1_369_353_600_000) }
        default: settings.endpoint = "http://127.0.0.1:\(try FreePort.next())"
        }
        let loop = try EventLoop.start()
        let store = try S3FileStore(settings, world, on: loop)
        do throws(StorageError) {
            try await store.check()
            Issue.record("the check succeeded")
        } catch {
            #expect(error.message.contains(words), "\(error.message)")
            #expect(!error.message.contains(id) && !error.message.contains(secret))
        }
        await store.close()
        await loop.shutdown()
    }
}

extension S3Settings {
    /// The settings for a server of the tests.
    init(of server: ObjectServer) throws(StorageError) {
        try self.init(
            location: "s3://\(ObjectServer.bucket)/\(ObjectServer.prefix)",
            environment: server.environment)
    }
}

extension S3World {
    static let test = S3World.live(
        time: { Timestamp(milliseconds: EventLoop.systemSeconds() * 1_000) }, log: { _ in })
}
