// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

struct FileTests {
    private static func form(
        _ body: String, name: String = "a.txt", type: String = "text/plain", channel: String = "g"
    ) -> [UInt8] {
        Array(
            ("--B\r\nContent-Disposition: form-data; name=\"channel_url\"\r\n\r\n\(channel)\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n"
                + "Content-Type: \(type)\r\n\r\n\(body)\r\n--B--\r\n").utf8)
    }

    private static let type = "multipart/form-data; boundary=\"B\""

    /// Returns the parts of a body in these pieces, each with all its bytes.
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
    func `a form is split into its parts for all bytes and all cuts`()
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
    func `a cut or changed form is read or refused without a crash`() throws {
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
    func `a file is written while it arrives, for admitted callers only (R199)`() async throws {
        for (token, begun) in [("platform", 1), ("wrong", 0)] {
            let uploads = await Uploads()
            let receiver = try await uploads.receiver(token: token)
            await receiver.receive(Self.form("words").dropLast(10))
            #expect(await uploads.store.begunCount == begun)
            await receiver.drop()
            #expect(await uploads.store.begunCount == 0)
        }
    }

    @Test func `a form with more than two files is refused, and leaves none`() async throws {
        let uploads = await Uploads()
        let part = "--B\r\nContent-Disposition: f; name=file; filename=a\r\n\r\nx\r\n"
        for (count, isTaken) in [(2, true), (3, false)] {
            let receiver = try await uploads.receiver(token: "platform")
            let parts = String(repeating: part, count: count)
            await receiver.receive(Array(parts.utf8))
            #expect(await uploads.store.begunCount == (isTaken ? count : 0))
            await receiver.receive(Array("--B--".utf8))
            switch await receiver.finish() {
            case .success(let form): #expect(isTaken && form.files.count == count)
            case .failure(let error): #expect(!isTaken && error.code.rawValue == 400_203)
            }
            await receiver.drop()
        }
        #expect(await uploads.store.begunCount == 0)
    }

    @Test
    func `a form whose sender was unknown at its head is refused as a whole`()
        async throws
    {
        let uploads = await Uploads()
        // The session is opened while the form comes, so that the call itself is allowed.
        let receiver = try await uploads.receiver(token: "wrong")
        await receiver.receive(Self.form("words"))
        var request = try APIRequest(
            method: "POST", target: "/v3/storage/file", body: [], contentType: Self.type)
        request.form = await receiver.finish()
        let answer = await uploads.server.respond(
            to: request, headers: RequestHeaders(apiToken: "platform"))
        #expect(answer.errorCode == .apiTokenInvalid)
        #expect(await uploads.store.begunCount == 0)
    }

    @Test func `the picture of a refused call is not kept`() async throws {
        let store = MemoryFileStore(on: ThreadExecutor(name: "files"))
        let fixture = await ServerFixture(files: store)
        let (ann, eve) = (try await fixture.connect("ann"), try await fixture.connect("eve"))
        try await fixture.channel(of: ["ann"], by: ann)
        for (device, target, part, count) in [
            (eve, "/v3/users/ann", "profile_file", 0), (ann, "/v3/users/ann", "profile_file", 1),
            (eve, "/v3/group_channels/g", "cover_file", 1),
            (ann, "/v3/group_channels/g", "cover_file", 2),
        ] {
            let body =
                "--B\r\nContent-Disposition: form-data; name=\"\(part)\"; filename=\"a.png\"\r\n"
                + "Content-Type: image/png\r\n\r\nx\r\n--B--\r\n"
            let request = try APIRequest(
                method: "PUT", target: target, body: Array(body.utf8), contentType: Self.type)
            let answer = await fixture.server.respond(
                to: request, headers: RequestHeaders(sessionKey: device.key))
            #expect((answer.status == 200) == (device.session == ann.session))
            #expect(await store.count == count)
            #expect(await store.begunCount == 0)
        }
    }

    @Test func `a file for a channel is taken from its members only`() async throws {
        let store = MemoryFileStore(on: ThreadExecutor(name: "files"))
        let fixture = await ServerFixture(files: store)
        let (ann, eve) = (try await fixture.connect("ann"), try await fixture.connect("eve"))
        try await fixture.channel(of: ["ann"], by: ann)
        for (device, code) in [(ann, nil), (eve, RoostError.Code.notAMember)] {
            let request = try APIRequest(
                method: "POST", target: "/v3/storage/file", body: Self.form("words"),
                contentType: Self.type)
            let answer = await fixture.server.respond(
                to: request, headers: RequestHeaders(sessionKey: device.key))
            #expect(answer.errorCode == code)
            #expect(await store.begunCount == 0)
        }
    }

    @Test func `an upload counts once towards its user's rate`() async throws {
        let executor = ThreadExecutor(name: "files")
        let store = MemoryFileStore(on: executor)
        let fixture = await ServerFixture(files: store) {
            $0.userRate = Rate(burst: 1, perSecond: 1)
        }
        let ann = try await fixture.connect("ann")
        fixture.world.advance(1_000)
        let headers = RequestHeaders(sessionKey: ann.key)
        let form = Self.form("words", channel: "")
        var codes: [RoostError.Code?] = []
        var begun: [Int] = []
        for _ in 0..<2 {
            var request = try APIRequest(
                method: "POST", target: "/v3/storage/file", body: [], contentType: Self.type)
            let receiver = try #require(
                await fixture.server.receiver(of: request, headers: headers))
            await receiver.receive(form)
            begun.append(await store.begunCount)
            request.form = await receiver.finish()
            codes.append(
                await fixture.server.respond(to: request, headers: headers).errorCode)
        }
        #expect(codes == [nil, .rateLimited])
        #expect(begun == [1, 0], "a refused form is not written")
        #expect(await store.begunCount == 0)
    }

    @Test
    func `a form during a failure of the storage is refused and not written`()
        async throws
    {
        let folder = try TemporaryFolder()
        let location = DatabaseLocation.file(folder.path + "/server.sqlite")
        let executor = ThreadExecutor(name: "files")
        let store = MemoryFileStore(on: executor)
        let fixture = await ServerFixture(
            storage: try await SQLiteStorage(location, on: executor),
            files: store)
        let ann = try await fixture.connect("ann")
        let headers = RequestHeaders(sessionKey: ann.key)
        let other = try Connection(location)
        var request = try APIRequest(
            method: "POST", target: "/v3/storage/file", body: [], contentType: Self.type)
        try other.executeScript("ALTER TABLE session RENAME TO away")
        let receiver = try #require(await fixture.server.receiver(of: request, headers: headers))
        await receiver.receive(Self.form("words", channel: "").dropLast(10))
        #expect(await store.begunCount == 0)
        await receiver.receive(Self.form("words", channel: "").suffix(10))
        try other.executeScript("ALTER TABLE away RENAME TO session")
        request.form = await receiver.finish()
        let answer = await fixture.server.respond(to: request, headers: headers)
        #expect(answer.errorCode == .internalServerError)
    }

    @Test func `an unreadable file is not reported as missing`() async throws {
        let executor = ThreadExecutor(name: "files")
        let fixture = await ServerFixture(files: BrokenFileStore(on: executor))
        await #expect(throws: ServerError.self) {
            try await fixture.server.file(at: "/files/" + String(repeating: "a", count: 40) + "/x")
        }
    }

    @Test
    func `an interrupted or oversized form leaves no file`() async throws {
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
        #expect(error.code == RoostError.Code.fileRefused)
        let full = try await uploads.receiver(token: "platform")
        await full.receive(Self.form(String(repeating: "x", count: 1_048_576)))
        guard case .success = await full.finish() else {
            Issue.record("a file of exactly the limit was refused")
            return
        }
        await full.drop()
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
        // A call that keeps none of its files.
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
    func `a range selects a part of the file`(header: String, start: Int, end: Int) {
        let range = ByteRange(header, of: 10)
        #expect(range?.start == start && range?.end == end)
    }

    @Test(arguments: ["", "bytes=", "bytes=10-", "bytes=3-2", "bytes=-0", "bytes=0-1,3-4", "x=0-1"])
    func `a range outside the file returns the whole file`(header: String) {
        #expect(ByteRange(header, of: 10) == nil)
        #expect(ByteRange("bytes=-1", of: 0) == nil)
    }

    @Test
    func `an uploaded file is readable within its bounds, and no path leaves the folder (R199)`()
        async throws
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
            // The form names a channel, which must exist.
            let user = try APIRequest(
                method: "POST", target: "/v3/users", body: Array(#"{"user_id":"ann"}"#.utf8))
            _ = await server.respond(to: user, headers: headers)
            let channel = try APIRequest(
                method: "POST", target: "/v3/group_channels",
                body: Array(#"{"channel_url":"g","user_ids":["ann"]}"#.utf8))
            _ = await server.respond(to: channel, headers: headers)
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
                try await server.file(at: String(url.dropFirst(host.count))))
            #expect(file == StoredFile(type: "text/plain", byteCount: 5))
            #expect(try await server.files?.read(id, 1..<9) == Array("ords".utf8))
            for path in ["/files/../x/y", "/files/%2e%2e/x", "/files", "/etc/passwd", ""] {
                #expect(try await server.file(at: path) == nil)
            }
        }
    }
}

/// A store that fails every call.
private actor BrokenFileStore: FileStore {
    private nonisolated let executor: any SerialExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(on executor: any SerialExecutor) { self.executor = executor }

    func begin(_ id: String, type: String) throws(StorageError) { throw StorageError("broken") }
    func append(_ bytes: [UInt8], to id: String) throws(StorageError) {
        throw StorageError("broken")
    }
    func keep(_ id: String) throws(StorageError) { throw StorageError("broken") }
    func drop(_ id: String) {}
    func remove(_ id: String) {}
    func file(_ id: String) throws(StorageError) -> StoredFile? { throw StorageError("broken") }
    func read(_ id: String, _ range: Range<Int>) throws(StorageError) -> [UInt8] {
        throw StorageError("broken")
    }
}
