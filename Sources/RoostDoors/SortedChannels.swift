// SPDX-License-Identifier: Apache-2.0

// A change of a list concerns few of its channels. Only these are placed anew, by halving, so a
// change of a long list costs no sort.

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
        for channel in new {
            let key = order.key(of: channel)
            let index = place(of: key)
            keys.insert(key, at: index)
            channels.insert(channel, at: index)
        }
    }

    /// Applies a change.
    ///
    /// The channels without a change keep their order. An updated channel has moved if it is now on
    /// the other side of one of them. Of the updated channels between the same two of them, as many
    /// as possible have stayed: a longest row of channels whose order among them is the old one.
    ///
    /// - Returns: The updated channels that have moved.
    package mutating func apply(_ change: ListDiff<GroupChannel>) -> Set<ChannelURL> {
        let updates = change.updated.map { update in
            (old: order.key(of: update.before), new: order.key(of: update.after))
        }
        for channel in change.deleted { remove(order.key(of: channel)) }
        for update in updates { remove(update.old) }
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
        let stayed = settled.map(\.old).longestAscent.map { settled[$0].new.url }
        return Set(updates.map(\.new.url)).subtracting(stayed)
    }

    private mutating func remove(_ key: ChannelSortKey) {
        let index = place(of: key)
        guard index < keys.count, keys[index] == key else { return }
        keys.remove(at: index)
        channels.remove(at: index)
    }

    /// Returns the number of channels before a key.
    private func place(of key: ChannelSortKey) -> Int { keys.prefixCount { $0 < key } }
}

extension Array {
    /// Returns the number of elements that meet a condition, all of which are before the rest.
    fileprivate func prefixCount(while belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Array where Element: Comparable {
    /// The indices of a longest row of ascending elements, in descending order.
    fileprivate var longestAscent: [Int] {
        // Of the rows of each length, the one with the least last element, by the index of it.
        var ends: [Int] = []
        // The index before each one in its row.
        var previous: [Int?] = []
        for index in indices {
            let length = ends.prefixCount { self[$0] < self[index] }
            previous.append(length > 0 ? ends[length - 1] : nil)
            if length < ends.count { ends[length] = index } else { ends.append(index) }
        }
        guard let last = ends.last else { return [] }
        return [Int](sequence(first: last) { previous[$0] })
    }
}
