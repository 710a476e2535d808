// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite
internal import RoostSealing

/// The stage of a database's encryption; a stored number is never reused.
package enum VaultStage: Int64, Sendable {
    /// Some rows are still plaintext: they are readable, and all new content is encrypted.
    case sealing = 1
    /// Plaintext in a sealed database is a sign of tampering and is refused.
    case sealed = 2
    /// The encryption is being removed by the process that has the database alone; some rows are
    /// plaintext.
    case unsealing = 3
}

/// A row of `data_key`.
struct WrappedKey: Equatable, Sendable {
    let number: Int64
    let channelRow: Int64
    let bytes: [UInt8]

    /// The size of an encrypted key of 32 bytes.
    static let byteCount = 32 + SealedForm.overhead
}

extension Query where Input == Void, Output == (stage: Int64, header: [UInt8]) {
    static var vault: Query {
        Query(sql: "SELECT stage, header FROM vault WHERE id = 1") { row in
            (row.int64(0), row.bytes(1))
        }
    }
}

extension Query where Input == (stage: Int64, header: [UInt8]), Output == Void {
    static var saveVault: Query {
        Query(
            sql: """
                INSERT INTO vault (id, stage, header) VALUES (1, ?1, ?2)
                ON CONFLICT (id) DO UPDATE SET stage = excluded.stage, header = excluded.header
                """,
            bind: { input, bindings in
                bindings.append(input.stage)
                bindings.append(input.header)
            })
    }
}

extension Query where Output == WrappedKey, Input == Int64 {
    static var newestKeyOfChannel: Query {
        Query(
            sql: """
                SELECT number, channel_id, wrapped FROM data_key
                WHERE channel_id = ?1 ORDER BY number DESC LIMIT 1
                """,
            bind: { channelRow, bindings in bindings.append(channelRow) },
            decode: { row in WrappedKey(row) })
    }

    static var keyByNumber: Query {
        Query(
            sql: "SELECT number, channel_id, wrapped FROM data_key WHERE number = ?1",
            bind: { number, bindings in bindings.append(number) },
            decode: { row in WrappedKey(row) })
    }
}

extension Query where Output == WrappedKey, Input == Void {
    static var allKeys: Query {
        Query(sql: "SELECT number, channel_id, wrapped FROM data_key ORDER BY number") { row in
            WrappedKey(row)
        }
    }
}

extension Query where Output == Int64, Input == Int64 {
    /// Adds a key that is not wrapped yet, because its number is part of the wrapping.
    static var reserveKeyNumber: Query {
        Query(
            sql: """
                INSERT INTO data_key (channel_id, wrapped) VALUES (?1, x'') RETURNING number
                """,
            bind: { channelRow, bindings in bindings.append(channelRow) },
            decode: { row in row.int64(0) })
    }
}

extension Query where Output == Void, Input == WrappedKey {
    static var saveWrappedKey: Query {
        Query(
            sql: "UPDATE data_key SET wrapped = ?2 WHERE number = ?1",
            bind: { key, bindings in
                bindings.append(key.number)
                bindings.append(key.bytes)
            })
    }
}

extension Query where Output == Int64, Input == Void {
    static var hasKeys: Query {
        Query(sql: "SELECT EXISTS (SELECT 1 FROM data_key)") { row in row.int64(0) }
    }
}

extension Query where Output == Void, Input == Void {
    static var deleteVault: Query { Query(sql: "DELETE FROM vault") }
    static var deleteKeys: Query { Query(sql: "DELETE FROM data_key") }
}

extension Query where Output == Void, Input == Int64 {
    static var deleteKey: Query {
        Query(
            sql: "DELETE FROM data_key WHERE number = ?1",
            bind: { number, bindings in bindings.append(number) })
    }

    static var deleteKeysOfChannel: Query {
        Query(
            sql: "DELETE FROM data_key WHERE channel_id = ?1",
            bind: { channelRow, bindings in bindings.append(channelRow) })
    }
}

extension Query where Output == Void, Input == (channelRow: Int64, below: Int64) {
    static var deleteOlderKeysOfChannel: Query {
        Query(
            sql: "DELETE FROM data_key WHERE channel_id = ?1 AND number < ?2",
            bind: { input, bindings in
                bindings.append(input.channelRow)
                bindings.append(input.below)
            })
    }
}

extension WrappedKey {
    fileprivate init(_ row: borrowing Row) {
        self.init(number: row.int64(0), channelRow: row.int64(1), bytes: row.bytes(2))
    }
}
