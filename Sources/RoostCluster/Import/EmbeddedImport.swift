// SPDX-License-Identifier: Apache-2.0

package import RoostPostgres
import RoostSockets

/// The move of an embedded server's data into a shared database.
///
/// The tables come one by one, in batches of rows. A batch and its progress are one transaction, so
/// an import that was ended at any moment goes on at the row where it was. At the end all rows are
/// read back and compared; only then may servers start.
package struct EmbeddedImport: Sendable {
    let source: EmbeddedSource
    let pool: PostgresPool
    /// The rows of a batch.
    let batch: Int
    let note: @Sendable (ImportProgress) -> Void

    /// Makes an import.
    ///
    /// - Parameters:
    ///   - source: The embedded server's database.
    ///   - pool: The sessions at the shared database, for at least two.
    ///   - batch: The rows of a transaction.
    ///   - note: Takes the progress, after each batch.
    package init(
        _ source: EmbeddedSource, into pool: PostgresPool, batch: Int = 1_000,
        note: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) {
        self.source = source
        self.pool = pool
        self.batch = batch
        self.note = note
    }

    /// Copies what is missing, compares everything and opens the database for servers.
    ///
    /// Cancelling stops it behind a batch.
    ///
    /// - Parameter beforeEnd: Work that belongs to the import, such as the copying of files.
    ///   Servers cannot start before it has succeeded. It runs also after an earlier success.
    /// - Returns: The tables, and whether an earlier run had finished.
    /// - Throws: A refusal before the first change, a failure of either side, or a difference.
    package func run(
        beforeEnd: () async throws(ImportFailure) -> Void = {}
    ) async throws(ImportFailure) -> ImportReport {
        try await checkTarget()
        let numbers = try await source.numbers()
        let sums = try await sourceSums()
        let fingerprint = Self.fingerprint(numbers, sums)
        let start = try await begin(fingerprint, numbers)
        let tables = zip(TableCopy.all, sums).map { copy, sum in
            ImportReport.Table(
                name: copy.target, rows: sum.count, fingerprint: sum.fingerprint)
        }
        guard !start.isFinished else {
            try await beforeEnd()
            return ImportReport(tables: tables, wasDone: true)
        }
        var record = start
        while record.tables < TableCopy.all.count {
            record = try await copyTable(record, total: sums[record.tables].count)
        }
        try await target { db in
            db.add(.workLong)
            db.add(.continueNumbers(numbers, messages: numbers.message(on: db.timeline)))
            db.add(.analyze)
        }
        for (copy, sum) in zip(TableCopy.all, sums) { try await verify(copy, sum) }
        try await beforeEnd()
        try await target { db in db.add(.finishImport) }
        return ImportReport(tables: tables, wasDone: false)
    }

    /// Runs a transaction that writes.
    @discardableResult
    func target<T: Sendable>(
        _ body: @Sendable (PostgresTransaction) async throws(PostgresError) -> T
    ) async throws(ImportFailure) -> T {
        do throws(PostgresError) {
            return try await pool.write(body)
        } catch {
            throw ImportFailure(error)
        }
    }

    private func checkTarget() async throws(ImportFailure) {
        do throws(PostgresError) {
            try await PostgresMigrator(pool).checkIsCurrent()
            // Before the folder is read, which takes a while.
            let (records, occupied) = try await pool.read { db async throws(PostgresError) in
                try await db.all(.importRecord, .isOccupied)
            }
            guard records.isEmpty, occupied.first == true else { return }
        } catch {
            throw ImportFailure(error)
        }
        throw .occupied(pool.configuration.schema)
    }

    /// Reads the folder once, for its fingerprint.
    private func sourceSums() async throws(ImportFailure) -> [TableSum] {
        var sums: [TableSum] = []
        for copy in TableCopy.all {
            let note = self.note
            sums.append(
                try await source.sum(of: copy, limit: batch) { rows in
                    note(ImportProgress(step: .reading, table: copy.target, rows: rows, total: nil))
                })
        }
        return sums
    }

    /// Returns the fingerprint of a folder's data.
    static func fingerprint(_ numbers: GivenNumbers, _ sums: [TableSum]) -> String {
        let tables = zip(TableCopy.all, sums).map { copy, sum in
            "\(copy.target) \(sum.count) \(sum.fingerprint)"
        }
        return Digest.sha256(
            """
            import 1 \(numbers.change) \(numbers.user) \(numbers.channel) \(numbers.message) \
            \(numbers.token) \(numbers.session) \(numbers.document)
            \(tables.joined(separator: "\n"))
            """)
    }

    /// Begins the import, or finds the place of an earlier run.
    private func begin(
        _ fingerprint: String, _ numbers: GivenNumbers
    ) async throws(ImportFailure) -> ImportRecord {
        let schema = pool.configuration.schema
        let outcome = try await target { db async throws(PostgresError) in
            db.add(.lockImports)
            let (records, occupied) = try await db.all(.importRecord, .isOccupied)
            if let record = records.first {
                guard record.source == fingerprint else {
                    return Outcome.refused(.another(schema, isFinished: record.isFinished))
                }
                return .begun(record)
            }
            guard occupied.first != true else { return .refused(.occupied(schema)) }
            guard numbers.message >> 42 <= db.timeline else {
                return .refused(.numbersTooLarge(db.timeline))
            }
            db.add(.beginImport(fingerprint))
            db.add(.setChangeBase(numbers.change))
            return .begun(ImportRecord(source: fingerprint))
        }
        switch outcome {
        case .begun(let record): return record
        case .refused(let failure): throw failure
        }
    }

    private enum Outcome: Sendable {
        case begun(ImportRecord)
        case refused(ImportFailure)
    }

    /// Copies the rest of a table, and returns the progress behind it.
    private func copyTable(
        _ start: ImportRecord, total: Int
    ) async throws(ImportFailure) -> ImportRecord {
        let (copy, limit) = (TableCopy.all[start.tables], batch)
        let place = start.place.flatMap { ImportPlace(text: $0) }
        // A place of another form is of another version.
        guard (place == nil) == (start.place == nil) else {
            throw .another(pool.configuration.schema, isFinished: false)
        }
        var record = start
        var page = try await source.page(copy, behind: place, limit: limit)
        while true {
            if Task.isCancelled { throw .stopped }
            let (rows, isLast) = (page.rows, page.rows.count < limit)
            var next = record
            if isLast {
                next = ImportRecord(source: record.source, tables: record.tables + 1)
            } else {
                next.place = page.end?.text
                next.rows += Int64(rows.count)
            }
            let done = Int(clamping: record.rows) + rows.count
            if isLast {
                try await store(rows, of: copy, from: record, to: next)
            } else {
                // The next page is read while the database stores this one.
                let end = page.end
                async let following = source.outcome(copy, behind: end, limit: limit)
                try await store(rows, of: copy, from: record, to: next)
                page = try await following.get()
            }
            note(ImportProgress(step: .copying, table: copy.target, rows: done, total: total))
            record = next
            if isLast { return record }
        }
    }

    /// Stores a batch with its progress, unless a lost commit has already done it.
    private func store(
        _ rows: [[ImportValue]], of copy: TableCopy, from record: ImportRecord,
        to next: ImportRecord
    ) async throws(ImportFailure) {
        let insertion = rows.isEmpty ? nil : copy.insertion(rows)
        let isStored = try await target { db async throws(PostgresError) in
            db.add(.commitLater)
            let present = try await db.first(.lockedImportRecord)
            if present == next { return true }
            guard present == record else { return false }
            if let insertion { db.add(insertion) }
            db.add(.noteProgress(next))
            return true
        }
        guard isStored else { throw .concurrent(pool.configuration.schema) }
    }
}

extension GivenNumbers {
    /// The number behind a timeline at which the counter of messages has to stand; 0 for any.
    ///
    /// The number of a message is the timeline, in the bits above 42, and the counter.
    func message(on timeline: Int64) -> Int64 {
        message >> 42 == timeline ? message & (1 << 42 - 1) : 0
    }
}
