// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension Connection {
    /// Returns the plan of an eviction, without a change.
    ///
    /// Without a target it takes that of the budget. A way that the cache cannot take replaces the
    /// wanted one.
    func evictionPlan(
        downTo target: Int64?, sparing open: Set<ChannelURL> = [], under keeper: BudgetKeeper,
        isInMemory: Bool = false, only wanted: EvictionPlan.Way? = nil
    ) throws(SQLiteError) -> EvictionPlan {
        let words = try SearchIndex.byteCount(in: self)
        let weights = try channelWeights()
        let used = try space().usedBytes
        let other = try first(.otherBytes) ?? 0
        let packed = PackedBytes(weights.map(\.holding), used: used, other: other, words: words)
        let size = CacheSize(used: used, other: other, packed: packed.all)
        let channels = weights.map { weight in
            CachedChannel(
                weight, ByteCount(bytes: packed.held(weight.holding)),
                isOpen: open.contains(weight.url))
        }
        // No file can be written beside a cache in memory, and a copy could not decrypt sealed
        // rows. A file made without the means to return pages shrinks only by a rewrite. A copy
        // has all of a channel or none of it.
        let way: EvictionPlan.Way? =
            isInMemory || seals != nil || keeper.keptMessages > 0
            ? .slices : try first(.autoVacuum) == 0 ? .rewrite : wanted
        if let target {
            return EvictionPlan(
                downTo: target, channels: channels, size: size, order: keeper.order,
                keeping: Int64(keeper.keptMessages), only: way)
        }
        return EvictionPlan(
            for: keeper.budget ?? CacheBudget(ByteCount(bytes: .max)), channels: channels,
            size: size,
            order: keeper.order, keeping: Int64(keeper.keptMessages), only: way)
    }

    /// Rewrites the cache without the messages of some channels.
    ///
    /// - Parameters:
    ///   - channels: The channels to evict.
    ///   - expectedBytes: The expected size, for the check of free space.
    /// - Returns: The changes, as the commit of a transaction.
    /// - Throws: `isBusy`, `isFull` and other errors; the cache is unchanged then.
    func rewrite(
        without channels: [ChannelURL], expectedBytes: Int64
    ) throws(SQLiteError) -> Commit {
        var commit = Commit(sequence: 0, changes: [])
        try rewrite(
            choosing: ["message", "coverage"], expectedBytes: expectedBytes
        ) { copy throws(SQLiteError) in
            commit = try copy.keep(allBut: channels)
        }
        return commit
    }

    /// Whether a channel is pinned, perhaps after the plan was made.
    func isPinned(_ url: ChannelURL) throws(SQLiteError) -> Bool {
        guard let row = try channelRow(url)?.row else { return false }
        return try first(.isPinned, row) ?? false
    }

    /// Fills the copy of a rewrite.
    private func keep(allBut urls: [ChannelURL]) throws(SQLiteError) -> Commit {
        var going: [Int64: ChannelURL] = [:]
        for url in urls {
            if let row = try first(.channelRow, url)?.row { going[row] = url }
        }
        var changes: [Change] = []
        var isEmpty = true
        for row in try all(.liveChannels) {
            if let url = going[row] {
                if let change = try eviction(of: url, row: row) { changes.append(change) }
                try execute(.emptyHolding, row)
                try execute(.deleteRecent, row)
            } else {
                if try execute(.keepMessages, row) > 0 { isEmpty = false }
                try execute(.keepCoverage, row)
            }
        }
        if try first(.hasSearchState) == true {
            // The index of the copy is empty; it is filled again like that of an old cache.
            let floor: Int64 = isEmpty ? .min : .max
            try execute(.putSearchState, SearchIndex.State(floor: floor, backfilled: 0))
            try SearchIndex.arrange(in: self, isToBeFilled: !isEmpty)
        }
        let sequence = try takeCommitNumber(after: try lastCommitNumber())
        return Commit(sequence: sequence, changes: changes)
    }

    /// Returns the change that observers get for a channel that was not copied; nil if the channel was
    /// unknown.
    private func eviction(of url: ChannelURL, row: Int64) throws(SQLiteError) -> Change? {
        let before = Coverage(try all(.liveCoverage, CoverageKey(channelRow: row)))
        var filters: [MessageFilter] = []
        for filterRow in try all(.liveFilters, row) {
            if let filter = try first(.filter, filterRow) { filters.append(filter) }
        }
        guard !before.isEmpty || !filters.isEmpty else { return nil }
        return .messages(
            MessagesChange(
                channel: url, coverageBefore: before, coverageAfter: Coverage(), filters: filters))
    }
}

extension CachedChannel {
    fileprivate init(_ weight: ChannelWeight, _ size: ByteCount, isOpen: Bool) {
        self.init(
            url: weight.url, cachedMessageCount: weight.holding.messageCount,
            size: size, openedAt: weight.accessedAt.map { Timestamp(milliseconds: $0) },
            lastMessageAt: weight.lastMessageAt, isPinned: weight.isPinned, isOpen: isOpen)
    }
}
