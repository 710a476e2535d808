// SPDX-License-Identifier: Apache-2.0

// Look-ups of rows by name, in plain text or sealed; every reader and writer of these rows uses
// this file.

internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

// MARK: - Channels

extension Connection {
    func channelRow(_ url: ChannelURL) throws(SQLiteError) -> ChannelRow? {
        try first(.channelRow, seals?.column(url) ?? url)
    }

    func channelURL(ofRow row: Int64) throws(SQLiteError) -> ChannelURL {
        guard let seals else {
            if let url = try first(Query<Int64, ChannelURL>.channelURL, row) { return url }
            throw .malformed("a channel", because: "the row that others refer to is missing")
        }
        guard let written = try first(.channelName, row) else {
            throw .malformed("a channel", because: "the row that others refer to is missing")
        }
        return ChannelURL(try seals.name(written, .channelURL))
    }

    /// Returns the URL of a channel from its two columns.
    func channelURL(
        inColumn column: ChannelURL, sealed name: [UInt8]
    ) throws(SQLiteError) -> ChannelURL {
        guard let seals else { return column }
        let written = WrittenName(column: column.rawValue, sealed: name)
        return ChannelURL(try seals.name(written, .channelURL))
    }

    /// Returns the URL of every channel with a row.
    func channelURLs() throws(SQLiteError) -> [ChannelURL] {
        guard let seals else { return try all(.channelURLs) }
        var urls: [ChannelURL] = []
        for written in try all(.channelNames) {
            urls.append(ChannelURL(try seals.name(written, .channelURL)))
        }
        return urls.sorted()
    }

    func storedChannel(_ url: ChannelURL) throws(SQLiteError) -> StoredChannel? {
        guard let seals else { return try first(.channelByURL, url) }
        return try first(.channelByURL, seals.column(url))?.opened(by: seals, as: url)
    }

    /// Inserts a row for a channel of which only the URL is known.
    func insertChannel(_ url: ChannelURL) throws(SQLiteError) -> Int64 {
        guard let seals else { return try first(.insertChannel, url) ?? 0 }
        return try first(.insertNamedChannel, try seals.written(url.rawValue, .channelURL)) ?? 0
    }
}

extension StoredChannel {
    /// Returns the row as it would be without the seal.
    func opened(by seals: RowSeals, as url: ChannelURL) throws(SQLiteError) -> StoredChannel {
        StoredChannel(
            row: row, url: url, createdAt: createdAt,
            payload: try payload.map { payload throws(SQLiteError) in
                try seals.opened(payload, at: .channel(row: row), reading: "a channel")
            })
    }
}

extension Query where Input == Int64, Output == WrittenName {
    fileprivate static let channelName = Query(
        sql: "SELECT url, name FROM channel WHERE id = ?1",
        bind: { row, bindings in bindings.append(row) },
        decode: { row in WrittenName(row, column: 0) })

    fileprivate static let userName = Query(
        sql: "SELECT user_id, name FROM user WHERE id = ?1",
        bind: { row, bindings in bindings.append(row) },
        decode: { row in WrittenName(row, column: 0) })

    fileprivate static let wordName = Query(
        sql: "SELECT text, name FROM word WHERE id = ?1",
        bind: { row, bindings in bindings.append(row) },
        decode: { row in WrittenName(row, column: 0) })
}

extension Query where Input == Void, Output == WrittenName {
    fileprivate static let channelNames = Query(sql: "SELECT url, name FROM channel") { row in
        WrittenName(row, column: 0)
    }
}

extension Query where Input == WrittenName, Output == Int64 {
    fileprivate static let insertNamedChannel = Query(
        sql: """
            INSERT INTO channel (url, created_at, last_message_at, membership, name)
            VALUES (?1, 0, 0, 0, ?2) RETURNING id
            """,
        bind: { name, bindings in name.bind(&bindings) },
        decode: { row in row.int64(0) })

    fileprivate static let insertNamedWord = Query(
        sql: "INSERT INTO word (text, name) VALUES (?1, ?2) RETURNING id",
        bind: { name, bindings in name.bind(&bindings) },
        decode: { row in row.int64(0) })
}

extension WrittenName {
    init(_ row: borrowing Row, column: Int32) {
        self.init(column: row.text(column), sealed: row.bytes(column + 1))
    }

    func bind(_ bindings: inout Bindings) {
        bindings.append(column)
        bindings.append(sealed)
    }
}

// MARK: - Users

/// The row of a user in a sealed cache.
private struct SealedUser: Sendable {
    let row: Int64
    let name: WrittenName
    let payload: [UInt8]

    func opened(by seals: RowSeals) throws(SQLiteError) -> StoredUser {
        let id = UserID(try seals.name(name, .userID))
        let place = SealPlace.user(try seals.hash(inColumn: name.column))
        let user = try seals.open(payload.span, at: place, reading: "a user") {
            bytes throws(SQLiteError) in
            do throws(PayloadError) {
                return try UserPayload.read(bytes, id: id)
            } catch {
                throw error.asSQLiteError(reading: "a user")
            }
        }
        return StoredUser(row: row, user: user)
    }
}

extension Connection {
    func user(_ id: UserID) throws(SQLiteError) -> StoredUser? {
        guard let seals else { return try first(.userByID, id) }
        return try first(.sealedUserByID, seals.column(id))?.opened(by: seals)
    }

    func user(inRow row: Int64) throws(SQLiteError) -> StoredUser {
        let found =
            if let seals {
                try first(.sealedUserByRow, row)?.opened(by: seals)
            } else {
                try first(.userByRow, row)
            }
        guard let found else {
            throw .malformed("a user", because: "the row that others refer to is missing")
        }
        return found
    }

    /// Returns the ID of a user, whose payload may be unreadable; nil if there is no such row.
    func userID(ofRow row: Int64) throws(SQLiteError) -> UserID? {
        guard let written = try first(.userName, row) else { return nil }
        guard let seals else { return UserID(written.column) }
        return UserID(try seals.name(written, .userID))
    }

    /// Returns the row of a user, which may be unreadable.
    func userRow(_ id: UserID) throws(SQLiteError) -> Int64? {
        try first(.userRow, seals?.column(id) ?? id)
    }

    func insertUser(_ user: User) throws(SQLiteError) -> Int64 {
        guard let seals else { return try first(.insertUser, user) ?? 0 }
        let name = try seals.written(user.id.rawValue, .userID)
        let payload = try seals.sealed(at: .user(try seals.hash(inColumn: name.column))) {
            UserPayload.write(user, to: &$0)
        }
        return try first(.insertSealedUser, (name, payload)) ?? 0
    }

    func updateUser(_ stored: StoredUser) throws(SQLiteError) {
        guard let seals else {
            try execute(.updateUser, stored)
            return
        }
        let place = SealPlace.user(seals.hash(stored.user.id.rawValue, .userID))
        let payload = try seals.sealed(at: place) { UserPayload.write(stored.user, to: &$0) }
        try execute(.updateSealedUser, (stored.row, payload))
    }
}

extension Connection {
    /// Writes a user over a row that cannot be read, the sealed name included.
    func rewriteUser(_ stored: StoredUser) throws(SQLiteError) {
        if let seals {
            let name = try seals.written(stored.user.id.rawValue, .userID)
            try execute(.renameUser, (stored.row, name.sealed))
        }
        try updateUser(stored)
    }
}

extension Query where Input == UserID, Output == Int64 {
    fileprivate static let userRow = Query(
        sql: "SELECT id FROM user WHERE user_id = ?1",
        bind: { id, bindings in bindings.append(id.rawValue) },
        decode: { row in row.int64(0) })
}

extension Query where Input == UserID, Output == SealedUser {
    fileprivate static let sealedUserByID = Query(
        sql: "SELECT id, user_id, name, payload FROM user WHERE user_id = ?1",
        bind: { id, bindings in bindings.append(id.rawValue) },
        decode: { row in SealedUser(row) })
}

extension Query where Input == Int64, Output == SealedUser {
    fileprivate static let sealedUserByRow = Query(
        sql: "SELECT id, user_id, name, payload FROM user WHERE id = ?1",
        bind: { row, bindings in bindings.append(row) },
        decode: { row in SealedUser(row) })
}

extension Query where Input == (name: WrittenName, payload: [UInt8]), Output == Int64 {
    fileprivate static let insertSealedUser = Query(
        sql: "INSERT INTO user (user_id, name, payload) VALUES (?1, ?2, ?3) RETURNING id",
        bind: { input, bindings in
            input.name.bind(&bindings)
            bindings.append(input.payload)
        },
        decode: { row in row.int64(0) })
}

extension Query where Input == (row: Int64, payload: [UInt8]), Output == Void {
    fileprivate static let updateSealedUser = Query(
        sql: "UPDATE user SET payload = ?2 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            bindings.append(input.payload)
        })
}

extension Query where Input == (row: Int64, name: [UInt8]), Output == Void {
    fileprivate static let renameUser = Query(
        sql: "UPDATE user SET name = ?2 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            bindings.append(input.name)
        })

    fileprivate static let renameWord = Query(
        sql: "UPDATE word SET name = ?2 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            bindings.append(input.name)
        })
}

extension SealedUser {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            row: row.int64(0), name: WrittenName(row, column: 1), payload: row.bytes(3))
    }
}

// MARK: - Words

extension Connection {
    func wordRow(_ text: String) throws(SQLiteError) -> Int64? {
        try first(.wordRow, Word(seals?.column(text, .customType) ?? text))
    }

    /// Returns the row of a word, made if it is new; a name that cannot be read is written again.
    func wordRowMaking(_ text: String) throws(SQLiteError) -> Int64 {
        guard let row = try wordRow(text) else { return try insertWord(text) }
        guard let seals else { return row }
        do throws(SQLiteError) {
            _ = try word(inRow: row)
        } catch  where error.isMalformedValue {
            // The row is found by its hash, so a write would never meet the broken name otherwise.
            try execute(.renameWord, (row, try seals.written(text, .customType).sealed))
        }
        return row
    }

    private func insertWord(_ text: String) throws(SQLiteError) -> Int64 {
        guard let seals else { return try first(.insertWord, Word(text)) ?? 0 }
        return try first(.insertNamedWord, try seals.written(text, .customType)) ?? 0
    }

    func word(inRow row: Int64) throws(SQLiteError) -> String? {
        guard let seals else { return try first(Query<Int64, String>.word, row) }
        return try first(.wordName, row).map { written throws(SQLiteError) in
            try seals.name(written, .customType)
        }
    }
}
