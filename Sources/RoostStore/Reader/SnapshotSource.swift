// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

/// Whoever can answer questions about one state of the cache.
protocol SnapshotSource: Actor {
    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) throws(StoreError) -> T
}

/// Owns a connection that only reads.
actor ReadConnection: SnapshotSource {
    private nonisolated let executor: any SerialExecutor
    private let path: String
    private var connection: Connection?
    private var book: ReadBook?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(on executor: any SerialExecutor, path: String) {
        self.executor = executor
        self.path = path
    }

    func open(
        _ owner: StoreOwner? = nil, _ protection: StoreProtection = .none
    ) throws(StoreError) {
        let connection: Connection
        do {
            connection = try Connection(.file(path), ConnectionOptions(access: .readOnly))
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

    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) throws(StoreError) -> T {
        guard let connection else { throw .closed }
        return try connection.read(read, &book, path: path)
    }
}

extension Connection {
    /// Runs a read on one state of the database.
    ///
    /// `book` is what the last read had looked up; it is taken while the read goes on, so that it is
    /// never copied.
    func read<T>(
        _ read: (ReadSession) throws(SQLiteError) -> T, _ book: inout ReadBook?, path: String
    ) throws(StoreError) -> T {
        let known = book.take() ?? ReadBook(self)
        do throws(SQLiteError) {
            return try snapshot { () throws(SQLiteError) in
                let session = try ReadSession(self, known)
                let value = try read(session)
                book = session.book
                return value
            }
        } catch {
            throw StoreError(error, in: path)
        }
    }
}
