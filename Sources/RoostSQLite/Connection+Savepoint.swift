// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

extension Connection {
    /// Runs `body` within the open transaction as a part that may fail alone.
    ///
    /// Parts do not nest.
    ///
    /// - Returns: The result of the body, or the error after which the part was undone.
    /// - Throws: An error if the whole transaction was undone, as after a full disk.
    package func part<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> Result<T, SQLiteError> {
        precondition(isInTransaction, "A part needs an open transaction.")
        try execute(Query(sql: "SAVEPOINT part"))
        do {
            let value = try body()
            try execute(Query(sql: "RELEASE part"))
            return .success(value)
        } catch {
            // SAFETY: the handle lives as long as `self`.
            guard unsafe sqlite3_get_autocommit(handle) == 0 else { throw error }
            try executeScript("ROLLBACK TO part; RELEASE part")
            return .failure(error)
        }
    }
}
