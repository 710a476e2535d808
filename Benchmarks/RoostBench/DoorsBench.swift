// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Roost
internal import RoostDoors
internal import RoostExecutors
internal import RoostHost
internal import RoostModel
internal import SendbirdChatSDK

/// The cost of the v4 door beside the native one: both on one client, by turns.
package struct DoorsBench {
    package struct Options: Sendable {
        /// The number of messages of the channel that is read in pages.
        package var messages = 1_200
        /// The number of sent and of live messages in a round.
        package var sends = 200
        package var rounds = 3
        /// The folder of the databases during the run.
        package var folder: String

        package init(folder: String) { self.folder = folder }
    }

    private typealias Channel = SendbirdChatSDK.GroupChannel

    private static let pageSize = 30

    /// The times of one kind of work, for both sides.
    private struct Sides {
        var door: [Double] = []
        var native: [Double] = []
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
        var bench = DoorsBench(options: options, tell: progress)
        bench.report.note("machine", Machine.description)
        bench.report.note("load average at the start", Machine.load.map { "\($0)" } ?? "unknown")
        bench.report.note("ours, limit", "the v4 door, the native one; each on one client")
        do {
            try await bench.measure()
        } catch let error as BenchError {
            throw error
        } catch {
            throw BenchError("The client or its server failed: \(error)")
        }
        bench.report.note("load average at the end", Machine.load.map { "\($0)" } ?? "unknown")
        return bench.report
    }

    private mutating func measure() async throws {
        let host = try await ChatHost.start(
            ChatHost.Configuration(
                dataFolder: "\(options.folder)/server", applicationID: "bench"))
        let server = "http://127.0.0.1:\(host.port)"
        let bo = try await ChatClient.open(
            Configuration(
                applicationID: "bench", server: server, userID: "bo",
                cache: .folder("\(options.folder)/bo")))
        try await bo.connect()
        let url = try await bo.createChannel(ChannelCreateParams(memberIDs: ["ada"])).url
        tell("\(options.messages) messages are written")
        try await Self.write(options.messages, to: url, by: bo)

        let params = InitParams(applicationId: "bench", isLocalCachingEnabled: true)
        params.server = server
        params.cacheFolder = "\(options.folder)/ada"
        SendbirdChat.initialize(params: params)
        SendbirdChat.setCompletionHandlerDelegateQueue(DispatchQueue(label: "bench"))
        try await Self.connect()
        let client = try await SendbirdChat.door.client()
        let channel = try await Self.channel(url)
        // The first pass reads from the server, so that the disk has all pages.
        _ = try await Self.pageNative(client, url)
        try await measureSends(client, channel, url)
        try await measureLive(client, channel, url, from: bo)
        await withCheckedContinuation { done in SendbirdChat.disconnect { done.resume() } }
        try await measurePages(client, channel, url)
        await SendbirdChat.door.close()
        await bo.close()
        await host.stop()
    }

    private static func write(_ count: Int, to url: ChannelURL, by client: ChatClient) async throws
    {
        var last: RequestID?
        for number in 0..<count {
            last = try await client.send("a message of usual length, \(number)", to: url).requestID
        }
        if let last { try await client.outcome(of: last) }
    }

    private static func connect() async throws {
        let error: BenchError? = await withCheckedContinuation { done in
            SendbirdChat.connect(userId: "ada") { _, error in
                done.resume(returning: error.map { BenchError($0.localizedDescription) })
            }
        }
        if let error { throw error }
    }

    private static func channel(_ url: ChannelURL) async throws -> Channel {
        let channel: Carried<Channel?> = await withCheckedContinuation { done in
            Channel.getChannel(url: url.rawValue) { channel, _ in
                done.resume(returning: Carried(channel))
            }
        }
        guard let channel = channel.value else { throw BenchError("The channel is missing.") }
        return channel
    }

    // MARK: Pages

    private mutating func measurePages(
        _ client: ChatClient, _ channel: Channel, _ url: ChannelURL
    ) async throws {
        var (first, all, opening) = (Sides(), Sides(), Sides())
        for round in 1...options.rounds {
            tell("pages, round \(round) of \(options.rounds)")
            // The first pass of each side fills its caches.
            for pass in 0..<7 {
                // Each side goes first equally often, because the first one finds colder caches.
                let before = pass % 2 == 0 ? try await Self.pageNative(client, url) : []
                let door = try await Self.pageDoor(channel)
                let native = before.isEmpty ? try await Self.pageNative(client, url) : before
                guard pass > 0 else { continue }
                opening.native.append(native[0])
                opening.door.append(door[0])
                first.native += native[1...].prefix(3)
                first.door += door[1...].prefix(3)
                all.native += native[1...]
                all.door += door[1...]
            }
        }
        report.add(
            "pages", "one of the first three pages of \(Self.pageSize) from the disk", "µs (p50)",
            ours: first.door.median, limit: first.native.median, target: 1.3)
        report.add(
            "pages", "a page of all \(options.messages) messages, from the disk", "µs (mean)",
            ours: all.door.mean, limit: all.native.mean, target: 1.3)
        report.add(
            "opening", "what the disk has, handed over", "µs (p50)", ours: opening.door.median,
            limit: opening.native.median, target: 1.3)
    }

    /// Returns the times of opening a timeline and of each page up to the first message.
    private static func pageNative(
        _ client: ChatClient, _ url: ChannelURL
    ) async throws -> [Double] {
        var micros: [Double] = []
        let opening = Stopwatch()
        // The parameters that the door uses: channels as in the old libraries, without replies.
        let timeline = try await client.timeline(
            of: url, filter: MessageFilter(), pageSize: pageSize, capacity: .max)
        var seen = await timeline.snapshot.messages.reduce(0) { $0 + $1.text.utf8.count }
        micros.append(opening.microseconds)
        while true {
            let watch = Stopwatch()
            let count = try await timeline.loadOlder()
            let snapshot = await timeline.snapshot
            seen += snapshot.messages.prefix(count).reduce(0) { $0 + $1.text.utf8.count }
            if count > 0 { micros.append(watch.microseconds) }
            guard snapshot.hasOlder else { break }
        }
        await timeline.close()
        guard seen > 0, micros.count > 1 else { throw BenchError("The disk has no pages.") }
        return micros
    }

    private static func pageDoor(_ channel: Channel) async throws -> [Double] {
        var micros: [Double] = []
        let opening = Stopwatch()
        let params = MessageListParams()
        params.previousResultSize = pageSize
        params.replyType = .none
        let collection = SendbirdChat.createMessageCollection(channel: channel, params: params)
        var (opened, seen) = (0.0, 0)
        await withCheckedContinuation { done in
            collection.startCollection(
                initPolicy: .cacheAndReplaceByApi,
                cacheResultHandler: { messages, _ in
                    seen = Self.read(messages)
                    opened = opening.microseconds
                },
                // Ends with an error. The wait for it keeps the opening apart from the pages.
                apiResultHandler: { _, _ in done.resume() })
        }
        micros.append(opened)
        let pager = Pager(collection)
        await withCheckedContinuation { done in pager.page { done.resume() } }
        micros += pager.micros
        seen += pager.seen
        collection.dispose()
        guard seen > 0, micros.count > 1 else { throw BenchError("The disk has no pages.") }
        return micros
    }

    /// A reader that requests each page in the callback of the page before, as an app does.
    private final class Pager {
        private let collection: MessageCollection
        /// The time of each page, from the call to the handler.
        private(set) var micros: [Double] = []
        private(set) var seen = 0

        init(_ collection: MessageCollection) { self.collection = collection }

        func page(then done: @escaping () -> Void) {
            guard collection.hasPrevious else { return done() }
            let watch = Stopwatch()
            collection.loadPrevious { [self] messages, error in
                let count = DoorsBench.read(messages)
                if count > 0 { micros.append(watch.microseconds) }
                seen += count
                if error == nil { page(then: done) } else { done() }
            }
        }
    }

    /// Reads the values that a screen would show.
    private static func read(_ messages: [BaseMessage]?) -> Int {
        (messages ?? []).reduce(0) { $0 + $1.message.utf8.count }
    }

    // MARK: Sending and receiving

    private mutating func measureSends(
        _ client: ChatClient, _ channel: Channel, _ url: ChannelURL
    ) async throws {
        var sides = Sides()
        for round in 1...options.rounds {
            tell("sends, round \(round) of \(options.rounds)")
            for number in 0..<options.sends {
                let native = Stopwatch()
                let sent = try await client.send("native \(number)", to: url)
                if let id = sent.requestID { try await client.outcome(of: id) }
                sides.native.append(native.microseconds)
                let door = Stopwatch()
                let isSent = await withCheckedContinuation { done in
                    channel.sendUserMessage("door \(number)") { _, error in
                        done.resume(returning: error == nil)
                    }
                }
                sides.door.append(door.microseconds)
                guard isSent else { throw BenchError("A message was not sent.") }
            }
        }
        report.add(
            "sending", "from the call to the server's answer", "µs (p50)",
            ours: sides.door.median, limit: sides.native.median, target: 1.3)
    }

    /// A delegate that notes the messages of other users.
    private final class MessageListener: MessageCollectionDelegate {
        private let arrivals: AsyncStream<Void>.Continuation

        init(_ arrivals: AsyncStream<Void>.Continuation) { self.arrivals = arrivals }

        func messageCollection(
            _ collection: MessageCollection, context: MessageContext, channel: Channel,
            addedMessages messages: [BaseMessage]
        ) {
            for _ in messages { arrivals.yield() }
        }
    }

    private mutating func measureLive(
        _ client: ChatClient, _ channel: Channel, _ url: ChannelURL, from other: ChatClient
    ) async throws {
        var sides = Sides()
        let timeline = try await client.timeline(of: url)
        try await timeline.reachServer()
        // The door's collection observes its channel too.
        let list = try await client.channelList(.only(url))
        let channels = await list.changes()
        let watching = Task { for await _ in channels {} }
        tell("live messages")
        for _ in 0..<options.rounds * options.sends {
            let changes = await timeline.changes()
            let watch = Stopwatch()
            try await other.send("native", to: url)
            for await change in changes where !change.inserted.isEmpty { break }
            sides.native.append(watch.microseconds)
        }
        await timeline.close()
        await list.close()
        await watching.value
        let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self)
        let listener = MessageListener(continuation)
        let collection = SendbirdChat.createMessageCollection(channel: channel)
        collection.delegate = listener
        await withCheckedContinuation { done in
            collection.startCollection(
                initPolicy: .cacheAndReplaceByApi,
                apiResultHandler: { _, _ in done.resume() })
        }
        var iterator = arrivals.makeAsyncIterator()
        for _ in 0..<options.rounds * options.sends {
            let watch = Stopwatch()
            try await other.send("door", to: url)
            await iterator.next()
            sides.door.append(watch.microseconds)
        }
        withExtendedLifetime(listener) { collection.dispose() }
        report.add(
            "hearing", "from another's call to the delegate", "µs (p50)",
            ours: sides.door.median, limit: sides.native.median, target: 1.3)
    }
}
