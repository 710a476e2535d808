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

    @Test
    func `a form comes apart into its parts, whatever their bytes (R199)`() throws {
        let body = "\r\n--\u{0}B\r\n-- \r\n"
        let form = try MultipartForm(Self.form(body), contentType: Self.type)
        #expect(form.parts.map(\.name) == ["channel_url", "file"])
        #expect(form.parts.map(\.fileName) == [nil, "a.txt"])
        #expect(form.parts.last.map { String(decoding: $0.body, as: UTF8.self) } == body)
        let path = try MultipartForm(Self.form("", name: "..\\..\\x/y"), contentType: Self.type)
        #expect(path.parts.last?.fileName == "y")
    }

    @Test
    func `a form that is cut or changed anywhere is read or refused, never more (R199)`() {
        let whole = Self.form("words")
        for index in whole.indices {
            _ = try? MultipartForm(Array(whole[..<index]), contentType: Self.type)
            for byte: UInt8 in [0, 10, 13, 34, 45, 58, 59, 255] {
                var changed = whole
                changed[index] = byte
                _ = try? MultipartForm(changed, contentType: Self.type)
            }
        }
        for type in ["", "multipart/form-data", "multipart/form-data; boundary=", "x; boundary=\""]
        {
            #expect(throws: ServerError.self) { try MultipartForm(whole, contentType: type) }
        }
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
            let file = await server.file(at: String(url.dropFirst(host.count)))
            #expect(file == StoredFile(type: "text/plain", bytes: Array("words".utf8)))
            for path in ["/files/../x/y", "/files/%2e%2e/x", "/files", "/etc/passwd", ""] {
                #expect(await server.file(at: path) == nil)
            }
        }
    }
}
