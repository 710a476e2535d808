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
    private var isSweeping = false
    private var isReading = false
    /// The ends of the last sweeps, for losses that are noticed late.
    private var past: [(at: Instant, swept: Int64)] = []
    /// The transaction behind which changes of channels may be unknown to clients here.
    private var lostSince: Int64?
    private var tally = DeliveryCounts()

    /// The time by which a loss may be older than its report, such as of a server that fell silent.
    package static let lateness = Duration.seconds(10)

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
        notice.place = notice.subject.flatMap { storage.place(of: $0) }
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

    /// Delivers notices behind those that are on their way.
    private func send(_ notices: [Notice]) async {
        outgoing += notices
        // Another call may come during each delivery, and must not overtake this one's rest.
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while !outgoing.isEmpty {
            let ready = outgoing
            outgoing = []
            for notice in ready { await deliver?(notice) }
        }
    }

    // MARK: Losses

    /// Notes that notices may have been lost; the next sweep makes up for them.
    package func noteLoss() {
        let limit = now() - Self.lateness
        let start = past.last { $0.at <= limit }?.swept ?? past.first?.swept ?? order.swept
        lostSince = min(lostSince ?? start, start)
    }

    /// Looks for changes whose notices have not come; a host calls it every 250 ms.
    package func sweep() async {
        guard !isSweeping else { return }
        isSweeping = true
        defer { isSweeping = false }
        do throws(StorageError) {
            let (lost, swept) = (lostSince, order.swept)
            lostSince = nil
            let news: (channels: [ChannelNews], through: Int64)
            do throws(StorageError) {
                news = try await storage.news(after: min(lost ?? swept, swept))
            } catch {
                lostSince = [lost, lostSince].compactMap(\.self).min()
                throw error
            }
            let isConnected = await bus?.isConnected ?? false
            let moment = now()
            order.sweep(
                news.channels, through: news.through, isUrgent: !isConnected, at: moment)
            tally.sweeps += 1
            past.append((moment, order.swept))
            past.removeAll { $0.at < moment - Self.lateness * 2 }
            // While there is no bus, each sweep is the only news.
            if let start = lost ?? (isConnected ? nil : swept) {
                await report(news.channels, since: start)
            }
        } catch {
            log(LogLine(.warning, "sweep", [.init("message", .string(error.message))]))
        }
        await tick()
    }

    /// Tells clients here that channels have changed, if their messages alone do not show it.
    private func report(_ channels: [ChannelNews], since transaction: Int64) async {
        for item in channels where item.viewChange > transaction {
            guard let audience else { return }
            do {
                let leavers = try await storage.leavers(of: item.url, after: transaction)
                guard try await audience.hasAudience(in: item.url) || !leavers.isEmpty else {
                    continue
                }
                await send([try await audience.noticeOfChange(in: item.url, and: leavers)])
            } catch {
                log(LogLine(.warning, "report", [.init("message", .string("\(error)"))]))
            }
        }
        await endLostSessions()
    }

    /// Ends the sockets of session keys that another server has ended.
    private func endLostSessions() async {
        guard let audience else { return }
        let keys = await audience.openKeys
        guard !keys.isEmpty, let ended = try? await storage.endedSessions(among: keys) else {
            return
        }
        if !ended.isEmpty { await audience.end(keys: ended) }
    }

    /// Reads the changes that are overdue; a host calls it every 25 ms.
    package func tick() async {
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        while case let readings = order.readings(at: now()), !readings.isEmpty {
            for reading in readings { await read(reading) }
        }
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
