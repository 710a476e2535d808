// SPDX-License-Identifier: Apache-2.0

// Seals a database that was written in the clear: names at once, payloads slice by slice. A run that
// was cut goes on with what still stands in the clear.

internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

extension Connection {
    /// Puts hashes into the place of all names; part of the transaction that makes the vault.
    ///
    /// Whatever has few rows is sealed with them, the whole outbox among it.
    func sealNames(with seals: RowSeals) throws(SQLiteError) {
        // Either the cache's tables are here or the outbox's.
        guard try first(.itemTableCount) == 0 else { return try sealItems(with: seals) }
        for (row, url, payload) in try all(.plainChannels) {
            let name = try seals.written(url, .channelURL)
            let sealed = try payload.map { payload throws(SQLiteError) in
                try seals.sealed(channelRow: row, at: .channel(row: row)) {
                    $0.append(contentsOf: payload)
                }
            }
            try execute(.sealChannel, (row, name, sealed))
        }
        for (row, id, payload) in try all(.plainUsers) {
            let name = try seals.written(id, .userID)
            let place = SealPlace.user(try seals.hash(inColumn: name.column))
            let sealed = try seals.sealed(at: place) { $0.append(contentsOf: payload ?? []) }
            try execute(.sealUser, (row, name, sealed))
        }
        for (row, text) in try all(.plainWords) {
            try execute(.sealWord, (row, try seals.written(text, .customType)))
        }
        for row in try all(.filterRows) {
            guard let filter = try first(Query<Int64, MessageFilter>.filter, row) else { continue }
            try execute(.sealFilter, (row, try seals.sealed(filter)))
        }
        for (kind, row, token) in try all(.plainCursors) {
            let sealed = try seals.sealed(at: .cursor(kind: kind, channelRow: row)) {
                $0.append(contentsOf: token.utf8)
            }
            try execute(.sealCursor, (kind, row, sealed))
        }
        if let session = try first(Query<Void, [UInt8]?>.session) ?? nil {
            try execute(
                .setSession, try seals.sealed(at: .session) { $0.append(contentsOf: session) })
        }
    }

    private func sealItems(with seals: RowSeals) throws(SQLiteError) {
        for item in try all(.storedItems) {
            let hash = seals.hash(item.requestID, .requestID)
            let payload = try seals.sealed(at: .item(hash)) { bytes in
                bytes.append(text: item.requestID)
                bytes.append(text: item.channel)
                bytes.append(contentsOf: item.payload)
            }
            try execute(.sealItem, (item.sequence, WrittenName(column: hash.text, sealed: payload)))
        }
    }

    /// Seals all messages that stand in the clear, a transaction for each slice.
    func sealPayloads(
        with seals: RowSeals, _ progress: (MigrationProgress) -> Void
    ) throws(SQLiteError) {
        guard try first(.itemTableCount) == 0 else { return }
        let total = Int(try first(.messageCount) ?? 0)
        var done = 0
        var last = MessagePlace(channelRow: .min, position: .distantPast)
        while true {
            let slice = try all(.plainMessages, (last, Self.sliceSize))
            guard let end = slice.last?.place else { break }
            try transaction { () throws(SQLiteError) in
                for message in slice where !SealedForm.isSealed(message.payload.span) {
                    try seal(message, with: seals)
                }
            }
            last = end
            done += slice.count
            progress(MigrationProgress(name: "sealing", done: done, total: max(done, total)))
        }
        try transaction { () throws(SQLiteError) in try executeScript(Self.sumUp) }
    }

    private func seal(_ message: PlainMessage, with seals: RowSeals) throws(SQLiteError) {
        let row = message.place.channelRow
        let position = message.place.position
        var key: Int64?
        if message.hasKey {
            // The key is a hash of the request ID that anybody can compute.
            var copy = Message(
                delivery: .delivered(position.messageID, nil), channelURL: ChannelURL(""),
                createdAt: position.createdAt, content: .user(text: ""))
            do throws(PayloadError) {
                _ = try MessagePayload.read(message.payload.span, into: &copy) { _ in User(id: "") }
            } catch {
                throw error.asSQLiteError(reading: "a message")
            }
            key = copy.requestID.map { seals.hash($0.rawValue, .requestID).high }
        }
        let place = SealPlace.message(
            channelRow: row, createdAt: position.createdAt.milliseconds,
            id: position.messageID.rawValue)
        let payload = try seals.sealed(channelRow: row, at: place) {
            $0.append(contentsOf: message.payload)
        }
        try execute(.sealMessage, (message.place, payload, key))
    }

    /// Writes the file anew, so that no page keeps what stood there in the clear.
    func forgetWhatWasClear() throws(SQLiteError) {
        try executeScript("PRAGMA secure_delete = ON")
        if try first(.itemTableCount) == 0, try first(.hasSearchState) == true {
            try transaction { () throws(SQLiteError) in try SearchIndex.drop(from: self) }
        }
        if try first(.itemTableCount) == 0, try first(.isInFile) == 1 {
            try rewrite(choosing: []) { _ in }
        } else {
            try compact()
        }
        guard truncateLog() == .complete else {
            throw .malformed("the log", because: "it still holds what was written in the clear")
        }
    }

    /// A second's work at most on a slow disk, so that a cut run loses little.
    private static let sliceSize = 2_000

    private static let sumUp: SQL = """
        UPDATE holding SET payload_bytes = (
            SELECT ifnull(sum(length(payload)), 0) FROM message
            WHERE message.channel_id = holding.channel_id)
        """
}

extension Vault {
    /// Notes that nothing stands in the clear any more.
    func finishSealing(in connection: Connection) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            guard let row = try connection.first(.vault) else { return }
            try connection.execute(.saveVault, (VaultStage.sealed.rawValue, row.header))
        }
        setStage(.sealed)
    }
}

/// A message whose payload may stand in the clear.
private struct PlainMessage: Sendable {
    let place: MessagePlace
    let hasKey: Bool
    let payload: [UInt8]
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static let itemTableCount = Query(
        sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'item'"
    ) { row in row.int64(0) }

    fileprivate static let isInFile = Query(
        sql: "SELECT file <> '' FROM pragma_database_list WHERE name = 'main'"
    ) { row in row.int64(0) }

    fileprivate static let messageCount = Query(sql: "SELECT count(*) FROM message") { row in
        row.int64(0)
    }

    fileprivate static let filterRows = Query(sql: "SELECT id FROM filter") { row in row.int64(0) }
}

extension Query where Input == Void, Output == (row: Int64, name: String, payload: [UInt8]?) {
    fileprivate static let plainChannels = Query(
        sql: "SELECT id, url, payload FROM channel"
    ) { row in (row.int64(0), row.text(1), row.optionalBytes(2)) }

    fileprivate static let plainUsers = Query(
        sql: "SELECT id, user_id, payload FROM user"
    ) { row in (row.int64(0), row.text(1), row.optionalBytes(2)) }
}

extension Query where Input == Void, Output == (row: Int64, text: String) {
    fileprivate static let plainWords = Query(sql: "SELECT id, text FROM word") { row in
        (row.int64(0), row.text(1))
    }
}

extension Query where Input == Void, Output == (kind: Int64, channelRow: Int64, token: String) {
    fileprivate static let plainCursors = Query(
        sql: "SELECT kind, channel_id, token FROM cursor WHERE token IS NOT NULL"
    ) { row in (row.int64(0), row.int64(1), row.text(2)) }
}

extension Query
where Input == (row: Int64, name: WrittenName, payload: [UInt8]?), Output == Void {
    fileprivate static let sealChannel = Query(
        sql: "UPDATE channel SET url = ?2, name = ?3, payload = ?4 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            input.name.bind(&bindings)
            bindings.append(input.payload)
        })

    fileprivate static let sealUser = Query(
        sql: "UPDATE user SET user_id = ?2, name = ?3, payload = ?4 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            input.name.bind(&bindings)
            bindings.append(input.payload)
        })
}

extension Query where Input == (row: Int64, name: WrittenName), Output == Void {
    fileprivate static let sealWord = Query(
        sql: "UPDATE word SET text = ?2, name = ?3 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            input.name.bind(&bindings)
        })

    fileprivate static let sealFilter = Query(
        sql: "UPDATE filter SET payload = ?2, name = ?3 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            bindings.append(Array(input.name.column.utf8))
            bindings.append(input.name.sealed)
        })

    fileprivate static let sealItem = Query(
        sql: "UPDATE item SET request_id = ?2, channel_url = '', payload = ?3 WHERE sequence = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            input.name.bind(&bindings)
        })
}

extension Query where Input == (kind: Int64, channelRow: Int64, sealed: [UInt8]), Output == Void {
    fileprivate static let sealCursor = Query(
        sql: """
            UPDATE cursor SET token = NULL, sealed_token = ?3 WHERE kind = ?1 AND channel_id = ?2
            """,
        bind: { input, bindings in
            bindings.append(input.kind)
            bindings.append(input.channelRow)
            bindings.append(input.sealed)
        })
}

extension Query where Input == (after: MessagePlace, limit: Int), Output == PlainMessage {
    fileprivate static let plainMessages = Query(
        sql: """
            SELECT channel_id, created_at, message_id, request_key, payload FROM message
            WHERE (channel_id, created_at, message_id) > (?1, ?2, ?3)
            ORDER BY channel_id, created_at, message_id LIMIT ?4
            """,
        bind: { input, bindings in
            bindings.append(input.after.channelRow)
            bindings.append(input.after.position)
            bindings.append(input.limit)
        },
        decode: { row in
            PlainMessage(
                place: MessagePlace(channelRow: row.int64(0), position: Position(row, column: 1)),
                hasKey: !row.isNull(3), payload: row.bytes(4))
        })
}

extension Query
where Input == (place: MessagePlace, payload: [UInt8], key: Int64?), Output == Void {
    fileprivate static let sealMessage = Query(
        sql: """
            UPDATE message SET payload = ?4, request_key = ?5
            WHERE channel_id = ?1 AND created_at = ?2 AND message_id BETWEEN ?3 AND ?3
            """,
        bind: { input, bindings in
            bindings.append(input.place.channelRow)
            bindings.append(input.place.position)
            bindings.append(input.payload)
            bindings.append(input.key)
        })
}
