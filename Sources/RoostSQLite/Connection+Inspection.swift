// SPDX-License-Identifier: Apache-2.0

extension Connection {
    /// Returns SQLite's findings about damage in the file, at most `limit`; empty if the file is
    /// intact.
    ///
    /// With `comparesIndices` each row is looked up in the indexes, and the reverse.
    ///
    /// - Complexity: Reads the whole file once; with the indexes, some ten times slower.
    package func damage(
        limit: Int = 100, comparesIndices: Bool = false
    ) throws(SQLiteError) -> [String] {
        let check = Query<Int, String>(
            sql: comparesIndices
                ? "SELECT integrity_check FROM pragma_integrity_check(?1)"
                : "SELECT quick_check FROM pragma_quick_check(?1)",
            bind: { limit, bindings in bindings.append(limit) },
            decode: { row in row.text(0) })
        do {
            let findings = try all(check, limit)
            return findings == ["ok"] ? [] : findings
        } catch  where error.isCorrupt {
            return [error.message]  // Too damaged for a list of findings.
        }
    }

    /// Returns SQLite's first finding about damage in the file; nil if the file is intact.
    ///
    /// As `damage`, and faster to begin: a number in the statement needs no table of findings.
    package func firstDamage(comparesIndices: Bool = false) throws(SQLiteError) -> String? {
        let check =
            comparesIndices
            ? Query<Void, String>(sql: "PRAGMA integrity_check(1)") { row in row.text(0) }
            : Query<Void, String>(sql: "PRAGMA quick_check(1)") { row in row.text(0) }
        do {
            let finding = try first(check)
            return finding == "ok" ? nil : finding
        } catch  where error.isCorrupt {
            return error.message  // Too damaged for a list of findings.
        }
    }
}
