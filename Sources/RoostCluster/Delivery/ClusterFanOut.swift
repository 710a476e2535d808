// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostPostgres
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
    ) async throws(ServerError) -> Notice?
    var openKeys: [Int64] { get async }
    func end(keys: Set<Int64>) async
}

extension ChatServer: LogAudience {}

/// Fan-out among servers that share a PostgreSQL database.
///
/// A bus carries the notices, as hints. Their order comes from the numbers of the channels' logs, and
/// the database makes up for those that do not come. It has no timer: the host calls `tick`,
/// `sweep` and `report`.
package actor ClusterFanOut: FanOut {
    package typealias Instant = ContinuousClock.Instant

    private nonisolated let loop: EventLoop
    private let storage: PostgresStorage
    /// The bus; nil for servers that learn from each other by sweeps only.
    private let bus: (any Bus)?
    private let now: @Sendable () -> Instant
    private let log: @Sendable (LogLine) -> Void
    /// The state of the database at the start of the server.
    private let beginning: LogBeginning
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
    private var isReporting = false
    /// Whether the session keys are to be compared with the database.
    private var isSessionCheckDue = false
    private var losses = NoticeLosses()
    /// The state of the database at the last sweep, whose changes the next one passes over; nil at
    /// the beginning of an era.
    private var seen: String?
    /// The era of the numbers in `order`.
    private var era: DeliveryEra
    private var tally = DeliveryCounts()

    private static let formerPrimary =
        "A former primary of the database answers; what it says is left out."
    /// The most readings that one record in the write-ahead log confirms.
    private static let readingsAtOnce = 16

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
        let state = try await storage.beginning()
        beginning = state
        order = DeliveryOrder(swept: state.settled)
        era = DeliveryEra(state.era)
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
        // By its numbers it would be judged wrongly, before the next sweep has gone back.
        guard era.isKnown(place) else { return era.hold(notice) }
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
                var work = DeliveryWork()
                for notice in ready {
                    await deliver?(notice)
                    work.add(notice)
                    guard work.isPortion() else { continue }
                    await Task.yield()
                    work = DeliveryWork()
                }
            }
            for sender in waiting { sender.resume() }
        }
    }

    /// Whether the present task delivers a notice.
    @TaskLocal private static var isDelivering = false

    // MARK: Losses

    /// Notes that notices may have been lost; the next sweep makes up for them.
    ///
    /// - Parameter time: The time for which more may be lost; nil for none.
    package func noteLoss(mistrustingFor time: Duration? = nil) {
        losses.note(swept: order.swept, mistrustingFor: time, at: now())
    }

    /// Compares the servers that the bus hears with those that the database knows to be alive.
    ///
    /// - Parameters:
    ///   - alive: The number of servers under a lease, this one included.
    ///   - heard: The number of servers that the bus has heard of late, this one included.
    package func compareHosts(alive: Int, heard: Int) {
        let remedy: String
        switch losses.compare(alive: alive, heard: heard, swept: order.swept, at: now()) {
        case .unheard:
            remedy =
                "Check that the servers of the bus reach each other. Until then the database is "
                + "asked for what is missing."
        case .unknown:
            remedy =
                "Check that all servers reach the database, and that no other cluster uses the bus "
                + "with the same application ID: its orders and events reach users here."
        case nil: return
        }
        let message = "The database knows \(alive) servers, the bus \(heard). " + remedy
        log(LogLine(.warning, "bus_loss", [.init("message", .string(message))]))
    }

    /// Looks for changes whose notices have not come; a host calls it every 250 ms.
    package func sweep() async {
        guard !isSweeping else { return }
        isSweeping = true
        defer { isSweeping = false }
        var (lost, swept) = (losses.take(), order.swept)
        do throws(StorageError) {
            var news = try await news(since: lost)
            loop: while true {
                switch era.judge(news.era, at: now()) {
                case .known: break loop
                case .former: throw StorageError(Self.formerPrimary)
                case .new: await enter(news.era)
                }
                lost = news.era.map { era in lost.map { min($0, era.start) } } ?? lost
                swept = order.swept
                news = try await self.news(since: lost)
            }
            let isConnected = await bus?.isConnected ?? false
            let moment = now()
            order.sweep(
                news.channels, settled: news.settled, isUrgent: !isConnected, at: moment)
            tally.sweeps += 1
            // Without a name, another era is not recognised.
            seen = news.era == nil ? nil : news.snapshot
            losses.noteSweep(to: order.swept, at: moment)
            // While notices cannot come, each sweep is the only news.
            let isBlind = !isConnected || losses.isMistrusting(at: moment)
            let start = lost ?? (isBlind ? swept : nil)
            if let start { losses.want(news.channels, since: start) }
            if losses.isSessionCheckDue(isLoss: lost != nil, isBlind: isBlind, at: moment) {
                isSessionCheckDue = true
            }
        } catch {
            losses.putBack(lost)
            log(LogLine(.warning, "sweep", [.init("message", .string(error.message))]))
        }
        await tick()
    }

    /// Returns the changes that no sweep has seen, or all since a loss.
    private func news(since lost: Int64?) async throws(StorageError) -> News {
        try await storage.news(
            after: min(lost ?? order.swept, order.swept), unseenIn: lost == nil ? seen : nil)
    }

    /// Begins a new era, whose numbers tell nothing about what was known behind its start.
    private func enter(_ new: PostgresEra?) async {
        seen = nil
        if let new {
            order.goBack(to: new.start)
            losses.goBack(to: new.start)
        }
        let moment = now()
        await send(era.enter(new).flatMap { order.take($0.notice, $0.place, at: moment) })
    }

    // MARK: Reports

    /// Makes up for lost notices about anything but messages; a host calls it every 250 ms.
    ///
    /// Clients are told that channels have changed, and the sockets of sessions that have ended unseen
    /// end. Sweeps go on meanwhile: after a loss there may be thousands of channels to report.
    package func report() async {
        guard !isReporting else { return }
        isReporting = true
        defer { isReporting = false }
        await checkSessions()
        let isConnected = await bus?.isConnected ?? false
        let start = era.era
        do {
            for report in losses.due(isConnected: isConnected, at: now()) {
                await checkSessions()
                guard let audience else { break }
                let leavers = try await storage.leavers(of: report.url, after: report.start)
                let notice = try await audience.noticeOfChange(in: report.url, and: leavers)
                if let notice { await send([notice]) }
                // The numbers of an era that has ended tell nothing about those of the next one.
                guard era.era == start else { break }
                losses.noteReport(report, at: now())
            }
        } catch {
            // The reports that were not made stay due.
            log(LogLine(.warning, "report", [.init("message", .string("\(error)"))]))
        }
    }

    /// Ends the sockets of session keys that another server has ended, if a check is due.
    private func checkSessions() async {
        guard isSessionCheckDue, let audience else { return }
        isSessionCheckDue = false
        // Noted before the question, because a session may end behind it.
        losses.noteSessionCheck(at: now())
        do throws(StorageError) {
            let keys = await audience.openKeys
            guard !keys.isEmpty else { return }
            let ended = try await storage.endedSessions(among: keys)
            if !ended.isEmpty { await audience.end(keys: ended) }
        } catch {
            isSessionCheckDue = true
            log(LogLine(.warning, "report", [.init("message", .string(error.message))]))
        }
    }

    // MARK: Readings

    /// Reads the changes that are overdue; a host calls it every 25 ms.
    package func tick() async {
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        // A failed reading is due again after the patience, so each call ends.
        let due = order.readings(at: now())
        for start in stride(from: 0, to: due.count, by: Self.readingsAtOnce) {
            await read(due[start..<min(start + Self.readingsAtOnce, due.count)])
        }
    }

    private struct Answer {
        let news: LogNews
        var changes: [(sequence: Int64, notices: [Notice])] = []
    }

    private func read(_ readings: ArraySlice<DeliveryOrder.Reading>) async {
        var answers: [(reading: DeliveryOrder.Reading, answer: Answer?)] = []
        for reading in readings {
            tally.readings += 1
            answers.append((reading, await answer(to: reading)))
        }
        let confirmed = await confirm(answers.compactMap(\.answer))
        for (reading, answer) in answers {
            // An answer of another era than the sweeps' is asked for again, when they have seen it.
            let answer = answer.flatMap { $0.news.era == era.era && confirmed($0) ? $0 : nil }
            let ready = order.take(
                answer?.changes, of: reading.url, through: answer?.news.through ?? 0,
                isWhole: answer?.news.isWhole ?? false, at: now())
            tally.recovered += answer?.changes.count ?? 0
            await send(ready)
        }
    }

    private func answer(to reading: DeliveryOrder.Reading) async -> Answer? {
        do {
            var answer = Answer(
                news: try await storage.changes(
                    in: reading.url, after: reading.start, since: beginning))
            if let audience, try await audience.hasAudience(in: reading.url) {
                answer.changes = try await audience.notices(
                    of: answer.news.changes, in: reading.url)
            }
            return answer
        } catch {
            log(LogLine(.warning, "reading", [.init("message", .string("\(error)"))]))
            return nil
        }
    }

    /// Proves that answers outlive the primary, and returns the test of a single one.
    ///
    /// A client must not see a message that no standby has: after a failover the log would lack it.
    private func confirm(_ answers: [Answer]) async -> (Answer) -> Bool {
        guard let era = answers.first(where: { !$0.changes.isEmpty })?.news.era else {
            return \.changes.isEmpty
        }
        do throws(StorageError) {
            try await storage.confirm(in: era)
            return { $0.changes.isEmpty || $0.news.era == era }
        } catch {
            log(LogLine(.warning, "reading", [.init("message", .string(error.message))]))
            return \.changes.isEmpty
        }
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
