// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel
import RoostWire

/// The configuration, the storage and the world that all parts of a server share.
///
/// It is a class, so that each part has it as one reference.
final class ServerContext: Sendable {
    let configuration: ChatServer.Configuration
    let storage: any Storage
    /// The store of uploads; nil refuses uploads.
    let files: (any FileStore)?
    /// The sockets at other servers; nil for a server that is alone.
    let peers: (any PeerPresence)?
    /// The world of the server, with a steady clock.
    let world: ServerWorld

    init(
        _ configuration: ChatServer.Configuration, storage: any Storage,
        files: (any FileStore)?, peers: (any PeerPresence)?, world: ServerWorld
    ) {
        self.configuration = configuration
        self.storage = storage
        self.files = files
        self.peers = peers
        self.world = world.withSteadyClock
    }
}

/// A part of the server: the owner of one kind of state, or of the routes about one kind of object.
///
/// All parts of a server run on its actor, and none is `Sendable`, so the compiler keeps them there. Their
/// asynchronous methods run on the actor of their caller. `ChatServer` describes what may interleave.
protocol ServerPart {
    var context: ServerContext { get }
}

extension ServerPart {
    var configuration: ChatServer.Configuration { context.configuration }
    var limits: ServerLimits { context.configuration.limits }
    var storage: any Storage { context.storage }
    var world: ServerWorld { context.world }

    /// Asks the storage.
    ///
    /// - Throws: `.internalServerError` for each failure of the storage; the client may try again.
    @discardableResult
    func ask<T: Sendable>(
        _ call: @autoclosure () async throws(StorageError) -> T
    ) async throws(ServerError) -> T {
        do throws(StorageError) {
            return try await call()
        } catch {
            throw refusal(error)
        }
    }

    /// Returns a user's unread total, with a moment before the counting.
    ///
    /// Of two totals, the one of the later moment contains all marks before it.
    func unreadTotal(of id: UserID) async throws(ServerError) -> UnreadCount {
        let moment = world.now()
        return UnreadCount(
            all: try await ask(try await storage.unreadTotal(of: id)), timestamp: moment)
    }

    /// Returns the error for a client whose call failed in the storage, and logs the reason.
    func refusal(_ error: StorageError) -> ServerError {
        guard !error.isCancelled else { return Self.callerGone }
        log(.error, "storage", [.init("message", .string(error.description))])
        return ServerError(
            .internalServerError, "The server could not reach its storage; try again later.")
    }

    /// Ends work whose caller has gone.
    ///
    /// Loops over many rows call it between their steps.
    func stopIfCancelled() throws(ServerError) {
        if Task.isCancelled { throw Self.callerGone }
    }

    private static var callerGone: ServerError {
        ServerError(
            .internalServerError, "The caller closed the connection; the call was not finished.")
    }

    /// Returns a name of 160 random bits, as 40 hexadecimal digits.
    func makeSecret() -> String { ServerWorld.hex(digits: 40, from: world.entropy) }

    /// Writes a line into the server's log.
    func log(_ level: LogLine.Level, _ event: String, _ fields: [JSONValue.Field] = []) {
        world.log(LogLine(level, event, fields))
    }
}

/// The caller of a REST call.
package enum APICaller: Hashable, Sendable {
    case user(UserID)
    /// The application's own server, which has every right.
    case platform

    package var userID: UserID? { if case .user(let id) = self { id } else { nil } }
}

// MARK: - Judged changes

/// A change of a stored value that takes effect only if the limits accept its outcome.
///
/// The storage applies it in one step with reading the value, so two calls cannot exceed a limit together.
struct JudgedChange<Value: Sendable>: Sendable {
    private let change: @Sendable (inout Value) -> Void
    private let check: @Sendable (_ outcome: Value, _ before: Value) throws(ServerError) -> Void
    private let refusal = Guarded<ServerError?>(nil)

    init(
        _ change: @escaping @Sendable (inout Value) -> Void,
        check: @escaping @Sendable (_ outcome: Value, _ before: Value) throws(ServerError) -> Void
    ) {
        self.change = change
        self.check = check
    }

    /// Changes a value; a refused change leaves it as it is.
    func apply(to value: inout Value) {
        var outcome = value
        change(&outcome)
        // A storage may repeat the step with a newer value, whose judgement counts.
        refusal.withLock { $0 = nil }
        do throws(ServerError) {
            try check(outcome, value)
            value = outcome
        } catch {
            refusal.withLock { $0 = error }
        }
    }

    /// Throws the refusal of the change, if there was one.
    func confirm() throws(ServerError) {
        if let error = refusal.withLock({ $0 }) { throw error }
    }
}

extension ServerPart {
    /// Changes a user, unless the limits refuse the outcome.
    ///
    /// - Returns: The user after the change.
    @discardableResult
    func changeUser(
        _ id: UserID, _ change: @escaping @Sendable (inout UserRecord) -> Void
    ) async throws(ServerError) -> UserRecord {
        let judged = JudgedChange(change) { [limits] (outcome, before) throws(ServerError) in
            try limits.check(outcome, since: before)
        }
        let changed = try await ask(
            try await storage.updateUser(id) { judged.apply(to: &$0) })
        try judged.confirm()
        guard let changed else { throw ServerError(.notFound, "There is no such user.") }
        return changed
    }

    /// Changes a channel's record, unless the limits refuse the outcome.
    ///
    /// - Returns: The record after the change; nil if there is no such channel.
    @discardableResult
    func changeChannel(
        _ url: ChannelURL, _ change: @escaping @Sendable (inout ChannelRecord) -> Void
    ) async throws(ServerError) -> ChannelRecord? {
        let judged = JudgedChange(change) { [limits] (outcome, before) throws(ServerError) in
            try limits.check(outcome, since: before)
        }
        let changed = try await ask(
            try await storage.updateChannel(url, now: world.now()) { judged.apply(to: &$0) })
        try judged.confirm()
        return changed
    }

    /// Returns a user; throws `.notFound` if there is none.
    func existingUser(_ id: UserID) async throws(ServerError) -> UserRecord {
        guard let record = try await ask(try await storage.userRecord(id)) else {
            throw ServerError(.notFound, "There is no such user.")
        }
        return record
    }
}
