// SPDX-License-Identifier: Apache-2.0

// Removes the encryption of a database: payloads slice by slice, then every name together with the
// vault. An interrupted run leaves an encrypted database, and resumes with the remaining encrypted
// payloads.

internal import RoostCore
internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

extension Connection {
    /// Decrypts everything; requires that no other process has the database open.
    ///
    /// `rename` stores the owner by name. Throws a malformed value for a message or name that
    /// cannot be decrypted; an unsent message of that kind stays as it is.
    func unseal(
        with seals: RowSeals, _ rename: Query<StoreOwner, Void>,
        _ progress: (MigrationProgress) -> Void
    ) throws(SQLiteError) {
        try seals.vault.note(.unsealing, in: self)
        try eachMessage("unsealing", progress) { message throws(SQLiteError) in
            guard SealedForm.isSealed(message.payload.span) else { return }
            let payload = try seals.opened(message.payload, at: message.seal, reading: "a message")
            let key = try message.requestID(in: payload)?.key
            try execute(.rewriteMessage, (message.place, payload, key))
        }
        try transaction { () throws(SQLiteError) in
            if try first(.itemTableCount) == 0 {
                try openNames(with: seals)
                try openState(with: seals)
            } else {
                try openItems(with: seals)
            }
            try execute(rename, seals.owner)
            try execute(.deleteKeys)
            try execute(.deleteVault)
        }
        companion = nil
    }

    private func openNames(with seals: RowSeals) throws(SQLiteError) {
        for (row, name, payload) in try all(.sealedChannels) {
            let plain = try payload.map { payload throws(SQLiteError) in
                try seals.opened(payload, at: .channel(row: row), reading: "a channel")
            }
            try execute(.openChannel, (row, try seals.name(name, .channelURL), plain))
        }
        for (row, name, payload) in try all(.sealedUsers) {
            let plain = try payload.map { payload throws(SQLiteError) in
                let place = SealPlace.user(try seals.hash(inColumn: name.column))
                return try seals.opened(payload, at: place, reading: "a user")
            }
            try execute(.openUser, (row, try seals.name(name, .userID), plain))
        }
        for (row, name) in try all(.sealedWords) {
            try execute(.openWord, (row, try seals.name(name, .customType)))
        }
    }

    private func openState(with seals: RowSeals) throws(SQLiteError) {
        for row in try all(.filterRows) {
            try execute(.openFilter, (row, try filter(inRow: row)))
        }
        for (kind, row, sealed) in try all(.sealedCursors) {
            let place = SealPlace.cursor(kind: kind, channelRow: row)
            let token = try seals.open(sealed.span, at: place, reading: "a cursor") { bytes in
                bytes.text(in: 0..<bytes.count)
            }
            try execute(.openCursor, (kind, row, token))
        }
    }

    /// Decrypts the items, also those of a later release; a damaged item stays as it is.
    private func openItems(with seals: RowSeals) throws(SQLiteError) {
        try execute(.forgetAllDropped)
        for stored in try all(.storedItems) {
            do throws(SQLiteError) {
                try execute(.openItem, try stored.opened(by: seals))
            } catch  where error.isMalformedValue {
                continue
            }
        }
    }
}

extension Query where Input == Void, Output == (row: Int64, name: WrittenName, payload: [UInt8]?) {
    fileprivate static let sealedChannels = Query(
        sql: "SELECT id, url, name, payload FROM channel"
    ) { row in (row.int64(0), WrittenName(row, column: 1), row.optionalBytes(3)) }

    fileprivate static let sealedUsers = Query(
        sql: "SELECT id, user_id, name, payload FROM user"
    ) { row in (row.int64(0), WrittenName(row, column: 1), row.optionalBytes(3)) }
}

extension Query where Input == Void, Output == (row: Int64, name: WrittenName) {
    fileprivate static let sealedWords = Query(
        sql: "SELECT id, text, name FROM word"
    ) { row in (row.int64(0), WrittenName(row, column: 1)) }
}

extension Query where Input == Void, Output == (kind: Int64, channelRow: Int64, sealed: [UInt8]) {
    fileprivate static let sealedCursors = Query(
        sql: "SELECT kind, channel_id, sealed_token FROM cursor WHERE sealed_token IS NOT NULL"
    ) { row in (row.int64(0), row.int64(1), row.bytes(2)) }
}

extension Query where Input == (row: Int64, name: String, payload: [UInt8]?), Output == Void {
    fileprivate static let openChannel = Query(
        sql: "UPDATE channel SET url = ?2, name = NULL, payload = ?3 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            bindings.append(input.name)
            bindings.append(input.payload)
        })

    fileprivate static let openUser = Query(
        sql: "UPDATE user SET user_id = ?2, name = NULL, payload = ?3 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            bindings.append(input.name)
            bindings.append(input.payload)
        })
}

extension Query where Input == (row: Int64, text: String), Output == Void {
    fileprivate static let openWord = Query(
        sql: "UPDATE word SET text = ?2, name = NULL WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            bindings.append(input.text)
        })
}

extension Query where Input == (row: Int64, filter: MessageFilter), Output == Void {
    fileprivate static let openFilter = Query(
        sql: "UPDATE filter SET payload = ?2, name = NULL WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            bindings.appendBytes { FilterPayload.write(input.filter, to: &$0) }
        })
}

extension Query where Input == (kind: Int64, channelRow: Int64, token: String), Output == Void {
    fileprivate static let openCursor = Query(
        sql: """
            UPDATE cursor SET token = ?3, sealed_token = NULL WHERE kind = ?1 AND channel_id = ?2
            """,
        bind: { input, bindings in
            bindings.append(input.kind)
            bindings.append(input.channelRow)
            bindings.append(input.token)
        })
}

extension Query where Input == SalvagedItem, Output == Void {
    fileprivate static let openItem = Query(
        sql: "UPDATE item SET request_id = ?2, channel_url = ?3, payload = ?4 WHERE sequence = ?1",
        bind: { item, bindings in
            bindings.append(item.sequence)
            bindings.append(item.requestID)
            bindings.append(item.channel)
            bindings.append(item.payload)
        })
}
