// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostServer
import RoostSockets
import RoostTestSupport
import Testing

@testable import RoostHost

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
