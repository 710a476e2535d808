// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension ReadSession {
    private func channel(sealed stored: StoredChannel) throws(SQLiteError) -> GroupChannel? {
        guard let rowSeals else { return try channel(stored) }
        return try channel(stored.opened(by: rowSeals, as: try url(ofRow: stored.row)))
    }

    /// Returns a page of a list in a sealed cache, whose rows of equal times are in the order of
    /// hashes.
    ///
    /// All rows with the last time of the page are read, so that the page can be sorted by URL.
    func sealedChannels(
        _ query: Query<ChannelPage, StoredChannel>, _ page: ChannelPage,
        after last: ChannelSortKey?, _ order: ChannelOrder, limit: Int,
        matching isWanted: (GroupChannel) -> Bool
    ) throws(SQLiteError) -> [GroupChannel] {
        // No hash precedes the empty text, so rows with the time of `last` are read again.
        let start = ChannelPage(
            lastMessageAt: page.lastMessageAt, createdAt: page.createdAt, url: ChannelURL(""),
            filter: page.filter, customTypeRow: page.customTypeRow)
        var found: [(key: ChannelSortKey, channel: GroupChannel)] = []
        try connection.scan(query, start) { row throws(SQLiteError) in
            guard let channel = try channel(sealed: StoredChannel(row)) else { return true }
            let key = order.key(of: channel)
            if let end = found.last?.key, found.count >= limit, !end.hasSameTimes(as: key) {
                return false
            }
            if last.map({ $0 < key }) ?? true, isWanted(channel) { found.append((key, channel)) }
            return true
        }
        return found.sorted { $0.key < $1.key }.prefix(limit).map(\.channel)
    }
}

extension ReadSession {
    /// Returns a page of a list whose filter names its channels; looks each of them up.
    func channels(
        _ filter: ChannelFilter, _ order: ChannelOrder, after last: ChannelSortKey?, limit: Int
    ) throws(SQLiteError) -> [GroupChannel] {
        let me = try me()
        var found: [(key: ChannelSortKey, channel: GroupChannel)] = []
        for url in filter.urls.sorted() {
            guard let stored = try connection.storedChannel(url),
                let channel = try channel(stored), filter.matches(channel, viewer: me)
            else { continue }
            let key = order.key(of: channel)
            if last.map({ $0 < key }) ?? true { found.append((key, channel)) }
        }
        return found.sorted { $0.key < $1.key }.prefix(limit).map(\.channel)
    }

    /// Returns a page of a list ordered by fields of payloads; reads all channels of the list.
    func channelsByText(
        _ query: Query<ChannelPage, StoredChannel>, _ all: ChannelPage, _ order: ChannelOrder,
        after last: ChannelSortKey?, limit: Int, matching isWanted: (GroupChannel) -> Bool
    ) throws(SQLiteError) -> [GroupChannel] {
        var found: [(key: ChannelSortKey, channel: GroupChannel)] = []
        try connection.scan(query, all) { row throws(SQLiteError) in
            guard let channel = try channel(sealed: StoredChannel(row)) else { return true }
            let key = order.key(of: channel)
            if last.map({ $0 < key }) ?? true, isWanted(channel) { found.append((key, channel)) }
            return true
        }
        return found.sorted { $0.key < $1.key }.prefix(limit).map(\.channel)
    }
}

extension ChannelSortKey {
    fileprivate func hasSameTimes(as other: ChannelSortKey) -> Bool {
        createdAt == other.createdAt && lastMessageAt == other.lastMessageAt
    }
}
