// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel
import RoostPostgres
package import RoostServer
import RoostWire

/// The way in which a transaction gets the rows of channels that others hold.
private enum ChannelLock {
    /// Waits as long as the settings of a session allow.
    case patient
    /// Fails after 100 ms, which is longer than a transaction usually takes.
    case short
    /// Leaves out the channels that others hold.
    case skipping
}

extension PostgresStorage {
    package func append(
        _ messages: [Message], now: Timestamp
    ) async throws(StorageError) -> [Result<Appended?, StorageError>] {
        try await append(messages, now: now, .patient)
    }

    package func appendUnheld(
        _ messages: [Message], now: Timestamp
    ) async throws(StorageError) -> [Result<Appended?, StorageError>] {
        try await append(messages, now: now, .short)
    }

    private func append(
        _ messages: [Message], now: Timestamp, _ first: ChannelLock
    ) async throws(StorageError) -> [Result<Appended?, StorageError>] {
        guard !messages.isEmpty else { return [] }
        let earlier = Guarded<Attempt<[Result<Appended?, StorageError>]>?>(nil)
        let next = Guarded(first)
        return try await write(recognisesItself: true) { db async throws(PostgresError) in
            // An earlier attempt may still hold its channels and take effect afterwards, so its
            // repetition must wait for them.
            let lock = earlier.withLock { $0 == nil } ? next.withLock { $0 } : .patient
            var plan: AppendPlan
            do throws(PostgresError) {
                plan = try await db.plan(messages, now: now, lock)
            } catch {
                if lock == .short, error.kind == .refused("55P03") {
                    next.withLock { $0 = .skipping }
                }
                throw error
            }
            if let attempt = earlier.withLock({ $0 }), try await db.holds(attempt) {
                return attempt.result
            }
            var results: [Result<Appended?, StorageError>] = []
            for message in messages {
                guard !plan.held.contains(message.channelURL) else {
                    results.append(.failure(.held))
                    continue
                }
                do throws(PostgresError) {
                    results.append(.success(try plan.append(message)))
                } catch {
                    results.append(.failure(Self.failure(error)))
                }
            }
            db.store(plan, now: now, showsHidden: true)
            places.note(plan)
            earlier.withLock {
                $0 = plan.new.first.map { Attempt($0, result: results) }
            }
            return results
        }
    }

    package func importMessages(
        _ messages: [Message], into url: ChannelURL, _ marks: ImportMarks, now: Timestamp
    ) async throws(StorageError) -> ImportOutcome {
        let earlier = Guarded<Attempt<ImportOutcome>?>(nil)
        return try await write(recognisesItself: true) { db async throws(PostgresError) in
            guard let channel = try await db.first(.lockedChannel(url)) else { return .notFound }
            if let attempt = earlier.withLock({ $0 }), try await db.holds(attempt) {
                return attempt.result
            }
            guard let first = messages.first?.createdAt else { return .imported([]) }
            if let last = channel.lastTime, first.milliseconds <= last {
                return .tooOld(Timestamp(milliseconds: last))
            }
            var plan = try await db.plan(messages, now: now)
            var results: [Appended] = []
            for message in messages {
                if let appended = try plan.append(message, at: message.createdAt) {
                    results.append(appended)
                }
            }
            db.store(plan, now: now, showsHidden: false)
            places.note(plan)
            if let end = plan.channels[url]?.lastTime {
                if marks.rewinds { db.add(.rewindReadMarks(channel.id, first.milliseconds - 1)) }
                if marks.raises { db.add(.raiseReadMarks(channel.id, end)) }
            }
            let outcome = ImportOutcome.imported(results)
            earlier.withLock {
                $0 = plan.new.first.map { Attempt($0, result: outcome) }
            }
            return outcome
        }
    }
}

extension PlaceLedger {
    fileprivate func note(_ plan: AppendPlan) {
        for (id, isThread, place) in plan.places {
            if isThread { noteThread(id, place) } else { note(id, place) }
        }
    }
}

/// An attempt whose commit may have taken effect: then the database has the first of its messages.
private struct Attempt<T: Sendable>: Sendable {
    let proof: StoredName
    let createdAt: Timestamp
    let sender: UserID?
    let requestID: RequestID?
    let result: T

    init(_ first: AppendPlan.New, result: T) {
        proof = first.name
        createdAt = first.message.createdAt
        sender = first.message.sender?.user.id
        requestID = first.message.requestID
        self.result = result
    }

    /// Whether a message is the first of the attempt.
    ///
    /// After a crash the database may give its number to another message.
    func holds(_ message: Message) -> Bool {
        message.createdAt == createdAt && message.sender?.user.id == sender
            && message.requestID == requestID
    }
}

extension PostgresTransaction {
    /// Locks the channels of messages and reads all that the plan of their appending needs.
    fileprivate func plan(
        _ messages: [Message], now: Timestamp, _ lock: ChannelLock = .patient
    ) async throws(PostgresError) -> AppendPlan {
        let urls = Set(messages.map(\.channelURL))
        if lock == .short { add(.shortLocks) }
        let (channels, senders) = try await all(
            lock == .skipping ? .unheldChannels(Array(urls)) : .lockedChannels(Array(urls)),
            .readableUsers(Array(Set(messages.compactMap { $0.sender?.user.id }))))
        if lock == .short { add(.usualLocks) }
        let rows = Dictionary(channels.map { ($0.url, $0.id) }) { first, _ in first }
        var held: Set<ChannelURL> = []
        let missing = urls.subtracting(rows.keys)
        if lock == .skipping, !missing.isEmpty {
            held = Set(try await all(.liveChannels(Array(missing))))
        }
        var users: [UserID: UserRow] = [:]
        for row in senders.compactMap(\.value) { users[row.user.id] = row }
        var requests: [RequestName] = []
        var distinct: Set<RequestName> = []
        // The messages that no request names; each of them is new.
        var nameless = 0
        var parents: [StoredName] = []
        for message in messages {
            guard let channel = rows[message.channelURL] else { continue }
            if let id = message.parentID { parents.append(StoredName(channel: channel, id: id)) }
            guard let sender = message.sender.flatMap({ users[$0.user.id] }),
                let request = message.requestID
            else {
                nameless += 1
                continue
            }
            let name = RequestName(channel: channel, sender: sender.id, request: request)
            if distinct.insert(name).inserted { requests.append(name) }
        }
        let (known, lastLive, found, numbers) = try await all(
            .known(requests), .lastLive(channels.map(\.id)),
            .liveMessages(parents.map(\.channel), parents.map(\.id)),
            .messageNumbers(nameless + requests.count, without: requests, timeline))
        var knownRequests: [RequestName: KnownRequest] = [:]
        for row in known { knownRequests[requests[row.place]] = row }
        var live: [StoredName: Message?] = [:]
        var edits: [StoredName: MadeEdits] = [:]
        for row in found {
            let name = StoredName(channel: row.channel, id: MessageID(row.message.id))
            live[name] = .some(row.message.readable.value)
            edits[name] = row.message.madeEdits
        }
        var plan = AppendPlan(
            now: now, change: change, era: era?.shortName ?? "", channels: channels,
            lastLive: Dictionary(lastLive) { first, _ in first }, users: users,
            known: knownRequests, parents: live, edits: edits, numbers: numbers)
        plan.held = held
        return plan
    }

    /// Whether the database has an attempt's first message, deleted or not.
    fileprivate func holds<T>(_ attempt: Attempt<T>) async throws(PostgresError) -> Bool {
        let row = try await first(.message(attempt.proof.channel, attempt.proof.id))
        return try row.map { row throws(PostgresError) in attempt.holds(try row.message()) }
            ?? false
    }

    /// Stores a plan; the database sees it at the end of the transaction.
    fileprivate func store(_ plan: AppendPlan, now: Timestamp, showsHidden: Bool) {
        guard !plan.new.isEmpty else { return }
        add(.insertMessages(plan.new))
        for (name, parent) in plan.changedParents {
            add(
                .replaceMessage(
                    name.channel, name.id.rawValue, parent.message, plan.edits[name] ?? MadeEdits(),
                    parent.seq, Timestamp(milliseconds: parent.at),
                    deletedAt: nil))
        }
        let mentions = plan.new.flatMap { entry in
            entry.message.mention.kind == .users
                ? entry.message.mention.userIDs.map { (entry.name, $0) } : []
        }
        if !mentions.isEmpty {
            add(
                .addMentions(
                    mentions.map(\.0.channel), mentions.map(\.0.id.rawValue),
                    mentions.map(\.1)))
        }
        let channels = plan.touched.compactMap { plan.channels[$0] }.sorted { $0.row < $1.row }
        add(.advanceChannels(channels))
        guard showsHidden || channels.contains(where: { !$0.marks.isEmpty }) else { return }
        if showsHidden { add(.showHidden(channels.map(\.row))) }
        let marks = channels.flatMap { channel in
            channel.marks.sorted { $0.key < $1.key }.map { (channel.row, $0.key, $0.value) }
        }
        if !marks.isEmpty {
            add(.raiseReadMarks(marks.map(\.0), marks.map(\.1), marks.map(\.2)))
        }
    }
}

extension PostgresQuery where Output == MessageRow {
    /// The live messages among places.
    fileprivate static func liveMessages(
        _ channels: [Int64], _ ids: [MessageID]
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT m.id, m.created_at, m.seq, m.deleted_at, m.body, u.body, p.created_at, p.body,
                pu.body, m.channel
            FROM unnest($1::bigint[], $2::bigint[]) AS wanted (channel, id)
            JOIN message AS m ON m.channel = wanted.channel AND m.id = wanted.id
                AND m.deleted_at IS NULL
            LEFT JOIN users AS u ON u.id = m.sender
            LEFT JOIN LATERAL (
                SELECT created_at, body, sender FROM message
                WHERE channel = m.channel AND id = m.parent AND deleted_at IS NULL LIMIT 1
            ) AS p ON true
            LEFT JOIN users AS pu ON pu.id = p.sender
            """, .ints(channels), .ints(ids.map(\.rawValue))
        ) { MessageRow(channel: $0.int64(9), message: StoredMessage($0)) }
    }
}

extension PostgresQuery where Output == ChannelURL {
    /// The existing channels among URLs, held or not.
    fileprivate static func liveChannels(_ urls: [ChannelURL]) -> PostgresQuery {
        PostgresQuery(
            "SELECT url FROM channel WHERE url = ANY ($1::text[]) AND deleted_at IS NULL",
            .texts(urls.map(\.rawValue))
        ) { ChannelURL($0.text(0)) }
    }
}

extension PostgresQuery where Output == Void {
    /// Makes the locks of a transaction fail after a short wait.
    fileprivate static var shortLocks: PostgresQuery {
        PostgresQuery("SELECT set_config('lock_timeout', '100ms', true)")
    }

    /// Gives the locks of a transaction the wait of `PostgresPool` again.
    fileprivate static var usualLocks: PostgresQuery {
        PostgresQuery(
            "SELECT set_config('lock_timeout', $1, true)", .text(PostgresPool.lockTimeout))
    }

    fileprivate static func insertMessages(_ new: [AppendPlan.New]) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO message (channel, id, first_seq, seq, created_at, changed_at, sender, parent,
                is_reply, is_counted, mentions_all, kind, custom_type, request_key, body)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $15::bigint[], $3::bigint[],
                $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::int[],
                $9::boolean[], $10::boolean[], $11::text[], $12::text[], $13::text[],
                $14::text[])
            """,
            values: [
                .ints(new.map(\.name.channel)), .ints(new.map(\.name.id.rawValue)),
                .ints(new.map(\.seq)), .ints(new.map(\.message.createdAt.milliseconds)),
                .ints(new.map(\.changedAt)), .ints(new.map(\.sender)),
                .ints(new.map { $0.message.parentID?.rawValue }),
                .ints(new.map(\.message.replyNumber)), .bools(new.map(\.message.isCounted)),
                .bools(new.map { $0.message.mention.kind == .channel }),
                .texts(new.map(\.message.content.kind)), .texts(new.map(\.message.customType)),
                .texts(new.map { $0.sender == nil ? nil : $0.requestKey }),
                .texts(new.map { $0.message.storedBody() }), .ints(new.map(\.firstSeq)),
            ]
        ) { _ in }
    }

    fileprivate static func advanceChannels(_ channels: [AppendPlan.Channel]) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE channel AS c SET seq = new.seq, last_time = new.last_time,
                changed_at = greatest(c.changed_at, new.changed_at),
                change = pg_current_xact_id(), log_change = pg_current_xact_id()
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
                AS new (id, seq, last_time, changed_at)
            WHERE c.id = new.id
            """, .ints(channels.map(\.row)), .ints(channels.map(\.seq)),
            .ints(channels.map(\.lastTime)), .ints(channels.map(\.changedAt)))
    }

    fileprivate static func showHidden(_ channels: [Int64]) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member SET hidden = 'unhidden', is_counted = NOT is_silenced
            WHERE channel = ANY ($1::bigint[]) AND hidden = 'hidden_allow_auto_unhide'
            """, .ints(channels))
    }

    fileprivate static func raiseReadMarks(
        _ channels: [Int64], _ users: [Int64], _ moments: [Int64]
    ) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member AS m SET last_read = greatest(m.last_read, mark.moment)
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS mark (channel, sender, moment)
            WHERE m.channel = mark.channel AND m.user_id = mark.sender AND m.state = 'joined'
            """, .ints(channels), .ints(users), .ints(moments))
    }

    fileprivate static func raiseReadMarks(_ channel: Int64, _ moment: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member SET last_read = greatest(last_read, $2)
            WHERE channel = $1 AND state = 'joined'
            """, .int(channel), .int(moment))
    }

    fileprivate static func rewindReadMarks(_ channel: Int64, _ moment: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member SET last_read = least(last_read, $2)
            WHERE channel = $1 AND state = 'joined'
            """, .int(channel), .int(moment))
    }
}
