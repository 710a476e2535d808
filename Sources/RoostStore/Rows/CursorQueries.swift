// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
internal import RoostSQLite

extension CursorKey {
    /// The stored number of the kind; never reused.
    var kind: Int64 {
        switch self {
        case .channelChanges: 1
        case .messageChanges: 2
        case .channelFill: 3
        }
    }
}

extension Query where Input == (kind: Int64, channelRow: Int64), Output == Cursor {
    static let cursor = Query(
        sql: "SELECT token, moment FROM cursor WHERE kind = ?1 AND channel_id = ?2",
        bind: { input, bindings in
            bindings.append(input.kind)
            bindings.append(input.channelRow)
        },
        decode: { row in
            if let token = row.optionalText(0) {
                Cursor.token(token)
            } else {
                Cursor.moment(Timestamp(milliseconds: row.int64(1)))
            }
        })
}

extension Query where Input == (kind: Int64, channelRow: Int64, cursor: Cursor), Output == Void {
    static let putCursor = Query(
        sql: """
            INSERT INTO cursor (kind, channel_id, token, moment) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (kind, channel_id)
                DO UPDATE SET token = ?3, moment = ?4, sealed_token = NULL
            """,
        bind: { input, bindings in
            bindings.append(input.kind)
            bindings.append(input.channelRow)
            switch input.cursor {
            case .token(let token):
                bindings.append(token)
                bindings.appendNull()
            case .moment(let moment):
                bindings.appendNull()
                bindings.append(moment.milliseconds)
            }
        })
}

extension Query where Input == (kind: Int64, channelRow: Int64), Output == Void {
    static let deleteCursor = Query(
        sql: "DELETE FROM cursor WHERE kind = ?1 AND channel_id = ?2",
        bind: { input, bindings in
            bindings.append(input.kind)
            bindings.append(input.channelRow)
        })
}

extension Query where Input == Void, Output == Void {
    static let deleteCursors = Query(sql: "DELETE FROM cursor")
}

extension Query where Input == Int64, Output == Void {
    /// Names all kinds, with which the key begins; otherwise it would read the whole table.
    static let deleteCursorsOfChannel = Query(
        sql: "DELETE FROM cursor WHERE kind IN (1, 2, 3) AND channel_id = ?1",
        bind: { channelRow, bindings in bindings.append(channelRow) })
}
