// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What one step changed in a channel list; replaying all of them rebuilds the list.
package struct ChannelListDiff: Hashable, Sendable {
    /// In list order.
    package var inserted: [GroupChannel] = []
    /// Includes channels that moved.
    package var updated: [Update<GroupChannel>] = []
    package var deleted: [ChannelURL] = []

    package init() {}

    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// Keeps one open channel list sorted, free of doubles and true to the store.
package struct ChannelListMachine: Sendable {
    package let order: ChannelOrder
    package let includesEmpty: Bool
    package private(set) var channels: [GroupChannel] = []
    /// Whether channels beyond the last shown may exist.
    package private(set) var hasMore = true
    /// The last commit the list contains.
    package private(set) var sequence: Int64 = .min

    package init(order: ChannelOrder, includesEmpty: Bool) {
        self.order = order
        self.includesEmpty = includesEmpty
    }

    /// Shows what a read of the cache found.
    ///
    /// `hasMore` says whether the list goes on beyond these channels; `sequence` is the last commit
    /// the read has seen.
    package mutating func replace(
        with channels: [GroupChannel], hasMore: Bool, sequence: Int64
    ) -> ChannelListDiff {
        let before = self.channels
        self.channels = channels.filter(belongs).sorted { order.key(of: $0) < order.key(of: $1) }
        self.hasMore = hasMore
        self.sequence = max(self.sequence, sequence)
        return diff(from: before)
    }

    /// Applies one commit.
    ///
    /// Commits come in order; one the list already contains changes nothing.
    package mutating func apply(_ commit: Commit) -> ChannelListDiff {
        guard commit.sequence > sequence else { return ChannelListDiff() }
        sequence = commit.sequence
        let before = channels
        for change in commit.changes {
            guard case .channels(let change) = change else { continue }
            for url in change.deleted { remove(url) }
            for update in change.updated { place(update.after) }
            for channel in change.inserted { place(channel) }
        }
        return before == channels ? ChannelListDiff() : diff(from: before)
    }

    private func belongs(_ channel: GroupChannel) -> Bool {
        channel.myState != .none && (includesEmpty || channel.lastMessage != nil)
    }

    private mutating func remove(_ url: ChannelURL) { channels.removeAll { $0.url == url } }

    private mutating func place(_ channel: GroupChannel) {
        let wasShown = channels.contains { $0.url == channel.url }
        remove(channel.url)
        guard belongs(channel) else { return }
        let key = order.key(of: channel)
        let index = channels.firstIndex { order.key(of: $0) > key } ?? channels.count
        // At the very end of a list that goes on, it belongs to a page not loaded yet.
        if index == channels.count && hasMore && !channels.isEmpty && !wasShown { return }
        channels.insert(channel, at: index)
    }

    private func diff(from before: [GroupChannel]) -> ChannelListDiff {
        var diff = ChannelListDiff()
        let old = Dictionary(uniqueKeysWithValues: before.map { ($0.url, $0) })
        let present = Set(channels.map(\.url))
        diff.deleted = before.map(\.url).filter { !present.contains($0) }
        for channel in channels {
            guard let known = old[channel.url] else {
                diff.inserted.append(channel)
                continue
            }
            if known != channel { diff.updated.append(Update(before: known, after: channel)) }
        }
        return diff
    }
}
