// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// The unsent in the order they were written, each to be found by its name.

extension Outbox {
    /// Two calls may come back from the disk in either order; the disk's order counts.
    func place(_ item: OutboxItem) {
        items.insert(item, at: firstIndex(from: item.sequence))
        sequences[item.requestID] = item.sequence
    }

    /// Takes an item out of the order.
    func takeOut(at index: Int) -> OutboxItem {
        let item = items.remove(at: index)
        sequences[item.requestID] = nil
        return item
    }

    func index(of requestID: RequestID) -> Int? {
        // A damaged file may give a number again that memory knows.
        sequences[requestID].flatMap { sequence in
            items[firstIndex(from: sequence)...].firstIndex { $0.requestID == requestID }
        }
    }

    /// Where the first item stands that has this place or a later one.
    private func firstIndex(from sequence: Int64) -> Int {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
