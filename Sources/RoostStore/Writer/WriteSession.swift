// SPDX-License-Identifier: Apache-2.0

// One commit at work.
//
// Rows are written as the mutations come; what changed is gathered beside them and told at the end, as
// the difference between before and after, so that a message added and deleted in one commit was never
// there, and one that came twice came once.
//
// The invariant "a cached message lies inside a covered range" saves half of the reads: where nothing
// was covered before, nothing can be found.

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// Applies mutations inside one transaction and gathers what they changed.
final class WriteSession {
    let connection: Connection
    var users: UserBook
    private var channelRows: [ChannelURL: Int64] = [:]
    private var news: [(row: Int64, news: MessageNews)] = []
    private var newsIndex: [Int64: Int] = [:]
    private var clearsUsers = false
    var channels: [ChannelURL: (before: GroupChannel?, after: GroupChannel?)] = [:]
    var channelOrder: [ChannelURL] = []

    init(_ connection: Connection) {
        self.connection = connection
        users = UserBook(connection)
    }

    /// Applies the mutations in order and tells what is different now.
    func apply(_ mutations: [Mutation]) throws(SQLiteError) -> [Change] {
        for (index, mutation) in mutations.enumerated() {
            try apply(mutation, before: mutations[(index + 1)...])
        }
        try storeCoverage()
        // Users stand in payloads too, so they go when nobody can refer to them any more.
        if clearsUsers, try connection.all(.channelURLs).isEmpty {
            try connection.execute(.deleteUsers)
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
        case .messages(let url, let messages, let range):
            try put(messages, in: url, covering: range)
        case .liveMessage(let message, let predecessor):
            try putLive(message, after: predecessor)
        case .edited(let message):
            try putEdited(message)
        case .deleted(let url, let ids):
            for id in ids { try delete(id, in: url) }
        case .clearMessages(let url):
            try clearMessages(url, before: rest)
        case .channelNews(let url, let news):
            try apply(news, to: url)
        case .clearAll:
            for url in try connection.all(.channelURLs) { try removeChannel(url, before: rest) }
            try connection.execute(.deleteCursors)
            try connection.execute(.setSession, nil)
            clearsUsers = true
        case .cursor(let key, let cursor):
            let row = try key.channel.map { url throws(SQLiteError) in try rowMaking(url) } ?? 0
            try connection.execute(.putCursor, (key.kind, row, cursor))
        case .removeCursor(let key):
            guard let row = try key.channel.map(row) ?? 0 else { return }
            try connection.execute(.deleteCursor, (key.kind, row))
        case .users(let users):
            for user in users { try self.users.learn(user, inFull: true) }
        case .session(let bytes):
            try connection.execute(.setSession, bytes)
        }
    }

    /// The row of a channel, made when this is the first word of it.
    func rowMaking(_ url: ChannelURL) throws(SQLiteError) -> Int64 {
        if let row = try row(url) { return row }
        let row = try connection.first(.insertChannel, url) ?? 0
        channelRows[url] = row
        return row
    }

    /// The row of a channel; nil when nothing was ever said of it.
    func row(_ url: ChannelURL) throws(SQLiteError) -> Int64? {
        if let row = channelRows[url] { return row }
        let row = try connection.first(.channelByURL, url)?.row
        channelRows[url] = row
        return row
    }

    /// Lends the news of a channel's messages; the first use reads what is covered.
    func withNews<T>(
        of url: ChannelURL, row: Int64,
        _ body: (inout MessageNews) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        if let index = newsIndex[row] { return try body(&news[index].news) }
        let coverage = Coverage(try connection.all(.coverage, row))
        newsIndex[row] = news.count
        news.append((row, MessageNews(channel: url, coverage: coverage)))
        return try body(&news[news.count - 1].news)
    }

    /// Writes the ranges that are different now; the others are not touched.
    private func storeCoverage() throws(SQLiteError) {
        for (row, news) in news where news.coverage != news.coverageBefore {
            let (before, after) = (Set(news.coverageBefore.ranges), Set(news.coverage.ranges))
            for range in news.coverageBefore.ranges where !after.contains(range) {
                try connection.execute(.deleteRange, (row, range))
            }
            for range in news.coverage.ranges where !before.contains(range) {
                try connection.execute(.putRange, (row, range))
            }
        }
    }

    private func changes() -> [Change] {
        var changes: [Change] = []
        let updates = users.updates.map { Update(before: $0.before, after: $0.now) }
        if !updates.isEmpty { changes.append(.users(updates)) }
        if let change = channelsChange() { changes.append(.channels(change)) }
        for (_, news) in news {
            let change = news.change(
                now: { $0.mapUsers(users.now) }, before: { $0.mapUsers(users.before) })
            if let change { changes.append(.messages(change)) }
        }
        return changes
    }
}

extension Message {
    /// The message with everybody it names as somebody else knows them.
    func mapUsers(_ transform: (User) -> User) -> Message {
        var message = mapPeople(transform)
        if let sender { message.sender?.user = transform(sender.user) }
        return message
    }
}
