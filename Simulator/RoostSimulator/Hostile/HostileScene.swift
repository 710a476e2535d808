// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostModel
import RoostServer
import RoostStore
import RoostTestKit

/// A client with a hostile server, which is honest at the end.
///
/// The scene's seed decides the server's faults and the app's calls. While the server is hostile,
/// each call of the app ends in time and the client keeps to its request rate. Afterwards the cache
/// verifies, unsent messages are in the outbox or at the server, and the client shows the honest
/// server's data.
package actor HostileScene {
    /// The result of a scene.
    package struct Report: Sendable {
        package let seed: UInt64
        package let traits: [HostileTrait]
        /// The greatest number of requests and sockets of one minute, per second.
        package let rate: Double
        /// The time of the app's longest call.
        package let longestCall: Duration
        /// The broken invariant; nil if all held.
        package let failure: String?

        /// The names of the traits.
        package var mood: String { traits.map(\.rawValue).joined(separator: ", ") }
    }

    private struct Violation: Error {
        let sentence: String
    }

    private nonisolated let executor: SimulatedExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    /// The longest allowed time of a call while the link is up.
    private static let patience = Duration.seconds(10)
    /// The longest allowed time of a call that visits the whole cache.
    private static let longPatience = Duration.seconds(600)
    /// The greatest number of requests and sockets of a minute: five per second.
    private static let minuteLimit = 300
    private static let hostileTime = Duration.seconds(150)
    private static let user: UserID = "eve"
    private static let other: UserID = "bob"
    private static let channels: [ChannelURL] = ["c0", "c1", "c2"]

    private let seed: UInt64
    private let world: SimulatedWorld
    private let random: SimulatedRandom
    private let server: HostileServer
    private let line: SimulatedLine
    private let device: SimulatedWorld.Device
    private let client: ChatClient
    private let mood: HostileMood
    private let trace: @Sendable (String) -> Void

    private var lists: [ChannelList] = []
    private var timelines: [Timeline] = []
    private var sent: [RequestID] = []
    private var lastCall = 0
    private var pending: [Int: (name: String, since: Duration, limit: Duration)] = [:]
    private var longestCall = Duration.zero
    private var late: String?

    /// Plays one scene.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random choices.
    ///   - traits: The faults of the server; nil draws them.
    ///   - trace: Receives each call and its outcome.
    /// - Returns: The result; a broken invariant is a `failure`.
    package static func run(
        seed: UInt64, traits: [HostileTrait]? = nil,
        trace: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Report {
        let executor = SimulatedExecutor()
        do {
            return try executor.run {
                let world = await SimulatedWorld(seed: seed, on: executor)
                return try await HostileScene(world, seed, traits, trace).play()
            }
        } catch {
            return Report(
                seed: seed, traits: traits ?? [], rate: 0, longestCall: .zero,
                failure: "the scene itself failed: \(error)")
        }
    }

    private init(
        _ world: SimulatedWorld, _ seed: UInt64, _ traits: [HostileTrait]?,
        _ trace: @escaping @Sendable (String) -> Void
    ) async throws {
        self.seed = seed
        self.world = world
        self.trace = trace
        executor = world.executor
        random = SimulatedRandom(seed: seed ^ 0x0BAD_5EED)
        mood = HostileMood(random, only: traits)
        device = world.device(of: Self.user, pageSize: 20)
        line = SimulatedLine(over: device.network)
        server = HostileServer(over: line, on: world.executor, random)
        var surroundings = world.surroundings(
            of: device, SimulatedProcess(on: world.executor), line, http: server)
        surroundings.sockets = server
        client = try await ChatClient.open(
            Configuration(
                applicationID: "simulation", server: "http://127.0.0.1:1", userID: Self.user,
                cache: .memory, pageSize: 20), world: surroundings)
    }

    private func play() async throws -> Report {
        var failure: String?
        do {
            try await furnish()
            // Some servers become hostile later.
            if random.next() % 2 == 0 {
                call("connect") { try await $0.connect() }
                openChannel(0)
                await world.pass(.seconds(5))
            }
            let start = executor.now
            server.mood = mood
            call("connect") { try await $0.connect() }
            while executor.now - start < Self.hostileTime {
                await act()
                await world.pass(.milliseconds(Int64(2_000 + random.next() % 8_000)))
                try checkCalls()
            }
            try checkRate()
            try await turnHonest()
            try await checkStore()
            try await checkHistories()
        } catch let violation as Violation {
            failure = "\(executor.now): \(violation.sentence)"
        }
        let rate = Double(busiestMinute) / 60
        server.mood = nil
        await client.close()
        return Report(
            seed: seed, traits: mood.traits, rate: rate, longestCall: longestCall, failure: failure)
    }

    /// Creates the channels and messages of the honest server.
    private func furnish() async throws {
        for user in [Self.user, Self.other] { await world.add(User(id: user, nickname: "\(user)")) }
        for channel in Self.channels {
            try await world.ask(
                "POST", "group_channels",
                #"{"user_ids":["eve","bob"],"channel_url":"\#(channel)","name":"\#(channel)"}"#,
                as: Self.other)
            for number in 0..<Int(20 + random.next() % 60) { try await write(number, to: channel) }
        }
    }

    private func write(_ number: Int, to channel: ChannelURL) async throws {
        try await world.ask(
            "POST", "group_channels/\(channel)/messages",
            #"{"message_type":"MESG","user_id":"bob","message":"m\#(number)"}"#, as: Self.other)
    }

    // MARK: The app's actions

    private func act() async {
        let channel = Self.channels[Int(random.next() % UInt64(Self.channels.count))]
        switch random.next() % 12 {
        case 0, 1: openChannel(Int(random.next() % UInt64(Self.channels.count)))
        case 2:
            call("open the list") { client in
                let list = try await client.channelList()
                await self.keep(list)
                _ = await client.waitUntilIdle(atMost: .seconds(9))
            }
        case 3:
            guard let list = lists.last else { return }
            call("load more channels") { _ in _ = try await list.loadMore() }
        case 4, 5:
            guard let timeline = timelines.last else { return }
            call("load older messages of \(timeline.channel)") { _ in
                _ = try await timeline.loadOlder()
            }
        case 6, 7:
            call("send to \(channel)") { client in
                let message = try await client.send("mine", to: channel)
                if let id = message.requestID { await self.keep(id) }
            }
        case 8:
            call("mark \(channel) as read") {
                try await $0.markAsReadNow(channel, awaitingServer: true)
            }
        case 9:
            call("compare \(channel)", limit: Self.longPatience) {
                _ = try await $0.compareCache(of: channel)
            }
        case 10:
            call("create a channel") { client in
                _ = try await client.createChannel(ChannelCreateParams(memberIDs: [Self.other]))
            }
        default:
            // A user writes meanwhile, so that there are honest frames to spoil.
            try? await write(1_000, to: channel)
            call("connect") { try await $0.connect() }
        }
    }

    private func openChannel(_ index: Int) {
        let channel = Self.channels[index]
        call("open \(channel)") { client in
            await self.keep(try await client.timeline(of: channel))
        }
    }

    private func keep(_ list: ChannelList) { lists.append(list) }
    private func keep(_ requestID: RequestID) { sent.append(requestID) }
    private func keep(_ timeline: Timeline) async {
        timelines.append(timeline)
        if timelines.count > 4 { await timelines.removeFirst().close() }
    }

    private func call(
        _ name: String, limit: Duration = patience,
        _ work: @escaping @Sendable (ChatClient) async throws -> Void
    ) {
        lastCall += 1
        let number = lastCall
        pending[number] = (name, executor.now, limit)
        trace("\(executor.now) \(name)")
        // Ends with the call, which `checkCalls` observes.
        Task(executorPreference: executor) { [client] in
            var outcome = "done"
            do { try await work(client) } catch { outcome = "\(error)" }
            await self.ended(number, outcome)
        }
    }

    private func ended(_ number: Int, _ outcome: String) {
        guard let call = pending.removeValue(forKey: number) else { return }
        let elapsed = executor.now - call.since
        trace("\(executor.now)   \(call.name): \(outcome)")
        if call.limit == Self.patience { longestCall = max(longestCall, elapsed) }
        if elapsed > call.limit { late = late ?? "“\(call.name)” took \(elapsed): \(outcome)" }
    }

    // MARK: Invariants

    private func checkCalls() throws {
        if let late { throw Violation(sentence: late) }
        let stuck = pending.sorted { $0.key < $1.key }.first { _, call in
            executor.now - call.since > call.limit
        }
        if let stuck {
            throw Violation(
                sentence: "“\(stuck.value.name)” has not returned since \(stuck.value.since)")
        }
    }

    /// The greatest number of requests and sockets of any minute.
    private var busiestMinute: Int {
        let asked = server.asked
        var (busiest, first) = (0, 0)
        for index in asked.indices {
            while asked[index] - asked[first] >= .seconds(60) { first += 1 }
            busiest = max(busiest, index - first + 1)
        }
        return busiest
    }

    private func checkRate() throws {
        guard busiestMinute <= Self.minuteLimit else {
            throw Violation(sentence: "the client made \(busiestMinute) requests in one minute")
        }
    }

    /// Makes the server honest, restores the link, and gives the client time.
    private func turnHonest() async throws {
        server.mood = nil
        await device.network.cut()
        device.network.restore()
        await client.disconnect()
        call("connect to the honest server") { try await $0.connect() }
        await world.pass(.seconds(180))
        try checkCalls()
        guard await client.connectionState.name == "connected" else {
            throw Violation(sentence: "no connection to the honest server")
        }
    }

    private func checkStore() async throws {
        let found = try await client.store.verify()
        guard found.isSound else {
            let words = found.findings.map(\.sentence).joined(separator: "; ")
            throw Violation(sentence: "the cache does not verify: \(words)")
        }
        var known = Set(try await client.unsentItems().map(\.requestID))
        for channel in Self.channels { known.formUnion(try await world.requestIDs(of: channel)) }
        if let lost = sent.first(where: { !known.contains($0) }) {
            throw Violation(sentence: "\(lost) is neither unsent nor at the server")
        }
    }

    /// Checks that after a comparison each history is the honest server's log.
    private func checkHistories() async throws {
        for timeline in timelines { await timeline.close() }
        for channel in Self.channels {
            let timeline = try await client.timeline(of: channel, capacity: 10_000)
            await world.pass(.seconds(30))
            do {
                try await client.compareCache(of: channel)
                await world.pass(.seconds(30))
                for _ in 0..<100 where await timeline.snapshot.hasOlder {
                    _ = try await timeline.loadOlder()
                }
            } catch {
                throw Violation(sentence: "\(channel) cannot be read: \(error)")
            }
            let snapshot = await timeline.snapshot
            let shown = snapshot.messages.filter { $0.status == .succeeded }
            let log = try await world.log(of: channel)
            guard shown.map(\.messageID) == log.map(\.messageID),
                shown.map(\.text) == log.map(\.text)
            else {
                let (ids, expected) = (shown.map(\.messageID), log.map(\.messageID))
                let lacking = expected.filter { !ids.contains($0) }.count
                let extra = ids.filter { !expected.contains($0) }.count
                throw Violation(
                    sentence: "\(channel) shows \(shown.count) messages of \(log.count): "
                        + "\(lacking) are missing, \(extra) are invented, hasOlder \(snapshot.hasOlder)"
                )
            }
            await timeline.close()
        }
    }
}
