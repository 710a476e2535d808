// SPDX-License-Identifier: Apache-2.0

// Encrypts a plaintext database: names at once, payloads slice by slice. An interrupted run resumes
// with the remaining plaintext.

internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

extension Connection {
    /// Replaces all names by hashes; part of the transaction that makes the vault.
    ///
    /// Encrypts the tables with few rows together with the names; in the outbox all tables.
    func sealNames(with seals: RowSeals) throws(SQLiteError) {
        // A database has either the cache's tables or the outbox's.
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
    }

    private func sealItems(with seals: RowSeals) throws(SQLiteError) {
        try execute(.forgetAllDropped)
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

    /// Encrypts all plaintext messages, one slice a transaction.
    func sealPayloads(
        with seals: RowSeals, _ progress: (MigrationProgress) -> Void
    ) throws(SQLiteError) {
        try eachMessage("sealing", progress) { message throws(SQLiteError) in
            guard !SealedForm.isSealed(message.payload.span) else { return }
            // In plaintext the key is an unkeyed hash of the request ID.
            let key = try message.requestID(in: message.payload).map { id in
                seals.hash(id.rawValue, .requestID).high
            }
            let row = message.place.channelRow
            let payload = try seals.sealed(channelRow: row, at: message.seal) {
                $0.append(contentsOf: message.payload)
            }
            try execute(.rewriteMessage, (message.place, payload, key))
        }
    }

    /// Calls a closure with every message, one slice a transaction, and sums up the changes.
    func eachMessage(
        _ name: String, _ progress: (MigrationProgress) -> Void,
        _ body: (RewrittenMessage) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        guard try first(.itemTableCount) == 0 else { return }
        let total = Int(try first(.messageCount) ?? 0)
        var done = 0
        var last = MessagePlace(channelRow: .min, position: .distantPast)
        if total > 0 { progress(MigrationProgress(name: name, done: 0, total: total)) }
        while true {
            let slice = try all(.messagesAfter, (last, Self.sliceSize))
            guard let end = slice.last?.place else { break }
            try transaction { () throws(SQLiteError) in
                for message in slice { try body(message) }
            }
            last = end
            done += slice.count
            progress(MigrationProgress(name: name, done: done, total: max(done, total)))
        }
        try transaction { () throws(SQLiteError) in
            try foldRecent()
            try executeScript(Self.sumUp)
        }
    }

    /// Rewrites the file, so no page keeps old plaintext.
    ///
    /// - Throws: `isBusy` while a reader, such as an inspection, keeps plaintext in the log; the next
    ///   opening repeats the rewrite.
    func purgePlaintext() throws(SQLiteError) {
        try executeScript("PRAGMA secure_delete = ON")
        if try first(.itemTableCount) == 0, try first(.hasSearchState) == true {
            try transaction { () throws(SQLiteError) in try SearchIndex.drop(from: self) }
        }
        if try first(.itemTableCount) == 0, try first(.isInFile) == 1 {
            try rewrite(choosing: []) { _ in }
        } else {
            try compact()
        }
        try emptyWholeLog()
    }

    /// At most a second's work on a slow disk, so an interruption loses little.
    private static let sliceSize = 2_000

    private static let sumUp: SQL = """
        UPDATE holding SET payload_bytes = (
            SELECT ifnull(sum(length(payload)), 0) FROM message
            WHERE message.channel_id = holding.channel_id)
        """
}

extension Vault {
    /// Records the progress of the encryption.
    func note(_ stage: VaultStage, in connection: Connection) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            guard let row = try connection.first(.vault) else { return }
            try connection.execute(.saveVault, (stage.rawValue, row.header))
        }
        setStage(stage)
    }
}

/// A message whose payload is rewritten in another form.
struct RewrittenMessage: Sendable {
    let place: MessagePlace
    let hasKey: Bool
    let payload: [UInt8]

    var seal: SealPlace {
        .message(
            channelRow: place.channelRow, createdAt: place.position.createdAt.milliseconds,
            id: place.position.messageID.rawValue)
    }

    /// Returns the request ID for the key of the row, from the plaintext payload.
    func requestID(in plain: [UInt8]) throws(SQLiteError) -> RequestID? {
        guard hasKey else { return nil }
        do throws(PayloadError) {
            return try MessagePayload.read(
                plain.span, id: place.position.messageID, channelURL: "",
                createdAt: place.position.createdAt, user: { _ in User(id: "") }, word: { _ in "" }
            ).requestID
        } catch {
            throw error.asSQLiteError(reading: "a message")
        }
    }
}

extension Query where Input == Void, Output == Int64 {
    static let itemTableCount = Query(
        sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'item'"
    ) { row in row.int64(0) }

    fileprivate static let isInFile = Query(
        sql: "SELECT file <> '' FROM pragma_database_list WHERE name = 'main'"
    ) { row in row.int64(0) }

    fileprivate static let messageCount = Query(sql: "SELECT count(*) FROM message") { row in
        row.int64(0)
    }

    static let filterRows = Query(sql: "SELECT id FROM filter") { row in row.int64(0) }
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

extension Query where Input == (after: MessagePlace, limit: Int), Output == RewrittenMessage {
    fileprivate static let messagesAfter = Query(
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
            RewrittenMessage(
                place: MessagePlace(channelRow: row.int64(0), position: Position(row, column: 1)),
                hasKey: !row.isNull(3), payload: row.bytes(4))
        })
}

extension Query
where Input == (place: MessagePlace, payload: [UInt8], key: Int64?), Output == Void {
    static let rewriteMessage = Query(
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
