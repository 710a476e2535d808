// SPDX-License-Identifier: Apache-2.0

import RoostHost
import RoostModel
import RoostSQLite
import RoostSockets
import RoostWire

/// The server against the limit: an echo by its own socket library, and plain rows in SQLite.
///
/// Server and clients are in one process, each on a thread of its own, for ours and for the limit
/// alike. So the figures include both ends, and the ratios count.
package struct ServerBench {
    package struct Options: Sendable {
        /// The sizes of the channels for the fan-out.
        package var channels = [10, 100, 1_000]
        /// The number of frames that reach clients, in each round of a channel.
        package var deliveries = 100_000
        package var accepts = 20_000
        package var idleSockets = 10_000
        package var reads = 2_000
        /// The number of messages whose latency is measured alone.
        package var waits = 200
        /// The length of the last measurement in seconds.
        package var seconds = 10
        package var rounds = 3
        package var folder: String

        package init(folder: String) { self.folder = folder }
    }

    let options: Options
    let tell: @Sendable (String) -> Void
    private let serverLoop: EventLoop
    let clientLoop: EventLoop
    var report = BenchReport()

    /// Runs all measurements; a missed target is a figure and no error.
    package static func run(
        _ options: Options, progress: @escaping @Sendable (String) -> Void
    ) async throws(BenchError) -> BenchReport {
        precondition(options.rounds > 0, "There must be something to do.")
        do {
            let (server, client) = (try EventLoop.start(), try EventLoop.start())
            var bench = ServerBench(
                options: options, tell: progress, serverLoop: server, clientLoop: client)
            try Machine.makeFolder(options.folder)
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await bench.measure()) } catch { outcome = .failure(error) }
            await client.shutdown()
            await server.shutdown()
            try outcome.get()
            return bench.report
        } catch {
            throw BenchError("The server cannot be measured: \(error)")
        }
    }

    private mutating func measure() async throws {
        report.note("machine", Machine.description)
        if let load = Machine.load { report.note("load average at the start", "\(load)") }
        report.note(
            "disk wait", "\(try Machine.diskWait(in: options.folder)) µs for 4 KiB")
        let descriptors = Machine.allowDescriptors(2 * options.idleSockets + 1_000)
        var plain = HTTPServer.Configuration()
        plain.connectionLimit = descriptors
        let echo = try await HTTPServer.start(plain, handler: Echo(), on: serverLoop)
        var configuration = ChatHost.Configuration(
            dataFolder: options.folder + "/server", applicationID: "bench")
        configuration.apiToken = "bench"
        configuration.connectionLimit = descriptors
        report.note("descriptors allowed", "\(descriptors)")
        let host = try await ChatHost.start(configuration)
        // First, because freed memory is used again.
        try await idle(host, echo)
        try await fanOut(host, echo)
        try await reads(host, echo)
        try await accepts(host, echo)
        try await lasting(host)
        await host.stop()
        await echo.shutdown(grace: .zero)
        Machine.remove(options.folder + "/server")
        if let load = Machine.load { report.note("load average at the end", "\(load)") }
    }

    // MARK: Fan-out

    private mutating func fanOut(_ host: ChatHost, _ echo: HTTPServer) async throws {
        for members in options.channels {
            tell("fan-out to \(members)")
            let count = max(1, options.deliveries / members)
            let users = (0..<members).map { "u\($0)" }
            let url = "c\(members)"
            var sockets: [WebSocketConnection] = []
            try await make(url, users, on: host)
            for user in users { sockets.append(try await login(user, host)) }
            var echoes: [WebSocketConnection] = []
            for _ in 0..<members {
                echoes.append(
                    try await WebSocketClient.connect(
                        url: "ws://127.0.0.1:\(echo.port)/", on: clientLoop))
            }
            var (ours, limit): ([Double], [Double]) = ([], [])
            for round in 0..<options.rounds {
                let frames = (0..<count).map { number in
                    message("fan-out", in: url, "\(round)-\(number)")
                }
                let watch = Stopwatch()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for socket in sockets {
                        group.addTask(executorPreference: clientLoop) {
                            try await Self.receive(count, on: socket)
                        }
                    }
                    let sender = sockets[0]
                    group.addTask(executorPreference: clientLoop) {
                        for frame in frames { try await sender.send(frame) }
                    }
                    try await group.waitForAll()
                }
                ours.append(watch.microseconds / Double(count * members))
                // As long as the frame that members get.
                let text = String(repeating: "x", count: 420)
                let other = Stopwatch()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for socket in echoes {
                        group.addTask(executorPreference: clientLoop) {
                            try await Self.echo(text, count, on: socket)
                        }
                    }
                    try await group.waitForAll()
                }
                limit.append(other.microseconds / Double(count * members))
            }
            report.add(
                "fan-out", "a frame to one of \(members) members; limit: an echo", "µs",
                ours: ours.median, limit: limit.median, target: 2.5)
            report.note(
                "accepted and fanned out to \(members)",
                "\(Int(1e6 / (ours.median * Double(members)))) messages/s")
            try await waits(url, sockets, echoes)
            for socket in sockets + echoes { await socket.close() }
        }
    }

    /// Reads until `count` messages have come, answers to own messages included.
    static func receive(_ count: Int, on socket: WebSocketConnection) async throws {
        var left = count
        while left > 0 {
            guard case .text(let text) = try await socket.receive() else {
                throw BenchError("A socket ended before the last message.")
            }
            if text.hasPrefix("EROR") { throw BenchError("The server refused: \(text)") }
            if text.hasPrefix("MESG") { left -= 1 }
        }
    }

    func login(_ user: String, _ host: ChatHost) async throws -> WebSocketConnection {
        let socket = try await WebSocketClient.connect(
            url: "ws://127.0.0.1:\(host.port)/?ai=bench&user_id=\(user)", on: clientLoop)
        guard case .text(let text) = try await socket.receive(), text.hasPrefix("LOGI") else {
            throw BenchError("The server refused a login.")
        }
        return socket
    }

    func message(_ text: String, in url: String, _ request: String) -> String {
        ClientCommand.message(
            MessageCommand(
                channelURL: ChannelURL(url), requestID: RequestID(request),
                content: .user(text: text + String(repeating: ".", count: 60)))
        ).encoded
    }

    private static func echo(
        _ text: String, _ count: Int, on socket: WebSocketConnection
    ) async throws {
        var left = count
        while left > 0 {
            // As many unanswered messages as a busy sender has.
            let burst = min(left, 50)
            for _ in 0..<burst { try await socket.send(text) }
            for _ in 0..<burst { _ = try await socket.receive() }
            left -= burst
        }
    }

    func make(_ url: String, _ users: [String], on host: ChatHost) async throws {
        for user in users {
            // The user of an earlier channel exists already.
            _ = await host.callAsPlatform(CreateUser(userID: UserID(user)).encode())
        }
        let call = CreateChannel(channelURL: ChannelURL(url), userIDs: users.map { UserID($0) })
        let answer = await host.callAsPlatform(call.encode())
        guard answer.status == 200 else { throw BenchError("A channel cannot be made.") }
    }

    // MARK: Durable accepts

    /// Measures the durable messages of one sender.
    ///
    /// The limit is the same rows in transactions of a hundred, as a server could have that waits
    /// for a hundred.
    ///
    /// A row is not yet a message that came over a socket and was answered, so a second row adds
    /// the socket library's cost of echoing as many frames.
    private mutating func accepts(_ host: ChatHost, _ echo: HTTPServer) async throws {
        tell("durable accepts")
        try await make("alone", ["solo"], on: host)
        let socket = try await login("solo", host)
        let echoing = try await WebSocketClient.connect(
            url: "ws://127.0.0.1:\(echo.port)/", on: clientLoop)
        let count = options.accepts
        var (ours, rows, echoes): ([Cost], [Cost], [Cost]) = ([], [], [])
        for round in 0..<options.rounds {
            let frames = (0..<count).map { message("accept", in: "alone", "\(round)-\($0)") }
            ours.append(
                try await serverCost(of: count) { group, loop in
                    group.addTask(executorPreference: loop) {
                        try await Self.receive(count, on: socket)
                    }
                    group.addTask(executorPreference: loop) {
                        for frame in frames { try await socket.send(frame) }
                    }
                })
            let text = frames[0]
            echoes.append(
                try await serverCost(of: count) { group, loop in
                    group.addTask(executorPreference: loop) {
                        try await Self.echo(text, count, on: echoing)
                    }
                })
            rows.append(try insertRows(frames, round))
        }
        await socket.close()
        await echoing.close()
        report.add(
            "accepts", "a message on the disk; limit: its row, a hundred a commit", "µs",
            ours: ours.wall.median, limit: rows.wall.median, target: 1.67)
        report.add(
            "accepts", "a message on the disk; limit: an echo of its frame, and its row", "µs",
            ours: ours.wall.median, limit: echoes.wall.median + rows.wall.median)
        report.add(
            "accepts", "the server's own processor time; limit: the same for echo and row", "µs",
            ours: ours.processor.median, limit: echoes.processor.median + rows.processor.median)
    }

    /// Returns the cost of a part of some work, without the processor time of the clients' thread.
    private func serverCost(
        of count: Int,
        _ work: (inout ThrowingTaskGroup<Void, any Error>, EventLoop) -> Void
    ) async throws -> Cost {
        let clients = await clientTime()
        let watch = Stopwatch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            work(&group, clientLoop)
            try await group.waitForAll()
        }
        let cost = watch.cost
        let spent = await clientTime() - clients
        return Cost(
            wall: cost.wall / Double(count), processor: (cost.processor - spent) / Double(count))
    }

    /// Returns the microseconds that the clients' thread has run.
    private func clientTime() async -> Double {
        await withCheckedContinuation { continuation in
            clientLoop.execute { continuation.resume(returning: Stopwatch.ownThread) }
        }
    }

    private func insertRows(_ frames: [String], _ round: Int) throws -> Cost {
        let path = options.folder + "/rows-\(round).sqlite"
        defer { for suffix in ["", "-wal", "-shm"] { Machine.remove(path + suffix) } }
        let connection = try Connection(
            .file(path), ConnectionOptions(durability: .powerLoss))
        try connection.executeScript(
            "CREATE TABLE message (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")
        let insert = Query<String, Void>(
            sql: "INSERT INTO message (body) VALUES (?1)",
            bind: { body, bindings in bindings.append(body) })
        let watch = Stopwatch()
        for start in stride(from: 0, to: frames.count, by: 100) {
            try connection.transaction { () throws(SQLiteError) in
                for frame in frames[start..<min(start + 100, frames.count)] {
                    try connection.execute(insert, frame)
                }
            }
        }
        let cost = watch.cost
        return Cost(
            wall: cost.wall / Double(frames.count), processor: cost.processor / Double(frames.count)
        )
    }
}

/// A handler that echoes frames, and answers with as many bytes as the path says.
private struct Echo: HTTPServerHandler {
    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        let count = Int(request.target.dropFirst()) ?? 0
        return HTTPServerResponse(status: 200, body: Array(repeating: 120, count: count))
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        .accept(subprotocol: nil) { connection in
            while let message = try? await connection.receive() {
                guard (try? await connection.send(message)) != nil else { return }
            }
        }
    }
}
