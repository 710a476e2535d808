// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The keys of a sorted list, each once; places are found by halving.
package struct SortedKeys<Key: Comparable & Codable & Sendable>: Codable, Sendable {
    package private(set) var all: [Key] = []

    /// `sorted` is in rising order.
    package init(_ sorted: [Key] = []) { all = sorted }

    /// Returns the place behind all keys that are not greater.
    package func end(of key: Key) -> Int { all.partitionPoint { $0 <= key } }

    /// Returns the place of a key; nil if the list does not have it.
    package func index(of key: Key) -> Int? {
        let index = end(of: key) - 1
        return index >= 0 && all[index] == key ? index : nil
    }

    package mutating func insert(_ key: Key, at index: Int) { all.insert(key, at: index) }
    package mutating func remove(at index: Int) { all.remove(at: index) }
}
