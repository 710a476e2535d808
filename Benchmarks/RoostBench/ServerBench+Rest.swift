// SPDX-License-Identifier: Apache-2.0

import RoostHost
import RoostSockets
import RoostWire

// Sockets at rest, latency, pages and long runs.
extension ServerBench {
    /// Measures the server's memory alone: the clients' ends are descriptors without other memory.
    mutating func idle(_ host: ChatHost, _ echo: HTTPServer) async throws {
        // The clients' ends are parked, so the table has only the server's descriptors.
        let room = Machine.allowDescriptors(0) - 1_000
        let count = min(options.idleSockets, room)
        tell("\(count) idle sockets")
        var (ours, limit): (Double?, Double?)
        for isOurs in [false, true] {
            // Freed memory is used again, so the first hundred sockets pay for shared parts.
            var sockets: [RawSocket] = []
            let parked = try ParkedSockets()
            var before: Int?
            for number in 0..<(count + 100) {
                if number == 100 { before = Machine.memory?.now }
                let socket = try RawSocket(port: isOurs ? host.port : echo.port)
                try socket.upgrade(
                    isOurs ? "/?ai=bench&user_id=idle\(number)" : "/",
                    hearing: isOurs ? "LOGI" : nil)
                sockets.append(socket)
                guard sockets.count == 250 else { continue }
                try parked.take(sockets)
                sockets = []
            }
            let after = Machine.memory?.now
            if let before, let after {
                let each = Double(after - before) / Double(count)
                if isOurs { ours = each } else { limit = each }
            }
            sockets = []
        }
        report.note("sockets held at rest", "\(count)")
        report.add(
            "idle", "the server's memory of a socket at rest, aim 24; limit: the library's own",
            "KiB", ours: ours, limit: limit)
    }

    /// Measures the time from a message to the last member, one message at a time; limit: an echo.
    mutating func waits(
        _ url: String, _ sockets: [WebSocketConnection], _ echoes: [WebSocketConnection]
    ) async throws {
        var (ours, limit): ([Double], [Double]) = ([], [])
        for number in 0..<options.waits {
            let frame = message("wait", in: url, "wait-\(number)")
            let watch = Stopwatch()
            try await sockets[0].send(frame)
            for socket in sockets { try await Self.receive(1, on: socket) }
            ours.append(watch.microseconds)
            let other = Stopwatch()
            try await echoes[0].send(frame)
            _ = try await echoes[0].receive()
            limit.append(other.microseconds)
        }
        for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
            report.add(
                "fan-out", "until the last of \(sockets.count) has it, \(name); limit: an echo",
                "µs",
                ours: ours.percentile(part), limit: limit.percentile(part))
        }
    }

    /// Reads pages of 30 messages by REST; limit: as many bytes from a handler without work.
    mutating func reads(_ host: ChatHost, _ echo: HTTPServer) async throws {
        tell("pages")
        let url = "c\(options.channels.min() ?? 0)"
        let target =
            "/v3/group_channels/\(url)/messages?message_ts=99999999999999&prev_limit=30&next_limit=0"
        let (ours, plain) = (try RawSocket(port: host.port), try RawSocket(port: echo.port))
        let headers = "Api-Token: bench\r\n"
        let size = try ours.get(target, headers)
        guard size > 2_000 else { throw BenchError("A page has no messages.") }
        var (mine, limit): ([Double], [Double]) = ([], [])
        for _ in 0..<options.reads {
            let watch = Stopwatch()
            _ = try ours.get(target, headers)
            mine.append(watch.microseconds)
            let other = Stopwatch()
            _ = try plain.get("/\(size)", "")
            limit.append(other.microseconds)
        }
        report.note("pages read", "\(Int(1e6 / mine.median))/s on one connection")
        for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
            report.add(
                "pages", "30 messages by REST, \(name); limit: the bytes alone", "µs",
                ours: mine.percentile(part), limit: limit.percentile(part))
        }
    }

    /// Sends messages to a channel of medium size for a while; growth of memory is a leak.
    mutating func lasting(_ host: ChatHost) async throws {
        guard options.seconds > 0 else { return }
        tell("\(options.seconds) seconds of messages")
        let members = 20
        let users = (0..<members).map { "l\($0)" }
        try await make("lasting", users, on: host)
        var sockets: [WebSocketConnection] = []
        for user in users { sockets.append(try await login(user, host)) }
        let watch = Stopwatch()
        var sent = 0
        var (early, isWarm) = (Int?.none, false)
        // On a machine of any speed some messages are sent after the first look at the memory.
        while !isWarm || watch.microseconds < Double(options.seconds) * 1e6 {
            if !isWarm, watch.microseconds > Double(options.seconds) * 2e5 {
                isWarm = true
                early = Machine.memory?.now
            }
            let burst = (sent..<(sent + 50)).map { message("long", in: "lasting", "l\($0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for socket in sockets {
                    group.addTask(executorPreference: clientLoop) {
                        try await Self.receive(50, on: socket)
                    }
                }
                let sender = sockets[0]
                group.addTask(executorPreference: clientLoop) {
                    for frame in burst { try await sender.send(frame) }
                }
                try await group.waitForAll()
            }
            sent += 50
        }
        for socket in sockets { await socket.close() }
        report.note("messages of the long run", "\(sent) in \(options.seconds) s")
        if let early, let late = Machine.memory?.now {
            report.add(
                "memory", "growth over the last four fifths of the long run", "KiB",
                ours: Double(late - early), limit: nil)
        }
    }
}

extension [Double] {
    /// Returns the value below which this part of all values lies.
    fileprivate func percentile(_ part: Double) -> Double {
        let sorted = sorted()
        return sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }
}
