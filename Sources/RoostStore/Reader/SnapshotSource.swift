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
    private var connection: Connection?
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
        guard connection == nil else { return }
        try switchboard.admit(gate)
        let connection: Connection
        do {
            connection = try Connection(
                .file(path), ConnectionOptions(access: .readOnly), interrupter: gate.interrupter)
        } catch {
            throw StoreError(error, in: path)
        }
        try protection.attachWhereSealed(to: connection, owner: owner, path)
        book = ReadBook(connection)
        self.connection = connection
    }

    func close() {
        book = nil
        connection = nil
    }

    /// Lends the connection, to a database that is no cache and so has no state to read.
    func inspect<T: Sendable>(
        _ body: @Sendable (Connection) throws(SQLiteError) -> T
    ) throws(StoreError) -> T {
        guard let connection else { throw .closed }
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
        guard let connection else { throw .closed }
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
