// SPDX-License-Identifier: Apache-2.0

// A dead bus, a dead primary and a dead host, each under load.
extension ClusterBench {
    /// The messages a second while something is broken.
    private static let rate = 200

    func measureFaults() async throws {
        guard hosts.count > 1 else { return }
        try await killBus()
        try await killPrimary()
        try await killHost()
    }

    private func faultLoad() -> Load {
        Load(smallWorld, at: hosts.map(\.port), window: 0, token: token, on: loop)
    }

    /// Kills the bus and measures the delivery by the sweep.
    private func killBus() async throws {
        tell("a dead bus")
        let load = faultLoad()
        let across = try await load.run(rate: Self.rate) {
            await Tool.pause(.seconds(1))
            bus.process?.kill()
            load.tally.record()
            await Tool.pause(.seconds(options.seconds))
            let across = load.tally.recorded().across
            try await bus.start()
            return across
        }
        for (name, part) in [("p50", 0.5), ("p99", 0.99), ("the slowest", 1)] {
            report.add(
                "bus down", "from a host to another one at \(Self.rate)/s, \(name), aim 300", "ms",
                ours: across.quantile(part) / 1e3, limit: nil)
        }
        report.note(
            "bus down", load.isDelivered ? "each message delivered to all" : "not all delivered")
    }

    /// Kills the primary, promotes a standby at once and measures the wait of the writers.
    private func killPrimary() async throws {
        tell("a dead primary")
        try nodes[2].copy(nodes[0])
        try await nodes[2].start()
        try await nodes[0].waitForStandbys(2)
        let before = try stored(at: nodes[0])
        let load = faultLoad()
        let moments = try await load.run(rate: Self.rate) {
            await Tool.pause(.seconds(2))
            let start = Stopwatch.now
            load.tally.watch(since: start)
            nodes[0].process?.kill()
            let standbys = [nodes[1], nodes[2]]
            let received = try standbys.map { try $0.received }
            let (new, other) =
                received[0] >= received[1] ? (standbys[0], standbys[1]) : (standbys[1], standbys[0])
            try new.promote()
            try other.follow(new)
            let promoted = Stopwatch.now
            nodes = [new, other]
            try await Tool.wait(for: "A write after the promotion") {
                load.tally.watchedMoment != nil
            }
            let written = load.tally.watchedMoment ?? start
            // The load ends with the last message that waited for the new primary.
            try await Tool.wait(for: "The answer to all that waited") {
                let counts = load.tally.counts
                return counts.sent - counts.acknowledged < Self.rate / 10
            }
            return (promoted - start, written - start, Stopwatch.now - start)
        }
        let counts = load.tally.counts
        report.add(
            "primary killed", "until a standby is promoted", "ms", ours: moments.0 / 1e3,
            limit: nil)
        report.add(
            "primary killed", "until the first write, aim 10000; limit: the promotion", "ms",
            ours: moments.1 / 1e3, limit: moments.0 / 1e3)
        report.add(
            "primary killed", "until all that waited is written", "ms", ours: moments.2 / 1e3,
            limit: nil)
        let after = try stored(at: nodes[0])
        report.note(
            "primary killed",
            "\(counts.sent) messages sent, \(after - before) stored, "
                + "\(counts.refused) refused and sent again")
    }

    /// Returns the number of messages of the small world.
    private func stored(at node: PostgresNode) throws(BenchError) -> Int {
        let text = try node.ask(
            """
            SELECT count(*) FROM roost.message AS m JOIN roost.channel AS c ON c.id = m.channel
            WHERE c.url LIKE 'small-%'
            """)
        return Int(text) ?? 0
    }

    /// Kills a host and measures the return of its clients.
    private func killHost() async throws {
        tell("a dead host")
        let load = faultLoad()
        load.tally.remember()
        let channels = smallWorld.channelsOfUsers()
        let times = try await load.run(rate: Self.rate) {
            await Tool.pause(.seconds(2))
            let start = Stopwatch.now
            hosts.last?.process.kill()
            let lost = (smallWorld.users / hosts.count)
            var found: [(online: Double, complete: Double)] = []
            try await Tool.wait(for: "The return of all clients") {
                found = []
                for client in load.clients {
                    guard let last = await client.returns.last, let online = last.online,
                        let complete = last.complete
                    else { continue }
                    found.append((online - start, complete - start))
                }
                return found.count >= lost
            }
            await Tool.pause(.seconds(1))
            return found
        }
        var missing = 0
        for (client, channels) in zip(load.clients, channels) {
            missing += await client.lacks(load.tally.requests(in: channels))
        }
        let (online, complete) = (times.map(\.online), times.map(\.complete))
        for (name, values, aim) in [
            ("are online again", online, ""), ("have all messages", complete, ", aim 3000"),
        ] {
            report.add(
                "host killed", "until half of its clients \(name)", "ms",
                ours: values.median / 1e3, limit: nil)
            report.add(
                "host killed", "until all of its clients \(name)\(aim)", "ms",
                ours: values.quantile(1) / 1e3, limit: nil)
        }
        report.note(
            "host killed", "\(times.count) clients came back, \(missing) messages are missing")
    }
}
