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
    /// The commit's changes to messages whose words are not yet in the index, or are still in it.
    private var pending: [Pending] = []
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

    /// A message before and after; nil where there was or is none.
    private struct Pending {
        let old: SearchEntry?
        let new: SearchEntry?
        var messageID: Int64 { old?.messageID ?? new?.messageID ?? 0 }
    }

    /// Notes that a message has other words, has come, or goes.
    ///
    /// The index takes it with `settle`: it wants its rows in rising order, and writes out all that it
    /// has gathered whenever one comes before the last one.
    mutating func note(
        _ old: SearchEntry?, _ new: SearchEntry?
    ) {
        pending.append(Pending(old: old, new: new))
    }

    /// Puts into the index what has been noted; before its rows are needed, and at the end of a commit.
    mutating func settle() throws(SQLiteError) {
        guard !pending.isEmpty, let index = try index() else { return }
        // Of one message in the order it happened: the number of the place decides among equals.
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

    /// Lets the index be filled anew, because a message goes that cannot be read.
    mutating func startAnew() throws(SQLiteError) {
        pending = []
        _ = try index()
        try found?.startAnew()
    }

    /// Takes everything out at once, before the messages themselves go.
    mutating func removeAll() throws(SQLiteError) {
        pending = []
        _ = try index()
        try found?.removeAll()
        isEmptied = true
    }
}

extension WriteSession {
    /// Notes the words of a message that is new in the cache.
    func index(_ message: Message, row: Int64) throws(SQLiteError) {
        guard try search.index() != nil else { return }
        search.note(nil, SearchEntry(message, channelRow: row))
    }

    /// Notes that a message of the cache has other words now, perhaps.
    func reindex(_ old: Message, as new: Message, row: Int64) throws(SQLiteError) {
        guard try search.index() != nil else { return }
        search.note(SearchEntry(old, channelRow: row), SearchEntry(new, channelRow: row))
    }

    /// Takes out the words of a message that goes.
    func unindex(_ message: Message, row: Int64) throws(SQLiteError) {
        guard try search.index() != nil else { return }
        search.note(SearchEntry(message, channelRow: row), nil)
    }

    /// Takes out the words of a channel's messages up to a moment, while they still stand in their table:
    /// the index cannot say what it holds of them.
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
    /// A delivered message as the index knows it.
    init(_ message: Message, channelRow: Int64) {
        guard let id = message.messageID else {
            preconditionFailure("Only delivered messages are cached; the others are the outbox's.")
        }
        self.init(
            messageID: id.rawValue, channelRow: channelRow, text: message.searchableText)
    }
}
