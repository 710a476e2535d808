// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostExecutors
internal import RoostModel
internal import RoostSQLite

/// An actor that runs queries on one state of the cache.
protocol SnapshotSource: Actor {
    /// The writer of the same file; nil for a file that is only inspected.
    nonisolated var writer: StoreWriter? { get }

    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T
}

/// Owns a read-only connection.
actor ReadConnection: SnapshotSource {
    /// The owner and the keys for opening a connection.
    typealias Access = (owner: StoreOwner?, protection: StoreProtection)

    private nonisolated let executor: any SerialExecutor
    let path: String
    /// The connection, made by the first read or by an opening that needs it.
    private var connection: Connection?
    /// The means to make the connection; nil while this reader is closed.
    private var access: Access?
    /// The look-up cache of the last read.
    private var lookUps: ReadLookUps?
    let switchboard: StoreSwitch
    let gate: SuspensionGate
    nonisolated let writer: StoreWriter?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Makes a reader.
    ///
    /// A reader with access opens its file, and starts its thread, at its first read. A reader
    /// without access is closed.
    init(
        on executor: any SerialExecutor, path: String,
        _ switchboard: StoreSwitch = StoreSwitch(), writer: StoreWriter? = nil,
        access: Access? = nil
    ) {
        self.access = access
        self.writer = writer
        self.switchboard = switchboard
        gate = switchboard.makeGate()
        self.executor = executor
        self.path = path
    }

    /// Permits reads.
    ///
    /// A sealed file is opened at once, because the caller needs to know whether the key is right.
    /// Otherwise the first read opens the file.
    func open(
        _ owner: StoreOwner? = nil, _ protection: StoreProtection = .none
    ) throws(StoreError) {
        guard access == nil else { return }
        try switchboard.admit(gate)
        access = (owner, protection)
        if protection.isSealed { _ = try opened() }
    }

    /// Takes the connection of the opening, and permits reads.
    func take(_ made: Connection, _ access: Access) {
        self.access = access
        lookUps = ReadLookUps(made)
        connection = made
    }

    func close() {
        access = nil
        lookUps = nil
        connection = nil
    }

    /// Returns the connection; nil if a suspension came before or while it was made.
    private func opened() throws(StoreError) -> Connection? {
        if let connection { return connection }
        guard let access else {
            if gate.isClosed { return nil }
            throw .closed
        }
        let made: Connection
        do throws(SQLiteError) {
            made = try Connection(
                .file(path), ConnectionOptions(access: .readOnly), interrupter: gate.interrupter)
        } catch  where error.isInterrupted {
            return nil
        } catch {
            writer?.damage.note(error)
            throw StoreError(error, in: path)
        }
        do throws(StoreError) {
            try access.protection.attachWhereSealed(to: made, owner: access.owner, path)
        } catch  where error.kind == .suspended {
            return nil
        }
        lookUps = ReadLookUps(made)
        connection = made
        return made
    }

    /// Passes the connection to a closure, for a database that is no cache.
    func inspect<T: Sendable>(
        _ body: @Sendable (Connection) throws(SQLiteError) -> T
    ) throws(StoreError) -> T {
        guard let connection = try opened() else { throw .suspended }
        do throws(SQLiteError) {
            return try body(connection)
        } catch {
            throw StoreError(error, in: path)
        }
    }

    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        try await gate.perform(isolation: self, orThrow: .canceled) {
            () throws(StoreError) -> T? in
            guard let connection = try opened() else { return nil }
            do throws(SQLiteError) {
                var value: T?
                try connection.read(
                    { session throws(SQLiteError) in value = try read(session) },
                    &lookUps, writer?.traces, writer?.damage)
                return value
            } catch  where error.isInterrupted {
                return nil
            } catch {
                throw StoreError(error, in: path)
            }
        }
    }
}

extension StoreWriter: SnapshotSource {
    nonisolated var writer: StoreWriter? { self }

    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        try await perform { connection throws(SQLiteError) in
            var lookUps: ReadLookUps?
            var value: T?
            try connection.read(
                { session throws(SQLiteError) in value = try read(session) }, &lookUps, traces,
                damage)
            guard let value else { preconditionFailure("A read that did not fail has answered.") }
            return value
        }
    }
}

extension Connection {
    /// Runs a read on one state of the database.
    ///
    /// `lookUps` is the look-up cache of the last read, and `traces` say which parts are still valid.
    /// `damage` records unreadable content.
    func read(
        _ read: (ReadSession) throws(SQLiteError) -> Void, _ lookUps: inout ReadLookUps?,
        _ traces: Guarded<CommitTraces>?, _ damage: DamageWatch?
    ) throws(SQLiteError) {
        let session = session(&lookUps)
        do throws(SQLiteError) {
            try withSnapshot(of: .sequence) { sequence throws(SQLiteError) in
                session.begin(at: sequence ?? 0, traces)
                try read(session)
            }
        } catch {
            damage?.note(error, inChannel: session.unreadableChannel)
            throw error
        }
        lookUps = session.lookUps
    }

    /// Like `read`, for a closure that writes to another database beside the cache, in one
    /// transaction.
    func readAndWrite(
        _ body: (ReadSession) throws(SQLiteError) -> Void, _ lookUps: inout ReadLookUps?,
        _ damage: DamageWatch?
    ) throws(SQLiteError) {
        let session = session(&lookUps)
        do throws(SQLiteError) {
            try withSnapshot { () throws(SQLiteError) in
                session.begin(at: try first(.sequence) ?? 0, nil)
                try body(session)
            }
        } catch {
            damage?.note(error, inChannel: session.unreadableChannel)
            throw error
        }
        lookUps = session.lookUps
    }

    /// A failed read leaves no look-up cache, which might be incomplete.
    private func session(_ lookUps: inout ReadLookUps?) -> ReadSession {
        ReadSession(self, lookUps.take() ?? ReadLookUps(self))
    }
}
