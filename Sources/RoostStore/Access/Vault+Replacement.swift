// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostSQLite
package import RoostSealing

extension Vault {
    /// Wraps every data key under another master key, in one transaction.
    ///
    /// Payloads and names stay as they are. The new key must be stored already: after this call the
    /// old one opens nothing. A copy of the files made before still opens with the old key.
    package func rewrap(
        _ master: MasterKey, in connection: Connection
    ) throws(SQLiteError) -> Erasure {
        let old = state.withLock { $0.wrapper }
        let header = VaultHeader(master, lookup: lookup)
        let new = header.wrapper(master)
        let erasure = try connection.erasing { () throws(SQLiteError) in
            for key in try connection.all(.allKeys) {
                let secret: SecretBytes
                do throws(SealError) {
                    secret = try old.unwrapping(key.bytes, at: key.place)
                } catch {
                    throw .malformed("a data key", because: "its wrapping is broken")
                }
                let wrapped = WrappedKey(
                    number: key.number, channelRow: key.channelRow,
                    bytes: new.wrapping(secret, at: key.place))
                try connection.execute(.saveWrappedKey, wrapped)
            }
            try connection.execute(.saveVault, (stage.rawValue, header.bytes))
        }
        state.withLock { $0.wrapper = new }
        forgetKeys()
        return erasure
    }

    /// Gives a channel a new key for all later writes, within a transaction.
    ///
    /// The caller seals again the values that stay, and destroys the older keys in the same
    /// transaction (`RowSeals.eraseOlderKeys`).
    package func replaceKey(
        channelRow: Int64, in connection: Connection
    ) throws(SQLiteError) -> Sealer {
        try addKey(channelRow: channelRow, in: connection)
    }
}

/// Whether the write-ahead log is free of the deleted content too.
package enum Erasure: Equatable, Sendable {
    case complete
    /// A reader still needs the log, or the disk refused: call `Connection.truncateLog` later.
    case logRemains
}

extension Connection {
    /// Runs a transaction that overwrites deleted and replaced content in the file and the log.
    func erasing(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) -> Erasure {
        let before = try first(.secureDelete) ?? 1
        try executeScript("PRAGMA secure_delete = ON")
        do throws(SQLiteError) {
            try transaction(body)
        } catch {
            try restoreSecureDelete(before)
            throw error
        }
        try restoreSecureDelete(before)
        return truncateLog()
    }

    /// Copies the log into the file and empties the log, which overwrites the replaced pages.
    ///
    /// Not to be called inside a transaction.
    package func truncateLog(patienceMS: Int = 100) -> Erasure {
        // The transaction before is durable in any case, so a refusal here is not its failure.
        (try? emptyLog(patienceMS: patienceMS)) == true ? .complete : .logRemains
    }

    private func restoreSecureDelete(_ value: Int64) throws(SQLiteError) {
        switch value {
        case 0: try executeScript("PRAGMA secure_delete = OFF")
        case 2: try executeScript("PRAGMA secure_delete = FAST")
        default: break
        }
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var secureDelete: Query {
        Query(sql: "PRAGMA secure_delete") { row in row.int64(0) }
    }
}
