// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// The index of words as one commit uses it: not looked at until a message is touched, and never kept
/// longer, because a rollback would undo what it believes.
struct SearchKeeper {
    private let connection: Connection
    private var isFound = false
    private var found: SearchIndex?
    /// Nothing is in any more, so nothing needs to be taken out.
    var isEmptied = false

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// The index; nil when the database keeps none.
    mutating func index() throws(SQLiteError) -> SearchIndex? {
        if !isFound {
            found = try SearchIndex(in: connection)
            isFound = true
        }
        return found
    }

    /// Takes everything out at once, before the messages themselves go.
    mutating func removeAll() throws(SQLiteError) {
        _ = try index()
        try found?.removeAll()
        isEmptied = true
    }
}

extension WriteSession {
    /// Notes the words of a message that is new in the cache.
    func index(_ message: Message, row: Int64) throws(SQLiteError) {
        guard let index = try search.index() else { return }
        try index.insert(SearchEntry(message, channelRow: row))
    }

    /// Notes that a message of the cache has other words now, perhaps.
    func reindex(_ old: Message, as new: Message, row: Int64) throws(SQLiteError) {
        guard let index = try search.index() else { return }
        try index.replace(
            SearchEntry(old, channelRow: row), with: SearchEntry(new, channelRow: row))
    }

    /// Takes out the words of a message that goes.
    func unindex(_ message: Message, row: Int64) throws(SQLiteError) {
        guard let index = try search.index() else { return }
        try index.remove(SearchEntry(message, channelRow: row))
    }

    /// Takes out the words of a channel's messages up to a moment, while they still stand in their table:
    /// the index cannot say what it holds of them.
    func unindexMessages(
        of url: ChannelURL, row: Int64, through moment: Timestamp = .distantFuture
    ) throws(SQLiteError) {
        guard !search.isEmptied, let index = try search.index() else { return }
        let stretch = MessageStretch(
            channelRow: row, lower: .distantPast,
            upper: Position(createdAt: moment, messageID: MessageID(.max)))
        try connection.scan(.oldestMessages, stretch) { found throws(SQLiteError) in
            try index.remove(SearchEntry(try message(found, in: url).message, channelRow: row))
            return true
        }
    }
}

extension SearchEntry {
    /// A delivered message as the index knows it.
    init(_ message: Message, channelRow: Int64) {
        guard let id = message.messageID else {
            preconditionFailure("Only delivered messages are cached; the others are the outbox's.")
        }
        self.init(
            messageID: id.rawValue, channelRow: channelRow, text: message.searchableText)
    }
}
