// SPDX-License-Identifier: Apache-2.0

import RoostPostgres

extension EmbeddedImport {
    /// Compares all tables of the shared database with the folder.
    ///
    /// - Throws: `.different` with the first table that differs; a sentence of its own if another
    ///   import has ended meanwhile, so that servers may have changed the rows.
    func verify(_ sums: [TableSum]) async throws(ImportFailure) {
        do throws(ImportFailure) {
            for (copy, sum) in zip(TableCopy.all, sums) { try await verify(copy, sum) }
        } catch {
            guard error.kind == .different else { throw error }
            let record: ImportRecord?
            do throws(PostgresError) {
                record = try await pool.read { db async throws(PostgresError) in
                    try await db.first(.importRecord)
                }
            } catch {
                throw ImportFailure(error)
            }
            guard record?.isFinished == true else { throw error }
            throw .ended(pool.configuration.schema)
        }
    }

    /// Compares a table of the shared database with the fingerprint of the folder.
    ///
    /// - Throws: `.different` with the table and a row of it.
    private func verify(_ copy: TableCopy, _ expected: TableSum) async throws(ImportFailure) {
        var sum = TableSum()
        try await everyTargetPage(of: copy) { rows in
            for row in rows { sum.add(row, of: copy) }
            note(
                ImportProgress(
                    step: .comparing, table: copy.target, rows: sum.count, total: expected.count))
        }
        let buckets = sum.differences(from: expected)
        guard !buckets.isEmpty else { return }
        let counts = "\(expected.count) rows there, \(sum.count) here"
        let detail = try await firstDifference(in: copy, Set(buckets.prefix(16)))
        throw .different(copy.target, detail.map { "\(counts); \($0)" } ?? counts)
    }

    private func everyTargetPage(
        of copy: TableCopy, _ body: ([[ImportValue]]) -> Void
    ) async throws(ImportFailure) {
        var place: ImportPlace?
        var count = size.firstCount
        while true {
            if Task.isCancelled { throw .stopped }
            let (start, limit) = (place, count)
            let rows: [[ImportValue]]
            do throws(PostgresError) {
                rows = try await pool.read { db async throws(PostgresError) in
                    db.add(.workLong)
                    return try await db.all(copy.targetQuery(behind: start, limit))
                }
            } catch {
                throw ImportFailure(error)
            }
            body(rows)
            guard rows.count == limit, let last = rows.last else { return }
            place = ImportPlace(copy.key.map { last[$0] })
            count = size.nextCount(after: rows)
        }
    }

    /// Describes the first row that differs, among those of some buckets; nil if none does.
    private func firstDifference(
        in copy: TableCopy, _ buckets: Set<Int>
    ) async throws(ImportFailure) -> String? {
        var there: [[UInt8]: [ImportValue]] = [:]
        var place: ImportPlace?
        while true {
            let page = try await source.page(copy, behind: place, size)
            for row in page.rows {
                let key = copy.keyBytes(row)
                if buckets.contains(copy.bucket(of: key)) { there[key] = row }
            }
            place = page.end
            if page.isLast { break }
        }
        var findings: [(row: [ImportValue], text: String)] = []
        try await everyTargetPage(of: copy) { rows in
            for row in rows {
                let key = copy.keyBytes(row)
                guard buckets.contains(copy.bucket(of: key)) else { continue }
                guard let other = there.removeValue(forKey: key) else {
                    findings.append((row, "the row is in the database only"))
                    continue
                }
                let names = copy.differences(row, other)
                if !names.isEmpty {
                    findings.append((row, "\(names.joined(separator: ", ")) differ"))
                }
            }
        }
        findings += there.values.map { ($0, "the row is in the folder only") }
        let first = findings.min { copy.precedes($0.row, $1.row) }
        return first.map { "\(copy.shownKey($0.row)): \($0.text)" }
    }
}

extension TableCopy {
    /// Returns the names of the columns in which two rows differ.
    fileprivate func differences(_ one: [ImportValue], _ other: [ImportValue]) -> [String] {
        columns.indices.filter { !one[$0].isSame(as: other[$0]) }.map { columns[$0].name }
    }

    /// Whether a row's key comes before another one's.
    fileprivate func precedes(_ one: [ImportValue], _ other: [ImportValue]) -> Bool {
        for place in key {
            if one[place].precedes(other[place]) { return true }
            if other[place].precedes(one[place]) { return false }
        }
        return false
    }
}

extension ImportValue {
    fileprivate func isSame(as other: ImportValue) -> Bool {
        // Texts are equal by their bytes here, not by their characters.
        var (one, two): ([UInt8], [UInt8]) = ([], [])
        append(to: &one)
        other.append(to: &two)
        return one == two
    }

    fileprivate func precedes(_ other: ImportValue) -> Bool {
        switch (self, other) {
        case (.int(let one), .int(let two)): one < two
        case (.text(let one), .text(let two)): one.utf8.lexicographicallyPrecedes(two.utf8)
        default: false
        }
    }
}
