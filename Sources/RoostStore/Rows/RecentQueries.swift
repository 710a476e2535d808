// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// The state of a channel after live messages, on a page that each commit writes in any case.
struct RecentState: Sendable {
    let channelRow: Int64
    /// The newest range without a filter; it has the same beginning as the one in `coverage`.
    let range: CoveredRange
    let holding: Holding

    /// As many rows as fit on one page of 4,096 bytes, with a third to spare.
    static let capacity: Int64 = 48
}

extension Connection {
    /// Stores the state of a channel; beyond the capacity, all other states are folded.
    ///
    /// - Precondition: `coverage` has a range with the same beginning as the state's.
    func put(_ state: RecentState) throws(SQLiteError) {
        if try execute(.updateRecent, state) > 0 { return }
        if try first(.recentCount) ?? 0 >= RecentState.capacity { try foldRecent() }
        try execute(.ensureHolding, state.channelRow)
        try execute(.insertRecent, state)
    }

    /// Moves the states of all channels to `coverage` and `holding`; needs a transaction.
    func foldRecent() throws(SQLiteError) {
        try execute(.foldCoverage)
        try execute(.foldHolding)
        try execute(.deleteAllRecent)
    }
}

extension Query where Input == RecentState, Output == Void {
    fileprivate static let updateRecent = Query(
        sql: """
            UPDATE recent SET lower_at = ?2, lower_id = ?3, upper_at = ?4, upper_id = ?5,
                message_count = ?6, payload_bytes = ?7
            WHERE channel_id = ?1
            """,
        bind: { state, bindings in state.bind(&bindings) })

    fileprivate static let insertRecent = Query(
        sql: """
            INSERT INTO recent (channel_id, lower_at, lower_id, upper_at, upper_id, message_count,
                payload_bytes)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """,
        bind: { state, bindings in state.bind(&bindings) })
}

extension Query where Input == Int64, Output == Void {
    /// Deletes the state of a channel; the caller writes it to `coverage` and `holding`.
    static let deleteRecent = Query(
        sql: "DELETE FROM recent WHERE channel_id = ?1",
        bind: { channelRow, bindings in bindings.append(channelRow) })

    fileprivate static let ensureHolding = Query(
        sql: "INSERT INTO holding (channel_id) VALUES (?1) ON CONFLICT DO NOTHING",
        bind: { channelRow, bindings in bindings.append(channelRow) })
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static let recentCount = Query(sql: "SELECT count(*) FROM recent") { row in
        row.int64(0)
    }

    /// States without a row of their channel in the tables.
    static let strayRecentCount = Query(
        sql: """
            SELECT count(*) FROM recent AS r WHERE channel_id > 0 AND NOT (
                EXISTS (SELECT 1 FROM holding AS h WHERE h.channel_id = r.channel_id)
                AND EXISTS (
                    SELECT 1 FROM coverage AS c
                    WHERE c.channel_id = r.channel_id AND c.filter_id = 0
                        AND c.lower_at = r.lower_at AND c.lower_id = r.lower_id))
            """
    ) { row in row.int64(0) }
}

extension Query where Input == Void, Output == Void {
    fileprivate static let foldCoverage = Query(
        sql: """
            UPDATE coverage SET upper_at = r.upper_at, upper_id = r.upper_id FROM recent AS r
            WHERE coverage.channel_id = r.channel_id AND coverage.filter_id = 0
                AND coverage.lower_at = r.lower_at AND coverage.lower_id = r.lower_id
            """)
    fileprivate static let foldHolding = Query(
        sql: """
            UPDATE holding SET message_count = r.message_count, payload_bytes = r.payload_bytes
            FROM recent AS r WHERE holding.channel_id = r.channel_id
            """)
    fileprivate static let deleteAllRecent = Query(sql: "DELETE FROM recent WHERE channel_id > 0")
}

extension RecentState {
    fileprivate func bind(_ bindings: inout Bindings) {
        bindings.append(channelRow)
        bindings.append(range.lower)
        bindings.append(range.upper)
        bindings.append(holding.messageCount)
        bindings.append(holding.payloadBytes)
    }
}
