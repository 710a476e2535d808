// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// A row of the outbox.
struct OutboxRow: Sendable {
    let requestID: RequestID
    /// The item; nil if this release cannot read it.
    let item: OutboxItem?
    /// Whether a later release wrote the unreadable item; otherwise it is damaged.
    var isOfLaterRelease = false
}

extension OutboxItem {
    /// Returns the item that a draft becomes on disk.
    init(_ draft: OutboxDraft, sequence: Int64) {
        self.init(
            sequence: sequence, requestID: draft.requestID, channel: draft.channel,
            createdAt: draft.createdAt, content: draft.content, state: .pending,
            attemptCount: draft.leaves ? 1 : 0, hasLeft: draft.leaves)
    }
}

extension Query where Input == OutboxDraft, Output == Int64 {
    /// Adds an item and returns its number; no row if the request ID exists already.
    static let insertItem = Query(
        sql: """
            INSERT INTO item (sequence, request_id, channel_url, created_at, state, attempt_count,
                has_left, payload)
            VALUES (?1, ?2, ?3, ?4, 0, ?5, ?5, ?6)
            ON CONFLICT (request_id) DO NOTHING RETURNING sequence
            """,
        bind: { draft, bindings in
            bindings.append(draft.sequence)
            bindings.append(draft.requestID.rawValue)
            bindings.append(draft.channel.rawValue)
            bindings.append(draft.createdAt.milliseconds)
            bindings.append(Int64(draft.leaves ? 1 : 0))
            bindings.appendBytes { ParamsPayload.write(draft.content, to: &$0) }
        },
        decode: { row in row.int64(0) })
}

extension Query where Input == Void, Output == OutboxRow {
    static let items = Query(
        sql: """
            SELECT sequence, request_id, channel_url, created_at, state, failure_code,
                attempt_count, has_left, payload
            FROM item ORDER BY sequence
            """
    ) { row in OutboxRow(row) }
}

extension Query where Input == RequestID, Output == OutboxRow {
    static let item = Query(
        sql: """
            SELECT sequence, request_id, channel_url, created_at, state, failure_code,
                attempt_count, has_left, payload
            FROM item WHERE request_id = ?1
            """,
        bind: { id, bindings in bindings.append(id.rawValue) },
        decode: { row in OutboxRow(row) })
}

extension Query where Input == (id: RequestID, state: UnsentState), Output == Void {
    static let updateItem = Query(
        sql: "UPDATE item SET state = ?2, failure_code = ?3 WHERE request_id = ?1",
        bind: { input, bindings in
            let (tag, code) = input.state.stored
            bindings.append(input.id.rawValue)
            bindings.append(tag.rawValue)
            bindings.append(code)
        })
}

extension Query where Input == RequestID, Output == Void {
    static let noteAttempt = Query(
        sql: """
            UPDATE item SET attempt_count = attempt_count + 1, has_left = 1 WHERE request_id = ?1
            """,
        bind: { id, bindings in bindings.append(id.rawValue) })

    static let deleteItem = Query(
        sql: "DELETE FROM item WHERE request_id = ?1",
        bind: { id, bindings in bindings.append(id.rawValue) })

    /// Keeps the name of an item that is about to be deleted.
    static let noteDropped = Query(
        sql: """
            INSERT OR REPLACE INTO dropped (request_id)
            SELECT request_id FROM item WHERE request_id = ?1
            """,
        bind: { id, bindings in bindings.append(id.rawValue) })

    static let forgetDropped = Query(
        sql: "DELETE FROM dropped WHERE request_id = ?1",
        bind: { id, bindings in bindings.append(id.rawValue) })
}

extension Query where Input == RequestID, Output == Int64 {
    /// Returns a row if an item has the name.
    static let hasItemNamed = Query(
        sql: "SELECT 1 FROM item WHERE request_id = ?1",
        bind: { id, bindings in bindings.append(id.rawValue) },
        decode: { row in row.int64(0) })

    /// Returns a row if a process has dropped the change.
    static let isDropped = Query(
        sql: "SELECT 1 FROM dropped WHERE request_id = ?1",
        bind: { id, bindings in bindings.append(id.rawValue) },
        decode: { row in row.int64(0) })
}

extension Query where Input == (id: RequestID, attemptCount: Int), Output == Void {
    static let updateAttempts = Query(
        sql: "UPDATE item SET attempt_count = ?2 WHERE request_id = ?1",
        bind: { input, bindings in
            bindings.append(input.id.rawValue)
            bindings.append(Int64(input.attemptCount))
        })
}

extension Query where Input == Void, Output == Int64 {
    static let itemNumbers = Query(sql: "SELECT sequence FROM item") { row in row.int64(0) }
}

extension Query where Input == Int64, Output == Void {
    static let deleteItemNumber = Query(
        sql: "DELETE FROM item WHERE sequence = ?1",
        bind: { number, bindings in bindings.append(number) })
}

extension Query where Input == Int64, Output == Int64 {
    /// Returns a row if an item has the number.
    static let hasItem = Query(
        sql: "SELECT 1 FROM item WHERE sequence = ?1",
        bind: { number, bindings in bindings.append(number) },
        decode: { row in row.int64(0) })
}

extension Query where Input == (id: RequestID, payload: [UInt8]), Output == Void {
    static let updatePayload = Query(
        sql: "UPDATE item SET payload = ?2 WHERE request_id = ?1",
        bind: { input, bindings in
            bindings.append(input.id.rawValue)
            bindings.append(input.payload)
        })
}

extension Query where Input == (id: RequestID, createdAt: Timestamp), Output == Void {
    /// The time from which the three days of an item count.
    static let updateTime = Query(
        sql: "UPDATE item SET created_at = ?2 WHERE request_id = ?1",
        bind: { input, bindings in
            bindings.append(input.id.rawValue)
            bindings.append(input.createdAt.milliseconds)
        })
}

extension Query where Input == Void, Output == Int64 {
    /// Changes when another connection has written, and never by a write of this connection.
    static let outboxVersion = Query(sql: "PRAGMA data_version") { $0.int64(0) }

    /// Takes the next number of the order of writing.
    static let takeSequence = Query(
        sql: "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'item' RETURNING seq"
    ) { $0.int64(0) }
}

extension Query where Input == Void, Output == Void {
    /// Starts the counter, which SQLite otherwise starts with the first row.
    static let beginSequence = Query(
        sql: """
            INSERT INTO sqlite_sequence (name, seq) SELECT 'item', 0
            WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'item')
            """)

    /// Keeps the newest thousand of the dropped changes.
    static let forgetOldestDropped = Query(
        sql: "DELETE FROM dropped WHERE number <= (SELECT max(number) FROM dropped) - 1000")

    /// Forgets all dropped changes, because the form of their names changes.
    static let forgetAllDropped = Query(sql: "DELETE FROM dropped")
}

extension Query where Input == Int64, Output == Void {
    /// Makes the next number of the order of writing greater than a given one.
    static let skipSequences = Query(
        sql: "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'item'",
        bind: { number, bindings in bindings.append(number) })
}

extension Query
where Input == (id: RequestID, number: Int64, createdAt: Timestamp), Output == Void {
    /// Gives an item another place in the order.
    static let requeueItem = Query(
        sql: """
            UPDATE item SET sequence = ?2, created_at = ?3, state = 0, failure_code = NULL
            WHERE request_id = ?1
            """,
        bind: { input, bindings in
            bindings.append(input.id.rawValue)
            bindings.append(input.number)
            bindings.append(input.createdAt.milliseconds)
        })
}

extension OutboxRow {
    fileprivate init(_ row: borrowing Row) {
        let requestID = RequestID(row.text(1))
        self.requestID = requestID
        let read: Result<OutboxContent, PayloadError> = row.withBytes(8) { bytes in
            Result { () throws(PayloadError) in try ParamsPayload.read(bytes) }
        }
        let content: OutboxContent
        switch read {
        case .success(let readable): content = readable
        case .failure(let error):
            // An unreadable item is nil here; its row stays.
            item = nil
            isOfLaterRelease = error.isOfLaterRelease
            return
        }
        guard let state = UnsentState(tag: row.int64(4), code: row.optionalInt64(5)) else {
            item = nil
            isOfLaterRelease = OutboxStateTag.isPlausible(row.int64(4))
            return
        }
        item = OutboxItem(
            sequence: row.int64(0), requestID: requestID, channel: ChannelURL(row.text(2)),
            createdAt: Timestamp(milliseconds: row.int64(3)), content: content, state: state,
            attemptCount: Int(clamping: row.int64(6)), hasLeft: row.int64(7) != 0)
    }
}
