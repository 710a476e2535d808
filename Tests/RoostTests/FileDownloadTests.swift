// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import RoostTransport
import Testing

/// Downloads of files in virtual time, with the real store and the server's core.
struct FileDownloadTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    /// The network of a client: it counts the requests for files, and may change the answers.
    private final class Peer: HTTPTransport {
        typealias Change =
            @Sendable (HTTPRequest, HTTPResponse, Int) throws(TransportError) -> HTTPResponse
        private let inner: any HTTPTransport
        private let log: Guarded<[String]>
        private let change: Change

        init(_ inner: any HTTPTransport, _ log: Guarded<[String]>, _ change: @escaping Change) {
            self.inner = inner
            self.log = log
            self.change = change
        }

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            guard request.method == "GET", request.url.contains("/files/") else {
                return try await inner.send(request)
            }
            #expect(!request.headers.contains { $0.name == "Session-Key" })
            let range = request.headers.first { $0.name == "Range" }?.value ?? ""
            let count = log.withLock { log in
                log.append(range)
                return log.count
            }
            return try change(request, try await inner.send(request), count)
        }

        func upload(
            _ request: HTTPRequest, _ body: HTTPBody
        ) async throws(TransportError) -> HTTPResponse {
            try await inner.upload(request, body)
        }
    }

    /// A user with a file that another one has sent, and the user's network.
    private struct Scene {
        let world: SimulatedWorld
        let phone: SimulatedWorld.Device
        let log = Guarded<[String]>([])
        let file: FileContent
        let bytes: [UInt8]

        init(
            _ world: SimulatedWorld, _ folder: TemporaryFolder, count: Int,
            protection: Protection = .none
        ) async throws {
            self.world = world
            bytes = FileDownloadTests.bytes(count)
            phone = world.device(
                of: "alice", folder: folder.file("disk"), protection: protection)
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            let channel = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            let sent = try await bob.send(
                FileMessageParams(files: [
                    OutgoingFile(.bytes(bytes), name: "film.mp4", type: "video/mp4")
                ]), to: channel)
            await bob.waitUntilIdle()
            let log = try await world.log(of: channel)
            let found = try #require(log.first { $0.requestID == sent.requestID })
            guard case .file(let content) = found.content else {
                throw RoostError(.malformedData, remedy: .none, message: "no file")
            }
            file = content
            await bob.close()
        }

        func launch(
            limit: Int64? = nil,
            _ change: @escaping Peer.Change = { _, answer, _ throws(TransportError) in answer }
        ) async throws -> ChatClient {
            try await world.launch(
                phone, between: { [log] in Peer($0, log, change) },
                configure: { if let limit { $0.downloadsLimit = ByteCount(bytes: limit) } })
        }

        var requests: [String] { log.withLock { $0 } }
    }

    private static let lost = TransportError(.lost, "The test cut the connection.")

    @Test(arguments: [false, true])
    func `a download reports progress and ends with the file, without a connection`(
        isSealed: Bool
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        let protection: Protection =
            isSealed ? try .key([UInt8](repeating: 7, count: 32)) : .none
        try SimulatedWorld.play(seed: 1) { world in
            let scene = try await Scene(world, folder, count: 1_500_000, protection: protection)
            let client = try await scene.launch()
            var progress: [Int64] = []
            var files: [DownloadedFile] = []
            for try await element in client.download(scene.file) {
                switch element {
                case .progress(let received, _): progress.append(received.bytes)
                case .finished(let file): files.append(file)
                }
            }
            let file = try #require(files.first)
            #expect(files.count == 1)
            #expect(progress == progress.sorted() && progress.first == 0 && progress.count > 1)
            #expect(file.size.bytes == 1_500_000)
            #expect(try await client.contents(of: file) == scene.bytes)
            if isSealed {
                #expect(file.url == nil)
            } else {
                let url = try #require(file.url)
                #expect(url.pathExtension == "mp4")
                #expect([UInt8](try Data(contentsOf: url)) == scene.bytes)
            }
            let target = URL(fileURLWithPath: folder.file("copy"))
            try await client.copy(file, to: target)
            #expect([UInt8](try Data(contentsOf: target)) == scene.bytes)

            // The second download needs no request.
            let count = scene.requests.count
            #expect(try await client.download(scene.file).file() == file)
            #expect(try await client.downloadedFile(at: scene.file.url) == file)
            #expect(scene.requests.count == count)
            try await client.clearCache(includingUnsent: false)
            #expect(try await client.downloadedFile(at: scene.file.url) == nil)
            #expect(try await client.downloadsSize().bytes == 0)
            await client.close()
        }
    }

    @Test(arguments: [(0, false), (200_000, false), (200_000, true)])
    func `a sent file needs no download at its sender (R145)`(
        size: Int, isSealed: Bool
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        let protection: Protection =
            isSealed ? try .key([UInt8](repeating: 7, count: 32)) : .none
        try SimulatedWorld.play(seed: 9) { world in
            let phone = world.device(
                of: "alice", folder: folder.file("disk"), protection: protection)
            let client = try await world.launch(
                phone, configure: { $0.downloadsLimit = ByteCount(bytes: 1_000_000) })
            try await client.connect()
            let channel = try await client.createChannel(
                ChannelCreateParams(memberIDs: ["bob"])
            ).url
            let bytes = [Self.bytes(size), Self.bytes(250_001)]
            for bytes in bytes {
                try await client.send(
                    FileMessageParams(files: [
                        OutgoingFile(.bytes(bytes), name: "a.png", type: "image/png")
                    ]), to: channel)
            }
            await client.waitUntilIdle()
            await world.pass()
            await phone.network.cut()
            let sent = try await world.log(of: channel).compactMap { message in
                if case .file(let file) = message.content { file } else { nil }
            }
            try #require(sent.count == 2)
            let own = try #require(try await client.downloadedFile(at: sent[0].url))
            #expect(try await client.contents(of: own) == bytes[0])
            // A file of more than a quarter of the limit would take the room of many others.
            #expect(try await client.downloadedFile(at: sent[1].url) == nil)
            let copies = folder.file("disk/simulation/alice/outbox.files")
            #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == [])
            await client.close()
        }
    }

    @Test func `two downloads of one file share one transfer`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 2) { world in
            let scene = try await Scene(world, folder, count: 1_000_000)
            let client = try await scene.launch()
            let download = client.download(scene.file)
            async let one = download.file()
            async let two = client.download(fileAt: scene.file.url).file()
            #expect(try await one == two)
            #expect(
                scene.requests == ["bytes=0-262143", "bytes=262144-786431", "bytes=786432-999999"])
            await client.close()
        }
    }

    @Test func `a cut is bridged, and costs one range`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 3) { world in
            let scene = try await Scene(world, folder, count: 600_000)
            let client = try await scene.launch { _, answer, count throws(TransportError) in
                guard count == 2 else { return answer }
                throw Self.lost
            }
            let file = try await client.download(scene.file).file()
            #expect(try await client.contents(of: file) == scene.bytes)
            #expect(
                scene.requests == [
                    "bytes=0-262143", "bytes=262144-599999", "bytes=262144-327679",
                    "bytes=327680-458751", "bytes=458752-599999",
                ])
            await client.close()
        }
    }

    @Test func `a download goes on after a relaunch where it was`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 4) { world in
            let scene = try await Scene(world, folder, count: 900_000)
            let client = try await scene.launch { _, answer, count throws(TransportError) in
                guard count == 1 else { throw Self.lost }
                return answer
            }
            let error = await #expect(throws: RoostError.self) {
                try await client.download(scene.file).file()
            }
            #expect(error?.remedy == .retry)
            await client.close()
            let before = scene.requests.count
            let again = try await scene.launch()
            let file = try await again.download(scene.file).file()
            #expect(try await again.contents(of: file) == scene.bytes)
            #expect(scene.requests[before] == "bytes=262144-524287")
            await again.close()
        }
    }

    @Test func `a server that ignores the range of a continued download completes it at once`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 4) { world in
            let scene = try await Scene(world, folder, count: 900_000)
            let client = try await scene.launch { _, answer, count throws(TransportError) in
                guard count == 1 else { throw Self.lost }
                return answer
            }
            await #expect(throws: RoostError.self) {
                try await client.download(scene.file).file()
            }
            await client.close()
            let (before, bytes) = (scene.requests.count, scene.bytes)
            let again = try await scene.launch { _, answer, count throws(TransportError) in
                guard count < before + 9 else { throw Self.lost }
                return HTTPResponse(
                    status: 200, headers: answer.headers.filter { $0.name == "ETag" }, body: bytes)
            }
            let file = try await again.download(scene.file).file()
            #expect(try await again.contents(of: file) == bytes)
            #expect(scene.requests.count == before + 1)
            await again.close()
        }
    }

    @Test func `the transfer ends with its last reader, and the part stays`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 5) { world in
            let scene = try await Scene(world, folder, count: 3_000_000)
            let client = try await scene.launch()
            for try await case .progress(let received, _) in client.download(scene.file)
            where received.bytes > 0 {
                break
            }
            let count = scene.requests.count
            await world.pass(.seconds(60))
            // The request on its way was the last one.
            #expect(scene.requests.count <= count + 1)
            #expect(try await client.downloadsSize().bytes > 200_000)
            let file = try await client.download(scene.file).file()
            #expect(try await client.contents(of: file) == scene.bytes)
            #expect(scene.requests.filter { $0.hasPrefix("bytes=0-") }.count == 1)
            await client.close()
        }
    }

    @Test func `a download cancelled at any job of its reader ends, and can be continued`() throws {
        for moment in 1...24 {
            let folder = try TemporaryFolder(inMemory: true)
            try SimulatedWorld.play(seed: 5) { world in
                let scene = try await Scene(world, folder, count: 600_000)
                let client = try await scene.launch()
                let download = client.download(scene.file)
                let executor = CancellingExecutor(of: world.executor)
                let reader = Task(executorPreference: executor) { try await download.file() }
                executor.cancel(reader, atJob: moment)
                _ = await reader.result
                let file = try await download.file()
                #expect(try await client.contents(of: file) == scene.bytes)
                await client.close()
            }
        }
    }

    @Test func `closing the client ends its downloads`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 6) { world in
            let scene = try await Scene(world, folder, count: 3_000_000)
            let client = try await scene.launch()
            let download = client.download(scene.file)
            let task = Task(executorPreference: world.executor) {
                try await download.file()
            }
            await world.pass(.milliseconds(200))
            await client.close()
            await #expect(throws: RoostError.self) { try await task.value }
            await #expect(throws: RoostError.self) { try await download.file() }
        }
    }

    @Test(arguments: [false, true])
    func `a full clearing ends downloads, and nothing of them is left (scars 35, 37)`(
        isLeft: Bool
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 8) { world in
            let scene = try await Scene(world, folder, count: 3_000_000)
            let client = try await scene.launch()
            let download = client.download(scene.file)
            let task = Task(executorPreference: world.executor) { try await download.file() }
            for _ in 0..<10_000 where try await client.downloadsSize().bytes == 0 {
                await world.pass(.milliseconds(1))
            }
            #expect(try await client.downloadsSize().bytes > 0)
            // A download without a reader may still write.
            if isLeft { task.cancel() }
            try await client.clearCache(includingUnsent: true)
            await #expect(throws: RoostError.self) { try await task.value }
            await world.pass(.seconds(60))
            #expect(try await client.downloadsSize().bytes == 0)
            // A later download begins anew.
            #expect(try await download.file().size.bytes == 3_000_000)
            await client.close()
        }
    }

    @Test func `a download left at any moment before a clearing writes nothing after it (scar 35)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        for moment in 0..<40 {
            try SimulatedWorld.play(seed: 8) { world in
                let scene = try await Scene(world, folder, count: 600_000)
                let client = try await scene.launch()
                let download = client.download(scene.file)
                let task = Task(executorPreference: world.executor) { try await download.file() }
                for _ in 0..<10_000 where scene.requests.count < 2 {
                    await world.pass(.milliseconds(1))
                }
                try #require(scene.requests.count == 2)
                for _ in 0..<moment { await Task.yield() }
                task.cancel()
                try await client.clearCache(includingUnsent: true)
                await world.pass(.seconds(1))
                #expect(try await client.downloadsSize().bytes == 0, "left after \(moment) jobs")
                await client.close()
            }
        }
    }

    @Test func `an upload that ends at any moment before a clearing leaves no file (scar 37)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        for moment in 0..<40 {
            try SimulatedWorld.play(seed: 9) { world in
                let phone = world.device(of: "alice", folder: folder.file("disk \(moment)"))
                let client = try await world.launch(phone)
                try await client.connect()
                let channel = try await client.createChannel(
                    ChannelCreateParams(memberIDs: ["bob"])
                ).url
                try await client.send(
                    FileMessageParams(files: [
                        OutgoingFile(.bytes(Self.bytes(200_000)), name: "a.png", type: "image/png")
                    ]), to: channel)
                await client.waitUntilIdle()
                for _ in 0..<moment { await Task.yield() }
                try await client.clearCache(includingUnsent: true)
                await world.pass(.seconds(1))
                #expect(try await client.downloadsSize().bytes == 0, "cleared after \(moment) jobs")
                let copies = folder.file("disk \(moment)/simulation/alice/outbox.files")
                #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == [])
                await client.close()
            }
        }
    }

    /// A false statement of a peer about a file.
    enum Lie: CaseIterable, Sendable {
        case hugeTotal, growingTotal, longBody, shortBody, otherPlace, noRange, redirect, endless
    }

    @Test(arguments: Lie.allCases)
    func `a peer that lies about a file ends its download, and nothing false is kept`(
        lie: Lie
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 7) { world in
            let scene = try await Scene(world, folder, count: 900_000)
            let client = try await scene.launch(limit: 1_000_000) {
                _, answer, count throws(TransportError) in
                var answer = answer
                func set(_ value: String?) {
                    answer.headers.removeAll { $0.name == "Content-Range" }
                    if let value { answer.headers.append((name: "Content-Range", value: value)) }
                }
                switch lie {
                case .hugeTotal: set("bytes 0-262143/9000000000000000000")
                case .growingTotal: set("bytes 0-262143/\(900_000 + count)")
                case .longBody: answer.body += answer.body
                case .shortBody: answer.body = Array(answer.body.prefix(10))
                case .otherPlace: set("bytes 1-262143/900000")
                case .noRange: set(nil)
                case .redirect: answer.status = 302
                case .endless:
                    answer = HTTPResponse(
                        status: 200, body: [UInt8](repeating: 1, count: 1_000_001))
                }
                return answer
            }
            let error = await #expect(throws: RoostError.self) {
                try await client.download(scene.file).file()
            }
            switch lie {
            case .hugeTotal, .endless: #expect(error?.code == .fileTooLarge)
            case .redirect: #expect(error?.code == .requestFailed)
            default: #expect(error?.code == .malformedData)
            }
            #expect(scene.requests.count <= 6)
            #expect(try await client.downloadedFile(at: scene.file.url) == nil)
            #expect(try await client.downloadsSize().bytes <= 262_144 + 100)
            await client.close()
        }
    }

    @Test func `a server without ranges delivers a file in one answer`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 8) { world in
            let scene = try await Scene(world, folder, count: 900_000)
            let bytes = scene.bytes
            let client = try await scene.launch { _, _, _ throws(TransportError) in
                HTTPResponse(status: 200, body: bytes)
            }
            let file = try await client.download(scene.file).file()
            #expect(try await client.contents(of: file) == bytes)
            #expect(scene.requests.count == 1)
            await client.close()
        }
    }

    @Test func `a whole file longer than an answer may be is too large at once`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 8) { world in
            let scene = try await Scene(world, folder, count: 9_000)
            let client = try await scene.launch { _, _, _ throws(TransportError) in
                throw TransportError(.answerTooLarge, "The test answers with too much.")
            }
            let error = await #expect(throws: RoostError.self) {
                try await client.download(scene.file).file()
            }
            #expect(error?.code == .fileTooLarge && error?.remedy == RoostError.Remedy.none)
            #expect(scene.requests.count == 1)
            await client.close()
        }
    }

    @Test func `a file that changed since its part was kept is fetched anew`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 9) { world in
            let scene = try await Scene(world, folder, count: 900_000)
            let client = try await scene.launch { _, answer, count throws(TransportError) in
                guard count == 1 else { throw Self.lost }
                var answer = answer
                answer.headers.removeAll { $0.name == "ETag" }
                answer.headers.append((name: "ETag", value: "\"old\""))
                answer.body = [UInt8](repeating: 0, count: answer.body.count)
                return answer
            }
            await #expect(throws: RoostError.self) {
                try await client.download(scene.file).file()
            }
            await client.close()
            // The server answers the condition of another version with the whole file.
            let again = try await scene.launch()
            let file = try await again.download(scene.file).file()
            #expect(try await again.contents(of: file) == scene.bytes)
            await again.close()
        }
    }

    @Test func `the folder keeps its limit, and evicts the file used longest ago`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 10) { world in
            let scene = try await Scene(world, folder, count: 400_000)
            let client = try await scene.launch(limit: 1_000_000)
            let addresses = (0..<4).map { scene.file.url + "?\($0)" }
            for address in addresses {
                _ = try await client.download(fileAt: address).file()
                await world.pass()
                #expect(try await client.downloadsSize().bytes <= 1_000_000)
                // The first one stays in use.
                #expect(try await client.downloadedFile(at: addresses[0]) != nil)
                await world.pass()
            }
            #expect(try await client.downloadedFile(at: addresses[1]) == nil)
            #expect(try await client.downloadedFile(at: addresses[3]) != nil)
            await client.close()
        }
    }

    @Test(arguments: [
        "http://192.168.1.1/admin", "http://127.0.0.1:1.evil.example/files/a", "file:///etc/passwd",
        "ftp://127.0.0.1:1/a", "http://127.0.0.1:12/files/a", "", "https://user:secret@host/a",
        "https://host/a b",
    ])
    func `an address that no file may have is refused without a request`(address: String) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 11) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let client = try await world.launch(phone)
            let count = phone.network.requestCount
            let error = await #expect(throws: RoostError.self) {
                try await client.download(fileAt: address).file()
            }
            // The system's transport refuses the other ones.
            if !address.hasPrefix("https") {
                #expect(error?.code == .invalidParameter)
                #expect(phone.network.requestCount == count)
            }
            await client.close()
        }
    }

    @Test func `a missing file is reported as missing`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 12) { world in
            let scene = try await Scene(world, folder, count: 10)
            let client = try await scene.launch()
            let missing = scene.file.url.replacing(/files\/./, with: "files/g")
            let error = await #expect(throws: RoostError.self) {
                try await client.download(fileAt: missing).file()
            }
            #expect(error?.code == .notFound)
            await client.close()
        }
    }
}
