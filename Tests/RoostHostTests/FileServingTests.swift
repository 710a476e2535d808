// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostServer
import RoostTestSupport
import Testing

@testable import RoostHost
@testable import RoostSockets

struct FileServingTests {
    private static let name = String(repeating: "a", count: 40)

    @Test
    func `an unreadable file is answered with 503, a missing one with 404`()
        async throws
    {
        let folder = try TemporaryFolder()
        let executor = ThreadExecutor(name: "files")
        let files = FolderFileStore(folder: folder.path + "/files", on: executor)
        let world = ServerWorld(now: { .distantPast }, entropy: { 1 }, digest: { $0 })
        let server = await ChatServer(
            ChatServer.Configuration(applicationID: "APP"), storage: MemoryStorage(on: executor),
            files: files, fanOut: InProcessFanOut(on: executor), world: world, on: executor)
        let handler = ChatHandler(
            server, believesProxy: false, formLimit: 100,
            origins: OriginPolicy(origins: [], publicAddress: nil, requiresToken: true),
            health: HealthProbe { true })
        func ask() async -> HTTPServerResponse {
            await handler.respond(
                to: HTTPServerRequest(method: "GET", target: "/files/\(Self.name)/x"))
        }
        #expect(await ask().status == 404)
        try await files.begin(Self.name, type: "text/plain")
        try await files.append(Array("words".utf8), to: Self.name)
        #expect(await ask().status == 404, "an incomplete file is not readable")
        try await files.keep(Self.name)
        let answer = await ask()
        #expect(answer.status == 200)
        #expect(await answer.source?.read(0..<5) == Array("words".utf8))
        let path = "\(folder.path)/files/\(Self.name)"
        try FileManager.default.removeItem(atPath: path)
        // A link to itself cannot be opened with any permissions.
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        #expect(await ask().status == 503)
    }

    @Test func `a form in tiny pieces is written in few ones`() async throws {
        let executor = ThreadExecutor(name: "files")
        let files = CountingFileStore(on: executor)
        let world = ServerWorld(now: { .distantPast }, entropy: { 1 }, digest: { $0 })
        let server = await ChatServer(
            ChatServer.Configuration(applicationID: "APP", apiToken: "token"),
            storage: MemoryStorage(on: executor), files: files,
            fanOut: InProcessFanOut(on: executor), world: world, on: executor)
        let handler = ChatHandler(
            server, believesProxy: false, formLimit: 1_000_000,
            origins: OriginPolicy(origins: [], publicAddress: nil, requiresToken: true),
            health: HealthProbe { true })
        let content = String(repeating: "x", count: 40_000)
        let form = Array(
            ("--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n"
                + content + "\r\n--B--\r\n").utf8)
        let place = Guarded(0)
        let body = HTTPRequestBody(next: { () async throws(SocketError) -> [UInt8]? in
            place.withLock { place -> [UInt8]? in
                guard place < form.count else { return nil }
                place += 1
                return [form[place - 1]]
            }
        })
        let head = HTTPServerRequest(
            method: "POST", target: "/v3/storage/file",
            headers: [
                "Api-Token": "token", "Content-Type": "multipart/form-data; boundary=B",
            ])
        let answer = await handler.respond(to: head, reading: body)
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        #expect(await files.byteCount == content.utf8.count)
        #expect(await files.appendCount <= 4)
    }

    @Test func `files count towards the rate of an address, and more are answered with 429`()
        async throws
    {
        let executor = ThreadExecutor(name: "files")
        let world = ServerWorld(now: { .distantPast }, entropy: { 1 }, digest: { $0 })
        var configuration = ChatServer.Configuration(applicationID: "APP")
        configuration.addressRate = Rate(burst: 2, perSecond: 1)
        let server = await ChatServer(
            configuration, storage: MemoryStorage(on: executor),
            fanOut: InProcessFanOut(on: executor), world: world, on: executor)
        let handler = ChatHandler(
            server, believesProxy: false, formLimit: 100,
            origins: OriginPolicy(origins: [], publicAddress: nil, requiresToken: true),
            health: HealthProbe { true })
        func ask(from peer: String) async -> HTTPServerResponse {
            var request = HTTPServerRequest(method: "GET", target: "/files/\(Self.name)/x")
            request.peer = peer
            return await handler.respond(to: request)
        }
        for _ in 0..<2 { #expect(await ask(from: "10.0.0.1").status == 404) }
        let refusal = await ask(from: "10.0.0.1")
        #expect(refusal.status == 429)
        #expect(refusal.headers["Retry-After"] == "1")
        #expect(await ask(from: "10.0.0.2").status == 404)
    }
}

/// A store that counts the pieces of files.
private actor CountingFileStore: FileStore {
    private(set) var appendCount = 0
    private(set) var byteCount = 0
    private nonisolated let executor: any SerialExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(on executor: any SerialExecutor) { self.executor = executor }

    func begin(_ id: String, type: String) {}
    func append(_ bytes: [UInt8], to id: String) {
        appendCount += 1
        byteCount += bytes.count
    }
    func keep(_ id: String) {}
    func drop(_ id: String) {}
    func remove(_ id: String) {}
    func file(_ id: String) -> StoredFile? { nil }
    func read(_ id: String, _ range: Range<Int>) -> [UInt8] { [] }
}
