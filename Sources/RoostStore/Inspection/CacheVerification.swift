// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
package import RoostModel
internal import RoostSQLite

/// The findings of a verification; empty if the store keeps all of its invariants.
package struct CacheVerification: Equatable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// SQLite finds the file damaged.
        case file
        /// A row refers to a missing one.
        case missingRow
        /// Messages are outside of every covered range, so their neighbours are unknown.
        case uncovered
        /// Covered ranges overlap, touch, or run from new to old.
        case coverage
        /// The sums for the budget are wrong.
        case holding
        /// A change log has a cursor for a missing channel.
        case cursor
        /// The payload of a row is unreadable.
        case payload
        /// A message cannot be found by its request ID, or is found by another one.
        case requestKey
        /// The columns for filters of lists differ from the channel's payload.
        case channelColumns
        /// The columns for queries differ from the message's payload.
        case messageColumns
        /// Words are missing from the search index, or belong to a deleted message.
        case searchIndex
        /// Unsent messages are unreadable, or one of their files is damaged.
        case outbox
    }

    package struct Finding: Equatable, Sendable {
        package let kind: Kind
        /// Nil for a finding about several channels or none.
        package let channel: ChannelURL?
        package let count: Int
        /// The finding as a sentence, without any content of messages.
        package let sentence: String
    }

    package internal(set) var findings: [Finding] = []
    package internal(set) var checkedMessages = 0

    package var isSound: Bool { findings.isEmpty }

    /// Whether the cache is sound; the outbox is a file of its own, and a new cache does not mend
    /// it.
    package var isCacheSound: Bool { findings.allSatisfy { $0.kind == .outbox } }

    mutating func add(
        _ kind: Kind, _ channel: ChannelURL? = nil, count: Int = 1, _ sentence: String
    ) {
        guard count > 0 else { return }
        findings.append(Finding(kind: kind, channel: channel, count: count, sentence: sentence))
    }

    mutating func add(unreadableIn outbox: OutboxItems) {
        add(
            .outbox, count: outbox.damaged.count,
            "\(outbox.damaged.count) unsent messages or changes are damaged and cannot be read; they "
                + "stay where they are")
        add(
            .outbox, count: outbox.newer.count,
            "\(outbox.newer.count) unsent messages or changes were written by a newer release; they "
                + "stay where they are")
    }
}

extension StoreReader {
    /// Verifies the cache alone.
    package func verification(
        _ progress: @Sendable @escaping (Int) -> Void = { _ in }
    ) async throws(StoreError) -> CacheVerification {
        try await source.snapshot { session throws(SQLiteError) in
            var check = CacheCheck(session: session, progress: progress)
            do throws(SQLiteError) {
                try check.run()
            } catch  where error.isCorrupt {
                check.found.add(.file, nil, "the file breaks off: \(error.message)")
            }
            return check.found
        }
    }
}

/// One check of a cache.
private struct CacheCheck {
    let session: ReadSession
    let progress: @Sendable (Int) -> Void
    var found = CacheVerification()

    private var connection: Connection { session.connection }

    init(session: ReadSession, progress: @escaping @Sendable (Int) -> Void) {
        (self.session, self.progress) = (session, progress)
    }

    mutating func run() throws(SQLiteError) {
        for finding in try connection.damage(comparesIndices: true) {
            found.add(.file, nil, "SQLite finds: \(finding)")
        }
        let broken = try connection.all(.brokenReferences)
        found.add(
            .missingRow, count: broken.count,
            "\(broken.count) rows refer to rows that are not there (\(Set(broken).sorted()))")
        let missing = Int(try connection.first(.missingRows) ?? 0)
        found.add(
            .missingRow, nil, count: missing,
            "\(missing) messages name a sender or a custom type that is not there")
        let strays = Int(try connection.first(.strayCursors) ?? 0)
        found.add(.cursor, count: strays, "\(strays) change logs belong to no channel")
        let early = Int(try connection.first(.messagesBeforeCut) ?? 0)
        found.add(
            .uncovered, count: early, "\(early) messages stand before the history of their channel")
        let strayStates = Int(try connection.first(.strayRecentCount) ?? 0)
        found.add(
            .coverage, count: strayStates,
            "\(strayStates) channels have a newest state without the range or the sums below it")
        let rows = try connection.unreadableRowCount()
        found.add(
            .payload, count: rows, "\(rows) users, words, filters or cursors cannot be read")
        let me = try session.me()
        for column in try connection.all(.channelURLs) {
            guard let written = try connection.first(.channelByURL, column) else { continue }
            let url: ChannelURL
            let stored: StoredChannel
            do throws(SQLiteError) {
                url = try session.url(ofRow: written.row)
                stored =
                    try connection.seals.map { seals throws(SQLiteError) in
                        try written.opened(by: seals, as: url)
                    } ?? written
            } catch  where error.isMalformedValue {
                found.add(.payload, nil, "a channel cannot be read")
                continue
            }
            try checkChannel(stored)
            try checkMessages(stored.row, url, me)
            progress(found.checkedMessages)
        }
        for finding in try session.searchFindings() { found.add(.searchIndex, nil, finding) }
    }

    private mutating func checkChannel(_ stored: StoredChannel) throws(SQLiteError) {
        let channel: GroupChannel?
        do throws(SQLiteError) {
            channel = try session.channel(stored)
        } catch  where error.isMalformedValue {
            found.add(.payload, stored.url, "the channel cannot be read")
            return
        }
        guard let channel else { return }
        let typeRow = try session.customTypeRow(channel.customType)
        let wanted = ChannelColumns(
            lastMessageAt: (channel.lastMessage?.createdAt ?? .distantPast).milliseconds,
            membership: Int64(MembershipTag(channel.myState).rawValue), customTypeRow: typeRow,
            flags: ChannelFlags(of: channel).rawValue)
        if try connection.first(.channelColumns, stored.row) != wanted {
            found.add(
                .channelColumns, stored.url, "lists may show the channel in a wrong place or not")
        }
    }

    private mutating func checkMessages(
        _ row: Int64, _ url: ChannelURL, _ me: UserID
    ) throws(SQLiteError) {
        try checkRanges(row, url)
        var filtered: [(filter: MessageFilter, coverage: Coverage)] = []
        for filterRow in try connection.all(.filtersOfChannel, row) {
            let filter: MessageFilter
            do throws(SQLiteError) {
                filter = try connection.filter(inRow: filterRow)
            } catch  where error.isMalformedValue {
                found.add(
                    .missingRow, url,
                    "something is covered under a filter that is gone or cannot be read")
                continue
            }
            let key = CoverageKey(channelRow: row, filterRow: filterRow)
            filtered.append((filter, Coverage(try connection.all(.coverage, key))))
        }
        let everything = Coverage(try connection.all(.coverage, CoverageKey(channelRow: row)))
        var (uncovered, unreadable, wrongKeys, wrongColumns) = (0, 0, 0, 0)
        var sum = Holding()
        try connection.scan(.allMessages, row) { row throws(SQLiteError) in
            sum.messageCount += 1
            sum.payloadBytes += row.int64(5)
            do throws(SQLiteError) {
                let message = try session.message(row, in: url).message
                if let place = message.position, everything.range(containing: place) == nil,
                    !filtered.contains(where: { known in
                        known.coverage.range(containing: place) != nil
                            && known.filter.matches(message)
                    })
                {
                    uncovered += 1
                }
                let isMine = message.sender?.user.id == me
                let key = isMine ? message.requestID.map(connection.requestKey) : nil
                if key != row.optionalInt64(4) { wrongKeys += 1 }
                if try !session.hasColumns(of: message, for: me, row, from: 6) { wrongColumns += 1 }
            } catch  where error.isMalformedValue {
                unreadable += 1
            }
            return true
        }
        found.checkedMessages += Int(sum.messageCount)
        found.add(
            .uncovered, url, count: uncovered,
            "\(uncovered) messages stand where nothing is covered")
        found.add(.payload, url, count: unreadable, "\(unreadable) messages cannot be read")
        found.add(
            .requestKey, url, count: wrongKeys,
            "\(wrongKeys) messages have another request ID than the index says")
        found.add(
            .messageColumns, url, count: wrongColumns,
            "\(wrongColumns) messages are found by what they do not say")
        let noted = try connection.first(.holding, row) ?? Holding()
        if noted != sum {
            found.add(
                .holding, url,
                "it holds \(sum.messageCount) messages of \(sum.payloadBytes) bytes and says "
                    + "\(noted.messageCount) of \(noted.payloadBytes)")
        }
    }

    /// Checks the ranges as they are stored; a `Coverage` would correct them.
    private mutating func checkRanges(_ row: Int64, _ url: ChannelURL) throws(SQLiteError) {
        var count = 0
        var last: (filter: Int64, upper: Position)?
        try connection.scan(.storedRanges, row) { row throws(SQLiteError) in
            let filter = row.int64(0)
            let (lower, upper) = (Position(row, column: 1), Position(row, column: 3))
            if lower > upper { count += 1 }
            if let last, last.filter == filter, last.upper >= lower || last.upper.next == lower {
                count += 1
            }
            last = (filter, max(lower, upper))
            return true
        }
        found.add(.coverage, url, count: count, "\(count) covered ranges are not in order")
    }
}

extension ReadSession {
    /// Whether the columns of a row, as in `allMessages`, agree with its message.
    fileprivate func hasColumns(
        of message: Message, for me: UserID, _ row: borrowing Row, from column: Int32
    ) throws(SQLiteError) -> Bool {
        let sender = row.optionalInt64(column).map { user(inRow: $0).id }
        let customType = row.optionalInt64(column + 1).map { word(inRow: $0) }
        try checkNames()
        return sender == message.sender?.user.id && customType ?? "" == message.customType
            && row.optionalInt64(column + 2) == message.parentID?.rawValue
            && row.optionalInt64(column + 3) == message.updatedAt?.milliseconds
            && row.int64(column + 4) == Int64(ContentTag(message.content).rawValue)
            && (row.int64(column + 5) == 1) == message.isReplyToChannel
            && (row.int64(column + 6) == 1)
                == message.mentions(me)
    }
}

private struct ChannelColumns: Equatable {
    let lastMessageAt: Int64
    let membership: Int64
    let customTypeRow: Int64?
    let flags: Int64
}

extension Query where Input == Void, Output == String {
    fileprivate static let brokenReferences = Query(
        sql: #"SELECT "table" || ' to ' || parent FROM pragma_foreign_key_check"#
    ) { row in row.text(0) }
}

extension Query where Input == Void, Output == Int64 {
    /// The messages at or before the cut.
    ///
    /// The cut deletes them, and later commits do not write any.
    fileprivate static let messagesBeforeCut = Query(
        sql: """
            SELECT count(*) FROM channel JOIN message
            ON channel_id = channel.id AND message.created_at <= cut_at
            """
    ) { row in row.int64(0) }

    /// Checked here because foreign keys would cost each written message a look-up.
    fileprivate static let missingRows = Query(
        sql: """
            SELECT count(*) FROM message
            WHERE (sender_id IS NOT NULL AND sender_id NOT IN (SELECT id FROM user))
                OR (custom_type_id IS NOT NULL AND custom_type_id NOT IN (SELECT id FROM word))
            """
    ) { row in row.int64(0) }

    fileprivate static let strayCursors = Query(
        sql: """
            SELECT count(*) FROM cursor
            WHERE channel_id <> 0 AND channel_id NOT IN (SELECT id FROM channel)
            """
    ) { row in row.int64(0) }
}

extension Query where Input == Int64, Output == ChannelColumns {
    fileprivate static let channelColumns = Query(
        sql: """
            SELECT last_message_at, membership, custom_type_id, flags FROM channel WHERE id = ?1
            """,
        bind: { row, bindings in bindings.append(row) },
        decode: { row in
            ChannelColumns(
                lastMessageAt: row.int64(0), membership: row.int64(1),
                customTypeRow: row.optionalInt64(2), flags: row.int64(3))
        })
}

extension Query where Input == Int64, Output == Void {
    /// The columns of `RowResolver.message`, and those to compare.
    fileprivate static let allMessages = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, request_key, length(payload),
                sender_id, custom_type_id, parent_id, updated_at, kind, is_reply_to_channel,
                mentions_me
            FROM message WHERE channel_id = ?1
            """,
        bind: { row, bindings in bindings.append(row) })

    fileprivate static let storedRanges = Query(
        sql: """
            SELECT filter_id, lower_at, lower_id, upper_at, upper_id FROM covered
            WHERE channel_id = ?1 ORDER BY filter_id, lower_at, lower_id
            """,
        bind: { row, bindings in bindings.append(row) })
}
