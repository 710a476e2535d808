// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension StoreWriter {
    /// Deletes the messages that a read found unreadable, so that they are fetched again.
    ///
    /// - Parameter count: The number of deleted unreadable messages at the beginning of the read.
    /// - Returns: Whether more are deleted since; if not, the whole cache needs a check.
    func forgetUnreadable(since count: Int) async -> Bool {
        // All in one turn of the writer, so a later call that finds nothing left knows the reason.
        let isDone = try? await perform { connection throws(SQLiteError) in
            let rows = damage.channelRows
            for row in rows {
                let url = try connection.channelURL(ofRow: row)
                let before = try connection.first(.holding, row)?.messageCount ?? 0
                let commit = try write([.unreadable(url)], in: connection)
                // Reported as missed, because the commit cannot name messages that were unreadable.
                readers.miss(commit.sequence...commit.sequence)
                let after = try connection.first(.holding, row)?.messageCount ?? 0
                if before > after {
                    let count = Int(clamping: before.subtractingSaturated(after))
                    damage.noteForgotten(count, in: url)
                }
            }
            damage.removeRepaired(rows)
            return damage.forgottenCount != count
        }
        if isDone == false { damage.suspect(because: "messages cannot be read") }
        return isDone ?? false
    }
}
