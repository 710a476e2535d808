// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension Connection {
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
