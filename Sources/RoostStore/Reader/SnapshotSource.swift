// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostSQLite

/// Whoever can answer questions about one state of the cache.
protocol SnapshotSource: Actor {
    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T

    /// Reads on the calling thread where that is allowed and nobody is reading; nil where it is not.
    ///
    /// For what is short: the caller's own executor waits.
    nonisolated func snapshotHere<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) throws(StoreError) -> T?
}

extension SnapshotSource {
    nonisolated func snapshotHere<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) throws(StoreError) -> T? { nil }
}

/// Owns a connection that only reads.
actor ReadConnection: SnapshotSource {
    private nonisolated let executor: any SerialExecutor
    let path: String
    /// Made by the first read: what nobody reads from need not be opened.
    private var connection: Connection?
    /// How the connection is made; nil while this is closed.
    private var opening: (owner: StoreOwner?, protection: StoreProtection)?
    private var book: ReadBook?
    private let switchboard: StoreSwitch
    private let gate: SuspensionGate

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(
        on executor: any SerialExecutor, path: String,
        _ switchboard: StoreSwitch = StoreSwitch()
    ) {
        self.switchboard = switchboard
        gate = switchboard.makeGate()
        self.executor = executor
        self.path = path
    }

    func open(
        _ owner: StoreOwner? = nil, _ protection: StoreProtection = .none
    ) throws(StoreError) {
        guard opening == nil else { return }
        try switchboard.admit(gate)
        opening = (owner, protection)
        // Whether the key is the right one is told at once.
        if protection.isSealed { _ = try opened() }
    }

    func close() {
        opening = nil
        book = nil
        connection = nil
    }

    /// The connection; nil when a suspension came while it was made.
    private func opened() throws(StoreError) -> Connection? {
        if let connection { return connection }
        guard let opening else { throw .closed }
        let made: Connection
        do throws(SQLiteError) {
            made = try Connection(
                .file(path), ConnectionOptions(access: .readOnly), interrupter: gate.interrupter)
        } catch  where error.isInterrupted {
            return nil
        } catch {
            throw StoreError(error, in: path)
        }
        do throws(StoreError) {
            try opening.protection.attachWhereSealed(to: made, owner: opening.owner, path)
        } catch  where error.kind == .suspended {
            return nil
        }
        book = ReadBook(made)
        connection = made
        return made
    }

    /// Lends the connection, to a database that is no cache and so has no state to read.
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
        try await gate.perform(isolation: self) { () throws(StoreError) -> T? in
            try attempt(read)
        }
    }

    nonisolated func snapshotHere<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) throws(StoreError) -> T? {
        guard let thread = executor as? ThreadExecutor else { return nil }
        return try thread.runHere { () throws(StoreError) -> T? in
            try gate.performNow { () throws(StoreError) -> T? in
                try assumeIsolated { reader in
                    Result { () throws(StoreError) in try reader.attempt(read) }
                }.get()
            }
        } ?? nil
    }

    /// Reads now; nil when it was interrupted.
    private func attempt<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) throws(StoreError) -> T? {
        guard let connection = try opened() else { return nil }
        do throws(SQLiteError) {
            return try connection.read(read, &book)
        } catch  where error.isInterrupted {
            return nil
        } catch {
            throw StoreError(error, in: path)
        }
    }
}

extension Connection {
    /// Runs a read on one state of the database.
    ///
    /// `book` is what the last read had looked up; it is taken while the read goes on, so that it is
    /// never copied.
    func read<T>(
        _ read: (ReadSession) throws(SQLiteError) -> T, _ book: inout ReadBook?
    ) throws(SQLiteError) -> T {
        // The session is its only owner while the read goes on: whatever it adds is added in place.
        let session = ReadSession(self, book.take() ?? ReadBook(self))
        return try snapshot { () throws(SQLiteError) in
            try session.begin()
            let value = try read(session)
            book = session.book
            return value
        }
    }
}
