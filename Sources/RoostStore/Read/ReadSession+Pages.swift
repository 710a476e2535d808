// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension ReadSession {
    /// Returns the cached messages of a window.
    ///
    /// All of them come from one covered range.
    func window(_ query: WindowQuery) throws(SQLiteError) -> CacheWindow {
        guard let row = try channelRow(query.channel) else {
            return CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: sequence)
        }
        let coverage = try coverage(ofRow: row, under: query.filter)
        guard let range = query.range(in: coverage) else {
            return CacheWindow(extent: nil, messages: [], coverage: coverage, sequence: sequence)
        }
        let filter = try rowFilter(query.filter)
        func page(
            from lower: Position?, through upper: Position?, newestFirst: Bool, limit: Int
        ) throws(SQLiteError) -> (messages: [Message], hasMore: Bool) {
            guard let lower, let upper, lower <= upper, let filter else { return ([], false) }
            return try self.page(
                MessageStretch(channelRow: row, lower: lower, upper: upper), filter,
                in: query.channel, newestFirst: newestFirst, limit: limit)
        }
        let lower = max(query.lower, range.lower)
        let upper = min(query.upper, range.upper)
        // If the position is outside the range, one side is empty and the other has the whole
        // range.
        let olderEnd = lower == .distantPast ? nil : min(lower.previous, range.upper)
        let newerStart = upper == .distantFuture ? nil : max(upper.next, range.lower)
        // A query without newer messages skips the check for them, which takes as long as reading
        // some messages.
        let end = query.newerCount == 0 ? min(range.upper, max(upper, range.lower)) : range.upper
        return CacheWindow(
            range: CoveredRange(lower: range.lower, upper: end),
            older: try page(
                from: range.lower, through: olderEnd, newestFirst: true, limit: query.olderCount),
            inside: query.isBetweenMessages
                ? []
                : try page(from: lower, through: upper, newestFirst: false, limit: .max).messages,
            newer: query.newerCount == 0
                ? ([], false)
                : try page(
                    from: newerStart, through: range.upper, newestFirst: false,
                    limit: query.newerCount),
            coverage: coverage, sequence: sequence)
    }

    /// Returns the matching messages of a stretch, in the requested order.
    func messages(
        _ stretch: MessageStretch, _ filter: RowFilter, in channel: ChannelURL, newestFirst: Bool,
        limit: Int
    ) throws(SQLiteError) -> [Message] {
        guard limit > 0 else { return [] }
        return try page(stretch, filter, in: channel, newestFirst: newestFirst, limit: limit)
            .messages
    }

    /// Returns a page and whether another message matches; that one is not decoded.
    private func page(
        _ stretch: MessageStretch, _ filter: RowFilter, in channel: ChannelURL, newestFirst: Bool,
        limit: Int
    ) throws(SQLiteError) -> (messages: [Message], hasMore: Bool) {
        let (query, key) = filter.statement(newestFirst: newestFirst)
        var stretch = stretch
        stretch.key = key
        var messages: [Message] = []
        messages.reserveCapacity(min(limit, 128))
        var hasMore = false
        try connection.scan(query, stretch) { row throws(SQLiteError) in
            let place = Position(row, column: 1)
            guard stretch.contains(place), filter.matches(row) else { return true }
            guard messages.count < limit else {
                hasMore = true
                return false
            }
            messages.append(try message(row, at: place, in: channel).message)
            return true
        }
        return (messages, hasMore)
    }
}
