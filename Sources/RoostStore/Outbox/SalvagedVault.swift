// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

/// The vault of a damaged database as far as its pages contain it; without it no sealed row can be
/// decrypted.
struct SalvagedVault: Equatable, Sendable {
    private let header: [UInt8]
    private let keys: [WrappedKey]

    /// Nil if the header is incomplete, so nothing opens the keys.
    init?(_ pages: PageSalvage) {
        var header: [UInt8]?
        var keys: [Int64: WrappedKey] = [:]
        for row in pages.rows {
            // The first column is the row's ID, which is stored outside the record.
            guard row.values.count == 3, row.values[0] == .null,
                case .integer(let number) = row.values[1], case .blob(let bytes) = row.values[2]
            else { continue }
            // The header is found by its checksum, because the row's ID may be damaged.
            if (try? VaultHeader(bytes)) != nil {
                header = bytes
            } else if bytes.count == WrappedKey.byteCount {
                keys[row.id] = WrappedKey(number: row.id, channelRow: number, bytes: bytes)
            }
        }
        guard let header else { return nil }
        self.header = header
        self.keys = keys.values.sorted { $0.number < $1.number }
    }

    /// The vault of an intact database; nil if it has none.
    init?(of connection: Connection) throws(SQLiteError) {
        guard let row = try connection.first(.vault) else { return nil }
        header = row.header
        keys = try connection.all(.allKeys)
    }

    /// Replaces the vault of a new database.
    func write(to connection: Connection) throws(SQLiteError) {
        try connection.execute(.deleteKeys)
        try connection.execute(.saveVault, (VaultStage.sealed.rawValue, header))
        for key in keys { try connection.execute(.insertKey, key) }
    }
}

extension Query where Input == WrappedKey, Output == Void {
    fileprivate static let insertKey = Query(
        sql: "INSERT INTO data_key (number, channel_id, wrapped) VALUES (?1, ?2, ?3)",
        bind: { key, bindings in
            bindings.append(key.number)
            bindings.append(key.channelRow)
            bindings.append(key.bytes)
        })
}
