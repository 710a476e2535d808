// SPDX-License-Identifier: Apache-2.0

internal import CRoostBenchLimit
internal import RoostExecutors
internal import RoostNATS
internal import RoostSockets

// The limits, and the time from host to host.
extension ClusterBench {
    // MARK: libpq

    /// A run of rows inserted by libpq.
    struct Inserts {
        let rows: Int64
        /// The microseconds of each commit.
        let commits: [Double]
    }

    /// Returns the least microseconds of a row among some sizes of commits.
    func insertLimit() throws(BenchError) -> Double {
        tell("rows by libpq")
        let seconds = Double(options.seconds)
        var best: (each: Double, rows: Int32) = (.infinity, 0)
        for size in [10, 100, 400] as [Int32] {
            let found = try inserts(connections: 8, rows: size, rate: 0, seconds: seconds / 3)
            let each = seconds / 3 * 1e6 / Double(max(1, found.rows))
            if each < best.each { best = (each, size) }
        }
        report.note(
            "rows by libpq",
            "\(Int(1e6 / best.each)) rows/s by 8 connections, \(best.rows) rows a commit")
        return best.each
    }

    private func inserts(
        connections: Int32, rows: Int32, rate: Double, seconds: Double
    ) throws(BenchError) -> Inserts {
        // The text of a message as a host has stored it.
        let body = try nodes[0].ask("SELECT body FROM roost.message LIMIT 1")
        let first = try nodes[0].ask("SELECT max(channel) + 1000 FROM roost.message")
        let capacity = 1 << 20
        var (inserted, count) = (Int64(0), Int64(0))
        var reason = [CChar](repeating: 0, count: 300)
        // SAFETY: texts and buffers are lent for the call with their true sizes, and the count is
        // at most the capacity.
        let commits = unsafe [Double](unsafeUninitializedCapacity: capacity) { micros, filled in
            unsafe nodes[0].address.withCString { address in
                unsafe body.withCString { body in
                    var options = unsafe roost_insert_options(
                        address: address, body: body, connections: connections,
                        rows_per_commit: rows, commits_per_second: rate, seconds: seconds,
                        first_channel: Int64(first) ?? 1_000_000)
                    inserted = unsafe roost_insert_run(
                        &options, micros.baseAddress, Int64(capacity), &count, &reason,
                        Int32(reason.count))
                }
            }
            filled = Int(count)
        }
        guard inserted >= 0 else {
            let text = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw BenchError(
                "Rows cannot be inserted by libpq: \(String(decoding: text, as: UTF8.self))")
        }
        return Inserts(rows: inserted, commits: commits)
    }

    // MARK: NATS

    /// The microseconds from one connection to another one.
    private struct Hops: Sendable {
        var arrived = 0
        var micros: [Double] = []
    }

    /// Measures the limits of a message's way: a commit of one row and a hop over the bus, both at
    /// the rate.
    func measureLimits() async throws {
        tell("a row and a hop at \(options.rate) a second")
        let seconds = Double(options.seconds)
        let commits = try inserts(
            connections: 4, rows: 1, rate: Double(options.rate), seconds: seconds
        ).commits
        let hops = try await hops(atRate: options.rate, count: options.rate * options.seconds)
        limit = (commits, hops)
        let flood = Stopwatch()
        let count = 20_000 * options.seconds
        _ = try await self.hops(atRate: nil, count: count)
        report.note(
            "plain NATS", "\(Int(Double(count) * 1e6 / flood.microseconds)) messages/s of 700 bytes"
        )
        for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
            report.add(
                "limit", "a row committed on primary and standby, \(name)", "ms",
                ours: commits.quantile(part) / 1e3, limit: nil)
            report.add(
                "limit", "a hop over the bus, \(name)", "ms", ours: hops.quantile(part) / 1e3,
                limit: nil)
        }
    }

    /// Passes messages from one connection to another one, and returns the time of each.
    private func hops(atRate rate: Int?, count: Int) async throws -> [Double] {
        let found = Guarded(Hops())
        let other = try EventLoop.start()
        let outcome: Result<Void, any Error>
        do {
            let settings = NATSSettings([bus.address], subject: "limit.*")
            let reader = try await NATSConnection.open(settings, on: loop) { events in
                let now = Stopwatch.now
                found.withLock { found in
                    for case .message(let bytes) in events {
                        found.arrived += 1
                        guard rate != nil,
                            let mark = LoadMark(in: String(decoding: bytes, as: UTF8.self))
                        else { continue }
                        found.micros.append(now - mark.sentAt)
                    }
                }
            }
            let unused = NATSSettings([bus.address], subject: "unused")
            let writer = try await NATSConnection.open(unused, on: other) { _ in }
            // A subscription counts once the server has read it.
            await reader.flush(within: .seconds(5))
            let padding = [UInt8](repeating: 0x2E, count: 660)
            let watch = Stopwatch()
            for number in 0..<count {
                if let rate { try await watch.wait(until: Double(number) * 1e6 / Double(rate)) }
                let mark = LoadMark(request: "x", sentAt: Stopwatch.now, host: 0)
                let message = Array(mark.text.utf8) + padding
                while !writer.publish([message], to: "limit.1") {
                    await writer.flush(within: .seconds(5))
                }
                if rate == nil, number % 2_000 == 0 { await writer.flush(within: .seconds(5)) }
            }
            try await Tool.wait(for: "The bus", atMost: 20) {
                found.withLock { $0.arrived } >= count
            }
            await reader.close()
            await writer.close()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await other.shutdown()
        try outcome.get()
        return found.withLock { $0.micros }
    }

    // MARK: From host to host

    /// Measures the time from a message at one host to a member at another one.
    func measureLatency() async throws {
        guard hosts.count > 1 else { return }
        tell("from host to host at \(options.rate) a second")
        let load = Load(world, at: hosts.map(\.port), window: 0, token: token, on: loop)
        let across = try await load.run(rate: options.rate) { try await recordAcross(load) }
        let isComplete = load.isDelivered
        report.note(
            "at \(options.rate)/s",
            "\(load.tally.counts.acknowledged) messages accepted, "
                + (isComplete ? "each delivered to all members" : "not all delivered"))
        for (name, part, aim) in [("p50", 0.5, 8), ("p99", 0.99, 25)] {
            report.add(
                "latency",
                "from a host to another one at \(options.rate)/s, \(name), aim \(aim); "
                    + "limit: row and hop", "ms", ours: across.quantile(part) / 1e3,
                limit: limit.map {
                    ($0.commits.quantile(part) + $0.hops.quantile(part)) / 1e3
                })
        }
    }

    private func recordAcross(_ load: Load) async throws -> [Double] {
        await Tool.pause(.seconds(min(2, options.seconds)))
        load.tally.record()
        await Tool.pause(.seconds(options.seconds))
        return load.tally.recorded().across
    }
}
