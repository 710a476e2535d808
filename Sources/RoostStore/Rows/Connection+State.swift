// SPDX-License-Identifier: Apache-2.0

// Filters, cursors, the owner and single messages, in plain text or sealed.

import RoostCore
internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

// MARK: - Filters

/// The row of a filter in a sealed cache.
private struct SealedFilter: Sendable {
    /// The hash of the payload, as the bytes of its text.
    let column: [UInt8]
    let payload: [UInt8]
}

extension Connection {
    func filterRow(_ filter: MessageFilter) throws(SQLiteError) -> Int64? {
        guard let seals else { return try first(.filterRow, filter) }
        return try first(.sealedFilterRow, Array(seals.hash(of: filter).text.utf8))
    }

    func insertFilter(_ filter: MessageFilter) throws(SQLiteError) -> Int64? {
        guard let seals else { return try first(.insertFilter, filter) }
        let sealed = try seals.sealed(filter)
        return try first(
            .insertSealedFilter,
            SealedFilter(column: Array(sealed.column.utf8), payload: sealed.sealed))
    }

    func filter(inRow row: Int64) throws(SQLiteError) -> MessageFilter {
        guard let seals else {
            if let filter = try first(Query<Int64, MessageFilter>.filter, row) { return filter }
            throw .malformed("a filter", because: "the row that others refer to is missing")
        }
        guard let sealed = try first(.sealedFilter, row) else {
            throw .malformed("a filter", because: "the row that others refer to is missing")
        }
        let hash = try seals.hash(
            inColumn: sealed.column.span.text(in: 0..<sealed.column.count))
        return try seals.open(
            sealed.payload.span, at: .name(.filter, hash), reading: "a filter"
        ) { bytes throws(SQLiteError) in
            do throws(PayloadError) {
                return try FilterPayload.read(bytes)
            } catch {
                throw error.asSQLiteError(reading: "a filter")
            }
        }
    }
}

extension RowSeals {
    /// Returns the sealed form of a filter.
    func sealed(_ filter: MessageFilter) throws(SQLiteError) -> WrittenName {
        let hash = hash(of: filter)
        return WrittenName(
            column: hash.text,
            sealed: try sealed(at: .name(.filter, hash)) { FilterPayload.write(filter, to: &$0) })
    }

    fileprivate func hash(of filter: MessageFilter) -> NameHash {
        var payload: [UInt8] = []
        FilterPayload.write(filter, to: &payload)
        return hash(payload.span.text(in: 0..<payload.count), .filter)
    }
}

extension Query where Input == [UInt8], Output == Int64 {
    fileprivate static let sealedFilterRow = Query(
        sql: "SELECT id FROM filter WHERE payload = ?1",
        bind: { column, bindings in bindings.append(column) },
        decode: { row in row.int64(0) })
}

extension Query where Input == SealedFilter, Output == Int64 {
    fileprivate static let insertSealedFilter = Query(
        sql: "INSERT INTO filter (payload, name) VALUES (?1, ?2) RETURNING id",
        bind: { filter, bindings in
            bindings.append(filter.column)
            bindings.append(filter.payload)
        },
        decode: { row in row.int64(0) })
}

extension Query where Input == Int64, Output == SealedFilter {
    fileprivate static let sealedFilter = Query(
        sql: "SELECT payload, name FROM filter WHERE id = ?1",
        bind: { row, bindings in bindings.append(row) },
        decode: { row in SealedFilter(column: row.bytes(0), payload: row.bytes(1)) })
}

// MARK: - Cursors

extension Connection {
    /// Whether a commit with this condition is left out.
    func meets(_ condition: CommitCondition) throws(SQLiteError) -> Bool {
        switch condition {
        case .cursorMoved(let key, let place): return try cursor(key) != place
        case .channelsKnown(let urls):
            for url in urls where try storedChannel(url)?.payload != nil { return true }
            return try cursor(.channelChanges) != nil
        case .messagesKnown(let channel):
            guard let row = try channelRow(channel)?.row,
                try storedChannel(channel)?.payload != nil
            else { return true }
            if try cursor(.messageChanges(channel)) != nil { return true }
            return try first(.coverage, CoverageKey(channelRow: row)) != nil
        }
    }

    private func cursor(_ key: CursorKey) throws(SQLiteError) -> Cursor? {
        guard let channel = key.channel else { return try cursor(kind: key.kind, channelRow: 0) }
        guard let row = try channelRow(channel)?.row else { return nil }
        return try cursor(kind: key.kind, channelRow: row)
    }

    func cursor(kind: Int64, channelRow: Int64) throws(SQLiteError) -> Cursor? {
        guard let seals else { return try first(.cursor, (kind, channelRow)) }
        guard let (sealed, moment) = try first(.sealedCursor, (kind, channelRow)) else {
            return nil
        }
        guard let sealed else { return .moment(moment) }
        let place = SealPlace.cursor(kind: kind, channelRow: channelRow)
        return try seals.open(sealed.span, at: place, reading: "a cursor") { bytes in
            .token(bytes.text(in: 0..<bytes.count))
        }
    }

    func putCursor(
        _ cursor: Cursor, kind: Int64, channelRow: Int64
    ) throws(SQLiteError) {
        guard let seals, case .token(let token) = cursor else {
            try execute(.putCursor, (kind, channelRow, cursor))
            return
        }
        let sealed = try seals.sealed(at: .cursor(kind: kind, channelRow: channelRow)) {
            $0.append(contentsOf: token.utf8)
        }
        try execute(.putSealedCursor, (kind, channelRow, sealed))
    }
}

extension Query
where
    Input == (kind: Int64, channelRow: Int64),
    Output == (sealed: [UInt8]?, moment: Timestamp)
{
    fileprivate static let sealedCursor = Query(
        sql: "SELECT sealed_token, moment FROM cursor WHERE kind = ?1 AND channel_id = ?2",
        bind: { input, bindings in
            bindings.append(input.kind)
            bindings.append(input.channelRow)
        },
        decode: { row in (row.optionalBytes(0), Timestamp(milliseconds: row.int64(1))) })
}

extension Query where Input == (kind: Int64, channelRow: Int64, sealed: [UInt8]), Output == Void {
    fileprivate static let putSealedCursor = Query(
        sql: """
            INSERT INTO cursor (kind, channel_id, sealed_token) VALUES (?1, ?2, ?3)
            ON CONFLICT (kind, channel_id)
                DO UPDATE SET token = NULL, moment = NULL, sealed_token = ?3
            """,
        bind: { input, bindings in
            bindings.append(input.kind)
            bindings.append(input.channelRow)
            bindings.append(input.sealed)
        })
}

// MARK: - The owner

extension Connection {
    /// Returns the owner of this cache.
    func owner() throws(SQLiteError) -> StoreOwner? {
        if let seals { return seals.owner }
        return try first(OwnerQueries.cache.select)
    }
}

// MARK: - Messages

extension Connection {
    /// Returns the value of `message.request_key` for a request ID.
    func requestKey(_ id: RequestID) -> Int64 {
        seals?.vault.names.requestKey(id.rawValue) ?? id.key
    }
}
