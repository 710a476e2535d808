// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
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
    let size: ImportPageSize
    let note: @Sendable (ImportProgress) -> Void

    /// The longest wait for the answer to a statement, for the sessions of an import.
    package static let answerPatience = Duration.seconds(3_600)

    /// Makes an import.
    ///
    /// - Parameters:
    ///   - source: The embedded server's database.
    ///   - pool: The sessions at the shared database, for at least two.
    ///   - batch: The most rows of a transaction.
    ///   - batchBytes: The size of its values, in bytes, at which a transaction ends earlier.
    ///   - note: Takes the progress, after each batch.
    package init(
        _ source: EmbeddedSource, into pool: PostgresPool, batch: Int = 1_000,
        batchBytes: Int = 8_388_608,
        note: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) {
        self.source = source
        self.pool = pool
        size = ImportPageSize(rows: batch, bytes: batchBytes)
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
        await analyze()
        try await verify(sums)
        try await beforeEnd()
        try await finish(fingerprint, numbers)
        return ImportReport(tables: tables, wasDone: false)
    }

    /// Runs a transaction that writes and finds its own effects when it runs again.
    @discardableResult
    func target<T: Sendable>(
        _ body: @Sendable (PostgresTransaction) async throws(PostgresError) -> T
    ) async throws(ImportFailure) -> T {
        do throws(PostgresError) {
            return try await pool.write(recognisesItself: true, body)
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
                try await source.sum(of: copy, size) { rows in
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

    // MARK: Beginning and end

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
                guard !record.isFinished else { return .begun(record) }
            }
            let servers = try await db.all(.servers(on: schema))
            guard servers.isEmpty else { return .refused(.served(schema, by: servers)) }
            if let record = records.first { return .begun(record) }
            guard occupied.first != true else { return .refused(.occupied(schema)) }
            guard numbers.message >> 42 <= db.timeline else {
                return .refused(.numbersTooLarge(db.timeline))
            }
            db.add(.beginImport(fingerprint))
            db.add(.setChangeBase(numbers.change))
            return .begun(ImportRecord(source: fingerprint))
        }
        switch outcome {
        case .begun(let record):
            if !record.isFinished { try await refuseServers() }
            return record
        case .refused(let failure): throw failure
        }
    }

    /// Refuses servers that started while the import began, and so may not have seen it.
    private func refuseServers() async throws(ImportFailure) {
        let schema = pool.configuration.schema
        let servers: [String]
        do throws(PostgresError) {
            servers = try await pool.read { db async throws(PostgresError) in
                try await db.all(.servers(on: schema))
            }
        } catch {
            throw ImportFailure(error)
        }
        guard servers.isEmpty else { throw .served(schema, by: servers) }
    }

    private enum Outcome: Sendable {
        case begun(ImportRecord)
        case refused(ImportFailure)
    }

    /// Collects statistics of all tables; the database does it later by itself where this fails.
    private func analyze() async {
        for statement in PostgresQuery<Void>.analyses {
            // A role that does not own the tables gets a warning, which counts for writes only.
            try? await pool.read { db async throws(PostgresError) in
                db.add(.workLong)
                db.add(statement)
            }
        }
    }

    /// Sets the counters and opens the database for servers.
    ///
    /// - Throws: `.concurrent` unless the database still has everything that this run has compared.
    private func finish(
        _ fingerprint: String, _ numbers: GivenNumbers
    ) async throws(ImportFailure) {
        let attempts = Guarded(0)
        let isDone = try await target { db async throws(PostgresError) in
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            guard let record = try await db.first(.lockedImportRecord),
                record.source == fingerprint, record.tables == TableCopy.all.count
            else { return false }
            // A repeat may find the commit of the attempt before, whose answer was lost.
            guard !record.isFinished else { return attempt > 1 }
            db.add(.continueNumbers(numbers, messages: numbers.message(on: db.timeline)))
            db.add(.finishImport)
            return true
        }
        guard isDone else { throw .concurrent(pool.configuration.schema) }
    }

    // MARK: Tables

    /// Returns the place behind the rows of a table that an earlier run has stored; nil for none.
    private func place(
        of copy: TableCopy, _ record: ImportRecord
    ) async throws(ImportFailure) -> ImportPlace? {
        let failure = ImportFailure.another(pool.configuration.schema, isFinished: false)
        if let text = record.place {
            // A place of another form is of another version.
            guard let place = ImportPlace(text: text) else { throw failure }
            return place
        }
        // Secrets are not kept as a place, so the rows are counted.
        var place: ImportPlace?
        var rest = Int(clamping: record.rows)
        while rest > 0 {
            if Task.isCancelled { throw .stopped }
            let size = ImportPageSize(rows: min(size.rows, rest), bytes: size.bytes)
            let page = try await source.page(copy, behind: place, size)
            guard !page.rows.isEmpty else { throw failure }
            place = page.end
            rest -= page.rows.count
        }
        return place
    }

    /// Copies the rest of a table, and returns the progress behind it.
    private func copyTable(
        _ start: ImportRecord, total: Int
    ) async throws(ImportFailure) -> ImportRecord {
        let (copy, size) = (TableCopy.all[start.tables], size)
        var record = start
        var page = try await source.page(copy, behind: try await place(of: copy, start), size)
        while true {
            if Task.isCancelled { throw .stopped }
            let (rows, isLast) = (page.rows, page.isLast)
            var next = record
            if isLast {
                next = ImportRecord(source: record.source, tables: record.tables + 1)
            } else {
                next.place = copy.keepsPlace ? page.end?.text : nil
                next.rows += Int64(rows.count)
            }
            let done = Int(clamping: record.rows) + rows.count
            if isLast {
                try await store(rows, of: copy, from: record, to: next)
            } else {
                // The next page is read while the database stores this one.
                let end = page.end
                async let following = source.outcome(copy, behind: end, size)
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
            db.add(.workLong)
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
