// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel
package import RoostWire

/// The chat server without its sockets: accept, authenticate, append to the channel's log, fan out.
///
/// The server is divided into parts (`ServerPart`), each of which owns one kind of state. All of them run
/// on this actor, on the executor of its host. The rules of their concurrency are:
///
/// - Code without `await` runs undisturbed. Parts change their state that way.
/// - During each `await` of the storage, of a lane or of the fan-out other work may run. Values from before
///   it may be outdated after it.
/// - Work that changes a channel holds the channel's lane (`ChannelLanes`) from the decision about access
///   to the last event. Other work on the channel waits for the lane. So a decision stays true until its
///   effects are stored, and events leave in the order of the log. Work on different channels needs no
///   order.
/// - A change of one document, user or member is one step of the storage. So are the deletion of a user and
///   the return of members to a distinct channel, which change channels without a lane; their events wait
///   for it.
package actor ChatServer {
    nonisolated let context: ServerContext
    private nonisolated let executor: any SerialExecutor & TaskExecutor
    let parts: ServerParts
    private nonisolated let calls = CallCounts()
    private let router: Router
    private let commands: SocketCommands

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    package init(
        _ configuration: Configuration, storage: any Storage, files: (any FileStore)? = nil,
        fanOut: any FanOut, peers: (any PeerPresence)? = nil, world: ServerWorld,
        on executor: any SerialExecutor & TaskExecutor
    ) async {
        self.executor = executor
        context = ServerContext(
            configuration, storage: storage, files: files, peers: peers, world: world)
        let background = Background()
        parts = ServerParts(context, fanOut: fanOut, background)
        router = Router(context: context, parts: parts)
        commands = SocketCommands(context: context, parts: parts)
        background.server = self
        await fanOut.subscribe { [weak self] notice in await self?.deliver(notice) }
        await fanOut.obey { [weak self] order in await self?.obey(order) }
    }

    /// Starts work that no caller waits for.
    ///
    /// The work prefers the server's executor. On the shared pool it would cost two changes of threads
    /// between two steps, and in a simulation it would run out of turn.
    nonisolated func start(_ work: @escaping @Sendable (isolated ChatServer) async -> Void) {
        Task(executorPreference: executor) { await work(self) }
    }

    private func deliver(_ notice: Notice) { parts.sessions.deliver(notice) }

    private func obey(_ order: PeerOrder) { parts.sessions.obey(order) }
}

// MARK: - The host's calls

extension ChatServer {
    /// The world of the server, with a steady clock.
    package nonisolated var world: ServerWorld { context.world }
    package nonisolated var files: (any FileStore)? { context.files }

    // MARK: Sockets

    /// Answers the opening of a socket: with LOGI and a session, or with a refusal and the end.
    ///
    /// - Returns: The name of the socket for its frames; nil after a refusal.
    package func connect(
        _ handshake: Handshake, _ outlet: any SessionOutlet
    ) async -> SessionID? {
        await parts.logins.connect(handshake, outlet)
    }

    /// Takes a text frame of an open socket; returns when the next one may come.
    ///
    /// A host hands in the frames of one socket one after the other: their order is that of the log.
    package func take(_ text: String, from id: SessionID) async {
        await commands.take(text, from: id)
    }

    /// Takes a text frame of an open socket; returns when all its commands are answered.
    package func receive(_ text: String, from id: SessionID) async {
        await commands.take(text, from: id)
        await parts.sessions.settle(id, to: 0)
    }

    /// Forgets a socket whose connection has ended; a second call does nothing.
    package func disconnect(_ id: SessionID) async { await parts.sessions.disconnect(id) }

    /// Counts and logs a connection that the host refused because its address had too many.
    package func noteRefusedConnection(from address: String) {
        parts.telemetry.metrics.refusedConnections += 1
        parts.logins.log(.warning, "connection_refused", [.init("peer", .string(address))])
    }

    /// The number of open sockets.
    package var sessionCount: Int { parts.sessions.count }

    // MARK: REST

    /// Returns a call for `RequestHeaders.call`, which its host keeps until the answer has left.
    package nonisolated func beginCall() -> CallUnderWay { CallUnderWay(calls) }

    /// Admits a call with a large body, before the body is in memory.
    ///
    /// - Throws: The refusal of a caller who is unknown, over their rate, or has too many calls.
    package func admit(_ headers: RequestHeaders) async throws(ServerError) {
        try await parts.logins.admit(headers)
    }

    /// Answers one REST call: 200 and an object, or an error the client can read (`docs/protocol` 1.3).
    package func respond(to request: APIRequest, headers: RequestHeaders) async -> APIResponse {
        await router.respond(to: request, headers: headers)
    }

    /// Returns the receiver of a call's form; nil if the server keeps no files.
    package func receiver(
        of request: APIRequest, headers: RequestHeaders
    ) async -> FormReceiver? {
        await parts.uploads.receiver(of: request, headers: headers)
    }

    /// Returns a file by its path, with its name in the store; nil if the path names none.
    ///
    /// - Parameters:
    ///   - path: The path of the file's URL.
    ///   - address: The network address of the caller, to whose rate the call counts.
    /// - Returns: The name and the file.
    /// - Throws: `.rateLimited`, or another error if the store cannot read the file now.
    package func file(
        at path: String, from address: String? = nil
    ) async throws(ServerError) -> (id: String, file: StoredFile)? {
        try await parts.uploads.file(at: path, from: address)
    }

    // MARK: Timers

    /// Ends the sockets whose session key has expired; a host calls it every second.
    package func endExpired() async { await parts.sessions.endExpired() }

    /// Sends the scheduled messages that are due, and returns when none is under way.
    package func sendDue() async { await parts.scheduled.sendDue() }

    /// Begins to send the scheduled messages that are due; a host calls it every second.
    package func startDue() async { await parts.scheduled.startDue() }

    /// Stores the users who were active since the last call; a host calls it every second.
    package func storeActivity() async { await parts.activity.store() }

    /// Stores and publishes the collected delivery receipts; a host calls it every second, and before
    /// its end.
    package func publishReceipts() async { await parts.deliveries.publish() }

    /// Closes the sockets of clients that have missed two pings; a host calls it with every ping.
    package func dropIdle() async {
        parts.rates.forgetIdle()
        await parts.sessions.dropIdle()
    }

    /// Divides the rates of users and addresses among the servers that are alive.
    package func shareRates(among servers: Int) { parts.rates.share(among: servers) }

    /// Forgets some of the sessions and tokens that ended long ago; a host calls it every minute.
    package func forgetEndedSessions() async { await parts.logins.forgetEnded() }

    /// Ends all sessions of a user, and the tokens that have an end, as if their time had come.
    package func expireTokens(of id: UserID) async { await parts.logins.expire(id) }

    /// Gives a user this access token without an end; the previous one ends, with its sessions and
    /// their sockets.
    ///
    /// - Throws: An error if there is no such user, or if the storage fails.
    package func setAccessToken(_ secret: String, of id: UserID) async throws(ServerError) {
        try await parts.logins.setAccessToken(secret, of: id)
    }

    // MARK: Observation

    /// Returns the whole log of a channel, deleted messages included; for tests and tools.
    package func log(of url: ChannelURL) async throws(StorageError) -> [LogEntry] {
        try await context.storage.log(of: url)
    }

    /// Returns a page of a channel's log before a position, newest first.
    package func log(
        of url: ChannelURL, before place: Position, limit: Int
    ) async throws(StorageError) -> [LogEntry] {
        try await context.storage.log(of: url, before: place, limit: limit)
    }

    package var metrics: ServerMetrics {
        var metrics = parts.telemetry.metrics
        metrics.sessions = parts.sessions.count
        metrics.unreadable += context.storage.unreadableCount
        return metrics
    }

    /// Whether the storage can read, and can write durably.
    ///
    /// Each call waits for the disk, so a caller from outside must be bounded.
    package func isHealthy() async -> Bool {
        do throws(StorageError) {
            try await context.storage.prove()
            return true
        } catch {
            _ = router.refusal(error)
            return false
        }
    }
}
