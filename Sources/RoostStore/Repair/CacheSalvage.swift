// SPDX-License-Identifier: Apache-2.0

// The salvage copies the provable content of a damaged cache. The rest can be fetched from the
// server again.
//
// SQLite keeps no checksums, so a flipped bit may hide rows without an error. A stretch of messages
// therefore counts only where two trees, the table and the index of IDs, have the same messages.
// The new coverage contains only stretches that were read in both (scars 42, 43).

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// Copies the intact data of one cache into a new one.
struct CacheSalvage {
    private let session: ReadSession
    private let target: Connection
    private let owner: StoreOwner
    private var report = SavedContent()
    /// Every message in the index of IDs, by the row of its channel, in no order; a lost page of
    /// the index omits some.
    ///
    /// The largest part of the memory that a salvage needs: 16 bytes for each message. An entry is
    /// removed when its channel is copied.
    private var places: [Int64: [Position]] = [:]

    /// The number of messages in one transaction of the new cache.
    private static let batchSize = 500

    /// Salvages the cache at `path`, which no process has open, and leaves it unchanged; nil if it
    /// is no cache.
    ///
    /// Data of another owner are not read. A raised interrupter ends the salvage, as an error that
    /// may pass.
    static func copy(
        from path: String?, to target: Connection, owner: StoreOwner, _ protection: StoreProtection,
        _ schema: Migrator, _ interrupter: Interrupter
    ) throws(SQLiteError) -> SavedContent {
        var nothing = SavedContent()
        nothing.lost = nil
        guard let path else { return nothing }
        let session: ReadSession
        do throws(SQLiteError) {
            let source = try Connection(
                .file(path), ConnectionOptions(access: .readOnly), interrupter: interrupter)
            guard try attach(source, owner, path, protection),
                let found = try source.first(OwnerQueries.cache.select),
                found == source.seals?.column(owner) ?? owner,
                try isReadable(source, schema)
            else { return nothing }
            session = ReadSession(source, ReadLookUps(source))
            // The owner is a member of nearly every channel; the server fills the user in again.
            session.admitsUnreadableUsers = true
            session.begin(at: 0, nil)
        } catch  where !error.mayPass {
            return nothing  // Not even the first pages can be read.
        }
        var salvage = CacheSalvage(session: session, target: target, owner: owner)
        try salvage.run()
        return salvage.report
    }

    private init(session: ReadSession, target: Connection, owner: StoreOwner) {
        (self.session, self.target, self.owner) = (session, target, owner)
    }

    /// Whether the tables are those of this release, as far as they can be read.
    private static func isReadable(
        _ source: Connection, _ schema: Migrator
    ) throws(SQLiteError) -> Bool {
        do throws(MigrationError) {
            return try schema.isDone(in: source)
        } catch {
            if case .failed(let cause) = error, cause.mayPass { throw cause }
            return false
        }
    }

    /// Gives the connection the means to decrypt its rows; false if they are lost too.
    private static func attach(
        _ source: Connection, _ owner: StoreOwner, _ path: String, _ protection: StoreProtection
    ) throws(SQLiteError) -> Bool {
        do throws(StoreError) {
            _ = try protection.attachWhereSealed(to: source, owner: owner, path)
            return true
        } catch {
            if let cause = error.cause, cause.mayPass { throw cause }
            return false
        }
    }

    private mutating func readIndex() throws(SQLiteError) {
        var places: [Int64: [Position]] = [:]
        for query: Query<Void, IndexedMessage> in [.indexedForward, .indexedBackward] {
            let isWhole = try read { session throws(SQLiteError) in
                try session.connection.forEach(query, ()) { found throws(SQLiteError) in
                    places[found.channelRow, default: []].append(found.position)
                }
            }
            if isWhole { break }
        }
        self.places = places
    }

    private mutating func run() throws(SQLiteError) {
        try readIndex()
        // Copied before the channels, even if not all of them follow. Missing channels are fetched
        // with the list, and the change log has the changes of the others.
        try copy(cursor: .channelChanges, row: 0)
        // The values of the columns, which are hashes in a sealed cache.
        var rows: [(row: Int64, url: ChannelURL)] = []
        let isEnded = try read { session throws(SQLiteError) in
            try session.connection.scan(.salvagedChannels, ()) { row throws(SQLiteError) in
                rows.append((row.int64(0), ChannelURL(row.text(1))))
                return true
            }
        }
        var indexed: Set<ChannelURL> = []
        let isCounted = try read { session throws(SQLiteError) in
            indexed = Set(try session.connection.all(.channelURLs))
        }
        let agree = isEnded && isCounted && indexed == Set(rows.map(\.url))
        for (row, column) in rows where indexed.isEmpty || indexed.contains(column) {
            var url: ChannelURL?
            _ = try read { session throws(SQLiteError) in url = try session.url(ofRow: row) }
            if let url { try copyChannel(row, url) } else { report.lost = nil }
        }
        if !agree || session.hasUnreadableUsers { report.lost = nil }
    }

    private mutating func copyChannel(_ row: Int64, _ url: ChannelURL) throws(SQLiteError) {
        var place: ChannelRow?
        _ = try read { session throws(SQLiteError) in
            place = try session.connection.channelRow(url)
        }
        // Without the cut, messages of a hidden history would come back.
        guard let place else {
            report.lost = nil
            return
        }
        // Without a readable channel the messages stay; the channel is fetched with the list.
        var channel: GroupChannel?
        let isRead = try read { session throws(SQLiteError) in
            if let stored = try session.connection.storedChannel(url) {
                channel = try session.channel(stored)
            }
        }
        if !isRead { report.lost = nil }
        if let channel {
            try commit([.channels([channel])])
            report.channels += 1
        }
        if let cut = place.cut { try commit([.historyCut(url, through: cut)]) }
        // Copied before the messages, even if not all of them follow: the change log has all later
        // edits and deletions.
        try copy(cursor: .messageChanges(url), row: row)
        if try !copyMessages(row, url) { report.lost = nil }
        var holding: (accessedAt: Timestamp?, isPinned: Bool)?
        _ = try read { session throws(SQLiteError) in
            holding = try session.connection.first(.salvagedHolding, row)
        }
        if let moment = holding?.accessedAt { try commit([.accessed(url, at: moment)]) }
        if holding?.isPinned == true { try commit([.pinned(url, true)]) }
    }

    /// Copies the messages covered without a filter.
    ///
    /// - Returns: Whether all of them were copied.
    private mutating func copyMessages(
        _ row: Int64, _ url: ChannelURL
    ) throws(SQLiteError) -> Bool {
        var coverage: Coverage?
        var isWhole = try read { session throws(SQLiteError) in
            coverage = try session.coverage(ofRow: row)
        }
        if !isWhole {
            // Messages after the last fold are no longer covered; all earlier ones are.
            _ = try read { session throws(SQLiteError) in
                let key = CoverageKey(channelRow: row)
                coverage = Coverage(try session.connection.all(.foldedCoverage, key))
            }
        }
        var indexed = places.removeValue(forKey: row) ?? []
        indexed.sortWithoutRepetition()
        guard let coverage else { return false }
        for range in coverage.ranges {
            let expected = indexed.elements(in: range)
            let read = try copy(expected, of: range, row, url, newestFirst: false)
            if read.isWhole { continue }
            isWhole = false
            _ = try copy(
                expected.dropFirst(read.count), of: range, row, url, newestFirst: true)
        }
        return isWhole
    }

    /// Copies a range from one end on, as long as the table agrees with the index.
    ///
    /// The expected positions are in rising order.
    ///
    /// - Returns: The number of expected messages that were copied, and whether the whole range
    ///   was.
    private mutating func copy(
        _ expected: ArraySlice<Position>, of range: CoveredRange, _ row: Int64, _ url: ChannelURL,
        newestFirst: Bool
    ) throws(SQLiteError) -> (count: Int, isWhole: Bool) {
        /// Returns the position of a message by its number in the order of reading.
        func place(_ number: Int) -> Position {
            expected[newestFirst ? expected.endIndex - 1 - number : expected.startIndex + number]
        }
        let stretch = MessageStretch(channelRow: row, lower: range.lower, upper: range.upper)
        var (count, end) = (0, newestFirst ? range.upper : range.lower)
        var batch: [Message] = []
        var failure: SQLiteError?
        var isRefused = false
        func put(through place: Position, _ salvage: inout CacheSalvage) {
            do throws(SQLiteError) {
                try salvage.commit([
                    .messages(
                        url, batch,
                        covering: CoveredRange(
                            lower: min(end, place), upper: max(end, place),
                            predecessor: newestFirst ? nil : range.predecessor))
                ])
                salvage.report.messages += batch.count
                (batch, end) = ([], newestFirst ? place.previous : place.next)
            } catch {
                failure = error
            }
        }
        var salvage = self
        let isEnded = try read { session throws(SQLiteError) in
            try session.connection.scan(
                newestFirst ? .newestMessages : .oldestMessages, stretch
            ) { row throws(SQLiteError) in
                let message = try session.message(row, in: url).message
                guard count < expected.count, message.position == place(count) else {
                    isRefused = true
                    return false
                }
                batch.append(message)
                count += 1
                if batch.count == Self.batchSize { put(through: place(count - 1), &salvage) }
                return failure == nil
            }
        }
        let isWhole = isEnded && !isRefused && count == expected.count
        if isWhole, failure == nil {
            let last = newestFirst ? range.lower : range.upper
            // No further statement is needed if a batch has ended with the range.
            if newestFirst ? last <= end : end <= last { put(through: last, &salvage) }
        } else if count > 0, !batch.isEmpty {
            put(through: place(count - 1), &salvage)
        }
        self = salvage
        if let failure { throw failure }
        return (count, isWhole)
    }

    private mutating func copy(cursor key: CursorKey, row: Int64) throws(SQLiteError) {
        var cursor: Cursor?
        _ = try read { session throws(SQLiteError) in
            cursor = try session.connection.cursor(kind: key.kind, channelRow: row)
        }
        // Without a cursor, changes before the next login would never be fetched. A damaged table
        // may just seem to have none.
        try commit([.cursor(key, cursor ?? .moment(Timestamp(milliseconds: 0)))])
    }

    /// Reads from the damaged cache; returns false if damage ended the read.
    ///
    /// An error with another cause ends the salvage, because a later salvage can read more.
    private func read(
        _ body: (ReadSession) throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> Bool {
        do throws(SQLiteError) {
            try body(session)
            return true
        } catch  where !error.mayPass {
            return false
        }
    }

    private func commit(_ mutations: [Mutation]) throws(SQLiteError) {
        try target.transaction { () throws(SQLiteError) in
            _ = try WriteSession(target, me: UserID(owner.user)).apply(mutations)
            _ = try target.takeCommitNumber(after: try target.lastCommitNumber())
        }
    }
}

extension [Position] {
    /// Sorts the positions, each of which is kept once.
    fileprivate mutating func sortWithoutRepetition() {
        sort()
        var count = 0
        for index in indices where count == 0 || self[index] != self[count - 1] {
            self[count] = self[index]
            count += 1
        }
        removeSubrange(count...)
    }

    /// Returns the positions inside a range, of an array in rising order.
    fileprivate func elements(in range: CoveredRange) -> ArraySlice<Position> {
        let start = indexOfFirst { $0 >= range.lower }
        let end = indexOfFirst { $0 > range.upper }
        return self[start..<end]
    }

    /// Returns the index from which on all elements satisfy a condition, by binary search.
    private func indexOfFirst(_ isSatisfied: (Position) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isSatisfied(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Query where Input == Void, Output == Int {
    fileprivate static let salvagedChannelCount = Query(
        sql: "SELECT count(*) FROM channel WHERE payload IS NOT NULL"
    ) { row in Int(row.int64(0)) }

    fileprivate static let salvagedMessageCount = Query(sql: "SELECT count(*) FROM message") {
        row in Int(row.int64(0))
    }
}

extension Query where Input == Void, Output == Void {
    /// The channels from the table, not from the index.
    fileprivate static let salvagedChannels = Query(
        sql: "SELECT id, url FROM channel NOT INDEXED ORDER BY id")
}

/// A message as the index of IDs has it, not the table.
private struct IndexedMessage: Sendable {
    let channelRow: Int64
    let position: Position

    init(_ row: borrowing Row) {
        channelRow = row.int64(0)
        position = Position(row, column: 1)
    }
}

extension Query where Input == Void, Output == IndexedMessage {
    fileprivate static let indexedForward = Query(
        sql: """
            SELECT channel_id, created_at, message_id FROM message INDEXED BY message_by_id
            ORDER BY message_id, channel_id
            """
    ) { row in IndexedMessage(row) }

    fileprivate static let indexedBackward = Query(
        sql: """
            SELECT channel_id, created_at, message_id FROM message INDEXED BY message_by_id
            ORDER BY message_id DESC, channel_id DESC
            """
    ) { row in IndexedMessage(row) }
}

extension Query where Input == Int64, Output == (accessedAt: Timestamp?, isPinned: Bool) {
    fileprivate static let salvagedHolding = Query(
        sql: "SELECT accessed_at, is_pinned FROM holding WHERE channel_id = ?1",
        bind: { row, bindings in bindings.append(row) },
        decode: { row in
            (
                row.optionalInt64(0).map { Timestamp(milliseconds: $0) }, row.int64(1) != 0
            )
        })
}

extension SavedContent {
    /// Counts the content of a new cache.
    ///
    /// The losses from the old cache are unknown.
    init(countedIn connection: Connection) throws(SQLiteError) {
        self.init()
        channels = try connection.first(.salvagedChannelCount) ?? 0
        messages = try connection.first(.salvagedMessageCount) ?? 0
        lost = nil
    }
}
