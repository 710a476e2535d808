// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RoostCluster
import RoostCommand
import RoostCommandLine
import RoostExecutors
import RoostModel
import RoostPostgres
import RoostSQLite
import RoostServer
import RoostSockets
import RoostTestSupport
import Testing

/// `roost import` as a process.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ImportCommandTests {
    private static let loop = Result { () throws(SocketError) in try EventLoop.start() }

    /// A folder `d` of a server with messages and uploads, and a schema for it.
    private struct Scene {
        let program: Program
        let address: String
        let schema: String
        let pool: PostgresPool

        static let names = (0..<3).map { String(repeating: "\($0)", count: 40) }

        init(messages: Int = 20, isMigrated: Bool = true) async throws {
            program = try Program()
            address = try await PostgresServer.shared().address
            schema = PostgresServer.schemaName()
            var configuration = PostgresConfiguration(address)
            configuration.schema = schema
            configuration.sessions = 2
            pool = PostgresPool(configuration, on: try ImportCommandTests.loop.get())
            let files = program.folder.appending(path: "d/files")
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
            for name in Self.names {
                try Data("text/plain\n\(name)".utf8).write(to: files.appending(path: name))
            }
            try Data("begun".utf8).write(to: files.appending(path: Self.names[0] + ".part"))
            let thread = ThreadExecutor(name: "embedded")
            do {
                let storage = try await SQLiteStorage(
                    .file(program.path("d/server.sqlite")), on: thread)
                try await Self.fill(storage, messages)
            }
            await thread.shutDown()
            if isMigrated {
                let outcome = try await program.run([
                    "migrate", "--database", address, "--schema", schema,
                ])
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
        }

        private static func fill(_ storage: SQLiteStorage, _ messages: Int) async throws {
            for id in ["a", "b"] as [UserID] { try await storage.addUser(User(id: id)) }
            _ = try await storage.createChannel(
                NewChannel(
                    record: ChannelRecord(
                        url: "g", createdAt: Timestamp(seconds: 1_000), isDistinct: false),
                    members: ["a", "b"]), now: Timestamp(seconds: 1_000))
            let drafts = (0..<messages).map { number in
                Message(
                    delivery: .delivered(0, RequestID("r\(number)")), channelURL: "g",
                    createdAt: Timestamp(milliseconds: 0), sender: Sender(user: User(id: "a")),
                    content: .user(text: "message \(number)"))
            }
            _ = try await storage.append(drafts, now: Timestamp(seconds: 2_000))
        }

        func words(_ more: String...) -> [String] {
            ["import", "--data", "d", "--database", address, "--schema", schema] + more
        }

        func storedFiles() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: program.path("up")).sorted()
        }

        func table() async throws -> Int {
            try await pool.read { db async throws(PostgresError) in
                try await db.first(
                    PostgresQuery<Int>("SELECT tables FROM import") { Int($0.int64(0)) }) ?? -1
            }
        }
    }

    @Test func `a folder moves with its uploads, and a second run has nothing to do`()
        async throws
    {
        let scene = try await Scene()
        let first = try await scene.program.run(scene.words("--files", "up"))
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.errors.isEmpty)
        #expect(first.output.contains { $0.hasPrefix("message ") && $0.contains(" 20 rows") })
        #expect(first.output.filter { $0.hasSuffix("same") }.count == EmbeddedImport.map.count)
        #expect(first.output.contains("files: 3 files copied, 0 there already"))
        #expect(first.output.last?.hasPrefix("done: ") == true)
        #expect(try scene.storedFiles() == Scene.names)
        let storage = try await PostgresStorage(scene.pool)
        #expect(try await storage.log(of: "g").count == 20)

        // A spoilt and a missing file are copied anew; the equal one stays, and so does the begun
        // file of another import.
        let spoilt = scene.program.folder.appending(path: "up/\(Scene.names[1])")
        try Data("text/plain\n\(Scene.names[2])".utf8).write(to: spoilt)
        try FileManager.default.removeItem(atPath: scene.program.path("up/\(Scene.names[2])"))
        try Data("half".utf8).write(
            to: scene.program.folder.appending(path: "up/\(Scene.names[2]).part"))
        let second = try await scene.program.run(scene.words("--files", "up"))
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.output.contains("files: 2 files copied, 1 there already"))
        #expect(second.output.last?.hasPrefix("done already: ") == true)
        #expect(!second.output.contains { $0.hasSuffix("same") })
        #expect(
            second.output.filter { $0.hasSuffix("imported before, not compared") }.count
                == EmbeddedImport.map.count)
        #expect(try scene.storedFiles() == Scene.names + ["\(Scene.names[2]).part"])
        #expect(try Data(contentsOf: spoilt) == Data("text/plain\n\(Scene.names[1])".utf8))

        let third = try await scene.program.run(scene.words())
        #expect(third.status == 0)
        #expect(third.output.contains { $0.hasPrefix("files: 3 files left in d/files") })
        try scene.program.remove()
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `an import by root leaves files to the owners of their folders`() async throws {
        let scene = try await Scene()
        for (folder, owner) in [("d", 4_001), ("u", 4_002)] {
            let path = scene.program.path(folder)
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
            try FileManager.default.setAttributes(
                [.ownerAccountID: owner, .groupOwnerAccountID: owner + 10], ofItemAtPath: path)
        }
        func owner(_ name: String) throws -> [Int] {
            let found = try FileManager.default.attributesOfItem(atPath: scene.program.path(name))
            return [.ownerAccountID, .groupOwnerAccountID].compactMap {
                (found[$0] as? NSNumber)?.intValue
            }
        }
        let first = try await scene.program.run(scene.words("--files", "u/new/files"))
        #expect(first.status == 0, "\(first.errors)")
        #expect(try owner("d/lock") == [4_001, 4_011])
        let names = ["", "/files"] + Scene.names.map { "/files/" + $0 }
        for name in names { #expect(try owner("u/new" + name) == [4_002, 4_012], "\(name)") }

        // An equal file is given too, as one that root has copied before.
        let kept = "u/new/files/\(Scene.names[0])"
        try FileManager.default.setAttributes(
            [.ownerAccountID: 0, .groupOwnerAccountID: 0],
            ofItemAtPath: scene.program.path(kept))
        let second = try await scene.program.run(scene.words("--files", "u/new/files"))
        #expect(second.output.contains("files: 0 files copied, 3 there already"))
        #expect(try owner(kept) == [4_002, 4_012])
        try scene.program.remove()
    }

    @Test func `an import that is killed goes on where it was`() async throws {
        let scene = try await Scene(messages: 6_000)
        let place = EmbeddedImport.map.firstIndex { $0.target == "message" } ?? 0
        var kills = 0
        for table in [1, place] {
            let roost = try ChildProcess.built("roost")
            let process = try ChildProcess(
                "/usr/bin/env", ["-C", scene.program.folder.path, roost] + scene.words())
            while try await scene.table() < table {}
            process.signal(SIGKILL)
            if case .killed? = await process.end() { kills += 1 }
        }
        #expect(kills > 0)
        let outcome = try await scene.program.run(scene.words())
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try await PostgresStorage(scene.pool).log(of: "g").count == 6_000)
        try scene.program.remove()
    }

    @Test func `each refusal is one sentence with its remedy`() async throws {
        let scene = try await Scene(isMigrated: false)
        func check(_ words: [String], _ code: ExitCode, _ sentence: String) async throws {
            let outcome = try await scene.program.run(words)
            #expect(outcome.status == code.rawValue, "\(outcome.errors)")
            #expect(outcome.errors.count == 1, "\(outcome.errors)")
            #expect(outcome.errors.first?.contains(sentence) == true, "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
        try await check(["import"], .wrongArguments, "--data DIR")
        try await check(
            ["import", "--data", "d", "--database", scene.address, "--schema", "A-b"],
            .wrongArguments, "--schema")
        try await check(
            scene.words("--files", "s3://bucket/uploads"), .wrongArguments, "to a folder only")
        try await check(scene.words(), .server, "Run: roost migrate")
        try await check(
            ["import", "--data", "d", "--database", "host=127.0.0.1 port=1 password=hidden"],
            .server, "cannot be reached")
        _ = try await scene.program.run([
            "migrate", "--database", scene.address, "--schema", scene.schema,
        ])
        var elsewhere = scene.words()
        elsewhere[2] = "nowhere"
        try await check(elsewhere, .storage, "nowhere holds no server")
        do {
            let lock = try FolderLock(file: scene.program.path("d/lock"))
            try await check(scene.words(), .storage, "A server or another import uses d")
            _ = consume lock
        }
        try await PostgresStorage(scene.pool).addUser(User(id: "a"))
        try await check(scene.words(), .failed, "has data already")
        let files = scene.program.folder.appending(path: "d/files")
        try FileManager.default.removeItem(at: files)
        try Data("no folder".utf8).write(to: files)
        try await check(scene.words(), .storage, "The uploads in d/files cannot be listed")
        try Data("no database".utf8).write(
            to: scene.program.folder.appending(path: "d/server.sqlite"))
        try await check(scene.words(), .storage, "is damaged")
        try scene.program.remove()
    }
}
