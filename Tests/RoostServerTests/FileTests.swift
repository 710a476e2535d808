// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import RoostWire
import Testing

struct FileTests {
    private static func form(_ body: String, name: String = "a.txt", type: String = "text/plain")
        -> [UInt8]
    {
        Array(
            ("--B\r\nContent-Disposition: form-data; name=\"channel_url\"\r\n\r\ng\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n"
                + "Content-Type: \(type)\r\n\r\n\(body)\r\n--B--\r\n").utf8)
    }

    private static let type = "multipart/form-data; boundary=\"B\""

    /// What a reader makes of a body that comes in these pieces: each part with all its bytes.
    private static func parts(
        _ pieces: [[UInt8]], type: String = type
    ) throws(ServerError) -> [(part: MultipartReader.Part, body: String)]? {
        var reader = try MultipartReader(contentType: type)
        var parts: [(part: MultipartReader.Part, body: [UInt8])] = []
        for piece in pieces {
            for event in try reader.read(piece) {
                switch event {
                case .part(let part): parts.append((part, []))
                case .bytes(let bytes): parts[parts.count - 1].body += bytes
                }
            }
        }
        guard reader.isWhole else { return nil }
        return parts.map { ($0.part, String(decoding: $0.body, as: UTF8.self)) }
    }

    @Test
    func `a form comes apart into its parts, whatever their bytes and wherever it was cut (R199)`()
        throws
    {
        let body = "\r\n--\u{0}B\r\n-- \r\n"
        let whole = Self.form(body)
        for index in whole.indices {
            let parts = try #require(
                try Self.parts([Array(whole[..<index]), Array(whole[index...])]))
            #expect(parts.map(\.part.name) == ["channel_url", "file"])
            #expect(parts.map(\.part.fileName) == [nil, "a.txt"])
            #expect(parts.map(\.body) == ["g", body])
        }
        let single = try #require(try Self.parts(whole.map { [$0] }))
        #expect(single.map(\.body) == ["g", body])
        let path = try #require(try Self.parts([Self.form("", name: "..\\..\\x/y")]))
        #expect(path.last?.part.fileName == "y")
    }

    @Test
    func `a form that is cut or changed anywhere is read or refused, never more (R199)`() throws {
        let whole = Self.form("words")
        for index in whole.indices {
            if index < whole.count - 4 {
                #expect(try Self.parts([Array(whole[..<index])]) == nil)
            }
            for byte: UInt8 in [0, 10, 13, 34, 45, 58, 59, 255] {
                var changed = whole
                changed[index] = byte
                _ = try? Self.parts([changed])
            }
        }
        for type in ["", "multipart/form-data", "multipart/form-data; boundary=", "x; boundary=\""]
        {
            #expect((try? Self.parts([whole], type: type)).flatMap(\.self) == nil)
        }
        let crowd = Array(repeating: "--B\r\nContent-Disposition: f; name=a\r\n\r\n\r\n", count: 65)
        #expect(throws: ServerError.self) { try Self.parts([Array(crowd.joined().utf8)]) }
        let endless = "--B\r\n" + String(repeating: "a", count: 20_000)
        #expect(throws: ServerError.self) { try Self.parts([Array(endless.utf8)]) }
    }

    private struct Uploads {
        let server: ChatServer
        let store: MemoryFileStore

        init(limitMB: Int = 1) async {
            let executor = ThreadExecutor(name: "files")
            var configuration = ChatServer.Configuration(
                applicationID: "APP", apiToken: "platform")
            configuration.fileLimitMB = limitMB
            configuration.limits.bodyBytes = 100
            store = MemoryFileStore(on: executor)
            server = await ChatServer(
                configuration, storage: MemoryStorage(on: executor), files: store,
                fanOut: InProcessFanOut(on: executor), world: TestWorld(seed: 1).world,
                on: executor)
        }

        func receiver(token: String) async throws -> FormReceiver {
            let request = try APIRequest(
                method: "POST", target: "/v3/storage/file", body: [], contentType: FileTests.type)
            return try #require(
                await server.receiver(of: request, headers: RequestHeaders(apiToken: token)))
        }
    }

    @Test
    func `a file is written as it comes, and only for who may call (R199)`() async throws {
        for (token, begun) in [("platform", 1), ("wrong", 0)] {
            let uploads = await Uploads()
            let receiver = try await uploads.receiver(token: token)
            await receiver.receive(Self.form("words").dropLast(10))
            #expect(await uploads.store.begunCount == begun)
            await receiver.drop()
            #expect(await uploads.store.begunCount == 0)
        }
    }

    @Test
    func `a file that came before its sender was known is asked for again, not promised (R199)`()
        async throws
    {
        let uploads = await Uploads()
        // The session is opened while the form comes, so that the call itself is allowed.
        let receiver = try await uploads.receiver(token: "wrong")
        await receiver.receive(Self.form("words"))
        let file = try #require(try await receiver.finish().get().files.first)
        await #expect(throws: StorageError.self) { try await uploads.store.keep(file.id) }
        #expect(await uploads.store.file(file.id) == nil)
    }

    @Test
    func `a form that breaks off, or is too large, leaves no file behind (R199)`() async throws {
        let uploads = await Uploads()
        let broken = try await uploads.receiver(token: "platform")
        await broken.receive(Self.form("words").dropLast(10))
        #expect(await broken.finish() == .failure(MultipartReader.malformed))
        let large = try await uploads.receiver(token: "platform")
        await large.receive(Self.form(String(repeating: "x", count: 1_048_577)))
        guard case .failure(let error) = await large.finish() else {
            Issue.record("a file beyond the limit was taken")
            return
        }
        #expect(error.code == RoostError.Code(900_066))
        let texts = try await uploads.receiver(token: "platform")
        let long = String(repeating: "t", count: 101)
        await texts.receive(
            Array("--B\r\nContent-Disposition: f; name=a\r\n\r\n\(long)\r\n--B--".utf8))
        guard case .failure(let error) = await texts.finish() else {
            Issue.record("texts beyond the limit were taken")
            return
        }
        #expect(error.code == .valueLength)
        #expect(await uploads.store.begunCount == 0)
        // A call that keeps none of the files it was sent.
        let request = try APIRequest(
            method: "PUT", target: "/v3/users/nobody", body: Self.form("words"),
            contentType: Self.type)
        _ = await uploads.server.respond(to: request, headers: RequestHeaders(apiToken: "platform"))
        #expect(await uploads.store.begunCount == 0)
    }

    @Test(arguments: [
        ("bytes=0-3", 0, 4), ("bytes=6-", 6, 10), ("bytes=-2", 8, 10), ("bytes=-99", 0, 10),
        ("bytes=9-99", 9, 10),
    ])
    func `a range names a part of the file`(header: String, start: Int, end: Int) {
        let range = ByteRange(header, of: 10)
        #expect(range?.start == start && range?.end == end)
    }

    @Test(arguments: ["", "bytes=", "bytes=10-", "bytes=3-2", "bytes=-0", "bytes=0-1,3-4", "x=0-1"])
    func `what is no part of the file asks for the whole`(header: String) {
        #expect(ByteRange(header, of: 10) == nil)
        #expect(ByteRange("bytes=-1", of: 0) == nil)
    }

    @Test
    func `a file is kept for members, in bounds, and no path leads elsewhere (R199)`() async throws
    {
        let executor = ThreadExecutor(name: "files")
        var configuration = ChatServer.Configuration(applicationID: "APP", apiToken: "platform")
        configuration.fileLimitMB = 0
        for limit in [0, 1] {
            configuration.fileLimitMB = limit
            let server = await ChatServer(
                configuration, storage: MemoryStorage(on: executor),
                files: MemoryFileStore(on: executor), fanOut: InProcessFanOut(on: executor),
                world: TestWorld(seed: 1).world, on: executor)
            var headers = RequestHeaders(apiToken: "platform")
            headers.host = "chat.example:8080"
            let request = try APIRequest(
                method: "POST", target: "/v3/storage/file", body: Self.form("words"),
                contentType: Self.type)
            let answer = await server.respond(to: request, headers: headers)
            let value = try JSONValue(parsing: answer.body)
            guard limit > 0 else {
                #expect(value["code"] == 900_066)
                continue
            }
            let url = try #require(value["url"]?.string)
            let host = "http://chat.example:8080"
            #expect(url.hasPrefix(host + "/files/") && url.hasSuffix("/a.txt"))
            let (id, file) = try #require(
                await server.file(at: String(url.dropFirst(host.count))))
            #expect(file == StoredFile(type: "text/plain", byteCount: 5))
            #expect(try await server.files?.read(id, 1..<9) == Array("ords".utf8))
            for path in ["/files/../x/y", "/files/%2e%2e/x", "/files", "/etc/passwd", ""] {
                #expect(await server.file(at: path) == nil)
            }
        }
    }
}
