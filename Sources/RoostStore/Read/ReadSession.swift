// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostExecutors
internal import RoostModel
internal import RoostSQLite

/// A read on one state of the database; looks up each user and word once.
final class ReadSession {
    let connection: Connection
    /// The number of the last commit in this read's state.
    private(set) var sequence: Int64 = 0
    /// The look-up cache of the read before, passed on to the next.
    let lookUps: ReadLookUps
    /// The encryption of rows; nil in a plaintext cache.
    let rowSeals: RowSeals?
    /// The row of the channel with the last unreadable message.
    private(set) var unreadableChannel: Int64?
    /// Whether an unreadable user becomes one with an ID only, as in a salvage.
    var admitsUnreadableUsers = false
    /// Whether there was such a user.
    private(set) var hasUnreadableUsers = false
    /// The error of an unreadable user or word.
    @exclusivity(unchecked) private var failure: SQLiteError?

    init(_ connection: Connection, _ lookUps: ReadLookUps) {
        self.connection = connection
        rowSeals = connection.seals
        self.lookUps = lookUps
    }

    /// Sets the state of the database; called before the first query.
    func begin(at sequence: Int64, _ traces: Guarded<CommitTraces>?) {
        self.sequence = sequence
        lookUps.turn(to: sequence, connection, traces)
    }

    func channelRow(_ url: ChannelURL) throws(SQLiteError) -> Int64? {
        if let last = unsafe lookUps.lastChannel, last.url == url { return last.row }
        let row: Int64
        if let known = unsafe lookUps.channels[url] {
            row = known
        } else {
            guard let found = try connection.channelRow(url)?.row else { return nil }
            unsafe lookUps.channels[url] = found
            row = found
        }
        unsafe lookUps.lastChannel = (url, row)
        return row
    }

    /// Returns the user that the cache belongs to.
    func me() throws(SQLiteError) -> UserID {
        UserID(try connection.owner()?.user ?? "")
    }

    /// Returns a channel's coverage under a filter; the coverage without a filter is included.
    func coverage(
        ofRow row: Int64, under filter: MessageFilter = .everything
    ) throws(SQLiteError) -> Coverage {
        let everything = try everythingCovered(ofRow: row)
        guard filter != .everything, let filterRow = try connection.filterRow(filter)
        else { return everything }
        let key = CoverageKey(channelRow: row, filterRow: filterRow)
        return Coverage(try connection.all(.coverage, key)).union(everything)
    }

    /// Returns a channel's coverage without a filter.
    ///
    /// The channel on screen needs it for every page.
    private func everythingCovered(ofRow row: Int64) throws(SQLiteError) -> Coverage {
        if let known = unsafe lookUps.coverage[row] { return known }
        let coverage = Coverage(try connection.all(.coverage, CoverageKey(channelRow: row)))
        unsafe lookUps.coverage.add(coverage, at: row)
        return coverage
    }

    /// Looks up the members of several channels by one statement, in place of one for each.
    ///
    /// An error here is not reported: the look-up of a user that is still missing reports it.
    func preloadMembers(of channels: [StoredChannel]) {
        var rows: Set<Int64> = []
        for channel in channels {
            guard let payload = channel.payload,
                let members = try? ChannelPayload.memberRows(payload.span)
            else { continue }
            for row in members where unsafe lookUps.users[row] == nil { rows.insert(row) }
        }
        // Preparing the statement takes as long as some single look-ups.
        guard rows.count > 16 else { return }
        // In the order of the rows on disk.
        try? connection.forEach(.usersInRows, rows.sorted()) { stored in
            unsafe lookUps.users.add(stored.user, at: stored.row)
        }
    }

    /// Returns the first message of a query.
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

    /// Returns every message of a query; the query has a limit.
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

    /// Returns a filter with the numbers of rows; nil if no message can match.
    func rowFilter(_ filter: MessageFilter) throws(SQLiteError) -> RowFilter? {
        try RowFilter(
            filter,
            customTypeRow: { name throws(SQLiteError) in try unsafe lookUps.words.knownRow(name) },
            senderRow: { id throws(SQLiteError) in
                try connection.user(id)?.row
            })
    }

    /// Returns the row of a custom type; nil if no channel and no message has it.
    func customTypeRow(_ name: String) throws(SQLiteError) -> Int64? {
        try unsafe lookUps.words.knownRow(name)
    }
}

extension ReadSession: RowResolver {
    func url(ofRow row: Int64) throws(SQLiteError) -> ChannelURL {
        if let known = unsafe lookUps.urls[row] { return known }
        let url = try connection.channelURL(ofRow: row)
        unsafe lookUps.urls.add(url, at: row)
        return url
    }

    /// Keeps the URL of a row for later look-ups.
    func note(_ url: ChannelURL, ofRow row: Int64) {
        if unsafe lookUps.urls[row] == nil { unsafe lookUps.urls.add(url, at: row) }
    }

    func word(inRow row: Int64) -> String {
        do throws(SQLiteError) {
            return try unsafe lookUps.words.text(inRow: row)
        } catch {
            unsafe failure = unsafe failure ?? error
            return ""
        }
    }

    func user(inRow row: Int64) -> User {
        if let known = unsafe lookUps.users[row] { return known }
        do throws(SQLiteError) {
            let stored = try connection.user(inRow: row)
            unsafe lookUps.users.add(stored.user, at: row)
            return stored.user
        } catch {
            // Without an ID too, the first error counts.
            if admitsUnreadableUsers, error.isMalformedValue,
                let id = try? connection.userID(ofRow: row)
            {
                hasUnreadableUsers = true
                unsafe lookUps.users.add(User(id: id), at: row)
                return User(id: id)
            }
            unsafe failure = unsafe failure ?? error
            return User(id: UserID(""))
        }
    }

    func noteUnreadable(in channelRow: Int64) { unreadableChannel = channelRow }

    func checkNames() throws(SQLiteError) {
        // The failure is thrown once, because the next row may be sound.
        if let failure = unsafe failure.take() { throw failure }
    }
}

/// The look-up cache of one connection's reads, valid as of one commit.
///
/// Nearly every page has the same few users, and nearly every read has the same state as the one
/// before.
final class ReadLookUps {
    // One read at a time uses the cache, and no two accesses of a variable overlap. The check at
    // run time would cost time for every message and find nothing.
    /// The commit of these look-ups.
    fileprivate(set) var sequence: Int64?
    @exclusivity(unchecked) fileprivate var users = RowTable<User>()
    @exclusivity(unchecked) fileprivate var urls = RowTable<ChannelURL>()
    @exclusivity(unchecked) fileprivate var channels: [ChannelURL: Int64] = [:]
    /// The last channel; a channel on screen is read again and again.
    @exclusivity(unchecked) fileprivate var lastChannel: (url: ChannelURL, row: Int64)?
    @exclusivity(unchecked) fileprivate var coverage = RowTable<Coverage>()
    @exclusivity(unchecked) fileprivate var words: KnownWords
    var search = SearchLookUps()

    /// About ten megabytes; beyond it the cache starts empty again.
    private static let capacity = 20_000

    init(_ connection: Connection) {
        unsafe words = KnownWords(connection)
    }

    /// Drops the look-ups that later commits have changed; all of them if a change is unknown.
    fileprivate func turn(
        to sequence: Int64, _ connection: Connection, _ traces: Guarded<CommitTraces>?
    ) {
        let count = unsafe users.count + urls.count + channels.count + coverage.count + words.count
        guard sequence != self.sequence || count > Self.capacity else { return }
        if count <= Self.capacity, let last = self.sequence,
            let traces = traces?.withLock({ $0.between(last, and: sequence) })
        {
            for trace in traces {
                for row in trace.users { unsafe users.remove(row) }
                for row in trace.channels { unsafe coverage.remove(row) }
            }
            search = search.atOtherCommit
            self.sequence = sequence
            return
        }
        unsafe users = RowTable()
        unsafe urls = RowTable()
        unsafe channels = [:]
        unsafe lastChannel = nil
        unsafe coverage = RowTable()
        unsafe words = KnownWords(connection)
        search = search.atOtherCommit
        self.sequence = sequence
    }
}
