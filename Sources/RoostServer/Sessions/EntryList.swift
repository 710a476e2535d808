// SPDX-License-Identifier: Apache-2.0

/// A dictionary with its keys in the order of entry.
///
/// A removed element leaves a hole, and the holes are closed when they are more than the elements. So an
/// entry costs O(1), and a removal O(1) on average, as in a dictionary.
struct EntryList<Key: Hashable, Value> {
    private var slots: [(key: Key, value: Value)?] = []
    private var places: [Key: Int] = [:]

    var count: Int { places.count }

    /// The keys in the order of entry.
    var keys: [Key] { slots.compactMap { $0?.key } }

    /// The values in the order of entry.
    var elements: [Value] { slots.compactMap { $0?.value } }

    subscript(key: Key) -> Value? {
        get { places[key].flatMap { slots[$0]?.value } }
        set {
            if let newValue {
                if let place = places[key] {
                    slots[place] = (key, newValue)
                } else {
                    places[key] = slots.count
                    slots.append((key, newValue))
                }
            } else if let place = places.removeValue(forKey: key) {
                slots[place] = nil
                if slots.count > 2 * places.count { closeHoles() }
            }
        }
    }

    private mutating func closeHoles() {
        slots.removeAll { $0 == nil }
        for (place, slot) in slots.enumerated() {
            if let key = slot?.key { places[key] = place }
        }
    }
}
