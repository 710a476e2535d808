// SPDX-License-Identifier: Apache-2.0

package import RoostExecutors
import RoostSQLite
import RoostServer

/// The database of an embedded server that has stopped, for reading only.
///
/// The caller holds the lock of the server's folder, so nothing changes meanwhile.
package actor EmbeddedSource {
    private nonisolated let executor: any SerialExecutor
    private let connection: Connection
    private let path: String

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Opens the database and checks that it is intact and of this version.
    ///
    /// - Throws: A sentence for another version, another program's file, damage, and a file that
    ///   cannot be read.
    package init(
        _ path: String, on executor: ThreadExecutor
    ) async throws(ImportFailure) {
        self.executor = executor
        self.path = path
        do {
            connection = try Connection(.file(path), ConnectionOptions(access: .readOnly))
            guard try SQLiteSchema.migrator.isDone(in: connection) else {
                throw ImportFailure.older(path)
            }
            guard try connection.firstDamage() == nil else { throw ImportFailure.damaged(path) }
        } catch let error as ImportFailure {
            throw error
        } catch {
            throw Self.failure(error, path)
        }
    }

    private static func failure(_ error: any Error, _ path: String) -> ImportFailure {
        switch error as? MigrationError {
        case .foreign: return .foreign(path)
        case .newer(let found, let known): return .newer(path, found, known)
        case .altered(let number, _): return .newer(path, number, SQLiteSchema.migrator.newest)
        case .failed(let error): return failure(error, path)
        case nil:
            let isDamaged = (error as? SQLiteError)?.isCorrupt == true
            return isDamaged ? .damaged(path) : .unreadable(path, error)
        }
    }

    private func read<T>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) throws(ImportFailure) -> T {
        do throws(SQLiteError) {
            return try body(connection)
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// Returns the rows of a table behind a place; nil for its beginning.
    func page(
        _ copy: TableCopy, behind place: ImportPlace?, _ size: ImportPageSize
    ) throws(ImportFailure) -> ImportPage {
        let start = place ?? .first(copy.kinds(copy.sourceKey, isSource: true))
        let query = copy.sourceQuery()
        var (raw, bytes): ([[ImportValue]], Int) = ([], 0)
        try read { db throws(SQLiteError) in
            try db.scan(query, (start, place == nil, size.rows)) { row throws(SQLiteError) in
                let values = try query.decode(row)
                for value in values { bytes += value.byteCount }
                raw.append(values)
                return bytes < size.bytes
            }
        }
        let end = raw.last.map { row in ImportPlace(copy.sourceKey.map { row[$0] }) }
        let changes = copy.columns.enumerated().compactMap { place, column in
            column.change.map { (place, $0) }
        }
        var rows = raw
        for (place, change) in changes {
            for index in rows.indices { rows[index][place] = change(rows[index][place]) }
        }
        // A page that its bytes have ended may be followed by an empty one.
        let isLast = rows.count < size.rows && bytes < size.bytes
        return ImportPage(rows: rows, end: end, isLast: isLast)
    }

    /// As `page`, for a task beside the caller.
    func outcome(
        _ copy: TableCopy, behind place: ImportPlace?, _ size: ImportPageSize
    ) -> Result<ImportPage, ImportFailure> {
        Result { () throws(ImportFailure) in try page(copy, behind: place, size) }
    }

    /// Returns the fingerprint of a table in the form of the shared database.
    ///
    /// - Throws: `.damaged` if an index led to another number of rows than the table has.
    func sum(
        of copy: TableCopy, _ size: ImportPageSize, _ note: @Sendable (Int) -> Void
    ) throws(ImportFailure) -> TableSum {
        var sum = TableSum()
        var place: ImportPlace?
        while true {
            if Task.isCancelled { throw .stopped }
            let page = try page(copy, behind: place, size)
            for row in page.rows { sum.add(row, of: copy) }
            note(sum.count)
            place = page.end
            if page.isLast { break }
        }
        let count = try read { db throws(SQLiteError) in try db.first(copy.countQuery) }
        guard count == sum.count else { throw .damaged(path) }
        return sum
    }

    /// Returns the last numbers that the server has given.
    func numbers() throws(ImportFailure) -> GivenNumbers {
        try read { db throws(SQLiteError) in
            var numbers = GivenNumbers()
            numbers.change = try db.first(.lastChange) ?? 0
            numbers.user = try db.first(.lastUser) ?? 0
            numbers.channel = try db.first(.lastChannel) ?? 0
            for (table, number) in try db.all(.sequences) {
                switch table {
                case "message": numbers.message = number
                case "token": numbers.token = number
                case "session": numbers.session = number
                case "document": numbers.document = number
                default: break
                }
            }
            return numbers
        }
    }
}

/// The last numbers that a server has given; 0 for none.
struct GivenNumbers: Equatable, Sendable {
    var change: Int64 = 0
    var user: Int64 = 0
    var channel: Int64 = 0
    var message: Int64 = 0
    var token: Int64 = 0
    var session: Int64 = 0
    var document: Int64 = 0
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var lastChange: Query {
        Query(sql: "SELECT sequence FROM clock") { $0.int64(0) }
    }

    fileprivate static var lastUser: Query {
        Query(sql: "SELECT max(id) FROM user") { $0.int64(0) }
    }

    fileprivate static var lastChannel: Query {
        Query(sql: "SELECT max(id) FROM channel") { $0.int64(0) }
    }
}

extension Query where Input == Void, Output == (String, Int64) {
    fileprivate static var sequences: Query {
        Query(sql: "SELECT name, seq FROM sqlite_sequence") { ($0.text(0), $0.int64(1)) }
    }
}
