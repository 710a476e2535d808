// SPDX-License-Identifier: Apache-2.0

import RoostSQLite
import Testing

/// A column of a sealed database, in which a test flips a bit.
struct SealedColumn: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let read: Query<Void, [UInt8]>
    private let write: Query<(old: [UInt8], new: [UInt8]), Void>

    /// - Parameters:
    ///   - name: The column.
    ///   - read: Selects its values as bytes; all are distinct, being sealed or hashes.
    ///   - write: Puts ?2 in place of ?1.
    init(_ name: String, _ read: SQL, _ write: SQL) {
        testDescription = name
        self.read = Query(sql: read) { row in row.bytes(0) }
        self.write = Query(
            sql: write,
            bind: { input, bindings in
                bindings.append(input.old)
                bindings.append(input.new)
            })
    }

    /// Flips one bit of one row; both numbers wrap around.
    func flip(bit: Int, ofRow row: Int, in connection: Connection) throws {
        let values = try connection.all(read)
        let old = try #require(values.isEmpty ? nil : values[row % values.count])
        let place = bit % (old.count * 8)
        var new = old
        new[place / 8] ^= 1 << UInt8(place % 8)
        try connection.executeScript("PRAGMA foreign_keys = OFF")
        try connection.execute(write, (old, new))
    }

    static let messages = SealedColumn(
        "message.payload", "SELECT payload FROM message",
        "UPDATE message SET payload = ?2 WHERE payload = ?1")

    static let ofCache = [
        messages,
        SealedColumn(
            "channel.payload", "SELECT payload FROM channel WHERE payload IS NOT NULL",
            "UPDATE channel SET payload = ?2 WHERE payload = ?1"),
        SealedColumn(
            "channel.name", "SELECT name FROM channel",
            "UPDATE channel SET name = ?2 WHERE name = ?1"),
        SealedColumn(
            "channel.url", "SELECT CAST(url AS BLOB) FROM channel",
            "UPDATE channel SET url = CAST(?2 AS TEXT) WHERE url = CAST(?1 AS TEXT)"),
        SealedColumn(
            "user.payload", "SELECT payload FROM user",
            "UPDATE user SET payload = ?2 WHERE payload = ?1"),
        SealedColumn(
            "user.name", "SELECT name FROM user", "UPDATE user SET name = ?2 WHERE name = ?1"),
        SealedColumn(
            "user.user_id", "SELECT CAST(user_id AS BLOB) FROM user",
            "UPDATE user SET user_id = CAST(?2 AS TEXT) WHERE user_id = CAST(?1 AS TEXT)"),
        SealedColumn(
            "word.name", "SELECT name FROM word", "UPDATE word SET name = ?2 WHERE name = ?1"),
        SealedColumn(
            "word.text", "SELECT CAST(text AS BLOB) FROM word",
            "UPDATE word SET text = CAST(?2 AS TEXT) WHERE text = CAST(?1 AS TEXT)"),
        SealedColumn(
            "filter.name", "SELECT name FROM filter",
            "UPDATE filter SET name = ?2 WHERE name = ?1"),
        SealedColumn(
            "filter.payload", "SELECT payload FROM filter",
            "UPDATE filter SET payload = ?2 WHERE payload = ?1"),
        SealedColumn(
            "cursor.sealed_token", "SELECT sealed_token FROM cursor",
            "UPDATE cursor SET sealed_token = ?2 WHERE sealed_token = ?1"),
    ]

    /// The columns of a vault, in either database.
    static let ofVault = [
        SealedColumn(
            "vault.header", "SELECT header FROM vault",
            "UPDATE vault SET header = ?2 WHERE header = ?1"),
        SealedColumn(
            "data_key.wrapped", "SELECT wrapped FROM data_key",
            "UPDATE data_key SET wrapped = ?2 WHERE wrapped = ?1"),
    ]

    static let ofOutbox = [
        SealedColumn(
            "item.payload", "SELECT payload FROM item",
            "UPDATE item SET payload = ?2 WHERE payload = ?1"),
        SealedColumn(
            "item.request_id", "SELECT CAST(request_id AS BLOB) FROM item",
            "UPDATE item SET request_id = CAST(?2 AS TEXT) WHERE request_id = CAST(?1 AS TEXT)"),
    ]
}
