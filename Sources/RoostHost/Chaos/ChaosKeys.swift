// SPDX-License-Identifier: Apache-2.0

/// The session keys that a server with faults has seen: their users, and those that are over.
///
/// - Invariant: Each list has at most `limit` entries; the oldest ones are forgotten.
struct ChaosKeys: Sendable {
    static let limit = 10_000

    private var users = RecentEntries<String>(limit: limit)
    private var ended = RecentEntries<Bool>(limit: limit)

    mutating func learn(_ key: String, of user: String) { users.insert(user, for: key) }

    func user(of key: String?) -> String? { key.flatMap { users[$0] } }

    mutating func end(_ key: String) { ended.insert(true, for: key) }

    func isEnded(_ key: String?) -> Bool { key.flatMap { ended[$0] } ?? false }
}

/// The entries that were inserted last.
private struct RecentEntries<Value: Sendable>: Sendable {
    private let limit: Int
    private var values: [String: Value] = [:]
    /// The keys by age; a ring once it is full.
    private var keys: [String] = []
    private var oldest = 0

    init(limit: Int) { self.limit = limit }

    subscript(key: String) -> Value? { values[key] }

    mutating func insert(_ value: Value, for key: String) {
        guard values.updateValue(value, forKey: key) == nil else { return }
        guard keys.count == limit else { return keys.append(key) }
        values[keys[oldest]] = nil
        keys[oldest] = key
        oldest = (oldest + 1) % limit
    }
}
