// SPDX-License-Identifier: Apache-2.0

/// Prepared statements that are not in use, by the address of their SQL in the program.
///
/// A statement is taken out while it is used, so a nested use of the same query prepares another.
/// Beyond the capacity the statement unused for longest is dropped.
struct StatementCache {
    private let capacity: Int
    /// The addresses of the SQL; a search through some dozens of numbers is faster than hashing
    /// one.
    private var addresses: [UInt] = []
    /// Nil while the statement is in use.
    private var statements: [Statement?] = []
    private var lastUses: [UInt64] = []
    private var useCount: UInt64 = 0

    init(capacity: Int) {
        precondition(capacity > 0, "A statement cache needs room for one statement at least.")
        self.capacity = capacity
    }

    mutating func take(_ sql: SQL) -> Statement? {
        guard let place = addresses.firstIndex(of: sql.address) else { return nil }
        return statements[place].take()
    }

    mutating func putBack(_ statement: Statement) {
        useCount += 1
        if let place = addresses.firstIndex(of: statement.sql.address) {
            statements[place] = statement
            lastUses[place] = useCount
            return
        }
        addresses.append(statement.sql.address)
        statements.append(statement)
        lastUses.append(useCount)
        guard count > capacity,
            let oldest = lastUses.indices.min(by: { lastUses[$0] < lastUses[$1] })
        else { return }
        addresses.remove(at: oldest)
        statements.remove(at: oldest)
        lastUses.remove(at: oldest)
    }

    mutating func removeAll() {
        addresses.removeAll()
        statements.removeAll()
        lastUses.removeAll()
    }

    var count: Int { addresses.count }
}
