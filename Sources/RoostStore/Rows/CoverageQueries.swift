// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// The channel and the filter of a coverage; row 0 is no filter.
struct CoverageKey: Equatable, Sendable {
    let channelRow: Int64
    var filterRow: Int64 = 0
}

extension Query where Input == CoverageKey, Output == CoveredRange {
    /// Reads a channel's coverage under a filter, oldest range first.
    static let coverage = Query(
        sql: """
            SELECT lower_at, lower_id, upper_at, upper_id, predecessor_id FROM covered
            WHERE channel_id = ?1 AND filter_id = ?2 ORDER BY lower_at, lower_id
            """,
        bind: { key, bindings in key.bind(&bindings) },
        decode: { row in CoveredRange(row) })

    /// The coverage without the ends in `recent`, for a file whose page of them is lost.
    static let foldedCoverage = Query(
        sql: """
            SELECT lower_at, lower_id, upper_at, upper_id, predecessor_id FROM coverage
            WHERE channel_id = ?1 AND filter_id = ?2 ORDER BY lower_at, lower_id
            """,
        bind: { key, bindings in key.bind(&bindings) },
        decode: { row in CoveredRange(row) })
}

extension CoveredRange {
    /// Reads a range from the first five columns.
    init(_ row: borrowing Row) {
        let (lower, upper) = (Position(row, column: 0), Position(row, column: 2))
        // Sorted, because a damaged row must not stop the program.
        self.init(
            lower: min(lower, upper), upper: max(lower, upper),
            predecessor: row.optionalInt64(4).map { MessageID($0) })
    }
}

extension Query where Input == Int64, Output == Int64 {
    /// The filters under which a channel has coverage, besides none.
    static let filtersOfChannel = Query(
        sql: "SELECT DISTINCT filter_id FROM coverage WHERE channel_id = ?1 AND filter_id > 0",
        bind: { channelRow, bindings in bindings.append(channelRow) },
        decode: { row in row.int64(0) })
}

extension Query where Input == (key: CoverageKey, range: CoveredRange), Output == Void {
    // Not `OR REPLACE`: a statement that may delete another row takes a savepoint, at which the
    // index of words writes all its pending entries.

    /// Adds a range, or replaces the one with the same beginning, as the writer does to extend a
    /// range.
    static let putRange = Query(
        sql: """
            INSERT INTO coverage
                (channel_id, filter_id, lower_at, lower_id, upper_at, upper_id, predecessor_id)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT DO UPDATE SET upper_at = ?5, upper_id = ?6, predecessor_id = ?7
            """,
        bind: { input, bindings in
            input.key.bind(&bindings)
            bindings.append(input.range.lower)
            bindings.append(input.range.upper)
            bindings.append(input.range.predecessor?.rawValue)
        })

    static let deleteRange = Query(
        sql: """
            DELETE FROM coverage
            WHERE channel_id = ?1 AND filter_id = ?2 AND lower_at = ?3 AND lower_id = ?4
            """,
        bind: { input, bindings in
            input.key.bind(&bindings)
            bindings.append(input.range.lower)
        })
}

extension Query where Input == Int64, Output == MessageFilter {
    static let filter = Query(
        sql: "SELECT payload FROM filter WHERE id = ?1",
        bind: { row, bindings in bindings.append(row) },
        decode: { row throws(SQLiteError) in
            try row.withBytes(0) { bytes throws(SQLiteError) in
                do throws(PayloadError) {
                    return try FilterPayload.read(bytes)
                } catch {
                    throw error.asSQLiteError(reading: "a filter")
                }
            }
        })
}

extension Query where Input == Void, Output == Void {
    static let deleteFilters = Query(sql: "DELETE FROM filter")
}

extension Query where Input == MessageFilter, Output == Int64 {
    static let filterRow = Query(
        sql: "SELECT id FROM filter WHERE payload = ?1",
        bind: { filter, bindings in
            bindings.appendBytes { FilterPayload.write(filter, to: &$0) }
        },
        decode: { row in row.int64(0) })

    static let insertFilter = Query(
        sql: "INSERT INTO filter (payload) VALUES (?1) RETURNING id",
        bind: { filter, bindings in
            bindings.appendBytes { FilterPayload.write(filter, to: &$0) }
        },
        decode: { row in row.int64(0) })
}

extension CoverageKey {
    fileprivate func bind(_ bindings: inout Bindings) {
        bindings.append(channelRow)
        bindings.append(filterRow)
    }
}
