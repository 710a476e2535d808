// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// One read on one state of the database: looks up each user and word once, however often they appear.
final class ReadSession {
    let connection: Connection
    /// The last commit this read sees.
    private(set) var sequence: Int64 = 0
    /// Taken over from the read before, and handed on to the next.
    var book: ReadBook
    /// How payloads are sealed; nil in the clear.
    let rowSeals: RowSeals?
    /// Why a user could not be read.
    private var failure: SQLiteError?

    init(_ connection: Connection, _ book: consuming ReadBook) {
        self.connection = connection
        rowSeals = connection.seals
        self.book = book
    }

    /// Looks which state of the database it is; before anything else is read.
    func begin() throws(SQLiteError) {
        sequence = try connection.first(.sequence) ?? 0
        book.turn(to: sequence, connection)
    }

    func channelRow(_ url: ChannelURL) throws(SQLiteError) -> Int64? {
        if let known = book.channels[url] { return known }
        guard let row = try connection.channelRow(url)?.row else { return nil }
        book.channels[url] = row
        return row
    }

    /// Whose cache this is.
    func me() throws(SQLiteError) -> UserID {
        UserID(try connection.owner()?.user ?? "")
    }

    /// What is known of a channel under a filter: what is known without one counts too.
    func coverage(
        ofRow row: Int64, under filter: MessageFilter = .everything
    ) throws(SQLiteError) -> Coverage {
        let everything = try everythingCovered(ofRow: row)
        guard filter != .everything, let filterRow = try connection.filterRow(filter)
        else { return everything }
        let key = CoverageKey(channelRow: row, filterRow: filterRow)
        return Coverage(try connection.all(.coverage, key)).union(everything)
    }

    /// What is known of a channel without a filter: of the channel on screen every page asks for it.
    private func everythingCovered(ofRow row: Int64) throws(SQLiteError) -> Coverage {
        if let known = book.coverage[row] { return known }
        let coverage = Coverage(try connection.all(.coverage, CoverageKey(channelRow: row)))
        book.coverage[row] = coverage
        return coverage
    }

    /// The channel of a row; nil when only its URL is known.
    func channel(_ stored: StoredChannel) throws(SQLiteError) -> GroupChannel? {
        let channel = try stored.channel { row in user(inRow: row) }
        try checkUsers()
        return channel
    }

    /// The first message that a question finds.
    func firstMessage<Input>(
        _ query: Query<Input, Void>, _ input: Input
    ) throws(SQLiteError) -> Message? {
        var found: Message?
        try connection.scan(query, input) { row throws(SQLiteError) in
            found = try message(row).message
            return false
        }
        return found
    }

    /// Every message that a question finds; the query carries a limit.
    func messages<Input>(
        _ query: Query<Input, Void>, _ input: Input, in channel: ChannelURL? = nil
    ) throws(SQLiteError) -> [Message] {
        var found: [Message] = []
        try connection.scan(query, input) { row throws(SQLiteError) in
            found.append(try message(row, in: channel).message)
            return true
        }
        return found
    }

    /// A filter in the numbers of the tables; nil when nothing can match it.
    func rowFilter(_ filter: MessageFilter) throws(SQLiteError) -> RowFilter? {
        try RowFilter(
            filter,
            customTypeRow: { name throws(SQLiteError) in try book.words.knownRow(name) },
            senderRow: { id throws(SQLiteError) in
                try connection.user(id)?.row
            })
    }

    /// The row of a custom type; nil when no channel and no message has it.
    func customTypeRow(_ name: String) throws(SQLiteError) -> Int64? {
        try book.words.knownRow(name)
    }
}

extension ReadSession: RowResolver {
    func url(ofRow row: Int64) throws(SQLiteError) -> ChannelURL {
        if let known = book.urls[row] { return known }
        let url = try connection.channelURL(ofRow: row)
        book.urls[row] = url
        return url
    }

    func word(inRow row: Int64) throws(SQLiteError) -> String {
        try book.words.text(inRow: row)
    }

    func user(inRow row: Int64) -> User {
        if let known = book.users[row] { return known }
        do throws(SQLiteError) {
            let stored = try connection.user(inRow: row)
            book.users.add(stored.user, at: row)
            return stored.user
        } catch {
            failure = failure ?? error
            return User(id: UserID(""))
        }
    }

    func checkUsers() throws(SQLiteError) {
        // Told once: the next row may be sound.
        if let failure = failure.take() { throw failure }
    }
}

/// What the reads of one connection have looked up, as of one commit.
///
/// Nearly every page is by the same few people, and nearly every read sees the state of the one before.
struct ReadBook {
    /// The last commit these are from.
    fileprivate(set) var sequence: Int64?
    fileprivate var users = RowTable<User>()
    fileprivate var urls: [Int64: ChannelURL] = [:]
    fileprivate var channels: [ChannelURL: Int64] = [:]
    fileprivate var coverage: [Int64: Coverage] = [:]
    fileprivate var words: WordBook
    var search = SearchBook()

    /// Some ten megabytes; beyond, looking up begins anew.
    private static let capacity = 20_000

    init(_ connection: Connection) {
        words = WordBook(connection)
    }

    /// Forgets what a later commit may have changed.
    fileprivate mutating func turn(to sequence: Int64, _ connection: Connection) {
        let count = users.count + channels.count + coverage.count
        guard sequence != self.sequence || count > Self.capacity else { return }
        let search = search.atOtherCommit
        self = ReadBook(connection)
        self.search = search
        self.sequence = sequence
    }
}
