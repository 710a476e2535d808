// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// One read on one state of the database: looks up each user once, however often they appear.
final class ReadSession {
    let connection: Connection
    private var users: [Int64: User] = [:]
    /// Why a user could not be read; told when the read is over, because decoding cannot throw it.
    private var failure: SQLiteError?

    init(_ connection: Connection) {
        self.connection = connection
    }

    func sequence() throws(SQLiteError) -> Int64 {
        try connection.first(.sequence) ?? 0
    }

    func channelRow(_ url: ChannelURL) throws(SQLiteError) -> Int64? {
        try connection.first(.channelByURL, url)?.row
    }

    func coverage(ofRow row: Int64) throws(SQLiteError) -> Coverage {
        Coverage(try connection.all(.coverage, row))
    }

    /// The channel of a row; nil when only its URL is known.
    func channel(_ stored: StoredChannel) throws(SQLiteError) -> GroupChannel? {
        let channel = try stored.channel { row in user(row) }
        if let failure { throw failure }
        return channel
    }

    /// A message of a channel that the question named.
    func message(
        _ stored: StoredMessage, in channel: ChannelURL
    ) throws(SQLiteError) -> Message {
        var stored = stored
        stored.message.channelURL = channel
        return try message(stored)
    }

    func message(_ stored: StoredMessage) throws(SQLiteError) -> Message {
        let message = stored.resolved { row in user(row) }
        if let failure { throw failure }
        return message
    }

    private func user(_ row: Int64) -> User {
        if let known = users[row] { return known }
        do throws(SQLiteError) {
            guard let stored = try connection.first(.userByRow, row) else {
                throw .malformed("a user", because: "the row that others refer to is missing")
            }
            users[row] = stored.user
            return stored.user
        } catch {
            failure = failure ?? error
            return User(id: UserID(""))
        }
    }
}

extension ReadSession {
    /// What the cache holds of a window; its whole answer comes from one covered range.
    func window(_ query: WindowQuery) throws(SQLiteError) -> CacheWindow {
        let sequence = try sequence()
        guard let row = try channelRow(query.channel) else {
            return CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: sequence)
        }
        let coverage = try coverage(ofRow: row)
        guard let range = query.range(in: coverage) else {
            return CacheWindow(extent: nil, messages: [], coverage: coverage, sequence: sequence)
        }
        let lower = max(query.lower, range.lower)
        let upper = min(query.upper, range.upper)
        // A point beside the range leaves one side empty: all of the range lies on the other.
        let olderEnd = lower == .distantPast ? nil : min(lower.previous, range.upper)
        let newerStart = upper == .distantFuture ? nil : max(upper.next, range.lower)
        return CacheWindow(
            query: query, range: range,
            older: try messages(
                .newestMessages, query, row, from: range.lower, through: olderEnd,
                limit: query.olderCount + 1),
            inside: try messages(
                .oldestMessages, query, row, from: lower, through: upper, limit: -1),
            newer: try messages(
                .oldestMessages, query, row, from: newerStart, through: range.upper,
                limit: query.newerCount + 1),
            coverage: coverage, sequence: sequence)
    }

    private func messages(
        _ statement: Query<MessageStretch, StoredMessage>, _ query: WindowQuery, _ row: Int64,
        from lower: Position?, through upper: Position?, limit: Int
    ) throws(SQLiteError) -> [Message] {
        guard let lower, let upper, lower <= upper else { return [] }
        let stretch = MessageStretch(channelRow: row, lower: lower, upper: upper, limit: limit)
        var messages: [Message] = []
        try connection.forEach(statement, stretch) { stored throws(SQLiteError) in
            messages.append(try message(stored, in: query.channel))
        }
        return messages
    }
}
