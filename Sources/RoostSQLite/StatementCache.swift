// SPDX-License-Identifier: Apache-2.0

/// Prepared statements at rest, by where their SQL stands in the program.
///
/// A statement is taken out for the time of its use, so a nested use of the same query finds none and
/// prepares another. Past the capacity the one unused for longest goes.
struct StatementCache {
    private struct Entry {
        let statement: Statement
        let lastUse: UInt64
    }

    private let capacity: Int
    private var entries: [UInt: Entry] = [:]
    private var useCount: UInt64 = 0

    init(capacity: Int) {
        precondition(capacity > 0, "A statement cache needs room for one statement at least.")
        self.capacity = capacity
    }

    mutating func take(_ sql: SQL) -> Statement? {
        entries.removeValue(forKey: sql.address)?.statement
    }

    mutating func putBack(_ statement: Statement) {
        useCount += 1
        entries[statement.sql.address] = Entry(statement: statement, lastUse: useCount)
        guard entries.count > capacity else { return }
        if let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries.removeValue(forKey: oldest.key)
        }
    }

    mutating func removeAll() {
        entries.removeAll()
    }

    var count: Int { entries.count }
}
