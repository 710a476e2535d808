// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

extension Connection {
    /// Runs `body` within the open transaction as a part that may fail alone.
    ///
    /// Parts do not nest.
    ///
    /// - Returns: What the body returned, or why nothing of it is left.
    /// - Throws: When the transaction itself is gone, as after a full disk; it has to be begun again.
    package func part<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> Result<T, SQLiteError> {
        precondition(isInTransaction, "A part needs a transaction to be a part of.")
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
