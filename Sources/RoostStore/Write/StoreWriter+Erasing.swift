// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite
internal import RoostSealing

extension StoreWriter {
    /// Deletes a channel's messages, and destroys their encryption key.
    ///
    /// Remains in free pages, in the write-ahead log or in a later copy of the files cannot be
    /// decrypted any more. In a plaintext store, the messages are only deleted. The call may be
    /// repeated after an error. Damaged caches that repairs have put aside are deleted, because they
    /// have the channel and its key too.
    ///
    /// - Returns: The changes, and whether the log is free of the key too.
    package func erase(
        _ url: ChannelURL
    ) async throws(StoreError) -> (commit: Commit, erasure: Erasure) {
        try await inTurn { () throws(StoreError) in
            try deleteQuarantined()
            return try eraseNow(url)
        }
    }

    private func eraseNow(
        _ url: ChannelURL
    ) throws(StoreError) -> (commit: Commit, erasure: Erasure) {
        let commit = try inspect { connection throws(SQLiteError) in
            try write([.clearMessages(url)], in: connection)
        }
        let erasure = try inspect { connection throws(SQLiteError) -> Erasure in
            guard let seals = connection.seals, let row = try connection.channelRow(url)?.row else {
                return .complete
            }
            // The channel itself stays, with its last message; only its row is encrypted with the
            // new key.
            try connection.transaction { () throws(SQLiteError) in
                var stored: StoredChannel?
                do throws(SQLiteError) {
                    stored = try connection.storedChannel(url)
                } catch  where error.isMalformedValue {
                    // A broken seal cannot be made again; the server sends the channel again.
                }
                _ = try seals.vault.replaceKey(channelRow: row, in: connection)
                if let payload = stored?.payload {
                    let sealed = try seals.sealed(channelRow: row, at: .channel(row: row)) {
                        $0.append(contentsOf: payload)
                    }
                    try connection.execute(.putChannelPayload, (row, sealed))
                }
            }
            return try seals.vault.dropOlderKeys(channelRow: row, in: connection)
        }
        return (commit, erasure)
    }
}

extension Query where Input == (row: Int64, payload: [UInt8]), Output == Void {
    fileprivate static let putChannelPayload = Query(
        sql: "UPDATE channel SET payload = ?2 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.row)
            bindings.append(input.payload)
        })
}
