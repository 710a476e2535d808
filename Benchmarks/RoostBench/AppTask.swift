// SPDX-License-Identifier: Apache-2.0

internal import Roost
internal import RoostExecutors
internal import RoostModel

/// The task of one child of `AppBench`.
package enum AppTask: String, CaseIterable, Sendable {
    /// The first screen through public types.
    case openClient = "open-client"
    /// The first screen through the store alone, as in W2.
    case openStore = "open-store"
    case openLimit = "open-limit"
    case pagesClient = "pages-client"
    case pagesLimit = "pages-limit"
    case liveClient = "live-client"
    case liveLimit = "live-limit"

    package struct Input: Sendable {
        package var folder: String
        package var channel: String
        package var messages: Int
        package var samples: Int
        /// The number of live messages that earlier children have written.
        package var written: Int

        package init(
            folder: String, channel: String, messages: Int, samples: Int, written: Int = 0
        ) {
            (self.folder, self.channel) = (folder, channel)
            (self.messages, self.samples, self.written) = (messages, samples, written)
        }

        fileprivate var fixture: Fixture { Fixture(folder: folder, name: "app") }
        /// The seed of the parent's data.
        fileprivate var data: ServerData {
            get throws(BenchError) { try ServerData(seed: 1, messages: messages) }
        }
    }

    private static let user = UserID("user-0000")

    /// Performs the task.
    ///
    /// - Returns: The moments of the first call and of the end, in microseconds of the system's
    ///   clock, then one figure for each sample.
    /// - Throws: An error if the caches of the parent cannot be used.
    package func perform(_ input: Input) async throws(BenchError) -> [Double] {
        let call = Stopwatch.now
        var samples: [Double] = []
        do {
            switch self {
            case .openClient: return [call, try await Self.openClient(input)]
            case .openStore: return [call, try await Self.openStore(input)]
            case .openLimit: return [call, try Self.openLimit(input)]
            case .pagesClient: samples = try await Self.pagesClient(input)
            case .pagesLimit: samples = try Self.pagesLimit(input)
            case .liveClient: samples = try await Self.liveClient(input)
            case .liveLimit: samples = try Self.liveLimit(input)
            }
        } catch let error as BenchError {
            throw error
        } catch {
            throw BenchError("The client failed: \(error)")
        }
        return [call, Stopwatch.now] + samples
    }

    // MARK: The first screen

    private static func openClient(_ input: Input) async throws -> Double {
        let client = try await client(input, .live())
        let list = try await client.channelList()
        let channels = await list.snapshot.channels
        let timeline = try await client.timeline(of: ChannelURL(input.channel), pageSize: 30)
        let messages = await timeline.snapshot.messages
        let end = Stopwatch.now
        try check(channels.count, messages.count)
        return end
    }

    private static func openStore(_ input: Input) async throws -> Double {
        let ours = try await OurCache(input.fixture.oursWithSearch, hasSearch: true)
        let channels = try await ours.channels(20)
        let messages = try await ours.page(Place(url: input.channel, moment: .max), count: 30)
        let end = Stopwatch.now
        try check(channels, messages)
        return end
    }

    private static func openLimit(_ input: Input) throws -> Double {
        let limit = try Limit(input.fixture.limitWithSearch, .init(hasSearch: true))
        let channels = try limit.channels(20)
        let messages = try limit.page(Place(url: input.channel, moment: .max), count: 30)
        let end = Stopwatch.now
        try check(channels, messages)
        return end
    }

    private static func check(_ channels: Int, _ messages: Int) throws(BenchError) {
        guard channels == 20, messages == 30 else {
            throw BenchError("The first screen is incomplete: \(channels), \(messages).")
        }
    }

    private static func client(_ input: Input, _ world: World) async throws -> ChatClient {
        try await ChatClient.open(
            Configuration(
                applicationID: "bench", server: "http://127.0.0.1:9", userID: user,
                cache: .folder(input.fixture.oursWithSearch)), world: world)
    }

    // MARK: Pages

    private static func pagesClient(_ input: Input) async throws -> [Double] {
        let client = try await client(input, .live())
        var samples: [Double] = []
        for place in try input.data.places(input.samples, seed: 3) {
            let watch = Stopwatch()
            _ = try await page(client, place)
            samples.append(watch.microseconds)
        }
        await client.close()
        return samples
    }

    private static func page(_ client: ChatClient, _ place: Place) async throws -> Int {
        try await client.cachedMessages(
            of: ChannelURL(place.url),
            before: Position(
                createdAt: Timestamp(milliseconds: place.moment), messageID: MessageID(0)),
            limit: 30
        ).count
    }

    private static func pagesLimit(_ input: Input) throws -> [Double] {
        let limit = try Limit(input.fixture.limitWithSearch)
        var samples: [Double] = []
        for place in try input.data.places(input.samples, seed: 3) {
            let watch = Stopwatch()
            try limit.page(place, count: 30)
            samples.append(watch.microseconds)
        }
        limit.close()
        return samples
    }

    // MARK: Live messages

    private static func liveClient(_ input: Input) async throws -> [Double] {
        let data = try input.data
        var feed = LiveFeed(data, after: input.written)
        let server = InProcessServer(user: user, loginAt: Timestamp(milliseconds: 1))
        var world = World.live()
        world.http = server
        world.sockets = server
        let client = try await client(input, world)
        try await client.connect()
        let timeline = try await client.timeline(of: feed.channel)
        await client.waitUntilIdle()
        let shown = ShownMessages(await timeline.changes())
        let stops = Guarded(false)
        let places = data.places(4_096, seed: 5)
        let pages = Task { [client] in
            var index = 0
            while !stops.withLock({ $0 }) {
                _ = try await page(client, places[index])
                index = (index + 1) % places.count
            }
        }
        var samples: [Double] = []
        for _ in 0..<input.samples {
            let frame = feed.next()
            let watch = Stopwatch()
            server.feed(frame)
            await shown.wait(for: feed.count)
            samples.append(watch.microseconds)
        }
        stops.withLock { $0 = true }
        try await pages.value
        await client.close()
        return samples
    }

    private static func liveLimit(_ input: Input) throws -> [Double] {
        let data = try input.data
        let limit = try Limit(input.fixture.limitWithSearch, .init(hasSearch: true))
        let pager = try LimitPager(input.fixture.limitWithSearch, data)
        var samples: [Double] = []
        for number in input.written..<input.written + input.samples {
            let body = data.live(number * ServerData.channelCount).body
            let watch = Stopwatch()
            try limit.putLive(body)
            samples.append(watch.microseconds)
        }
        _ = pager.stop()
        limit.close()
        return samples
    }
}
