// SPDX-License-Identifier: Apache-2.0

// The work of one commit.
//
// Rows are written as the mutations come. The changes are collected in memory and returned at the
// end, as the difference between before and after. So a message added and deleted in one commit is
// no change, and one added twice is one change.
//
// The invariant "a cached message lies inside a range of a filter it matches" saves half of the
// reads: without coverage there is no message to look up.

internal import RoostCore
package import RoostModel
internal import RoostSQLite

/// Applies mutations inside one transaction and collects the changes.
final class WriteSession {
    let connection: Connection
    /// The owner of the cache.
    let me: UserID
    var users: KnownUsers
    var words: KnownWords
    var search: SearchKeeper
    /// The error of an unreadable user.
    var failure: SQLiteError?
    private var channelRows: [ChannelURL: ChannelRow] = [:]
    /// The channels that earlier commits have read or written, as long as they are unchanged.
    private var known: [ChannelURL: KnownChannel]
    private var news: [MessageNews] = []
    private var newsIndex: [Int64: Int] = [:]
    /// The encryption of each channel's payloads in this commit.
    private var seals: [Int64: PayloadSeal] = [:]
    private var filterRows: [MessageFilter: Int64] = [:]
    private var clearsUsers = false
    /// Whether messages could not be read; the next commit looks their users and words up again.
    var distrustsLookUps = false
    /// Messages whose IDs exist in another channel; empty after each mutation.
    var contested: [Message] = []
    /// The rows of removed channels; rows that refer to them are deleted too.
    var removedRows: Set<Int64> = []
    var channels: [ChannelURL: (before: GroupChannel?, after: GroupChannel?)] = [:]
    var channelOrder: [ChannelURL] = []

    init(_ connection: Connection, me: UserID, _ lookUps: consuming WriteLookUps? = nil) {
        self.connection = connection
        self.me = me
        users = lookUps?.users ?? KnownUsers(connection)
        words = lookUps?.words ?? KnownWords(connection)
        known = lookUps?.channels ?? [:]
        search = SearchKeeper(connection)
    }

    /// Applies the mutations in order and returns the changes.
    func apply(_ mutations: [Mutation]) throws(SQLiteError) -> [Change] {
        for (index, mutation) in mutations.enumerated() {
            try apply(mutation, before: mutations[(index + 1)...])
        }
        try search.settle()
        try storeCoverage()
        for row in removedRows.sorted() {
            try connection.execute(.deleteRecent, row)
            try connection.execute(.deleteChannel, row)
        }
        // Payloads refer to users too, so users are deleted only when there is no channel left.
        if clearsUsers, try connection.channelURLs().isEmpty {
            try connection.execute(.deleteUsers)
            try connection.execute(.deleteWords)
            try connection.execute(.deleteFilters)
        }
        return changes()
    }

    private func apply(
        _ mutation: Mutation, before rest: ArraySlice<Mutation>
    ) throws(SQLiteError) {
        switch mutation {
        case .channels(let channels):
            for channel in channels { try put(channel) }
        case .removeChannel(let url):
            try removeChannel(url, before: rest)
        case .messages(let url, let messages, let range, let filter):
            try put(messages, in: url, covering: range, under: filter)
        case .liveMessage(let message, let predecessor):
            try putLive(message, after: predecessor)
        case .edited(let message):
            try putEdited(message)
        case .reacted(let url, let id, let change, let isLate):
            try amend(id, in: url) { message in
                let known = message.details.reactions ?? []
                message.details.reactions = known.applying(change, isLate: isLate)
            }
        case .replied(let url, let id, let thread):
            try amend(id, in: url) { message in
                let known = message.details.threadInfo
                message.details.threadInfo = known?.merged(with: thread) ?? thread
            }
        case .polled(let url, let id, let change):
            try amend(id, in: url) { message in
                guard !message.hasNoDetails, let poll = message.details.poll else { return }
                message.details.poll = poll.applying(change)
            }
        case .deleted(let url, let ids):
            for id in ids { try delete(id, in: url) }
        case .clearMessages(let url):
            try clearMessages(url, before: rest)
        case .evicted(let url, let moment):
            try evict(url, through: moment)
        case .unreadable(let url):
            try forgetUnreadable(in: url)
        case .forgotten(let url, let range):
            try forget(range, of: url)
        case .historyCut(let url, let moment):
            try cutHistory(of: url, through: moment)
        case .accessed(let url, let moment):
            try connection.execute(.putAccess, (try rowMaking(url), moment))
        case .pinned(let url, let isPinned):
            try connection.execute(.putPin, (try rowMaking(url), isPinned))
        case .channelNews(let url, let news):
            try apply(news, to: url)
        case .clearAll:
            try search.removeAll()
            for url in try connection.channelURLs() { try removeChannel(url, before: rest) }
            search.isEmptied = false
            try connection.execute(.deleteCursors)
            clearsUsers = true
        case .cursor(let key, let cursor): try put(cursor, key)
        case .firstCursor(let key, let cursor):
            if try storedCursor(key) == nil { try put(cursor, key) }
        case .removeCursor(let key):
            guard let row = try key.channel.map(row) ?? 0 else { return }
            try connection.execute(.deleteCursor, (key.kind, row))
        case .users(let users):
            for user in users { try self.users.learn(user, inFull: true) }
        }
    }

    private func put(_ cursor: Cursor, _ key: CursorKey) throws(SQLiteError) {
        let row = try key.channel.map { url throws(SQLiteError) in try rowMaking(url) } ?? 0
        try connection.putCursor(cursor, kind: key.kind, channelRow: row)
    }

    private func storedCursor(_ key: CursorKey) throws(SQLiteError) -> Cursor? {
        guard let row = try key.channel.map(row) ?? 0 else { return nil }
        return try connection.cursor(kind: key.kind, channelRow: row)
    }

    /// Returns the row of a channel, made if it is the first mention of the channel.
    func rowMaking(_ url: ChannelURL) throws(SQLiteError) -> Int64 {
        if let row = try row(url) { return row }
        let row = try connection.insertChannel(url)
        channelRows[url] = ChannelRow(row: row, cut: nil)
        return row
    }

    /// Returns the row of a channel; nil if the channel is unknown.
    func row(_ url: ChannelURL) throws(SQLiteError) -> Int64? {
        if let looked = channelRows[url] { return looked.row }
        let found =
            if let known = known[url] { known.row } else { try connection.channelRow(url) }
        channelRows[url] = found
        return found?.row
    }

    /// Gives a closure the changes of a channel's messages; the first use reads the coverage.
    func withNews<T>(
        of url: ChannelURL, row: Int64,
        _ body: (inout MessageNews) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        if let index = newsIndex[row] { return try body(&news[index]) }
        let found: KnownChannel
        if let known = known[url] {
            found = known
        } else {
            found = KnownChannel(
                row: channelRows[url] ?? ChannelRow(row: row, cut: nil),
                coverage: Coverage(try connection.all(.coverage, CoverageKey(channelRow: row))),
                hasFilters: try connection.first(.filtersOfChannel, row) != nil,
                holding: try connection.first(.holding, row) ?? Holding())
        }
        newsIndex[row] = news.count
        news.append(MessageNews(of: url, found))
        return try body(&news[news.count - 1])
    }

    /// Reads the coverage of a channel under filters, once.
    func readFilters(_ news: inout MessageNews) throws(SQLiteError) {
        guard news.filtered == nil else { return }
        var filtered: [MessageNews.Filtered] = []
        for filterRow in try connection.all(.filtersOfChannel, news.channelRow) {
            let filter = try connection.filter(inRow: filterRow)
            let key = CoverageKey(channelRow: news.channelRow, filterRow: filterRow)
            let coverage = Coverage(try connection.all(.coverage, key))
            filtered.append(
                MessageNews.Filtered(
                    filterRow: filterRow, filter: filter, before: coverage, now: coverage))
        }
        news.filtered = filtered
    }

    /// Returns the encryption of a channel's payloads.
    ///
    /// Read once a commit, because a rollback may remove a key that this commit makes.
    func seal(ofChannel row: Int64) throws(SQLiteError) -> PayloadSeal {
        if let seal = seals[row] { return seal }
        let seal = try connection.payloadSeal(channelRow: row)
        seals[row] = seal
        return seal
    }

    /// Destroys the keys of a removed channel, so its remains in the files cannot be decrypted.
    func eraseKeys(ofChannel row: Int64) throws(SQLiteError) {
        seals[row] = nil
        try connection.seals?.eraseKeys(channelRow: row)
    }

    /// Returns the row of a filter, made if it is new.
    func row(_ filter: MessageFilter) throws(SQLiteError) -> Int64 {
        if let row = filterRows[filter] { return row }
        var row = try connection.filterRow(filter)
        if row == nil { row = try connection.insertFilter(filter) }
        filterRows[filter] = row
        return row ?? 0
    }

    /// Writes the changed ranges and sums.
    private func storeCoverage() throws(SQLiteError) {
        for news in news where !removedRows.contains(news.channelRow) {
            let row = news.channelRow
            if let range = news.continuedRange {
                try connection.put(
                    RecentState(channelRow: row, range: range, holding: news.holding))
                continue
            }
            guard news.hasOtherState else { continue }
            // The tables lack the values that `recent` had until now.
            let isStale = try connection.execute(.deleteRecent, row) > 0
            try store(
                news.coverage, over: news.coverageBefore, CoverageKey(channelRow: row),
                stale: isStale ? news.coverageBefore.ranges.last : nil)
            for filtered in news.filtered ?? [] {
                try store(
                    filtered.now, over: filtered.before,
                    CoverageKey(channelRow: row, filterRow: filtered.filterRow))
            }
            if isStale || news.holding != news.holdingBefore {
                try connection.execute(.putHolding, (row, news.holding))
            }
        }
    }

    /// Writes the changed ranges, and the `stale` one, whose row is older than `before`.
    private func store(
        _ now: Coverage, over before: Coverage, _ key: CoverageKey, stale: CoveredRange? = nil
    ) throws(SQLiteError) {
        guard now != before || stale != nil else { return }
        // Both lists are in order; a range with the same beginning replaces the row.
        var old = before.ranges[...]
        for range in now.ranges {
            while let gone = old.first, gone.lower < range.lower {
                try connection.execute(.deleteRange, (key, gone))
                old.removeFirst()
            }
            if let same = old.first, same.lower == range.lower {
                old.removeFirst()
                if same == range, same != stale { continue }
            }
            try connection.execute(.putRange, (key, range))
        }
        for gone in old { try connection.execute(.deleteRange, (key, gone)) }
    }

    /// Returns the trace of the rows that readers have to look up again; nil if readers have to
    /// drop everything.
    func trace(at sequence: Int64) -> CommitTrace? {
        guard !clearsUsers, removedRows.isEmpty else { return nil }
        return CommitTrace(
            sequence: sequence, users: users.changedRows, channels: news.map(\.channelRow))
    }

    /// Returns the look-up cache for the next commit; valid once this commit is durable.
    func lookUps(at sequence: Int64) -> WriteLookUps? {
        guard !clearsUsers, !distrustsLookUps, users.count + words.count <= WriteLookUps.capacity
        else { return nil }
        users.settle()
        return WriteLookUps(
            sequence: sequence, users: users, words: words, channels: channelsLeftBehind())
    }

    private func channelsLeftBehind() -> [ChannelURL: KnownChannel] {
        let isRoom = known.count + news.count <= WriteLookUps.channelCapacity
        var channels = isRoom ? known : [:]
        known = [:]  // Or each commit would copy them.
        for news in news {
            let isKept =
                !removedRows.contains(news.channelRow)
                && channels.count < WriteLookUps.channelCapacity
            channels[news.channel] = isKept ? news.left : nil
        }
        return channels
    }

    private func changes() -> [Change] {
        var changes: [Change] = []
        let updates = users.updates.map { Update(before: $0.before, after: $0.now) }
        if !updates.isEmpty { changes.append(.users(updates)) }
        if let change = channelsChange() { changes.append(.channels(change)) }
        for index in news.indices {
            let change = news[index].change(
                now: { asNow($0) },
                before: { users.areAsDescribed ? $0 : $0.mapUsers(users.before) })
            if let change { changes.append(.messages(change)) }
        }
        return changes
    }

    /// Returns the message with its users in their present state.
    func asNow(_ message: Message) -> Message {
        users.areAsDescribed ? message : message.mapUsers(users.now)
    }
}

/// The look-up cache that one commit leaves to the next; valid if no other commit came in between.
///
/// A channel's pages are written by the same users.
struct WriteLookUps {
    /// The commit that left the cache.
    let sequence: Int64
    fileprivate var users: KnownUsers
    fileprivate var words: KnownWords
    fileprivate var channels: [ChannelURL: KnownChannel]

    /// The number of channels with consecutive live messages.
    fileprivate static let channelCapacity = 256
    /// About ten megabytes of users and words; beyond it the cache starts empty again.
    fileprivate static let capacity = 20_000
}

extension Message {
    /// Returns the message with each of its users transformed.
    package func mapUsers(_ transform: (User) -> User) -> Message {
        var message = mapPeople(transform)
        // The sender is almost always unchanged, and a change would copy the message.
        if let sender {
            let user = transform(sender.user)
            if user != sender.user { message.sender?.user = user }
        }
        return message
    }
}
