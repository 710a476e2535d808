// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostServer

extension PostgresQuery where Output == (count: Int, last: Timestamp?) {
    /// The number of a thread's replies, and the time of the last one.
    static func threadEnd(_ channel: Int64, _ parent: MessageID) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT count(*), max(created_at) FROM message
            WHERE channel = $1 AND parent = $2 AND deleted_at IS NULL
            """, .int(channel), .int(parent.rawValue)
        ) { row in
            (Int(row.int64(0)), row.optionalInt64(1).map { Timestamp(milliseconds: $0) })
        }
    }
}

extension PostgresQuery where Output == Readable<User> {
    /// The users who replied in a thread, in the order of their first replies.
    static func repliers(_ channel: Int64, _ parent: MessageID, _ limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.body
            FROM (
                SELECT sender, min(id) AS first FROM message
                WHERE channel = $1 AND parent = $2 AND deleted_at IS NULL
                    AND sender IS NOT NULL
                GROUP BY sender ORDER BY first LIMIT $3) AS r
            JOIN users AS u ON u.id = r.sender ORDER BY r.first
            """, .int(channel), .int(parent.rawValue), .int(Int64(limit))
        ) { row in Readable { () throws(PostgresError) in try User(row, 0) } }
    }
}
