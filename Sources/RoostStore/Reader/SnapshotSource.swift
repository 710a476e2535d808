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

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(on executor: any SerialExecutor, path: String) {
        self.executor = executor
        self.path = path
    }

    func open() throws(StoreError) {
        do {
            connection = try Connection(.file(path), ConnectionOptions(access: .readOnly))
        } catch {
            throw StoreError(error, in: path)
        }
    }

    func close() {
        connection = nil
    }

    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) throws(StoreError) -> T {
        guard let connection else { throw .closed }
        return try connection.read(read, path: path)
    }
}

extension Connection {
    /// Runs a read on one state of the database.
    func read<T>(
        _ read: (ReadSession) throws(SQLiteError) -> T, path: String
    ) throws(StoreError) -> T {
        do throws(SQLiteError) {
            return try snapshot { () throws(SQLiteError) in try read(ReadSession(self)) }
        } catch {
            throw StoreError(error, in: path)
        }
    }
}
