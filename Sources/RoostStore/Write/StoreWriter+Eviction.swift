// SPDX-License-Identifier: Apache-2.0

// The eviction of messages: `docs/adr/0006-eviction.md`.

package import RoostCore
package import RoostModel
internal import RoostSQLite

extension StoreWriter {
    /// The number of messages deleted in one transaction, which delays other commits by a tenth of
    /// a second.
    private static let slice = 2_000
    /// The number of messages indexed in one transaction, with the same delay.
    private static let indexedSlice = 10_000
    /// The number of free pages returned in one transaction.
    private static let givenBack = 256

    /// Returns the size of the cache's files as the system counts it, in memory that of its pages.
    ///
    /// Current after every fill, clearing and closing (scar 151); the outbox is not included.
    package func cacheBytes() async throws(StoreError) -> Int64 {
        if isInMemory { return try await inTurn { () throws(StoreError) in try usedBytes() } }
        return DatabaseFiles(path).bytesOnDisk
    }

    /// Whether the cache has reached its limit, so a trim would evict.
    ///
    /// - Complexity: Reads one page; cheap enough for every commit.
    package func isBudgetReached() async throws(StoreError) -> Bool {
        guard budget.budget != nil else { return false }
        let bytes = try await inTurn { () throws(StoreError) in try usedBytes() }
        return budget.isReached(by: bytes)
    }

    /// Returns the plan of a trim, without a change.
    ///
    /// - Parameters:
    ///   - target: The size to reach; nil takes the budget's, which has no effect below its limit.
    ///   - open: The channels on a screen; they are evicted last.
    /// - Returns: The plan; its figures are right until the next commit.
    /// - Throws: The error of the database.
    package func evictionPlan(
        downTo target: Int64? = nil, sparing open: Set<ChannelURL> = []
    ) async throws(StoreError) -> EvictionPlan {
        try await inTurn { () throws(StoreError) in
            try evictionPlan(downTo: target, sparing: open, only: nil)
        }
    }

    private func evictionPlan(
        downTo target: Int64?, sparing open: Set<ChannelURL>, only wanted: EvictionPlan.Way?
    ) throws(StoreError) -> EvictionPlan {
        let keeper = budget
        let isInMemory = isInMemory
        return try inspect { connection throws(SQLiteError) in
            try connection.evictionPlan(
                downTo: target, sparing: open, under: keeper, isInMemory: isInMemory, only: wanted)
        }
    }

    /// Begins a planned trim; `advance` performs it.
    package func beginTrim(
        downTo target: Int64? = nil, sparing open: Set<ChannelURL> = []
    ) async throws(StoreError) -> Trim {
        let plan = try await evictionPlan(downTo: target, sparing: open)
        return Trim(
            plan, sparing: open, below: target ?? budget.budget?.limit ?? .max,
            followsClearing: clearings.done > clearings.forgotten)
    }

    /// Performs the next step of a trim, in one transaction at most; waits while the app is
    /// suspended.
    ///
    /// An interruption between two steps, or within one, leaves a valid cache.
    ///
    /// - Parameters:
    ///   - trim: The result of the step before.
    ///   - open: The channels on a screen now; one opened since the beginning of the trim stays,
    ///     unless it has to be evicted with the last ones. Nil if nothing has changed.
    /// - Returns: The progress of the trim, and the changes of the step for observers.
    /// - Throws: `.full` and other errors; the steps before are done, and the trim may be advanced
    ///   again.
    package func advance(
        _ trim: Trim, sparing open: Set<ChannelURL>? = nil
    ) async throws(StoreError) -> (trim: Trim, commit: Commit?) {
        var trim = trim
        if let open { trim.open = open }
        return try await inTurn { [trim] () throws(StoreError) in try step(after: trim) }
    }

    private func step(after trim: Trim) throws(StoreError) -> (trim: Trim, commit: Commit?) {
        var trim = trim
        var commit: Commit?
        switch trim.phase {
        case .rewrite: commit = try rewrite(&trim)
        case .indexWords:
            // Without an index there is nothing to fill.
            var isComplete = true
            do throws(StoreError) {
                isComplete = try indexNext(Self.indexedSlice).isComplete
            } catch  where error.kind == .searchUnavailable {}
            if isComplete { try planRest(of: &trim) }
        case .slices: commit = try deleteSlice(&trim)
        case .forgetWords(let isFirst): try forgetWords(&trim, isFirst)
        case .giveBack: try giveBack(&trim)
        case .done: break
        }
        return (trim, commit)
    }

    /// Performs a whole eviction; other commits can happen between two steps.
    @discardableResult
    package func trim(
        downTo target: Int64? = nil, sparing open: Set<ChannelURL> = []
    ) async throws(StoreError) -> Trim {
        var trim = try await beginTrim(downTo: target, sparing: open)
        while !trim.isDone {
            trim = try await advance(trim).trim
            await Task.yield()
        }
        return trim
    }

    /// Empties a long log; the log grows while readers overlap without a pause (scar 150).
    func keepLogShort(_ connection: Connection) {
        // The known length of the log saves most commits a look at the file.
        guard !isInMemory, Int64(connection.logPages) * 4_096 >= budget.nextLogLimit else { return }
        let length = DatabaseFiles(path).byteCounts.log
        guard length >= budget.nextLogLimit else { return }
        // A log that cannot be emptied now keeps its content. The next attempt is not after each
        // commit, or every commit would wait for the reader.
        let isEmpty = (try? connection.emptyLog(patienceMS: 100)) ?? false
        budget.nextLogLimit = isEmpty ? BudgetKeeper.logLimit : length + BudgetKeeper.logLimit / 4
    }

    private var isInMemory: Bool { path == ":memory:" }

    private func usedBytes() throws(StoreError) -> Int64 {
        try inspect { connection throws(SQLiteError) in try connection.space().usedBytes }
    }

    // MARK: - The steps

    private func rewrite(_ trim: inout Trim) throws(StoreError) -> Commit? {
        let plan = trim.plan
        var going: [CachedChannel] = []
        let outcome = try inspect { connection throws(SQLiteError) -> Commit? in
            for channel in plan.channels where !trim.isOpenedSince(channel) {
                if try !connection.isPinned(channel.url) { going.append(channel) }
            }
            // The plan has nothing that is worth a copy of the rest.
            if going.isEmpty { return nil }
            do throws(SQLiteError) {
                return try connection.rewrite(
                    without: going.map(\.url), expectedBytes: plan.expectedSize)
            } catch  where error.isBusy || error.isFull {
                // Another process writes, or there is no space for a copy. Slices need neither.
                return nil
            }
        }
        guard let commit = outcome else {
            trim.phase = .slices
            return nil
        }
        announce(commit)
        trim.isRewritten = true
        trim.evicted = going
        trim.remaining = []
        trim.phase = .indexWords
        return commit
    }

    private func deleteSlice(_ trim: inout Trim) throws(StoreError) -> Commit? {
        guard let channel = trim.remaining.first, !trim.spares(channel) else {
            trim.remaining = []
            trim.phase = .forgetWords(isFirst: true)
            return nil
        }
        let url = channel.url
        let keptMessages = budget.keptMessages
        var isPinned = false
        // The moment through which messages are evicted, and whether more remain after them.
        let (end, isLast) = try inspect {
            connection throws(SQLiteError) -> (Timestamp, isLast: Bool) in
            guard let row = try connection.channelRow(url)?.row else {
                return (.distantFuture, true)
            }
            isPinned = try connection.first(.isPinned, row) ?? false
            let slice = try connection.first(.endOfOldest, (row, Self.slice)) ?? .distantFuture
            guard keptMessages > 0 else { return (slice, slice == .distantFuture) }
            // All messages of the first kept moment are kept; nothing is evicted if there are
            // fewer.
            let kept = try connection.first(.startOfNewest, (row, keptMessages)) ?? .distantPast
            let last = kept.advanced(by: -1)
            return (min(slice, last), slice >= last)
        }
        // The channel was pinned or opened after the plan was made, so the rest of it stays.
        if isPinned || trim.isOpenedSince(channel) {
            trim.remaining.removeFirst()
            trim.size = try usedBytes()
            if trim.remaining.isEmpty { trim.phase = .forgetWords(isFirst: true) }
            return nil
        }
        var commit: Commit?
        // If other commits have removed enough messages, the rest stays and nothing is written.
        if end > .distantPast {
            commit = try inspect { connection throws(SQLiteError) in
                try write([.evicted(url, through: end)], in: connection)
            }
        }
        if isLast {
            trim.evicted.append(channel)
            trim.remaining.removeFirst()
            // An error would lose the changes of the commit, so the last size stays.
            if let size = try? usedBytes() { trim.size = size }
            if trim.remaining.isEmpty { trim.phase = .forgetWords(isFirst: true) }
        }
        return commit
    }

    /// Adds channels to the trim if those of the plan were not enough.
    private func planRest(of trim: inout Trim) throws(StoreError) {
        trim.size = try usedBytes()
        if trim.size > trim.goal {
            let gone = Set(trim.evicted.map(\.url))
            trim.remaining = try evictionPlan(
                downTo: trim.plan.target, sparing: trim.open, only: .slices
            ).channels.filter { !gone.contains($0.url) && !trim.spares($0) }[...]
        }
        trim.phase = .slices
    }

    /// The words of deleted messages are only marked in the index; merging drops them.
    private func forgetWords(_ trim: inout Trim, _ isFirst: Bool) throws(StoreError) {
        // A later clearing may add words to a level that this merge has passed.
        if isFirst { trim.clearings = clearings.done }
        let hasRemoved = trim.followsClearing || !trim.evicted.isEmpty
        let isForgotten = try inspect { connection throws(SQLiteError) in
            guard try connection.first(.hasSearchState) == true, hasRemoved else { return true }
            let before = try connection.first(.totalChanges) ?? 0
            try connection.execute(isFirst ? .beginMergingWords : .goOnMergingWords)
            return (try connection.first(.totalChanges) ?? 0) - before < 2
        }
        trim.phase = .forgetWords(isFirst: false)
        guard isForgotten else { return }
        if hasRemoved { clearings.forgotten = max(clearings.forgotten, trim.clearings) }
        guard !trim.plan.isEmpty else {
            trim.phase = .giveBack
            return
        }
        // The size is exact only now: a word marked as deleted takes more space than before.
        trim.size = try usedBytes()
        try planRest(of: &trim)
        if trim.remaining.isEmpty { trim.phase = .giveBack }
    }

    private func giveBack(_ trim: inout Trim) throws(StoreError) {
        let isInMemory = isInMemory
        let count = try inspect { connection throws(SQLiteError) in
            let count = isInMemory ? 0 : try connection.giveBackPages(upTo: Self.givenBack)
            if count == 0, !isInMemory { try connection.emptyLog(patienceMS: 100) }
            return count
        }
        guard count == 0 else { return }
        trim.size = try usedBytes()
        trim.phase = .done
        budget.noteTrim(endingAt: trim.size)
    }
}
