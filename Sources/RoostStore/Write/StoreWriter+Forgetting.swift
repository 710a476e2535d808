// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostSQLite

extension StoreWriter {
    /// Forgets the messages that a read could not read: the server is asked for them again.
    ///
    /// - Parameter count: How many had been forgotten when the read began.
    /// - Returns: Whether any are gone since; otherwise somebody has to look at the whole cache.
    func forgetUnreadable(since count: Int) async -> Bool {
        // All of it in the writer's turn: whoever comes next and finds nothing left has to know why.
        let isDone = try? await perform { connection throws(SQLiteError) in
            let rows = damage.channelRows
            for row in rows {
                let url = try connection.channelURL(ofRow: row)
                let before = try connection.first(.holding, row)?.messageCount ?? 0
                let commit = try write([.unreadable(url)], in: connection)
                // Not by its content, which names nobody that a list could take out.
                readers.miss(commit.sequence...commit.sequence)
                let after = try connection.first(.holding, row)?.messageCount ?? 0
                if before > after { damage.noteForgotten(Int(before - after), in: url) }
            }
            damage.noteSeenTo(rows)
            return damage.forgottenCount != count
        }
        if isDone == false { damage.suspect(because: "messages cannot be read") }
        return isDone ?? false
    }
}
