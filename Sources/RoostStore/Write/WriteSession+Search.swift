// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// The index of words during one commit.
///
/// It is opened for the first changed message, and dropped at the end, because a rollback would
/// make its state wrong.
struct SearchKeeper {
    private let connection: Connection
    private var isFound = false
    private var found: SearchIndex?
    /// The changed messages of the commit whose words are not yet added or removed.
    private var pending: [Pending] = []
    /// Whether the index was emptied, so no entry has to be removed.
    var isEmptied = false

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the index; nil if the database has none.
    mutating func index() throws(SQLiteError) -> SearchIndex? {
        if !isFound {
            found = try SearchIndex(in: connection)
            isFound = true
        }
        return found
    }

    /// A message before and after the change; nil if absent.
    private struct Pending {
        let old: SearchEntry?
        let new: SearchEntry?
        var messageID: Int64 { old?.messageID ?? new?.messageID ?? 0 }
    }

    /// Notes that a message was added, deleted, or has other words.
    ///
    /// `settle` applies the changes, because the index needs its rows in rising order: an earlier
    /// row makes it write all pending entries.
    mutating func note(
        _ old: SearchEntry?, _ new: SearchEntry?
    ) {
        pending.append(Pending(old: old, new: new))
    }

    /// Applies the noted changes; called before rows of the index are read, and at the end of a
    /// commit.
    mutating func settle() throws(SQLiteError) {
        guard !pending.isEmpty, let index = try index() else { return }
        // Changes of one message stay in their order: the index in the list decides among equal
        // IDs.
        let order = pending.indices.sorted { left, right in
            (pending[left].messageID, left) < (pending[right].messageID, right)
        }
        for place in order {
            switch (pending[place].old, pending[place].new) {
            case (let old?, let new?): try index.replace(old, with: new)
            case (let old?, nil): try index.remove(old)
            case (nil, let new?): try index.insert(new)
            case (nil, nil): break
            }
        }
        pending = []
    }

    /// Empties the index to be filled again, because an unreadable message is deleted.
    mutating func startAnew() throws(SQLiteError) {
        pending = []
        _ = try index()
        try found?.startAnew()
    }

    /// Removes all entries at once, before the messages are deleted.
    mutating func removeAll() throws(SQLiteError) {
        pending = []
        _ = try index()
        try found?.removeAll()
        isEmptied = true
    }
}

extension WriteSession {
    /// Notes the words of a new message.
    func index(_ message: Message, row: Int64) throws(SQLiteError) {
        guard try search.index() != nil else { return }
        search.note(nil, SearchEntry(message, channelRow: row))
    }

    /// Notes that the words of a cached message may have changed.
    func reindex(_ old: Message, as new: Message, row: Int64) throws(SQLiteError) {
        guard try search.index() != nil else { return }
        search.note(SearchEntry(old, channelRow: row), SearchEntry(new, channelRow: row))
    }

    /// Notes that a message is deleted.
    func unindex(_ message: Message, row: Int64) throws(SQLiteError) {
        guard try search.index() != nil else { return }
        search.note(SearchEntry(message, channelRow: row), nil)
    }

    /// Removes the words of a channel's messages up to a moment from the index.
    ///
    /// The messages must still be in their table, because the index cannot list its words.
    func unindexMessages(
        of url: ChannelURL, row: Int64, through moment: Timestamp = .distantFuture
    ) throws(SQLiteError) {
        try search.settle()
        guard !search.isEmptied, let index = try search.index() else { return }
        let stretch = MessageStretch(
            channelRow: row, lower: .distantPast,
            upper: Position(createdAt: moment, messageID: MessageID(.max)))
        do throws(SQLiteError) {
            try connection.scan(.oldestMessages, stretch) { found throws(SQLiteError) in
                try index.remove(SearchEntry(try message(found, in: url).message, channelRow: row))
                return true
            }
        } catch  where error.isMalformedValue {
            try search.startAnew()
        }
    }
}

extension SearchEntry {
    /// The indexed parts of a delivered message.
    init(_ message: Message, channelRow: Int64) {
        guard let id = message.messageID else {
            preconditionFailure("Only delivered messages are cached; the others are the outbox's.")
        }
        self.init(
            messageID: id.rawValue, channelRow: channelRow, text: message.searchableText)
    }
}
