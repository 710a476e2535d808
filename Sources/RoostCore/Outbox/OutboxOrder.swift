// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The unsent items in the order of writing, with look-up by request ID.
package struct OutboxOrder: Equatable, Codable, Sendable {
    package private(set) var items: [OutboxItem] = []
    private var sequences: [RequestID: Int64] = [:]

    package init() {}

    /// The item of a request ID.
    package subscript(requestID: RequestID) -> OutboxItem? {
        index(of: requestID).map { items[$0] }
    }

    package func contains(_ requestID: RequestID) -> Bool { sequences[requestID] != nil }

    /// Inserts an item at its place.
    package mutating func place(_ item: OutboxItem) {
        items.insert(item, at: firstIndex(from: item.sequence))
        sequences[item.requestID] = item.sequence
    }

    @discardableResult
    package mutating func takeOut(_ requestID: RequestID) -> OutboxItem? {
        guard let index = index(of: requestID) else { return nil }
        sequences[requestID] = nil
        return items.remove(at: index)
    }

    /// Changes an item without moving it; returns the changed item.
    @discardableResult
    package mutating func change(
        _ requestID: RequestID, _ body: (inout OutboxItem) -> Void
    ) -> OutboxItem? {
        guard let index = index(of: requestID) else { return nil }
        body(&items[index])
        return items[index]
    }

    private func index(of requestID: RequestID) -> Int? {
        // A damaged file may assign a number that an item in memory already has.
        sequences[requestID].flatMap { sequence in
            items[firstIndex(from: sequence)...].firstIndex { $0.requestID == requestID }
        }
    }

    /// Returns the index of the first item with this number or a later one.
    private func firstIndex(from sequence: Int64) -> Int {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
