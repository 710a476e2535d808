// SPDX-License-Identifier: Apache-2.0

internal import Roost
internal import RoostExecutors
internal import RoostHost
internal import RoostModel

/// The cost of a send call, and the rate at which waiting messages are sent, with a real server and
/// real sockets.
package struct OutboxBench {
    package struct Options: Sendable {
        /// The number of messages sent without a connection, one by one.
        package var sends = 2_000
        /// The number of messages that wait for the connection.
        package var waiting = 10_000
        package var rounds = 3
        /// The folder of the databases during the run.
        package var folder: String

        package init(folder: String) { self.folder = folder }
    }

    private let options: Options
    private let tell: @Sendable (String) -> Void
    private var report = BenchReport()

    /// - Returns: The figures; a missed target is one of them, and no error.
    /// - Throws: An error if the folder cannot be used, or one side fails.
    package static func run(
        _ options: Options, progress: @escaping @Sendable (String) -> Void
    ) async throws(BenchError) -> BenchReport {
        try Machine.makeFolder(options.folder)
        var bench = OutboxBench(options: options, tell: progress)
        bench.report.note("machine", Machine.description)
        bench.report.note("load average at the start", Machine.load.map { "\($0)" } ?? "unknown")
        bench.report.note(
            "fdatasync of 4 KiB", "\(Int(try Machine.diskWait(in: options.folder))) µs")
        bench.report.note("both sides", "WAL, synchronous FULL, one transaction a message")
        do {
            try await bench.measureSends()
            try await bench.measureHandover()
            for channels in [1, 16] { try await bench.measureDrain(channels: channels) }
        } catch let error as BenchError {
            throw error
        } catch {
            throw BenchError("The client or its server failed: \(error)")
        }
        return bench.report
    }

    private static func client(
        _ folder: String, port: UInt16
    ) async throws(RoostError) -> ChatClient {
        try await ChatClient.open(
            Configuration(
                applicationID: "bench", server: "http://127.0.0.1:\(port)", userID: "ada",
                cache: .folder(folder)))
    }

    /// The number of sends of one side before the other side's turn.
    private static let turn = 50
    private static let text = String(repeating: "a message of usual length ", count: 4)

    // MARK: The call

    private mutating func measureSends() async throws {
        var (ours, limit): ([Double], [Double]) = ([], [])
        for round in 1...options.rounds {
            tell("sends, round \(round) of \(options.rounds): \(options.sends) on either side")
            // No server listens on that port, and no client connects.
            let client = try await Self.client("\(options.folder)/send-\(round)", port: 9)
            let queue = try LimitQueue("\(options.folder)/limit-\(round).sqlite")
            // By turns, so that other work on the machine affects both.
            let all = 0..<options.sends
            for first in stride(from: 0, to: all.upperBound, by: Self.turn) {
                let turn = (first..<first + Self.turn).clamped(to: all)
                for number in turn {
                    let watch = Stopwatch()
                    try await client.send("\(Self.text)\(number)", to: "channel")
                    ours.append(watch.microseconds)
                }
                for number in turn {
                    let payload = Array("\(Self.text)\(number)".utf8)
                    let watch = Stopwatch()
                    try queue.append(payload, named: "request-\(round)-\(number)", at: number)
                    limit.append(watch.microseconds)
                }
            }
            await client.close()
        }
        report.add(
            "send", "a send call without a connection", "µs (p50)", ours: ours.median,
            limit: limit.median, target: 1.5)
        report.add(
            "send", "a send call without a connection", "µs (p99)", ours: ours.quantile(0.99),
            limit: limit.quantile(0.99))
    }

    /// The limit's queue in an actor whose thread may wait for the disk.
    private actor Clerk {
        private nonisolated let executor = ThreadExecutor(name: "bench.clerk")
        private let queue: LimitQueue

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            // SAFETY: the actor keeps its executor.
            unsafe executor.asUnownedSerialExecutor()
        }

        init(_ path: String) throws(BenchError) { queue = try LimitQueue(path) }

        func append(_ payload: [UInt8], named name: String, at number: Int) throws(BenchError) {
            try queue.append(payload, named: name, at: number)
        }
    }

    /// Measures the part of the cost that keeps the caller's thread free.
    private mutating func measureHandover() async throws {
        var (there, here): ([Double], [Double]) = ([], [])
        let clerk = try Clerk("\(options.folder)/there.sqlite")
        let queue = try LimitQueue("\(options.folder)/here.sqlite")
        for first in stride(from: 0, to: options.sends, by: Self.turn) {
            for number in first..<first + Self.turn {
                let payload = Array("\(Self.text)\(number)".utf8)
                let watch = Stopwatch()
                try await clerk.append(payload, named: "request-\(number)", at: number)
                there.append(watch.microseconds)
            }
            for number in first..<first + Self.turn {
                let payload = Array("\(Self.text)\(number)".utf8)
                let watch = Stopwatch()
                try queue.append(payload, named: "request-\(number)", at: number)
                here.append(watch.microseconds)
            }
        }
        report.add(
            "send", "the limit in an actor that may wait for the disk", "µs (p50)",
            ours: there.median, limit: here.median)
    }

    // MARK: The queue

    private mutating func measureDrain(channels: Int) async throws {
        tell("drain of \(options.waiting) messages to \(channels) channels")
        let folder = "\(options.folder)/drain-\(channels)"
        let host = try await ChatHost.start(
            ChatHost.Configuration(dataFolder: "\(folder)/server", applicationID: "bench"))
        let client = try await Self.client("\(folder)/client", port: host.port)
        try await client.connect()
        var urls: [ChannelURL] = []
        for number in 0..<channels {
            let params = ChannelCreateParams(memberIDs: ["bo"], name: "\(number)")
            urls.append(try await client.createChannel(params).url)
        }
        // One at a time, each waiting for its answer: the least rate of a queue.
        let single = Stopwatch()
        let probes = 200
        for number in 0..<probes {
            let sent = try await client.send("probe \(number)", to: urls[0])
            if let id = sent.requestID { try await client.outcome(of: id) }
        }
        let perAnswer = single.microseconds / Double(probes)
        await client.disconnect()
        var last: RequestID?
        for number in 0..<options.waiting {
            last = try await client.send("waiting \(number)", to: urls[number % channels]).requestID
        }
        Machine.resetPeakMemory()
        let before = Machine.memory?.now ?? 0
        let watch = Stopwatch()
        try await client.connect()
        if let last { try await client.outcome(of: last) }
        await client.waitUntilIdle()
        let took = watch.microseconds
        let peak = Machine.memory?.peak ?? 0
        await client.close()
        await host.stop()
        report.add(
            "drain",
            "\(options.waiting) waiting messages, \(channels) channels; limit: sent one by one",
            "µs a message", ours: took / Double(options.waiting), limit: perAnswer, target: 1.1)
        report.note(
            "memory while \(channels) channels drained",
            "\(before / 1024) MiB before, \(peak / 1024) MiB at its peak, server included")
    }
}
