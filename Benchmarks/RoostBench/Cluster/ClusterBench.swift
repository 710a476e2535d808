// SPDX-License-Identifier: Apache-2.0

internal import RoostSockets

/// Several servers on one PostgreSQL with a synchronous standby and one NATS, beside the embedded
/// server and beside the limits: plain libpq and plain NATS.
///
/// Servers, databases and bus are processes of their own; the clients are in this one. All share
/// the machine, so the figures say how the work is divided rather than how fast a host is.
package final class ClusterBench {
    package struct Options: Sendable {
        /// The program whose servers are measured.
        package var roost: String
        package var folder: String
        /// The numbers of hosts that are measured one after the other.
        package var hosts = [1, 2, 3]
        /// The length of each measurement in seconds.
        package var seconds = 10
        /// The messages a second for the latencies.
        package var rate = 500
        package var users = 200
        package var channels = 1_000
        /// The number of messages that each user has under way for the throughput.
        package var window = 2

        package init(roost: String, folder: String) {
            (self.roost, self.folder) = (roost, folder)
        }
    }

    let options: Options
    let tell: @Sendable (String) -> Void
    /// The thread of the clients.
    let loop: EventLoop
    var report = BenchReport()
    /// The secret of administrators' calls, for this run only.
    let token: String

    var nodes: [PostgresNode] = []
    let bus: BusServer
    var hosts: [HostServer] = []
    var embedded: HostServer?
    /// The microseconds of commits of one row and of hops over the bus, at the rate.
    var limit: (commits: [Double], hops: [Double])?

    /// The users and channels for throughput and latency; members are ten of a channel.
    let world: LoadWorld
    /// Those for faults: few enough that a client can compare all it has.
    let smallWorld = LoadWorld(name: "small", users: 60, channels: 60, members: 10)

    static let databaseNames = ["db1", "db2", "db3"]

    /// Runs all measurements; a missed target is a figure and no error.
    ///
    /// - Throws: A sentence with the remedy, such as for a machine without PostgreSQL.
    package static func run(
        _ options: Options, token: String, progress: @escaping @Sendable (String) -> Void
    ) async throws(BenchError) -> BenchReport {
        do {
            let loop = try EventLoop.start()
            let outcome: Result<BenchReport, any Error>
            do {
                let bench = try ClusterBench(options, token, loop, progress)
                defer { bench.end() }
                try await bench.measure()
                outcome = .success(bench.report)
            } catch {
                outcome = .failure(error)
            }
            await loop.shutdown()
            return try outcome.get()
        } catch let error as BenchError {
            throw error
        } catch {
            throw BenchError("The cluster cannot be measured: \(error)")
        }
    }

    private init(
        _ options: Options, _ token: String, _ loop: EventLoop,
        _ tell: @escaping @Sendable (String) -> Void
    ) throws(BenchError) {
        precondition(!options.hosts.isEmpty, "There must be something to do.")
        (self.options, self.token, self.loop, self.tell) = (options, token, loop, tell)
        world = LoadWorld(
            name: "big", users: options.users, channels: options.channels, members: 10)
        bus = try BusServer(in: options.folder)
        for name in Self.databaseNames {
            nodes.append(try PostgresNode(name, in: options.folder))
        }
    }

    /// Ends every process.
    private func end() {
        for process in [embedded?.process] + hosts.map(\.process) + [bus.process] {
            process?.end()
        }
        // Standbys first: a primary waits for them at its end.
        for node in nodes.reversed() { node.process?.end() }
    }

    private func measure() async throws {
        report.note("machine", Machine.description)
        if let load = Machine.load { report.note("load average at the start", "\(load)") }
        report.note(
            "disk wait", "\(Int(try Machine.diskWait(in: options.folder))) µs for 4 KiB")
        _ = Machine.allowDescriptors(4_096)
        try await measureEmbedded()
        try await startDatabases()
        try await bus.start()
        try await measureThroughput()
        try settle()
        try await measureLimits()
        try await measureLatency()
        try await measureFaults()
        if let load = Machine.load { report.note("load average at the end", "\(load)") }
    }

    // MARK: Processes

    /// Starts a primary and one standby; the third node joins before the primary is killed.
    private func startDatabases() async throws {
        tell("a primary and a synchronous standby")
        let (first, second) = (nodes[0], nodes[1])
        try first.initialise(standbys: Self.databaseNames)
        try await first.start()
        try second.copy(first)
        try await second.start()
        try await first.waitForStandbys(1)
        try Tool.run([options.roost, "migrate", "--database", databaseAddress])
    }

    /// The address for hosts, with all nodes.
    private var databaseAddress: String {
        let places = nodes.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        return "postgresql://roost@\(places)/postgres"
    }

    func startHost() async throws {
        let name = "host\(hosts.count + 1)"
        hosts.append(
            try await HostServer(
                options.roost, name,
                ["--database", databaseAddress, "--bus", bus.address, "--node", name],
                token: token, in: options.folder))
    }

    /// The processes whose time is told apart.
    private var groups: [(name: String, roots: [Int32])] {
        var groups: [(String, [Int32])] = []
        if let embedded {
            groups.append(("the server", [embedded.process.id]))
        } else {
            groups.append(("the hosts", hosts.map(\.process.id)))
            for (node, name) in zip(nodes, ["the primary", "the standby"]) {
                groups.append((name, [node.process?.id].compactMap { $0 }))
            }
            groups.append(("the bus", [bus.process?.id].compactMap { $0 }))
        }
        return groups
    }

    /// Removes the dead rows that the flood of messages has left.
    ///
    /// Otherwise the database would do it by itself, beside the next measurement.
    private func settle() throws(BenchError) {
        _ = try nodes[0].ask("VACUUM ANALYZE")
    }

    // MARK: Throughput

    private func measureEmbedded() async throws {
        tell("the embedded server")
        let server = try await HostServer(
            options.roost, "embedded", ["--data", options.folder + "/embedded"], token: token,
            in: options.folder)
        embedded = server
        try await world.make(at: server.port, token: token, on: loop)
        let found = try await throughput("the embedded server", at: [server.port])
        report.add(
            "throughput", "the embedded server, ten members online", "µs/message",
            ours: found, limit: nil)
        server.process.end()
        embedded = nil
        Machine.remove(options.folder + "/embedded")
    }

    private func measureThroughput() async throws {
        var figures: [(String, Double)] = []
        for count in options.hosts.sorted() {
            tell("throughput with \(count) of the hosts")
            let isFirst = hosts.isEmpty
            while hosts.count < count { try await startHost() }
            if isFirst {
                try await world.make(at: hosts[0].port, token: token, on: loop)
                try await smallWorld.make(at: hosts[0].port, token: token, on: loop)
            }
            let name = count == 1 ? "1 host" : "\(count) hosts"
            figures.append((name, try await throughput(name, at: hosts.map(\.port))))
        }
        tell("throughput with one member of ten online")
        // Every tenth member is online, and the others are offline as most users are.
        let quiet = try await throughput(
            "\(hosts.count) hosts, one member online", at: hosts.map(\.port),
            users: options.users / 10)
        let limit = try insertLimit()
        for (name, figure) in figures {
            report.add(
                "throughput", "\(name), ten members online, aim 400; limit: libpq's rows",
                "µs/message", ours: figure, limit: limit)
        }
        report.add(
            "throughput", "\(hosts.count) hosts, one member online; limit: libpq's rows",
            "µs/message", ours: quiet, limit: limit)
    }

    /// Returns the microseconds of an accepted message while the clients send as fast as they are
    /// answered.
    private func throughput(
        _ name: String, at ports: [UInt16], users: Int? = nil
    ) async throws -> Double {
        // Fewer senders have as many messages under way.
        let window = options.window * options.users / max(1, users ?? options.users)
        let load = Load(world, at: ports, window: window, users: users, token: token, on: loop)
        let seconds = options.seconds
        return try await load.run {
            await Tool.pause(.seconds(min(2, seconds)))
            let (before, start) = (Tool.processTimes(), load.tally.counts)
            let watch = Stopwatch()
            load.tally.record()
            await Tool.pause(.seconds(seconds))
            let (end, after) = (load.tally.counts, Tool.processTimes())
            let answers = load.tally.recorded().answers
            let wall = watch.microseconds
            let count = max(1, end.acknowledged - start.acknowledged)
            let each = wall / Double(count)
            report.note(
                name,
                "\(Int(1e6 / each)) messages/s accepted, "
                    + "\(Int(Double(end.delivered - start.delivered) * 1e6 / wall)) frames/s "
                    + "delivered, answers p50 \(Self.milliseconds(answers.quantile(0.5))) "
                    + "and p99 \(Self.milliseconds(answers.quantile(0.99))) ms")
            note(time: name, from: before, to: after, for: count)
            if end.refused > 0 { report.note("\(name), refused", end.lastRefusal) }
            return each
        }
    }

    /// Notes the processor time of each group for a thousand messages.
    private func note(
        time name: String, from before: [Int32: ProcessTimes], to after: [Int32: ProcessTimes],
        for count: Int
    ) {
        guard !before.isEmpty else { return }
        var parts: [String] = []
        var total = 0.0
        for (group, roots) in groups + [("the clients", [Tool.ownProcess])] {
            // The servers are children of this process, and no part of the clients.
            let isOwn = roots == [Tool.ownProcess]
            let spent =
                isOwn
                ? (after[roots[0]]?.seconds ?? 0) - (before[roots[0]]?.seconds ?? 0)
                : after.seconds(of: roots) - before.seconds(of: roots)
            total += spent
            let share = (spent * 1e6 / Double(count)).rounded() / 1e3
            parts.append("\(group) \(share)")
        }
        let sum = (total * 1e6 / Double(count)).rounded() / 1e3
        report.note(
            "\(name), processor seconds for 1,000 messages",
            parts.joined(separator: ", ") + "; together \(sum)")
    }

    static func milliseconds(_ microseconds: Double) -> Double {
        (microseconds / 100).rounded() / 10
    }
}
