// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension WriteSession {
    /// Deletes a channel's messages through a moment, and their coverage.
    ///
    /// Deletion begins with the oldest. After each slice the rest is still one covered range, so a
    /// page that comes between two slices meets no uncovered messages.
    func evict(_ url: ChannelURL, through moment: Timestamp) throws(SQLiteError) {
        guard let row = try row(url) else { return }
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            try readFilters(&news)
            if moment == .distantFuture {
                news.holding = Holding()
            } else {
                news.holding.subtract(
                    try connection.first(.holdingThrough, (row, moment)) ?? Holding())
            }
            try unindexMessages(of: url, row: row, through: moment)
            try connection.execute(.deleteMessagesThrough, (row, moment))
            news.evict(through: Position(createdAt: moment, messageID: MessageID(.max)))
        }
    }
}

extension MessageNews {
    /// The reduced coverage alone states the deletion, as with `clear`.
    fileprivate mutating func evict(through end: Position) {
        coverage.subtract(lower: .distantPast, upper: end)
        for index in (filtered ?? []).indices {
            filtered?[index].now.subtract(lower: .distantPast, upper: end)
        }
    }
}
