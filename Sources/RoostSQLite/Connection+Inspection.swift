// SPDX-License-Identifier: Apache-2.0

extension Connection {
    /// Returns SQLite's findings about damage in the file, at most a hundred; empty if the file is
    /// intact.
    ///
    /// With `comparesIndices` each row is looked up in the indexes, and the reverse.
    ///
    /// - Complexity: Reads the whole file once; with the indexes, some ten times slower.
    package func damage(comparesIndices: Bool = false) throws(SQLiteError) -> [String] {
        try findings(comparesIndices ? "PRAGMA integrity_check(100)" : "PRAGMA quick_check(100)")
    }

    /// Returns SQLite's first finding about damage in the file; nil if the file is intact.
    ///
    /// As `damage`, and ends with the first finding.
    package func firstDamage(comparesIndices: Bool = false) throws(SQLiteError) -> String? {
        try findings(comparesIndices ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)").first
    }

    private func findings(_ check: SQL) throws(SQLiteError) -> [String] {
        do {
            let findings = try all(Query<Void, String>(sql: check) { row in row.text(0) })
            return findings == ["ok"] ? [] : findings
        } catch  where error.isCorrupt {
            return [error.message]  // Too damaged for a list of findings.
        }
    }
}
