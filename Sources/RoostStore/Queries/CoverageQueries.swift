// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension Query where Input == Int64, Output == CoveredRange {
    /// What is known of a channel under no filter, oldest range first.
    static let coverage = Query(
        sql: """
            SELECT lower_at, lower_id, upper_at, upper_id, predecessor_id FROM coverage
            WHERE channel_id = ?1 AND filter = '' ORDER BY lower_at, lower_id
            """,
        bind: { channelRow, bindings in bindings.append(channelRow) },
        decode: { row in
            let (lower, upper) = (Position(row, column: 0), Position(row, column: 2))
            // Sorted, because a damaged row must not stop the program.
            return CoveredRange(
                lower: min(lower, upper), upper: max(lower, upper),
                predecessor: row.optionalInt64(4).map { MessageID($0) })
        })
}

extension Query where Input == (channelRow: Int64, range: CoveredRange), Output == Void {
    static let putRange = Query(
        sql: """
            INSERT OR REPLACE INTO coverage
                (channel_id, filter, lower_at, lower_id, upper_at, upper_id, predecessor_id)
            VALUES (?1, '', ?2, ?3, ?4, ?5, ?6)
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.range.lower)
            bindings.append(input.range.upper)
            bindings.append(input.range.predecessor?.rawValue)
        })

    static let deleteRange = Query(
        sql: """
            DELETE FROM coverage
            WHERE channel_id = ?1 AND filter = '' AND lower_at = ?2 AND lower_id = ?3
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.range.lower)
        })
}
