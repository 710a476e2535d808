// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The open sockets of this server, each with its user, its session key and its messages on their way.
final class Sessions: ServerPart {
    private struct Session {
        let user: UserID
        /// The network address of the client.
        let address: String?
        let outlet: any SessionOutlet
        /// The number of its key, which changes when the client renews it.
        var key: Int64
        var expiresAt: Timestamp?
        /// The moment of the last sign of life.
        var heardAt: Timestamp
        /// The number of signs of life until then.
        var heardCount: Int
        /// The number of its messages without an answer.
        var posts = 0
        /// Continuations that wait until `posts` is at most their limit.
        var waiters: [(limit: Int, waiter: CheckedContinuation<Void, Never>)] = []

        func isOver(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }
    }

    /// The end of a socket's stay in an open channel.
    private struct Exit: Hashable {
        let user: UserID
        let channel: ChannelURL
    }

    let context: ServerContext
    private let rooms: Rooms
    private let telemetry: Telemetry
    private let fanOut: any FanOut
    private let background: Background
    private let serverNumber: UInt64
    private var lastNumber = 0
    private var open: [SessionID: Session] = [:]
    /// The sockets of each user, in the order of their logins.
    private var openOfUser: [UserID: [SessionID]] = [:]
    /// The number of sockets of each network address.
    private var openOfAddress: [String: Int] = [:]
    /// Grows when sessions end before their time.
    private(set) var endings = 0

    init(
        _ context: ServerContext, _ rooms: Rooms, _ telemetry: Telemetry, fanOut: any FanOut,
        _ background: Background
    ) {
        self.context = context
        self.rooms = rooms
        self.fanOut = fanOut
        self.background = background
        self.telemetry = telemetry
        serverNumber = context.world.entropy()
    }

    /// The number of open sockets.
    var count: Int { open.count }

    /// Returns the number of a user's open sockets.
    func count(of id: UserID) -> Int { openOfUser[id]?.count ?? 0 }

    /// Whether a user has an open socket at this server.
    func isOnline(_ id: UserID) -> Bool { openOfUser[id] != nil }

    /// Whether a user has an open socket at any server.
    func isOnlineAnywhere(_ id: UserID) async -> Bool {
        if isOnline(id) { return true }
        return await context.peers?.isTaken(PresencePlace(user: id)) ?? false
    }

    /// Returns the users among others who have an open socket at any server.
    func onlineAnywhere(among ids: [UserID]) async -> Set<UserID> {
        let (here, away) = (ids.filter(isOnline), ids.filter { !isOnline($0) })
        guard !away.isEmpty, let peers = context.peers else { return Set(here) }
        return await peers.online(among: away).union(here)
    }

    /// Returns the user of a socket; nil if it is closed.
    func user(of id: SessionID) -> UserID? { open[id]?.user }

    /// Whether a socket is open.
    func isOpen(_ id: SessionID) -> Bool { open[id] != nil }

    /// Whether the session key of an open socket has expired.
    func isOver(_ id: SessionID) -> Bool { open[id]?.isOver(at: world.now()) ?? false }

    // MARK: Opening

    /// Refuses a further socket of a user or of an address that has as many as allowed.
    func checkRoom(for user: UserID, from address: String?) throws(ServerError) {
        let code = RoostError.Code(400_500)
        guard count(of: user) < limits.sessionsPerUser else {
            throw ServerError(code, "The user has too many connections open.")
        }
        guard let address, openOfAddress[address, default: 0] >= limits.sessionsPerAddress else {
            return
        }
        throw ServerError(code, "The network address has too many connections open.")
    }

    /// Registers a socket and sends its first frame, with no other frame before it.
    func open(
        _ outlet: any SessionOutlet, for login: Login, from address: String?, greeting: String
    ) -> SessionID {
        let user = login.user.id
        lastNumber += 1
        let id = SessionID(server: serverNumber, number: lastNumber)
        telemetry.metrics.logins += 1
        open[id] = Session(
            user: user, address: address, outlet: outlet, key: login.number,
            expiresAt: login.end, heardAt: world.evenTime(), heardCount: outlet.heardCount)
        if let address { openOfAddress[address, default: 0] += 1 }
        if openOfUser[user] == nil {
            context.peers?.note(PresencePlace(user: user), isTaken: true)
        }
        openOfUser[user, default: []].append(id)
        outlet.deliver(greeting)
        return id
    }

    /// Gives an open socket another session key.
    func adopt(_ login: Login, in id: SessionID) {
        open[id]?.key = login.number
        open[id]?.expiresAt = login.end
    }

    /// Records that a frame of a client has arrived.
    func noteFrame(from id: SessionID) {
        guard let outlet = open[id]?.outlet else { return }
        open[id]?.heardCount = outlet.heardCount
        open[id]?.heardAt = world.evenTime()
    }

    // MARK: Ending

    /// Forgets a socket whose connection has ended; a second call does nothing.
    ///
    /// Its messages are in their logs or refused first: only users inside an open channel write there.
    func disconnect(_ id: SessionID) async {
        await settle(id, to: 0)
        await drop(id)
    }

    /// Ends every socket of a user at all servers, with a last frame.
    func expel(_ id: UserID, _ word: ServerEvent) async {
        await fanOut.tell(.expel(id, frame: word.encoded))
        await publish(end(openOfUser[id] ?? [], word.encoded))
    }

    /// Ends the sockets of a user whose session keys are no longer valid, at all servers and with a
    /// last frame.
    func end(keys: [Int64], of id: UserID, _ word: ServerEvent) async {
        guard !keys.isEmpty else { return }
        await fanOut.tell(.end(keys: keys, of: id, frame: word.encoded))
        await publish(end(keys: keys, of: id, word.encoded))
    }

    private func end(keys: [Int64], of id: UserID, _ frame: String) -> [Exit] {
        let ended = Set(keys)
        return end(
            (openOfUser[id] ?? []).filter { open[$0].map { ended.contains($0.key) } ?? false },
            frame)
    }

    /// Closes a socket without a last frame, and forgets it; its session lives.
    func cut(_ id: SessionID) async {
        open[id]?.outlet.close()
        await drop(id)
    }

    /// Closes the socket of a client that goes on although it is over its rate.
    func refuse(_ id: SessionID) async {
        open[id]?.outlet.refuse()
        await drop(id)
    }

    /// Ends the sockets whose session keys have ended.
    func end(keys: Set<Int64>) {
        publishLater(ids(where: { keys.contains($0.key) }).flatMap(cutExpired))
    }

    /// The numbers of the session keys of all sockets.
    var keys: [Int64] { Array(Set(open.values.map(\.key))) }

    /// Whether an audience has a socket here.
    func hasAny(of audience: Audience) -> Bool {
        if let room = audience.room, rooms.count(in: room) > 0 { return true }
        return audience.members.contains { isOnline($0) }
    }

    /// Carries an order of another server out.
    ///
    /// All messages of the bus wait for the call, so the events of exits follow later.
    func obey(_ order: PeerOrder) {
        switch order {
        case .end(let keys, let id, let frame): publishLater(end(keys: keys, of: id, frame))
        case .expel(let id, let frame): publishLater(end(openOfUser[id] ?? [], frame))
        case .evict(let id, let url):
            if rooms.takeOut(id, from: url) { publishLater([Exit(user: id, channel: url)]) }
        case .close(let url): rooms.close(url)
        }
    }

    /// Closes sockets with a last frame, and forgets them.
    ///
    /// - Returns: The exits from open channels, which are not published yet.
    private func end(_ ids: [SessionID], _ frame: String) -> [Exit] {
        endings += 1
        return ids.flatMap { id -> [Exit] in
            guard let session = open[id] else { return [] }
            session.outlet.deliver(frame)
            session.outlet.close()
            return forget(id).map { Exit(user: session.user, channel: $0) }
        }
    }

    /// Ends the sockets whose session key has expired; clients renew the key and connect again.
    func endExpired() async {
        let now = world.now()
        for id in ids(where: { $0.isOver(at: now) }) { await expire(id) }
    }

    /// Closes the sockets of clients that give no sign of life (`docs/protocol` 2.5): a half-open
    /// connection never reports its end.
    ///
    /// A client that receives frames need not send one, so a silent one is asked by a ping of the
    /// WebSocket.
    func dropIdle() async {
        let (now, interval) = (world.evenTime(), configuration.pingInterval)
        for (id, session) in open where session.heardAt <= now - interval {
            let count = session.outlet.heardCount
            if count != session.heardCount {
                open[id]?.heardCount = count
                open[id]?.heardAt = now
            }
            session.outlet.ping()
        }
        let limit = now - (interval * 2 + configuration.pongTimeout)
        for id in ids(where: { $0.heardAt < limit }) {
            open[id]?.outlet.close()
            await drop(id)
        }
    }

    private func ids(where isWanted: (Session) -> Bool) -> [SessionID] {
        open.filter { isWanted($0.value) }.keys.sorted { $0.number < $1.number }
    }

    private func expire(_ id: SessionID) async { await publish(cutExpired(id)) }

    /// Closes a socket whose session key has expired, and forgets it.
    ///
    /// - Returns: The exits from open channels, which are not published yet.
    private func cutExpired(_ id: SessionID) -> [Exit] {
        guard let session = open[id] else { return [] }
        session.outlet.deliver(Logins.expiry.encoded)
        session.outlet.close()
        return forget(id).map { Exit(user: session.user, channel: $0) }
    }

    /// Publishes the exits of ended sockets, each once.
    private func publish(_ exits: [Exit]) async {
        var published: Set<Exit> = []
        for exit in exits where published.insert(exit).inserted {
            await rooms.publishExit(exit.user, from: exit.channel)
        }
    }

    /// Publishes exits after the present call.
    ///
    /// They need the database, and the call holds up the deliveries of all channels.
    private func publishLater(_ exits: [Exit]) {
        guard !exits.isEmpty else { return }
        background.start { server in await server.parts.sessions.publish(exits) }
    }

    /// Forgets a socket at once.
    private func drop(_ id: SessionID) async {
        guard let user = open[id]?.user else { return }
        for url in forget(id) { await rooms.publishExit(user, from: url) }
    }

    /// Removes a socket from the state.
    ///
    /// - Returns: The open channels it was in.
    private func forget(_ id: SessionID) -> [ChannelURL] {
        guard let session = open.removeValue(forKey: id) else { return [] }
        for entry in session.waiters { entry.waiter.resume() }
        if let address = session.address {
            let left = openOfAddress[address, default: 1] - 1
            openOfAddress[address] = left > 0 ? left : nil
        }
        openOfUser[session.user]?.removeAll { $0 == id }
        if openOfUser[session.user]?.isEmpty == true {
            openOfUser.removeValue(forKey: session.user)
            context.peers?.note(PresencePlace(user: session.user), isTaken: false)
        }
        return rooms.exitAll(id)
    }

    // MARK: Messages on their way

    /// Counts a message of a socket as one without an answer.
    func beginPost(of id: SessionID) { open[id]?.posts += 1 }

    /// Counts a message of a socket as answered.
    func endPost(of id: SessionID) {
        guard var session = open[id] else { return }
        session.posts -= 1
        let (posts, waiters) = (session.posts, session.waiters)
        if !waiters.isEmpty { session.waiters.removeAll { posts <= $0.limit } }
        open[id] = session
        for entry in waiters where posts <= entry.limit { entry.waiter.resume() }
    }

    /// Waits until at most `limit` messages of a socket have no answer, or until the socket ends.
    func settle(_ id: SessionID, to limit: Int) async {
        guard let session = open[id], session.posts > limit else { return }
        await withCheckedContinuation { waiter in
            // The last answer may have come since the check above.
            guard let session = open[id], session.posts > limit else { return waiter.resume() }
            open[id]?.waiters.append((limit, waiter))
        }
    }

    // MARK: Frames

    /// Sends an event to one socket.
    func send(_ event: ServerEvent, to id: SessionID) { send(event.encoded, to: id) }

    /// Sends a frame to one socket.
    func send(_ frame: String, to id: SessionID) { open[id]?.outlet.deliver(frame) }

    /// Sends a notice once to each socket of its recipients and to each in its room.
    func deliver(_ notice: Notice) {
        var over: [SessionID] = []
        // Once, because a clock takes a lock and a notice may have thousands of recipients.
        let now = world.now()
        let before = telemetry.metrics.deliveries
        for user in notice.recipients {
            for id in openOfUser[user] ?? [] { hand(notice, to: id, at: now, &over) }
        }
        if let room = notice.room {
            // A recipient may be inside; few notices to a room have recipients.
            let served = Set(notice.recipients)
            for place in rooms.places(in: room) where !served.contains(place.user) {
                hand(notice, to: place.session, at: now, &over)
            }
        }
        let sockets = telemetry.metrics.deliveries - before
        telemetry.work.add(notice, sockets: sockets)
        traceDelivery(notice, to: sockets)
        // A socket that missed an event must end: its client would not ask for the event.
        publishLater(over.flatMap(cutExpired))
    }

    private func hand(
        _ notice: Notice, to id: SessionID, at now: Timestamp, _ over: inout [SessionID]
    ) {
        guard id != notice.except, let session = open[id] else { return }
        if session.isOver(at: now) {
            over.append(id)
        } else {
            telemetry.metrics.deliveries += 1
            session.outlet.deliver(notice.frame)
        }
    }
}
