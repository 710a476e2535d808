// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel
import RoostWire

/// The chat server without its sockets: accept, authenticate, append to the channel's log, fan out.
///
/// The server is divided into parts (`ServerPart`), each of which owns one kind of state. All of them run
/// on this actor, on the executor of its host. The rules of their concurrency are:
///
/// - A call without `await` runs to its end; nothing comes in between. Parts change their state that way.
/// - Each `await` of the storage, of a lane or of the fan-out lets other work in. What was read before it
///   may be outdated after it.
/// - Work that changes a channel holds the channel's lane (`ChannelLanes`) from the decision about access
///   to the last event. Other work on the channel waits for the lane, and so a decision stays true until its
///   effects are stored, and events leave in the order of the log. Work on different channels needs no
///   order. A change of one document, user or member is one step of the storage.
package actor ChatServer {
    nonisolated let context: ServerContext
    private nonisolated let executor: any SerialExecutor & TaskExecutor
    let telemetry: Telemetry
    let rates: RequestRates
    let rooms: Rooms
    let sessions: Sessions
    let publisher: EventPublisher
    let lanes: ChannelLanes
    let admission: Admission
    let logins: Logins
    var posting = Posting()

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
        context = ServerContext(
            configuration: configuration, storage: storage, files: files,
            world: world.withSteadyClock)
        let telemetry = Telemetry()
        self.telemetry = telemetry
        rates = RequestRates(context, telemetry)
        publisher = EventPublisher(context: context, fanOut: fanOut, telemetry: telemetry)
        rooms = Rooms(context, publisher)
        sessions = Sessions(context, rooms, telemetry)
        lanes = ChannelLanes()
        admission = Admission(context: context, sessions: sessions, rooms: rooms, lanes: lanes)
        logins = Logins(
            context: context, sessions: sessions, rates: rates, telemetry: telemetry)
        await fanOut.subscribe { [weak self] notice in await self?.deliver(notice) }
    }

    /// Starts work that no caller waits for.
    ///
    /// The work prefers the server's executor. On the shared pool it would cost two changes of threads
    /// between two steps, and in a simulation it would run out of turn.
    nonisolated func start(_ work: @escaping @Sendable (isolated ChatServer) async -> Void) {
        Task(executorPreference: executor) { await work(self) }
    }

    private func deliver(_ notice: Notice) async { await sessions.deliver(notice) }
}

extension ChatServer: ServerPart {}

// MARK: - The host's calls

extension ChatServer {
    /// The world of the server, with a steady clock.
    package nonisolated var world: ServerWorld { context.world }
    package nonisolated var files: (any FileStore)? { context.files }

    /// Answers the opening of a socket: with LOGI and a session, or with a refusal and the end.
    ///
    /// - Returns: The name of the socket for its frames; nil after a refusal.
    package func connect(
        _ handshake: Handshake, _ outlet: any SessionOutlet
    ) async -> SessionID? {
        await logins.connect(handshake, outlet)
    }

    /// Forgets a socket whose connection has ended; a second call does nothing.
    package func disconnect(_ id: SessionID) async { await sessions.disconnect(id) }

    /// Ends the sockets whose session key has expired; a host calls it every second.
    package func endExpired() async { await sessions.endExpired() }

    /// Closes the sockets of clients that have missed two pings; a host calls it with every ping.
    package func dropIdle() async {
        rates.forgetIdle()
        await sessions.dropIdle()
    }

    /// Forgets some of the sessions and tokens that ended long ago; a host calls it every minute.
    package func forgetEndedSessions() async { await logins.forgetEnded() }

    /// The number of open sockets.
    package var sessionCount: Int { sessions.count }

    /// The whole log of a channel, deleted messages included; for tests and tools.
    package func log(of url: ChannelURL) async throws(StorageError) -> [LogEntry] {
        try await storage.log(of: url)
    }

    package var metrics: ServerMetrics {
        var metrics = telemetry.metrics
        metrics.sessions = sessions.count
        metrics.unreadable += storage.unreadableCount
        return metrics
    }

    /// Whether the storage can read, and can write durably.
    ///
    /// Each call waits for the disk, so a caller from outside must be bounded.
    package func isHealthy() async -> Bool {
        do throws(StorageError) {
            try await storage.prove()
            return true
        } catch {
            _ = refusal(error)
            return false
        }
    }
}
