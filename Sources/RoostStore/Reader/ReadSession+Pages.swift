// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension ReadSession {
    /// What the cache holds of a window; its whole answer comes from one covered range.
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
        ) throws(SQLiteError) -> [Message] {
            guard let lower, let upper, lower <= upper, let filter else { return [] }
            return try messages(
                MessageStretch(channelRow: row, lower: lower, upper: upper), filter,
                in: query.channel, newestFirst: newestFirst, limit: limit)
        }
        let lower = max(query.lower, range.lower)
        let upper = min(query.upper, range.upper)
        // A point beside the range leaves one side empty: all of the range lies on the other.
        let olderEnd = lower == .distantPast ? nil : min(lower.previous, range.upper)
        let newerStart = upper == .distantFuture ? nil : max(upper.next, range.lower)
        return CacheWindow(
            query: query, range: range,
            older: try page(
                from: range.lower, through: olderEnd, newestFirst: true,
                limit: query.olderCount + 1),
            inside: query.isBetweenMessages
                ? [] : try page(from: lower, through: upper, newestFirst: false, limit: .max),
            newer: try page(
                from: newerStart, through: range.upper, newestFirst: false,
                limit: query.newerCount + 1),
            coverage: coverage, sequence: sequence)
    }

    /// Messages of a stretch that match, in the order asked for.
    func messages(
        _ stretch: MessageStretch, _ filter: RowFilter, in channel: ChannelURL, newestFirst: Bool,
        limit: Int
    ) throws(SQLiteError) -> [Message] {
        guard limit > 0 else { return [] }
        let (query, key) = filter.statement(newestFirst: newestFirst)
        var stretch = stretch
        stretch.key = key
        var messages: [Message] = []
        messages.reserveCapacity(min(limit, 128))
        try connection.scan(query, stretch) { row throws(SQLiteError) in
            guard filter.matches(row) else { return true }
            messages.append(try message(row, in: channel).message)
            return messages.count < limit
        }
        return messages
    }
}
