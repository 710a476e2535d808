// SPDX-License-Identifier: Apache-2.0

// Unsent messages, in plain text or sealed. The payload of a sealed item contains everything; its
// name columns contain a hash and nothing.

internal import RoostCore
internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

extension Connection {
    /// Returns all items, in the order of writing.
    func outboxItems() throws(SQLiteError) -> [OutboxRow] {
        guard let seals else { return try all(.items) }
        return try all(.storedItems).map { OutboxRow($0, openedBy: seals) }
    }

    /// Returns all items, the unreadable ones apart.
    func storedItems() throws(SQLiteError) -> OutboxItems {
        let rows = try outboxItems()
        let unreadable = rows.filter { $0.item == nil }
        return OutboxItems(
            items: rows.compactMap(\.item),
            damaged: unreadable.filter { !$0.isOfLaterRelease }.map(\.requestID),
            newer: unreadable.filter(\.isOfLaterRelease).map(\.requestID))
    }

    func outboxItem(_ id: RequestID) throws(SQLiteError) -> OutboxRow? {
        guard let seals else { return try first(Query<RequestID, OutboxRow>.item, id) }
        return try first(.storedItem, seals.column(id)).map { OutboxRow($0, openedBy: seals) }
    }

    /// Whether an item has a row, which may be unreadable.
    func hasItem(_ id: RequestID) throws(SQLiteError) -> Bool {
        try first(.hasItemNamed, seals?.column(id) ?? id) != nil
    }

    /// Adds an item, under its own number or the next one; nil if the request ID exists already.
    private func insertItem(_ draft: OutboxDraft) throws(SQLiteError) -> Int64? {
        guard let seals else { return try first(.insertItem, draft) }
        let hash = seals.hash(draft.requestID.rawValue, .requestID)
        let payload = try payload(draft.content, of: draft.requestID, in: draft.channel, seals)
        return try first(
            .insertSealedItem,
            (draft.sequence, hash.text, draft.createdAt, draft.leaves, payload))
    }

    /// Adds an item and returns it as it is on disk; returns the older one if the request ID exists
    /// already.
    func insertedItem(_ draft: OutboxDraft) throws(SQLiteError) -> OutboxItem {
        if let number = try insertItem(draft) { return OutboxItem(draft, sequence: number) }
        guard let item = try outboxItem(draft.requestID)?.item else {
            throw .malformed("an unsent message", because: "its row cannot be read back")
        }
        return item
    }

    /// Returns the next number of the order of writing; needs a transaction.
    func takeSequence() throws(SQLiteError) -> Int64 {
        try execute(.beginSequence)
        guard let number = try first(.takeSequence) else {
            throw .malformed("the order of unsent messages", because: "it cannot be read back")
        }
        return number
    }

    /// Makes the next number of the order of writing greater than `number`; needs a transaction.
    func skipSequences(through number: Int64) throws(SQLiteError) {
        try execute(.beginSequence)
        try execute(.skipSequences, number)
    }

    /// Deletes a change that is not made, and keeps its request ID for other processes.
    ///
    /// Does nothing if the change is gone: the process that removed it has said why.
    func drop(_ id: RequestID) throws(SQLiteError) {
        let name = try itemName(id)
        try execute(.noteDropped, name)
        try execute(.forgetOldestDropped)
        try execute(.deleteItem, name)
    }

    func isDropped(_ id: RequestID) throws(SQLiteError) -> Bool {
        if let seals, try first(.isDropped, seals.column(id)) != nil { return true }
        return try first(.isDropped, id) != nil
    }

    /// Writes a lost item again, at its own place if that is free.
    func restore(_ item: OutboxItem) throws(SQLiteError) {
        try execute(.forgetDropped, try itemName(item.requestID))
        // An unreadable row contains nothing that the item in memory lacks.
        if let row = try outboxItem(item.requestID), row.item == nil, !row.isOfLaterRelease {
            try execute(.deleteItem, try itemName(item.requestID))
        }
        let isFree = try first(.hasItem, item.sequence) == nil
        let draft = OutboxDraft(
            item.requestID, to: item.channel, createdAt: item.createdAt, content: item.content,
            leaves: item.hasLeft, sequence: isFree ? item.sequence : nil)
        guard try insertItem(draft) != nil else { return }
        let name = try itemName(item.requestID)
        try execute(.updateItem, (name, item.state))
        try execute(.updateAttempts, (name, item.attemptCount))
    }

    /// Moves an item to the end of the order, with a new time of writing.
    func requeue(_ id: RequestID, _ createdAt: Timestamp) throws(SQLiteError) {
        try execute(.requeueItem, (try itemName(id), try takeSequence(), createdAt))
    }

    /// Replaces the content of an item.
    func updateItem(
        _ id: RequestID, in channel: ChannelURL, _ content: OutboxContent
    ) throws(SQLiteError) {
        var payload: [UInt8] = []
        if let seals {
            payload = try self.payload(content, of: id, in: channel, seals)
        } else {
            ParamsPayload.write(content, to: &payload)
        }
        try execute(.updatePayload, (try itemName(id), payload))
    }

    private func payload(
        _ content: OutboxContent, of id: RequestID, in channel: ChannelURL, _ seals: RowSeals
    ) throws(SQLiteError) -> [UInt8] {
        try seals.sealed(at: .item(seals.hash(id.rawValue, .requestID))) { bytes in
            bytes.append(text: id.rawValue)
            bytes.append(text: channel.rawValue)
            ParamsPayload.write(content, to: &bytes)
        }
    }

    /// Returns the table's name of an item, which also identifies one that cannot be decrypted.
    func itemName(_ id: RequestID) throws(SQLiteError) -> RequestID {
        guard let seals else { return id }
        let column = seals.column(id)
        if try first(.hasItemNamed, column) == nil, try first(.hasItemNamed, id) != nil {
            return id
        }
        return column
    }
}

extension OutboxRow {
    init(_ stored: SalvagedItem, openedBy seals: RowSeals) {
        var failure = stored.payload.sealError
        do throws(SQLiteError) {
            let hash = try seals.hash(inColumn: stored.requestID)
            let read = try seals.open(
                stored.payload.span, at: .item(hash), reading: "an unsent message"
            ) { bytes throws(SQLiteError) in
                do throws(PayloadError) {
                    return try OutboxWords(bytes)
                } catch {
                    failure = error
                    throw error.asSQLiteError(reading: "an unsent message")
                }
            }
            requestID = read.requestID
            item = UnsentState(tag: stored.state, code: stored.failureCode).map { state in
                OutboxItem(
                    sequence: stored.sequence, requestID: read.requestID, channel: read.channel,
                    createdAt: Timestamp(milliseconds: stored.createdAt), content: read.content,
                    state: state, attemptCount: Int(clamping: stored.attemptCount),
                    hasLeft: stored.hasLeft != 0)
            }
            isOfLaterRelease = item == nil && OutboxStateTag.isPlausible(stored.state)
        } catch {
            // An unreadable item is nil here; its row stays.
            requestID = RequestID(stored.requestID)
            item = nil
            isOfLaterRelease = failure?.isOfLaterRelease ?? false
        }
    }
}

extension SalvagedItem {
    /// Returns the plaintext form of a sealed item.
    ///
    /// The content stays as it is: it may be of a later release, which will read it.
    func opened(by seals: RowSeals) throws(SQLiteError) -> SalvagedItem {
        let hash = try seals.hash(inColumn: requestID)
        let bytes = try seals.opened(payload, at: .item(hash), reading: "an unsent message")
        var reader = PayloadReader()
        do throws(PayloadError) {
            let id = try reader.text(bytes.span)
            let channel = try reader.text(bytes.span)
            return SalvagedItem(
                sequence: sequence, requestID: id, channel: channel, createdAt: createdAt,
                state: state, failureCode: failureCode, attemptCount: attemptCount,
                hasLeft: hasLeft, payload: Array(bytes[reader.offset...]))
        } catch {
            throw error.asSQLiteError(reading: "an unsent message")
        }
    }
}

extension [UInt8] {
    /// The error of a seal with an unknown version; versions count from 1.
    fileprivate var sealError: PayloadError? {
        guard SealedForm.isSealed(span), self[0] > SealedForm.version else { return nil }
        return .version(self[0] - SealedForm.version + 1)
    }
}

/// The content of a sealed item.
private struct OutboxWords {
    let requestID: RequestID
    let channel: ChannelURL
    let content: OutboxContent

    init(_ bytes: Span<UInt8>) throws(PayloadError) {
        var reader = PayloadReader()
        requestID = RequestID(try reader.text(bytes))
        channel = ChannelURL(try reader.text(bytes))
        content = try ParamsPayload.read(bytes.extracting(reader.offset..<bytes.count))
    }
}

extension Query
where
    Input == (
        sequence: Int64?, name: String, createdAt: Timestamp, leaves: Bool, payload: [UInt8]
    ), Output == Int64
{
    fileprivate static let insertSealedItem = Query(
        sql: """
            INSERT INTO item (sequence, request_id, channel_url, created_at, state, attempt_count,
                has_left, payload)
            VALUES (?1, ?2, '', ?3, 0, ?4, ?4, ?5)
            ON CONFLICT (request_id) DO NOTHING RETURNING sequence
            """,
        bind: { input, bindings in
            bindings.append(input.sequence)
            bindings.append(input.name)
            bindings.append(input.createdAt.milliseconds)
            bindings.append(Int64(input.leaves ? 1 : 0))
            bindings.append(input.payload)
        },
        decode: { row in row.int64(0) })
}

extension Query where Input == Void, Output == SalvagedItem {
    static let storedItems = Query(
        sql: """
            SELECT sequence, request_id, channel_url, created_at, state, failure_code,
                attempt_count, has_left, payload
            FROM item ORDER BY sequence
            """
    ) { row in SalvagedItem(row) }
}

extension Query where Input == RequestID, Output == SalvagedItem {
    fileprivate static let storedItem = Query(
        sql: """
            SELECT sequence, request_id, channel_url, created_at, state, failure_code,
                attempt_count, has_left, payload
            FROM item WHERE request_id = ?1
            """,
        bind: { id, bindings in bindings.append(id.rawValue) },
        decode: { row in SalvagedItem(row) })
}

extension SalvagedItem {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            sequence: row.int64(0), requestID: row.text(1), channel: row.text(2),
            createdAt: row.int64(3), state: row.int64(4), failureCode: row.optionalInt64(5),
            attemptCount: row.int64(6), hasLeft: row.int64(7), payload: row.bytes(8))
    }
}
