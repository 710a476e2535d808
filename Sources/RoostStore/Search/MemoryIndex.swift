// SPDX-License-Identifier: Apache-2.0

// The index of a cache whose file must not contain plaintext words.
//
// The index is in the memory of a connection of its own, to which the cache's file is attached, so
// one statement reads both. The journal keeps the index in step, because a commit contains every
// added, changed or deleted message with its words. The messages of a cleared, cut or removed
// channel are not in the commit, so the index starts empty again. That is rare and costs time, not
// correctness: a search reports the messages that are not indexed yet. Commits of other processes
// have the same effect. The client lets the index follow its own commits before the journal drops
// them.

internal import RoostCore
internal import RoostExecutors
internal import RoostModel
internal import RoostSQLite

/// Searches a cache with an index in memory, which is filled in steps after the opening.
actor MemoryIndex: SnapshotSource {
    private nonisolated let executor: any SerialExecutor
    private let path: String
    private let owner: StoreOwner
    private let protection: StoreProtection
    /// The source of commits; without it, every commit of another process empties the index.
    nonisolated let writer: StoreWriter?
    private var connection: Connection?
    /// The means to interrupt a statement; work does not wait at it.
    let gate: SuspensionGate
    private var isClosed = false
    private var isSuspended = false
    private var lookUps: ReadLookUps?
    private var feed: JournalFeed?
    /// The commit that the index reflects; nil when it has to be filled again.
    private var known: Int64?

    /// The number of messages added by one step.
    private static let stepSize = 2_000
    /// The number of steps before a search answers: about 200 ms, once.
    private static let stepsOfSearch = 10
    /// The number of commits that may wait for the index; beyond it, filling again costs less.
    static let capacity = 64

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(
        on executor: any SerialExecutor, path: String, owner: StoreOwner,
        _ protection: StoreProtection, writer: StoreWriter?,
        _ switchboard: StoreSwitch = StoreSwitch()
    ) {
        gate = switchboard.makeGate()
        self.executor = executor
        self.path = path
        self.owner = owner
        self.protection = protection
        self.writer = writer
    }

    func close() {
        isClosed = true
        lookUps = nil
        feed = nil
        connection = nil
    }

    /// Closes the file and drops the index; a search until `goOn` throws that the app is suspended.
    func letGo() {
        isSuspended = true
        known = nil
        lookUps = nil
        connection = nil
    }

    func goOn() { isSuspended = false }

    /// Reads one state of the cache with the index, after a part of the filling.
    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        for _ in 0..<Self.stepsOfSearch where try await indexSome(limit: Self.stepSize).isComplete {
            break
        }
        return try await inStep { session, _ throws(SQLiteError) in try read(session) }
    }

    /// As `StoreWriter.indexSome`.
    func indexSome(limit: Int) async throws(StoreError) -> SearchProgress {
        try await inStep { session, index throws(SQLiteError) in
            let rows = SearchedRows(session.connection)
            try index.backfill(limit: limit) { below, limit throws(SQLiteError) in
                try rows.entries(below: below, limit: limit)
            }
            let total = Int(try session.connection.first(.messageTotal) ?? 0)
            return SearchProgress(index.state, of: total)
        }
    }

    // MARK: - Following commits

    /// Runs `body` on a state of the cache that the index reflects exactly.
    private func inStep<T: Sendable>(
        _ body: @Sendable (ReadSession, inout SearchIndex) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        /// The number of a commit on disk that the last attempt found missing from the journal.
        var seen: Int64?
        while true {
            try await openOnce()
            let entries = await takeEntries()
            // A commit of this process is in the journal at the next attempt. A commit that is
            // still missing is another process's.
            if let seen, let known, !entries.reach(seen, from: known) { self.known = nil }
            switch try attempt(after: entries, body) {
            case .done(let value): return value
            case .behind(let sequence): seen = sequence
            }
        }
    }

    private enum Outcome<T> {
        case done(T)
        /// The cache contains this commit, and the journal does not yet.
        case behind(Int64)
    }

    private func attempt<T>(
        after entries: [JournalEntry],
        _ body: (ReadSession, inout SearchIndex) throws(SQLiteError) -> T
    ) throws(StoreError) -> Outcome<T> {
        // The files may have been closed during the wait for the writer.
        guard !isClosed else { throw .closed }
        guard let connection else { throw .suspended }
        let before = known
        known = nil  // Should anything fail half-way, the index is begun anew.
        let outcome: Outcome<T>
        do throws(SQLiteError) {
            var found: (Outcome<T>, Int64)?
            try connection.readAndWrite(
                { session throws(SQLiteError) in
                    var known = before
                    for entry in entries {
                        guard let sequence = known else { break }
                        known = try connection.follow(entry, from: sequence)
                    }
                    var index = try known == nil ? nil : SearchIndex(in: connection)
                    if let known, index != nil, known < session.sequence {
                        found = (.behind(session.sequence), known)
                        return
                    }
                    if index == nil {
                        index = try SearchIndex.make(in: connection, isCacheEmpty: false)
                    }
                    guard var index else {
                        found = (.behind(session.sequence), session.sequence)
                        return
                    }
                    found = (.done(try body(session, &index)), session.sequence)
                }, &lookUps, writer?.damage)
            guard let found else { preconditionFailure("A read that did not fail has answered.") }
            (outcome, known) = found
        } catch {
            throw StoreError(error, in: path)
        }
        return outcome
    }

    private func openOnce() async throws(StoreError) {
        guard !isClosed else { throw .closed }
        guard !isSuspended else { throw .suspended }
        guard connection == nil else { return }
        let connection: Connection
        do throws(SQLiteError) {
            connection = try Connection(.memory, interrupter: gate.interrupter)
            try connection.execute(.attachCache, path)
        } catch {
            throw StoreError(error, in: path)
        }
        // The vault and its names are in the attached file; this connection has no such tables.
        _ = try protection.attach(to: connection, owner: owner, path)
        self.connection = connection
        if feed == nil { feed = await writer?.journal(capacity: Self.capacity) }
    }

    private func takeEntries() async -> [JournalEntry] {
        guard let feed, let writer else { return [] }
        // In one call, so that two searches at once do not divide the entries between them.
        return await writer.takeEntries(of: feed.id)
    }
}

extension [JournalEntry] {
    /// Whether these entries contain all commits after one up to another.
    fileprivate func reach(_ sequence: Int64, from known: Int64) -> Bool {
        if known >= sequence { return true }
        guard let last else { return false }
        switch last {
        case .commit(let commit): return commit.sequence >= sequence
        case .missed: return false
        }
    }
}

extension Connection {
    /// Brings an index from one commit to the next.
    ///
    /// - Returns: The commit that the index reflects now; nil if it has to be filled again.
    fileprivate func follow(
        _ entry: JournalEntry, from known: Int64
    ) throws(SQLiteError) -> Int64? {
        let commit: Commit
        switch entry {
        case .commit(let own): commit = own
        // An entry from before the index was emptied; the index was filled from a state that
        // includes it.
        case .missed(_, let last) where last <= known: return known
        case .missed: return nil
        }
        if commit.sequence <= known { return known }
        guard commit.sequence == known + 1, let index = try SearchIndex(in: self) else {
            return nil
        }
        var changes: [(row: Int64, change: MessagesChange)] = []
        for case .messages(let change) in commit.changes {
            guard change.namesAll, let row = try channelRow(change.channel)?.row else {
                return nil
            }
            changes.append((row, change))
        }
        // A message may move from one channel to another, and the index has only its ID.
        for (row, change) in changes {
            for message in change.deleted + (change.reworded ?? []) {
                try index.remove(SearchEntry(message, channelRow: row))
            }
        }
        for (row, change) in changes {
            for update in change.updated {
                try index.replace(
                    SearchEntry(update.before, channelRow: row),
                    with: SearchEntry(update.after, channelRow: row))
            }
            for message in change.inserted {
                try index.insert(SearchEntry(message, channelRow: row))
            }
        }
        return commit.sequence
    }
}

extension MessagesChange {
    /// Whether every deleted message is listed; none is if a stretch lost its coverage.
    fileprivate var namesAll: Bool {
        if cutThrough != nil { return false }
        let keepsRanges = coverageBefore.ranges.allSatisfy { range in
            coverageAfter.range(containing: range.lower)?.contains(range.upper) ?? false
        }
        if !filters.isEmpty {
            let isBare = inserted.isEmpty && updated.isEmpty && deleted.isEmpty
            if isBare { return false }
        }
        return keepsRanges
    }
}

extension Query where Input == String, Output == Void {
    fileprivate static let attachCache = Query(
        sql: "ATTACH DATABASE ?1 AS cache", bind: { path, bindings in bindings.append(path) })
}
