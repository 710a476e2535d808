// SPDX-License-Identifier: Apache-2.0

// Most changes of a list concern few of its channels. Only these are placed anew, by binary search,
// so a change of a long list costs no sort. A change of many channels is one pass over the list.

package import RoostModel

/// Channels in the order of a query.
///
/// - Invariant: `keys` has the keys of `channels` at the same places, in ascending order.
package struct SortedChannels: Sendable {
    package private(set) var channels: [GroupChannel] = []
    private var keys: [ChannelSortKey] = []
    private let order: ChannelOrder

    package init(_ order: ChannelOrder) { self.order = order }

    /// Adds channels that the list does not have.
    package mutating func insert(_ new: [GroupChannel]) {
        let new = new.map { (key: order.key(of: $0), channel: $0) }
        guard !isBulk(new.count) else { return merge(new.sorted { $0.key < $1.key }) }
        for (key, channel) in new {
            let index = place(of: key)
            keys.insert(key, at: index)
            channels.insert(channel, at: index)
        }
    }

    /// Adds channels that the list does not have, in ascending order, in one pass.
    private mutating func merge(_ new: [(key: ChannelSortKey, channel: GroupChannel)]) {
        var rest = new[...]
        var all = SortedChannels(order)
        for (key, channel) in zip(keys, channels) {
            while let next = rest.first, next.key < key {
                all.append(next.key, next.channel)
                rest = rest.dropFirst()
            }
            all.append(key, channel)
        }
        for (key, channel) in rest { all.append(key, channel) }
        self = all
    }

    private mutating func append(_ key: ChannelSortKey, _ channel: GroupChannel) {
        keys.append(key)
        channels.append(channel)
    }

    /// Whether one pass over the list costs less than a change of each channel.
    private func isBulk(_ count: Int) -> Bool { count > keys.count / 8 }

    /// Applies a change.
    ///
    /// The channels without a change keep their order. An updated channel has moved if it is now on
    /// the other side of one of them. Of the updated channels between the same two of them, as many
    /// as possible have stayed: a longest increasing subsequence of their old places.
    ///
    /// - Returns: The updated channels that have moved.
    package mutating func apply(_ change: ListDiff<GroupChannel>) -> Set<ChannelURL> {
        let updates = change.updated.map { update in
            (old: order.key(of: update.before), new: order.key(of: update.after))
        }
        remove(change.deleted.map { order.key(of: $0) } + updates.map(\.old))
        let moved = movers(among: updates)
        insert(change.updated.map(\.after) + change.inserted)
        return moved
    }

    /// Returns the channels that have moved, while the list has only those without a change.
    private func movers(
        among updates: [(old: ChannelSortKey, new: ChannelSortKey)]
    ) -> Set<ChannelURL> {
        let settled = updates.filter { place(of: $0.old) == place(of: $0.new) }
            .sorted { $0.new < $1.new }
        let stayed = settled.map(\.old).longestIncreasingSubsequence.map { settled[$0].new.url }
        return Set(updates.map(\.new.url)).subtracting(stayed)
    }

    private mutating func remove(_ removed: [ChannelSortKey]) {
        guard !isBulk(removed.count) else {
            let removed = Set(removed)
            let rest = keys.indices.filter { !removed.contains(keys[$0]) }
            (keys, channels) = (rest.map { keys[$0] }, rest.map { channels[$0] })
            return
        }
        for key in removed {
            let index = place(of: key)
            guard index < keys.count, keys[index] == key else { continue }
            keys.remove(at: index)
            channels.remove(at: index)
        }
    }

    /// Returns the number of channels before a key.
    private func place(of key: ChannelSortKey) -> Int { keys.partitionPoint { $0 < key } }
}

extension Array where Element: Comparable {
    /// The indices of a longest increasing subsequence, in descending order.
    fileprivate var longestIncreasingSubsequence: [Int] {
        // Of the subsequences of each length, the index of the least last element.
        var ends: [Int] = []
        // The index before each one in its subsequence.
        var previous: [Int?] = []
        for index in indices {
            let length = ends.partitionPoint { self[$0] < self[index] }
            previous.append(length > 0 ? ends[length - 1] : nil)
            if length < ends.count { ends[length] = index } else { ends.append(index) }
        }
        guard let last = ends.last else { return [] }
        return [Int](sequence(first: last) { previous[$0] })
    }
}
