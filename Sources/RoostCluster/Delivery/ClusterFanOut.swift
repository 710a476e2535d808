// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostServer
package import RoostSockets
package import RoostWire

/// The way of notices between the servers of an application; it may lose them.
package protocol Bus: FanOut {
    /// Whether notices of other servers can come now.
    var isConnected: Bool { get async }
}

/// The server's answers that the fan-out needs to make up for lost notices.
package protocol LogAudience: Sendable {
    func hasAudience(in url: ChannelURL) async throws(ServerError) -> Bool
    func notices(
        of changes: [LoggedChange], in url: ChannelURL
    ) async throws(ServerError) -> [(sequence: Int64, notices: [Notice])]
    func noticeOfChange(
        in url: ChannelURL, and others: [UserID]
    ) async throws(ServerError) -> Notice
    var openKeys: [Int64] { get async }
    func end(keys: Set<Int64>) async
}

extension ChatServer: LogAudience {}

/// Fan-out among servers that share a PostgreSQL database.
///
/// A bus carries the notices, as hints. Their order comes from the numbers of the channels' logs, and
/// the database makes up for those that do not come. It has no timer: the host calls `tick` and `sweep`.
package actor ClusterFanOut: FanOut {
    package typealias Instant = ContinuousClock.Instant

    private nonisolated let loop: EventLoop
    private let storage: PostgresStorage
    /// The bus; nil for servers that learn from each other by sweeps only.
    private let bus: (any Bus)?
    private let now: @Sendable () -> Instant
    private let log: @Sendable (LogLine) -> Void
    private var order: DeliveryOrder
    private var deliver: (@Sendable (Notice) async -> Void)?
    private weak var audience: (any LogAudience & AnyObject)?
    /// The notices that are next, in their order.
    private var outgoing: [Notice] = []
    private var isSending = false
    /// The calls that wait until the notices up to theirs are delivered.
    private var senders: [CheckedContinuation<Void, Never>] = []
    private var isSweeping = false
    private var isReading = false
    /// The ends of the last sweeps, for losses that are noticed late.
    private var past: [(at: Instant, swept: Int64)] = []
    /// The transaction behind which changes of channels may be unknown to clients here.
    private var lostSince: Int64?
    /// The time until which notices of a silent host may be missing.
    private var mistrust: Instant?
    /// The changes of channels that clients here were told, as far as sweeps still name them.
    private var reported: [ChannelURL: Int64] = [:]
    private var timeline: Int64?
    private var tally = DeliveryCounts()

    /// The time by which a loss may be older than its report, such as of a server that fell silent.
    package static let lateness = Duration.seconds(10)
    /// The time for which a host that has fallen silent may still write.
    package static let mistrustTime = Duration.seconds(600)

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe loop.asUnownedSerialExecutor()
    }

    /// Makes a fan-out that knows the database's present state.
    ///
    /// - Parameters:
    ///   - storage: The storage of the server.
    ///   - bus: The bus; nil without one.
    ///   - loop: The executor of this actor.
    ///   - now: A clock that neither jumps nor goes back.
    ///   - log: Takes lines for the operators.
    /// - Throws: A failure of the storage.
    package init(
        _ storage: PostgresStorage, bus: (any Bus)?, on loop: EventLoop,
        now: @escaping @Sendable () -> Instant,
        log: @escaping @Sendable (LogLine) -> Void = { _ in }
    ) async throws(StorageError) {
        self.storage = storage
        self.bus = bus
        self.loop = loop
        self.now = now
        self.log = log
        order = DeliveryOrder(swept: try await storage.settledTransaction())
    }

    /// Names the server whose sockets get the notices.
    package func serve(_ audience: any LogAudience & AnyObject) { self.audience = audience }

    package var counts: DeliveryCounts { tally }

    // MARK: Notices

    package func subscribe(_ deliver: @escaping @Sendable (Notice) async -> Void) async {
        self.deliver = deliver
        await bus?.subscribe { [weak self] notice in await self?.take(notice) }
    }

    package func publish(_ notice: Notice) async {
        var notice = notice
        notice.place = storage.place(of: notice)
        if let bus {
            await bus.publish(notice)
        } else {
            await take(notice)
        }
    }

    package func obey(_ handler: @escaping @Sendable (PeerOrder) async -> Void) async {
        await bus?.obey(handler)
    }

    package func tell(_ order: PeerOrder) async { await bus?.tell(order) }

    /// Takes a notice of any server, this one included.
    private func take(_ notice: Notice) async {
        guard let place = notice.place else { return await send([notice]) }
        await send(order.take(notice, place, at: now()))
    }

    /// Delivers notices behind those that are on their way, and waits for it.
    private func send(_ notices: [Notice]) async {
        guard !notices.isEmpty else { return }
        outgoing += notices
        // Another call may come during each delivery, and must not overtake this one's rest.
        guard !isSending else {
            // A delivery that publishes, such as the exit of an expired socket, cannot wait for itself.
            guard !Self.isDelivering else { return }
            return await withCheckedContinuation { senders.append($0) }
        }
        isSending = true
        defer { isSending = false }
        while !outgoing.isEmpty {
            let ready = outgoing
            let waiting = senders
            (outgoing, senders) = ([], [])
            await Self.$isDelivering.withValue(true) {
                for notice in ready { await deliver?(notice) }
            }
            for sender in waiting { sender.resume() }
        }
    }

    /// Whether the present task delivers a notice.
    @TaskLocal private static var isDelivering = false

    // MARK: Losses

    /// Notes that notices may have been lost; the next sweep makes up for them.
    ///
    /// - Parameter isLasting: Whether more may be lost for some time, as those of a host that has fallen
    ///   silent and may be cut off from the bus only.
    package func noteLoss(isLasting: Bool = false) {
        let limit = now() - Self.lateness
        let start = past.last { $0.at <= limit }?.swept ?? past.first?.swept ?? order.swept
        lostSince = min(lostSince ?? start, start)
        if isLasting { mistrust = now() + Self.mistrustTime }
    }

    /// Looks for changes whose notices have not come; a host calls it every 250 ms.
    package func sweep() async {
        guard !isSweeping else { return }
        isSweeping = true
        defer { isSweeping = false }
        let (lost, swept) = (lostSince, order.swept)
        lostSince = nil
        do throws(StorageError) {
            let news = try await storage.news(after: min(lost ?? swept, swept))
            let isConnected = await bus?.isConnected ?? false
            let moment = now()
            if timeline != news.timeline {
                if timeline != nil { order.goBack(to: news.settled) }
                timeline = news.timeline
            }
            order.sweep(
                news.channels, settled: news.settled, isUrgent: !isConnected, at: moment)
            tally.sweeps += 1
            past.append((moment, order.swept))
            past.removeAll { $0.at < moment - Self.lateness * 2 }
            // While notices cannot come, each sweep is the only news.
            let isBlind = !isConnected || mistrust.map { moment < $0 } ?? false
            if let start = lost ?? (isBlind ? swept : nil) {
                await report(news.channels, since: start)
            }
            reported = reported.filter { $0.value > order.swept }
        } catch {
            lostSince = [lost, lostSince].compactMap(\.self).min()
            log(LogLine(.warning, "sweep", [.init("message", .string(error.message))]))
        }
        await tick()
    }

    /// Tells clients here that channels have changed, if their messages alone do not show it.
    private func report(_ channels: [ChannelNews], since transaction: Int64) async {
        do {
            for item in channels where item.viewChange > transaction {
                // As long as an older transaction is open, each sweep names the change again.
                guard let audience, reported[item.url] ?? 0 < item.viewChange else { continue }
                let leavers = try await storage.leavers(of: item.url, after: transaction)
                let hasAudience = try await audience.hasAudience(in: item.url)
                if hasAudience || !leavers.isEmpty {
                    await send([try await audience.noticeOfChange(in: item.url, and: leavers)])
                }
                reported[item.url] = item.viewChange
            }
            try await endLostSessions()
        } catch {
            lostSince = min(lostSince ?? transaction, transaction)
            log(LogLine(.warning, "report", [.init("message", .string("\(error)"))]))
        }
    }

    /// Ends the sockets of session keys that another server has ended.
    private func endLostSessions() async throws(StorageError) {
        guard let audience else { return }
        let keys = await audience.openKeys
        guard !keys.isEmpty else { return }
        let ended = try await storage.endedSessions(among: keys)
        if !ended.isEmpty { await audience.end(keys: ended) }
    }

    /// Reads the changes that are overdue; a host calls it every 25 ms.
    package func tick() async {
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        // A failed reading is due again after the patience, so each call ends.
        for reading in order.readings(at: now()) { await read(reading) }
    }

    private func read(_ reading: DeliveryOrder.Reading) async {
        tally.readings += 1
        var found: (changes: [(sequence: Int64, notices: [Notice])], through: Int64)?
        do {
            let news = try await storage.changes(in: reading.url, after: reading.start)
            var changes: [(sequence: Int64, notices: [Notice])] = []
            if let audience, try await audience.hasAudience(in: reading.url) {
                changes = try await audience.notices(of: news.changes, in: reading.url)
            }
            found = (changes, news.through)
        } catch {
            log(LogLine(.warning, "reading", [.init("message", .string("\(error)"))]))
        }
        let ready = order.take(
            found?.changes, of: reading.url, through: found?.through ?? 0, at: now())
        tally.recovered += found?.changes.count ?? 0
        await send(ready)
    }
}

/// The counters of a fan-out since its start.
package struct DeliveryCounts: Equatable, Sendable {
    package var sweeps = 0
    /// Questions to the database about changes whose notices did not come in time.
    package var readings = 0
    /// Changes that the database gave.
    package var recovered = 0

    package init() {}
}
