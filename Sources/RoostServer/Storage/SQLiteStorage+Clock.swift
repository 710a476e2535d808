// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQLite

extension SQLiteStorage {
    /// Returns the latest time that a change or `note(_:)` has stored.
    ///
    /// Later changes have no earlier time, even if the machine's clock goes back.
    package func notedTime() throws(StorageError) -> Timestamp {
        try read { db throws(SQLiteError) in
            Timestamp(milliseconds: try db.first(.notedTime) ?? 0)
        }
    }

    /// Stores the server's time, so that the time does not go back at the next start.
    package func note(_ time: Timestamp) throws(StorageError) {
        try write { db throws(SQLiteError) in try db.execute(.noteTime, time) }
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var notedTime: Query {
        Query(sql: "SELECT changed_at FROM clock") { row in row.int64(0) }
    }
}

extension Query where Input == Timestamp, Output == Void {
    fileprivate static var noteTime: Query {
        Query(
            sql: "UPDATE clock SET changed_at = ?1 WHERE changed_at < ?1",
            bind: { time, bindings in bindings.append(time.milliseconds) })
    }
}
