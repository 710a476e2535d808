// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

extension Connection {
    /// Returns the number of users, words, filters and cursors that cannot be read.
    ///
    /// Channels and messages are checked by their readers.
    func unreadableRowCount() throws(SQLiteError) -> Int {
        var count = 0
        func look(_ read: () throws(SQLiteError) -> Void) throws(SQLiteError) {
            do throws(SQLiteError) {
                try read()
            } catch  where error.isMalformedValue {
                count += 1
            }
        }
        for row in try all(.userRows) {
            try look { () throws(SQLiteError) in _ = try user(inRow: row) }
        }
        for row in try all(.wordRows) {
            try look { () throws(SQLiteError) in _ = try word(inRow: row) }
        }
        for row in try all(.filterRows) {
            try look { () throws(SQLiteError) in _ = try filter(inRow: row) }
        }
        for (kind, row) in try all(.cursorKeys) {
            try look { () throws(SQLiteError) in _ = try cursor(kind: kind, channelRow: row) }
        }
        return count
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static let userRows = Query(sql: "SELECT id FROM user") { row in row.int64(0) }
    fileprivate static let wordRows = Query(sql: "SELECT id FROM word") { row in row.int64(0) }
}

extension Query where Input == Void, Output == (kind: Int64, channelRow: Int64) {
    fileprivate static let cursorKeys = Query(sql: "SELECT kind, channel_id FROM cursor") { row in
        (row.int64(0), row.int64(1))
    }
}
