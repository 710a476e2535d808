// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostServer
import RoostSockets
import RoostTestSupport
import RoostWire
import Synchronization

/// A small S3 server that fails on request; it checks no signature, as `ObjectServer` does.
final class FaultyBucket: HTTPServerHandler {
    enum Fault {
        /// The status and the code of an error.
        case error(Int, String)
        /// The work is done, and its answer is lost.
        case lostAnswer
        /// The work is done, and another body is sent.
        case answer(Int, String)
        /// Another header in the answer; nil leaves it out.
        case header(String, String?)
        /// The body ends before its length.
        case cut
        /// A body without end.
        case endless
        /// No answer before a gate is opened.
        case wait(Gate)
    }

    private struct State {
        var files: [String: (type: String, bytes: [UInt8])] = [:]
        var uploads: [String: [Int: [UInt8]]] = [:]
        var calls: [HTTPServerRequest] = []
        var running = 0
        var mostRunning = 0
    }

    private let state = Mutex(State())
    /// Returns the fault of a call; its name is such as `PUT part`.
    private let fault: @Sendable (_ name: String, _ count: Int) -> Fault?
    let arrivals = Arrivals<String>()

    init(_ fault: @escaping @Sendable (_ name: String, _ count: Int) -> Fault? = { _, _ in nil }) {
        self.fault = fault
    }

    var calls: [HTTPServerRequest] { state.withLock { $0.calls } }
    /// The names of the calls so far, such as `PUT part`.
    var names: [String] { calls.map(Self.name) }
    var files: [String: [UInt8]] { state.withLock { $0.files.mapValues(\.bytes) } }
    var uploadCount: Int { state.withLock { $0.uploads.count } }
    var mostRunning: Int { state.withLock { $0.mostRunning } }

    func put(_ bytes: [UInt8], as name: String) {
        state.withLock { $0.files[name] = ("text/plain", bytes) }
    }

    private static func query(_ request: HTTPServerRequest) -> [String: String] {
        let text = request.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return QueryItem.parse(text).reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    private static func name(_ request: HTTPServerRequest) -> String {
        let query = query(request)
        let what =
            if query["list-type"] != nil {
                "list"
            } else if query["uploads"] != nil {
                "parts"
            } else if query["partNumber"] != nil {
                "part"
            } else if query["uploadId"] != nil {
                "parts"
            } else {
                "file"
            }
        let verb =
            query["uploads"] != nil ? "BEGIN" : request.method == "POST" ? "JOIN" : request.method
        return "\(verb) \(what)"
    }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        let name = Self.name(request)
        let count = state.withLock { state in
            state.calls.append(request)
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
            return state.calls.count { Self.name($0) == name }
        }
        defer { state.withLock { $0.running -= 1 } }
        arrivals.add(name)
        switch fault(name, count) {
        case nil: return perform(request)
        case .error(let status, let code):
            return Self.error(status, code)
        case .lostAnswer:
            _ = perform(request)
            return Self.cut(HTTPServerResponse(status: 200), at: 100)
        case .answer(let status, let text):
            _ = perform(request)
            return HTTPServerResponse(status: status, body: Array(text.utf8))
        case .header(let name, let value):
            var response = perform(request)
            let others = response.headers.fields.filter { $0.name != name }
            response.headers = [:]
            for field in others { response.headers.append(field.name, field.value) }
            if let value { response.headers.append(name, value) }
            return response
        case .cut:
            let response = perform(request)
            return Self.cut(response, at: response.body.count)
        case .endless:
            var response = perform(request)
            response.body = []
            response.source = HTTPBodySource(byteCount: 1 << 40) { range in
                [UInt8](repeating: 1, count: range.count)
            }
            return response
        case .wait(let gate):
            await gate.wait()
            return perform(request)
        }
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        .refuse(HTTPServerResponse(status: 400))
    }

    /// Returns an answer whose connection breaks in the middle of its body.
    private static func cut(_ response: HTTPServerResponse, at count: Int) -> HTTPServerResponse {
        var response = response
        let half = Array(response.body.prefix(count / 2))
        response.body = []
        response.source = HTTPBodySource(byteCount: max(1, count)) { range in
            range.lowerBound == 0 ? half : []
        }
        return response
    }

    private func perform(_ request: HTTPServerRequest) -> HTTPServerResponse {
        let path = request.target.prefix { $0 != "?" }
        let key = String(path.split(separator: "/").last ?? "")
        let query = Self.query(request)
        return state.withLock { state -> HTTPServerResponse in
            switch Self.name(request) {
            case "GET list": return Self.document("ListBucketResult", "")
            case "BEGIN parts":
                let id = "upload-\(state.calls.count)"
                state.uploads[id] = [:]
                return Self.document(
                    "InitiateMultipartUploadResult", "<UploadId>\(id)</UploadId>")
            case "PUT part":
                let (id, number) = (query["uploadId"] ?? "", Int(query["partNumber"] ?? ""))
                guard let number, state.uploads[id] != nil else { return Self.unknown }
                state.uploads[id]?[number] = request.body
                return HTTPServerResponse(status: 200, headers: ["ETag": "\"tag-\(number)\""])
            case "JOIN parts":
                let id = query["uploadId"] ?? ""
                guard let parts = state.uploads[id] else { return Self.unknown }
                let text = String(decoding: request.body, as: UTF8.self)
                guard parts.keys.allSatisfy({ text.contains("<ETag>\"tag-\($0)\"</ETag>") })
                else { return Self.error(400, "InvalidPart") }
                state.uploads[id] = nil
                let bytes = parts.sorted { $0.key < $1.key }.flatMap(\.value)
                state.files[key] = ("text/plain", bytes)
                return Self.document("CompleteMultipartUploadResult", "<Key>\(key)</Key>")
            case "DELETE parts":
                state.uploads[query["uploadId"] ?? ""] = nil
                return HTTPServerResponse(status: 204)
            case "DELETE file":
                state.files[key] = nil
                return HTTPServerResponse(status: 204)
            case "PUT file":
                state.files[key] = (request.headers["Content-Type"] ?? "", request.body)
                return HTTPServerResponse(status: 200)
            default: return Self.read(state.files[key], request)
            }
        }
    }

    private static func error(_ status: Int, _ code: String) -> HTTPServerResponse {
        HTTPServerResponse(
            status: status, body: Array("<Error><Code>\(code)</Code></Error>".utf8))
    }

    private static let unknown = error(404, "NoSuchUpload")

    private static func document(_ root: String, _ text: String) -> HTTPServerResponse {
        HTTPServerResponse(status: 200, body: Array("<\(root)>\(text)</\(root)>".utf8))
    }

    private static func read(
        _ file: (type: String, bytes: [UInt8])?, _ request: HTTPServerRequest
    ) -> HTTPServerResponse {
        guard let file else {
            return error(404, "NoSuchKey")
        }
        let headers: HTTPHeaders = ["Content-Type": file.type]
        guard let header = request.headers["Range"] else {
            return HTTPServerResponse(status: 200, headers: headers, body: file.bytes)
        }
        guard let range = ByteRange(header, of: file.bytes.count) else {
            return error(416, "InvalidRange")
        }
        var response = HTTPServerResponse(
            status: 206, headers: headers, body: Array(file.bytes[range.start..<range.end]))
        response.headers.append(
            "Content-Range", "bytes \(range.start)-\(range.end - 1)/\(file.bytes.count)")
        return response
    }
}

/// A store on a `FaultyBucket`, with short limits and pauses that are noted and not waited for.
struct FaultyStore {
    let bucket: FaultyBucket
    let store: S3FileStore
    let pauses: Mutexed<[Duration]>
    let lines: Mutexed<[LogLine]>
    private let server: HTTPServer
    private let loops: [EventLoop]

    /// A value under a lock, for closures.
    final class Mutexed<Value: Sendable>: Sendable {
        private let state: Mutex<Value>
        init(_ value: Value) { state = Mutex(value) }
        var value: Value { state.withLock { $0 } }
        func change(_ body: @Sendable (inout Value) -> Void) { state.withLock { body(&$0) } }
    }

    static let keys = S3Keys(id: "AKIDTEST", secret: "hush-hush", sessionToken: "lent-token")

    init(
        _ bucket: FaultyBucket = FaultyBucket(), tls: TLSContext? = nil, authorities: String? = nil,
        _ change: (inout S3Settings) -> Void = { _ in }
    ) async throws {
        self.bucket = bucket
        loops = [try EventLoop.start(), try EventLoop.start()]
        var configuration = HTTPServer.Configuration()
        configuration.tls = tls
        server = try await HTTPServer.start(configuration, handler: bucket, on: loops[0])
        let scheme = tls == nil ? "http" : "https"
        var settings = S3Settings(
            endpoint: "\(scheme)://localhost:\(server.port)/base", region: "us-east-1",
            bucket: "files", prefix: "roost/", keys: Self.keys)
        settings.partBytes = 1_000
        settings.blockBytes = 1_000
        settings.authoritiesFile = authorities
        change(&settings)
        let (pauses, lines) = (Mutexed<[Duration]>([]), Mutexed<[LogLine]>([]))
        (self.pauses, self.lines) = (pauses, lines)
        let world = S3World(
            time: { Timestamp(milliseconds: 1_369_353_600_000) }, now: { ContinuousClock.now },
            pause: { time in pauses.change { $0.append(time) } },
            log: { line in lines.change { $0.append(line) } })
        store = try S3FileStore(settings, world, on: loops[1])
    }

    /// Writes a file in pieces and keeps it.
    func write(_ bytes: [UInt8], as id: String, pieces: Int = 300) async throws {
        try await store.begin(id, type: "text/plain")
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            try await store.append(Array(bytes[start..<min(start + pieces, bytes.count)]), to: id)
        }
        try await store.keep(id)
    }

    func close() async {
        await store.close()
        await server.shutdown(grace: .zero)
        for loop in loops { await loop.shutdown() }
    }
}
