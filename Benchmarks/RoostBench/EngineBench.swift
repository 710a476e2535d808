// SPDX-License-Identifier: Apache-2.0

internal import Roost
internal import RoostExecutors
internal import RoostHost
internal import RoostModel

/// The time from a frame to the screen, the throughput, and the cost of a return after an absence.
package struct EngineBench {
    package struct Options: Sendable {
        package var load = LiveLoad(messages: 1_000_000, seconds: 10)
        /// The number of single live messages.
        package var live = 2_000
        /// The number of channels that change during an absence, and of messages in each.
        package var channels = 200
        package var missed = 50
        /// The folder of the databases during the run.
        package var folder: String

        package init(folder: String) { self.folder = folder }
    }

    /// The milliseconds within which 99 of 100 live messages are shown.
    private static let patience = 20.0

    private let options: Options
    private let tell: @Sendable (String) -> Void
    private var report = BenchReport()

    /// - Returns: The figures; a missed target is one of them, and no error.
    /// - Throws: An error if the folder cannot be used, or one side fails.
    package static func run(
        _ options: Options, progress: @escaping @Sendable (String) -> Void
    ) async throws(BenchError) -> BenchReport {
        try Machine.makeFolder(options.folder)
        var bench = EngineBench(options: options, tell: progress)
        bench.report.note("machine", Machine.description)
        bench.report.note("load average at the start", Machine.load.map { "\($0)" } ?? "unknown")
        bench.report.note("messages in the cache", "\(options.load.messages)")
        do {
            try await bench.measureLive()
            try await bench.measureCatchUp()
        } catch let error as BenchError {
            throw error
        } catch {
            throw BenchError("The client or its server failed: \(error)")
        }
        bench.report.note("load average at the end", Machine.load.map { "\($0)" } ?? "unknown")
        return bench.report
    }

    // MARK: Live

    private mutating func measureLive() async throws {
        let folder = "\(options.folder)/cache"
        let opened = try await options.load.open(folder, tell)
        var feed = opened.feed
        let (server, client) = (opened.server, opened.client)
        try await client.connect()
        let timeline = try await client.timeline(of: feed.channel)
        let list = try await client.channelList()
        await client.waitUntilIdle()
        let shown = ShownMessages(await timeline.changes())

        tell("\(options.live) live messages, one after the other")
        var single: [Double] = []
        for _ in 0..<options.live {
            let frame = feed.next()
            let watch = Stopwatch()
            server.feed(frame)
            await shown.wait(for: feed.count)
            single.append(watch.microseconds / 1000)
        }
        tell("\(LiveLoad.rate) a second, for \(options.load.seconds) s")
        let sustained = try await flood(server, &feed, shown)
        _ = list
        await client.close()
        let commits = try await commitAlone(folder, &feed)
        addLive(single, sustained, commits)
    }

    private mutating func addLive(_ single: [Double], _ sustained: [Double], _ commits: [Double]) {
        report.add(
            "live", "frame to snapshot; limit: the store's commit alone", "ms (p50)",
            ours: single.median, limit: commits.median)
        report.add(
            "live", "frame to snapshot; limit: the store's commit alone", "ms (p99)",
            ours: single.quantile(0.99), limit: commits.quantile(0.99))
        report.add(
            "live", "\(LiveLoad.rate) a second: frame to snapshot", "ms (p50)",
            ours: sustained.median, limit: nil)
        report.add(
            "live", "\(LiveLoad.rate) a second: frame to snapshot", "ms (p99)",
            ours: sustained.quantile(0.99), limit: Self.patience, target: 1)
    }

    /// Sends frames at a steady rate, and returns the time from each frame to the screen.
    private func flood(
        _ server: InProcessServer, _ feed: inout LiveFeed, _ shown: ShownMessages
    ) async throws -> [Double] {
        let frames = (0..<LiveLoad.rate * options.load.seconds).map { _ in feed.next() }
        let first = feed.count - frames.count
        let start = shown.clock.microseconds
        var arrivals: [Double] = []
        for (number, frame) in frames.enumerated() {
            let due = start + 1e6 * Double(number) / Double(LiveLoad.rate)
            try await shown.clock.wait(until: due)
            arrivals.append(shown.clock.microseconds)
            server.feed(frame)
        }
        await shown.wait(for: feed.count)
        let moments = shown.moments
        return arrivals.indices.map { (moments[first + $0] - arrivals[$0]) / 1000 }
    }

    /// Commits the same messages to the same cache without an engine.
    private func commitAlone(
        _ folder: String, _ feed: inout LiveFeed
    ) async throws(BenchError) -> [Double] {
        let cache = try await OurCache(folder, hasSearch: true)
        var took: [Double] = []
        for _ in 0..<options.live {
            let (body, predecessor) = feed.nextBody()
            let watch = Stopwatch()
            try await cache.putLive(body, after: predecessor)
            took.append(watch.microseconds / 1000)
        }
        await cache.close()
        return took
    }

    // MARK: Return after an absence

    private mutating func measureCatchUp() async throws {
        let folder = "\(options.folder)/return"
        let host = try await ChatHost.start(
            ChatHost.Configuration(dataFolder: "\(folder)/server", applicationID: "bench"))
        let http = CountingHTTP(World.live().http)
        var world = World.live()
        world.http = http
        let (ada, bo) = try await (
            client("ada", folder, host.port, world), client("bo", folder, host.port, .live())
        )
        try await ada.connect()
        try await bo.connect()
        tell("\(options.channels) channels are made and looked at")
        var timelines: [Timeline] = []
        for number in 0..<options.channels {
            let params = ChannelCreateParams(memberIDs: ["ada"], name: "\(number)")
            let url = try await bo.createChannel(params).url
            try await bo.send("first", to: url)
            timelines.append(try await ada.timeline(of: url))
        }
        await bo.waitUntilIdle()
        await ada.waitUntilIdle()
        // The first return gets the new channels, the second has no changes.
        for _ in 0..<2 {
            await ada.disconnect()
            http.reset()
            try await ada.connect()
            await ada.waitUntilIdle()
        }
        let idle = http.count
        await ada.disconnect()
        tell("\(options.channels * options.missed) messages are written meanwhile")
        for timeline in timelines {
            for number in 0..<options.missed {
                try await bo.send("\(number)", to: timeline.channel)
            }
        }
        await bo.waitUntilIdle()
        http.reset()
        let watch = Stopwatch()
        try await ada.connect()
        await ada.waitUntilIdle()
        let seconds = watch.microseconds / 1e6
        for timeline in timelines {
            guard await timeline.snapshot.messages.count == options.missed + 1 else {
                throw BenchError("A timeline did not catch up.")
            }
        }
        let count = http.count
        await ada.close()
        await bo.close()
        await host.stop()
        addReturn(idle, count, seconds)
    }

    private mutating func addReturn(
        _ idle: CountingHTTP.Count, _ count: CountingHTTP.Count, _ seconds: Double
    ) {
        let open = Double(1 + 2 * options.channels)
        let name = "\(options.channels) open timelines"
        report.add(
            "return", "\(name), nothing changed; limit: 1 and 2 for each", "requests",
            ours: Double(idle.requests), limit: open, target: 1)
        let missed = "\(name), \(options.channels * options.missed) messages missed"
        report.add(
            "return", missed, "requests", ours: Double(count.requests), limit: open)
        report.add("return", missed, "s", ours: seconds, limit: nil)
        report.add("return", missed, "bytes received", ours: Double(count.bytes), limit: nil)
    }

    private func client(
        _ user: UserID, _ folder: String, _ port: UInt16, _ world: World
    ) async throws(RoostError) -> ChatClient {
        try await ChatClient.open(
            Configuration(
                applicationID: "bench", server: "http://127.0.0.1:\(port)", userID: user,
                cache: .folder("\(folder)/\(user)")), world: world)
    }
}
