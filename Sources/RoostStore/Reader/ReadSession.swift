// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// One read on one state of the database: looks up each user and word once, however often they appear.
final class ReadSession {
    let connection: Connection
    private var users: [Int64: User] = [:]
    private var words: WordBook
    private var urls: [Int64: ChannelURL] = [:]
    /// Why a user could not be read; told when the read is over, because decoding cannot throw it.
    private var failure: SQLiteError?

    init(_ connection: Connection) {
        self.connection = connection
        words = WordBook(connection)
    }

    func sequence() throws(SQLiteError) -> Int64 {
        try connection.first(.sequence) ?? 0
    }

    func channelRow(_ url: ChannelURL) throws(SQLiteError) -> Int64? {
        try connection.first(.channelRow, url)?.row
    }

    /// Whose cache this is.
    func me() throws(SQLiteError) -> UserID {
        UserID(try connection.first(OwnerQueries.cache.select)?.user ?? "")
    }

    /// What is known of a channel under a filter: what is known without one counts too.
    func coverage(
        ofRow row: Int64, under filter: MessageFilter = .everything
    ) throws(SQLiteError) -> Coverage {
        let everything = Coverage(try connection.all(.coverage, CoverageKey(channelRow: row)))
        guard filter != .everything, let filterRow = try connection.first(.filterRow, filter)
        else { return everything }
        let key = CoverageKey(channelRow: row, filterRow: filterRow)
        return Coverage(try connection.all(.coverage, key)).union(everything)
    }

    /// The channel of a row; nil when only its URL is known.
    func channel(_ stored: StoredChannel) throws(SQLiteError) -> GroupChannel? {
        let channel = try stored.channel { row in user(row) }
        if let failure { throw failure }
        return channel
    }

    /// A message as its row tells it; `channel` where the question named it.
    func message(
        _ stored: StoredMessage, in channel: ChannelURL? = nil
    ) throws(SQLiteError) -> Message {
        var message = stored.message
        if let channel {
            message.channelURL = channel
        } else {
            message.channelURL = try url(ofRow: stored.channelRow)
        }
        message.sender = stored.senderRow.map { Sender(user: user($0), role: stored.role) }
        if let row = stored.customTypeRow { message.customType = try words.text(inRow: row) }
        if let failure { throw failure }
        return message
    }

    /// A filter in the numbers of the tables; nil when nothing can match it.
    func rowFilter(_ filter: MessageFilter) throws(SQLiteError) -> RowFilter? {
        try RowFilter(
            filter,
            customTypeRow: { name throws(SQLiteError) in try words.knownRow(name) },
            senderRow: { id throws(SQLiteError) in
                try connection.first(Query<UserID, StoredUser>.userByID, id)?.row
            })
    }

    /// The row of a custom type; nil when no channel and no message has it.
    func customTypeRow(_ name: String) throws(SQLiteError) -> Int64? {
        try words.knownRow(name)
    }

    private func url(ofRow row: Int64) throws(SQLiteError) -> ChannelURL {
        if let known = urls[row] { return known }
        guard let url = try connection.first(.channelURL, row) else {
            throw .malformed("a channel", because: "the row that others refer to is missing")
        }
        urls[row] = url
        return url
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
