// SPDX-License-Identifier: Apache-2.0

/// The events of a world in the order of their times, and of equal times in the order of their
/// scheduling.
struct EventQueue<Event> {
    private struct Entry {
        let time: Int64
        let number: Int
        let event: Event

        func precedes(_ other: Entry) -> Bool {
            time == other.time ? number < other.number : time < other.time
        }
    }

    /// A binary heap: each entry precedes those at twice its place and after.
    private var entries: [Entry] = []
    private var lastNumber = 0

    /// The time of the next event.
    var nextTime: Int64? { entries.first?.time }

    mutating func schedule(_ event: Event, at time: Int64) {
        lastNumber += 1
        entries.append(Entry(time: time, number: lastNumber, event: event))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].precedes(entries[parent]) else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() -> (time: Int64, event: Event)? {
        guard let first = entries.first else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < entries.count else { break }
            let right = left + 1
            let hasRight = right < entries.count && entries[right].precedes(entries[left])
            let child = hasRight ? right : left
            guard entries[child].precedes(entries[parent]) else { break }
            entries.swapAt(child, parent)
            parent = child
        }
        return (first.time, first.event)
    }
}
