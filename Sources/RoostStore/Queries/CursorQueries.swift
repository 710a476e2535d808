// SPDX-License-Identifier: Apache-2.0

package import RoostModel
internal import RoostSQLite

/// Which change log a cursor belongs to.
package enum CursorKey: Hashable, Sendable {
    /// The change log of my group channels.
    case channelChanges
    /// The change log of one channel's messages.
    case messageChanges(ChannelURL)
    /// The list of my group channels, page by page to its end.
    case channelFill

    /// The stored number of the kind; never given to another kind.
    var kind: Int64 {
        switch self {
        case .channelChanges: 1
        case .messageChanges: 2
        case .channelFill: 3
        }
    }

    /// Whose messages it is about.
    package var channel: ChannelURL? {
        switch self {
        case .channelChanges, .channelFill: nil
        case .messageChanges(let channel): channel
        }
    }
}

/// Up to where a change log has been read.
package enum Cursor: Hashable, Sendable {
    /// The server's own words for it.
    case token(String)
    /// Where the first question begins; a time of the server's clock (scar 2).
    case moment(Timestamp)
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
            INSERT OR REPLACE INTO cursor (kind, channel_id, token, moment)
            VALUES (?1, ?2, ?3, ?4)
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
    static let deleteCursorsOfChannel = Query(
        sql: "DELETE FROM cursor WHERE channel_id = ?1",
        bind: { channelRow, bindings in bindings.append(channelRow) })
}
