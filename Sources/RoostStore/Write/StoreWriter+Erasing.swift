// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite
internal import RoostSealing

extension StoreWriter {
    /// Deletes a channel's messages, and destroys their encryption key.
    ///
    /// Remains in free pages, in the write-ahead log or in a later copy of the files cannot be
    /// decrypted any more. In a plaintext store, the messages are only deleted. Damaged caches that
    /// repairs have put aside are deleted, because they have the channel and its key too.
    ///
    /// - Returns: The changes, and whether the log is free of the key too. Without a key it is
    ///   always `.complete`, which says nothing about remains of plaintext: the next trim removes
    ///   those in the index of words and in free pages.
    /// - Throws: As `commit(_:)`; messages and key are unchanged.
    package func erase(
        _ url: ChannelURL
    ) async throws(StoreError) -> (commit: Commit, erasure: Erasure) {
        try await inTurn { () throws(StoreError) in
            try deleteQuarantined()
            return try eraseNow(url)
        }
    }

    /// Deletes the messages and replaces the key in one transaction.
    ///
    /// So a failure leaves both, and no message of another process can come in between.
    private func eraseNow(
        _ url: ChannelURL
    ) throws(StoreError) -> (commit: Commit, erasure: Erasure) {
        try inspect { connection throws(SQLiteError) -> (commit: Commit, erasure: Erasure) in
            var isReplaced = false
            let commit = try write([.clearMessages(url)], in: connection) {
                () throws(SQLiteError) in
                isReplaced = try connection.replaceKey(of: url)
            }
            guard isReplaced else { return (commit, .complete) }
            connection.seals?.vault.forgetKeys()
            return (commit, connection.truncateLog())
        }
    }
}

extension Connection {
    /// Replaces the key of a channel, and destroys the older ones.
    ///
    /// The channel itself stays, with its last message; only its row is encrypted with the new key.
    ///
    /// - Returns: False for a channel that is unknown or not encrypted.
    fileprivate func replaceKey(of url: ChannelURL) throws(SQLiteError) -> Bool {
        guard let seals, let row = try channelRow(url)?.row else { return false }
        var stored: StoredChannel?
        do throws(SQLiteError) {
            stored = try storedChannel(url)
        } catch  where error.isMalformedValue {
            // A broken seal cannot be made again; the server sends the channel again.
        }
        _ = try seals.vault.replaceKey(channelRow: row, in: self)
        if let payload = stored?.payload {
            let sealed = try seals.sealed(channelRow: row, at: .channel(row: row)) {
                $0.append(contentsOf: payload)
            }
            try execute(.putChannelPayload, (row, sealed))
        }
        try seals.eraseOlderKeys(channelRow: row)
        return true
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
