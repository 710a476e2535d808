// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel
package import RoostWire

/// What the server takes from outside itself; a simulation brings its own.
package struct ServerWorld: Sendable {
    package var now: @Sendable () -> Timestamp
    /// Sixty-four random bits; keys and tokens are made of them, so live ones must be secure.
    package var entropy: @Sendable () -> UInt64
    /// Sixty-four more of them, for salts; a simulation draws them apart, so that its seeds stay the same.
    package var salt: @Sendable () -> UInt64
    /// A hash as hexadecimal digits; a live one must not be invertible.
    package var digest: @Sendable (String) -> String
    /// Takes what those who run the server should know; it must not block.
    package var log: @Sendable (LogLine) -> Void

    /// The same world, whose clock stands still while the other one is set back: what a client takes
    /// for a place in the change logs must not lie behind changes to come.
    var withSteadyClock: ServerWorld {
        var steady = self
        let last = Guarded(Timestamp.distantPast)
        steady.now = { [now] in
            let present = now()
            return last.withLock { last in
                last = max(last, present)
                return last
            }
        }
        return steady
    }

    package init(
        now: @escaping @Sendable () -> Timestamp, entropy: @escaping @Sendable () -> UInt64,
        salt: (@Sendable () -> UInt64)? = nil,
        digest: @escaping @Sendable (String) -> String,
        log: @escaping @Sendable (LogLine) -> Void = { _ in }
    ) {
        self.now = now
        self.entropy = entropy
        self.salt = salt ?? entropy
        self.digest = digest
        self.log = log
    }
}

/// The chat server without its sockets: accept, authenticate, append to the channel's log, fan out.
///
/// It keeps no state but the sessions that are open here; everything else is the storage's. Work that
/// changes a channel passes through the channel's lane one at a time, so that news of it leaves in the
/// order of its log.
package actor ChatServer {
    package struct Configuration: Hashable, Sendable {
        package var applicationID: String
        /// Opens the platform calls; nil closes them.
        package var apiToken: String?
        /// Refuses users without an access token.
        package var requiresToken = false
        /// Makes a user who connects for the first time.
        package var createsUsers = true
        /// Lets the invited in at once instead of waiting for their consent.
        package var acceptsInvitations = true
        package var pingInterval: Duration = .seconds(15)
        package var pongTimeout: Duration = .seconds(5)
        package var reconnect = ReconnectPolicy()
        /// Zero, because a client that repeats a question wants a fresh answer.
        package var requestDedupInterval: Duration? = .zero

        /// The largest file, which clients are told at login.
        package var fileLimitMB = 1_024
        /// How URLs of files begin; nil takes the name by which the client asks.
        package var publicAddress: String?
        /// Whether clients reach it by TLS, for those URLs.
        package var isEncrypted = false
        package var limits = ServerLimits()
        /// How often a user may ask, on all their sockets and by REST together; nil is without bound.
        package var userRate: Rate?
        /// The same for a network address, logins included.
        package var addressRate: Rate?
        /// How often an address, or a user's name, may fail to log in before it is told to wait.
        package var failedLoginRate: Rate? = Rate(burst: 100, perSecond: 10)

        package init(applicationID: String, apiToken: String? = nil) {
            self.applicationID = applicationID
            self.apiToken = apiToken
        }
    }

    struct Session {
        let user: UserID
        let outlet: any SessionOutlet
        /// The number of its key, which changes when the client renews it.
        var key: Int64
        var expiresAt: Timestamp?
        var lastHeard: Timestamp
        /// Messages that came over it and are not answered yet.
        var posts = 0
        /// Resumed when there are few enough of them.
        var waiters: [(limit: Int, waiter: CheckedContinuation<Void, Never>)] = []

        func isOver(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }
    }

    /// Also what work that nobody waits for prefers: it would run on the shared pool between two steps
    /// here, at the price of two changes of threads, and in a simulation out of turn.
    nonisolated let executor: any SerialExecutor & TaskExecutor
    nonisolated let configuration: Configuration
    nonisolated let storage: any Storage
    package nonisolated let files: (any FileStore)?
    package nonisolated let world: ServerWorld
    private nonisolated let fanOut: any FanOut
    private let serverNumber: UInt64
    private var lastSession = 0
    var sessions: [SessionID: Session] = [:]
    var counted = ServerMetrics()
    var userRates: RateLimiter<UserID>
    var pingRates: RateLimiter<UserID>
    var addressRates: RateLimiter<String>
    var failedLogins: FailedLogins
    /// Grows when sessions end before their time.
    var endings = 0
    var rooms = Rooms()
    var posting = Posting()
    /// In the order they connected.
    private var sessionsOfUser: [UserID: [SessionID]] = [:]
    /// Lanes in use, and who waits for each.
    private var lanes: [ChannelURL: [CheckedContinuation<Void, Never>]] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    package init(
        _ configuration: Configuration, storage: any Storage, files: (any FileStore)? = nil,
        fanOut: any FanOut, world: ServerWorld,
        on executor: any SerialExecutor & TaskExecutor
    ) async {
        self.executor = executor
        self.configuration = configuration
        self.storage = storage
        self.files = files
        self.fanOut = fanOut
        self.world = world.withSteadyClock
        userRates = RateLimiter(configuration.userRate)
        pingRates = RateLimiter(configuration.userRate.map { _ in Self.pingRate })
        addressRates = RateLimiter(configuration.addressRate)
        failedLogins = FailedLogins(configuration.failedLoginRate)
        serverNumber = world.entropy()
        await fanOut.subscribe { [weak self] notice in await self?.deliver(notice) }
    }

    /// The whole log of a channel, deleted messages included; for tests and tools.
    package func log(of url: ChannelURL) async throws(StorageError) -> [LogEntry] {
        try await storage.log(of: url)
    }

    /// How many sockets are open here.
    package var sessionCount: Int { sessions.count }
}

// MARK: - Sessions

extension ChatServer {
    /// Registers a session and says its first words, with nothing in between.
    func open(_ outlet: any SessionOutlet, for login: Login, greeting: String) -> SessionID {
        let user = login.user.id
        lastSession += 1
        let id = SessionID(server: serverNumber, number: lastSession)
        counted.logins += 1
        sessions[id] = Session(
            user: user, outlet: outlet, key: login.number, expiresAt: login.end,
            lastHeard: world.now())
        sessionsOfUser[user, default: []].append(id)
        outlet.deliver(greeting)
        return id
    }

    /// Forgets a session whose connection has ended; a second time does nothing.
    ///
    /// What it wrote last is in its logs first, or refused: in an open channel only who is there may write.
    package func disconnect(_ id: SessionID) async {
        await settle(id, to: 0)
        await drop(id)
    }

    /// Forgets a session at once.
    private func drop(_ id: SessionID) async {
        guard let user = sessions[id]?.user else { return }
        for url in forget(id) { await tellExit(user, from: url) }
    }

    /// - Returns: The open channels it was in.
    private func forget(_ id: SessionID) -> [ChannelURL] {
        guard let session = sessions.removeValue(forKey: id) else { return [] }
        for entry in session.waiters { entry.waiter.resume() }
        sessionsOfUser[session.user]?.removeAll { $0 == id }
        if sessionsOfUser[session.user]?.isEmpty == true {
            sessionsOfUser.removeValue(forKey: session.user)
        }
        return rooms.exitAll(id)
    }

    func isOnline(_ id: UserID) -> Bool { sessionsOfUser[id] != nil }

    /// Ends every connection of a user here, with a last word.
    func expel(_ id: UserID, _ word: ServerEvent) async {
        await end(sessionsOfUser[id] ?? [], word)
    }

    /// Ends the connections of a user whose keys count no longer, with a last word.
    func end(keys: [Int64], of id: UserID, _ word: ServerEvent) async {
        guard !keys.isEmpty else { return }
        let ended = Set(keys)
        await end(
            (sessionsOfUser[id] ?? []).filter {
                sessions[$0].map { ended.contains($0.key) } ?? false
            },
            word)
    }

    /// Ends connections, all of them before anybody is told that they have left a channel.
    private func end(_ ids: [SessionID], _ word: ServerEvent) async {
        endings += 1
        for id in ids {
            sessions[id]?.outlet.deliver(word.encoded)
            sessions[id]?.outlet.close()
        }
        for id in ids { await drop(id) }
    }

    /// Ends the sockets whose session's time is over; clients renew the session and connect again.
    ///
    /// A host calls it every second. What is published meanwhile reaches none of them.
    package func endExpired() async {
        let now = world.now()
        let over = sessions.filter { $0.value.isOver(at: now) }.keys
        for id in over.sorted(by: { $0.number < $1.number }) { await expire(id) }
    }

    private func expire(_ id: SessionID) async {
        guard let session = sessions[id] else { return }
        let word = ServerEvent.expired(
            reason: RoostError.Code.sessionKeyExpired.rawValue, expiresIn: 0)
        session.outlet.deliver(word.encoded)
        session.outlet.close()
        await drop(id)
    }

    /// Notes that a client is there.
    func hear(from id: SessionID) { sessions[id]?.lastHeard = world.now() }

    /// How many sockets a user has open here.
    func sessionCount(of id: UserID) -> Int { sessionsOfUser[id]?.count ?? 0 }

    /// Closes the sockets of clients that have missed two pings (`docs/protocol` 2.5): a half-open
    /// connection never says that it ended.
    package func dropIdle() async {
        userRates.forgetIdle(at: world.now())
        pingRates.forgetIdle(at: world.now())
        addressRates.forgetIdle(at: world.now())
        failedLogins.forgetIdle(at: world.now())
        let patience = configuration.pingInterval * 2 + configuration.pongTimeout
        let limit = world.now() - patience
        for (id, session) in sessions where session.lastHeard < limit {
            session.outlet.close()
            await drop(id)
        }
    }

    /// Lets a connection go on under another key.
    func adopt(_ login: Login, in id: SessionID) {
        sessions[id]?.key = login.number
        sessions[id]?.expiresAt = login.end
    }

    func send(_ event: ServerEvent, to id: SessionID) {
        sessions[id]?.outlet.deliver(event.encoded)
    }

    /// Tells users, wherever they are connected.
    func publish(
        _ event: ServerEvent, to users: [UserID], except: SessionID? = nil
    ) async {
        guard !users.isEmpty else { return }
        await publish(Notice(frame: event.encoded, recipients: users, except: except))
    }

    /// Hands a notice to all servers.
    ///
    /// A frame that no client can read is not sent: it would close the socket of every reader. They learn
    /// what it tells from their change logs. What is stored is weighed, so this happens to old data only.
    func publish(_ notice: Notice) async {
        guard notice.frame.utf8.count <= WireLimits.frameBytes else {
            counted.oversized += 1
            log(.error, "oversized", [.init("bytes", .int(Int64(notice.frame.utf8.count)))])
            return
        }
        await fanOut.publish(notice)
    }

    private func deliver(_ notice: Notice) async {
        var over: [SessionID] = []
        for user in notice.recipients {
            for id in sessionsOfUser[user] ?? [] { hand(notice, to: id, &over) }
        }
        if let room = notice.room {
            for id in rooms.sessions(in: room) { hand(notice, to: id, &over) }
        }
        // A socket that missed an event must not live on: its client would not ask for what it missed.
        for id in over { await expire(id) }
    }

    private func hand(_ notice: Notice, to id: SessionID, _ over: inout [SessionID]) {
        guard id != notice.except, let session = sessions[id] else { return }
        if let end = session.expiresAt, end <= world.now() {
            over.append(id)
        } else {
            counted.deliveries += 1
            session.outlet.deliver(notice.frame)
        }
    }
}

// MARK: - Lanes

extension ChatServer {
    /// Runs work that changes a channel when all such work before it has ended.
    ///
    /// Work must not wait for the lane that it holds. The admission of a call takes it, so actions do not.
    func inLane<T, E: Error>(
        of url: ChannelURL, _ work: () async throws(E) -> T
    ) async throws(E) -> T {
        // Whether the lane is free is asked where one takes one's place: in between others may run.
        await withCheckedContinuation { waiter in
            if lanes[url]?.append(waiter) == nil {
                lanes[url] = []
                waiter.resume()
            }
        }
        defer { leaveLane(of: url) }
        return try await work()
    }

    private func leaveLane(of url: ChannelURL) {
        guard lanes[url]?.isEmpty == false, let next = lanes[url]?.removeFirst() else {
            lanes.removeValue(forKey: url)
            return
        }
        next.resume()
    }

    /// Asks the storage; a failure of it is the server's own, and the client may try again.
    @discardableResult
    nonisolated func ask<T: Sendable>(
        _ call: @autoclosure () async throws(StorageError) -> T
    ) async throws(ServerError) -> T {
        do throws(StorageError) {
            return try await call()
        } catch {
            throw refusal(error)
        }
    }

    /// What a client is told when the storage failed; those who run the server are told why.
    nonisolated func refusal(_ error: StorageError) -> ServerError {
        log(.error, "storage", [.init("message", .string(error.description))])
        return ServerError(
            .internalServerError, "The server could not reach its storage; try again later.")
    }

    /// Returns a name of 160 random bits, as 40 hexadecimal digits.
    nonisolated func makeSecret() -> String { ServerWorld.hex(digits: 40, from: world.entropy) }
}
