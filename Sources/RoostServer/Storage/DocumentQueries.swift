// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite
import RoostWire

/// The number of a document, and the document if it is readable.
typealias DocumentRow = (id: Int64, row: Readable<Document>)

private func decodeRow(_ row: borrowing Row) -> DocumentRow {
    var document: Document?
    do throws(SQLiteError) {
        document = try decode(row)
    } catch {
        document = nil
    }
    return (row.int64(0), Readable(value: document))
}

private func decode(_ row: borrowing Row) throws(SQLiteError) -> Document {
    guard let kind = Document.Kind(rawValue: row.text(1)) else {
        throw .malformed("document \(row.int64(0))", because: "its kind is unknown")
    }
    let body: JSONValue
    do throws(WireError) {
        body = try JSONValue(parsing: row.text(6))
    } catch {
        throw .malformed("document \(row.int64(0))", because: error.description)
    }
    var document = Document(
        kind, of: UserID(row.text(2)), in: row.optionalText(3).map { ChannelURL($0) },
        dueAt: row.optionalInt64(4).map { Timestamp(milliseconds: $0) },
        requestID: row.optionalText(5).map { RequestID($0) }, body: body)
    document.id = row.int64(0)
    return document
}

extension Query where Input == Document, Output == Void {
    static var insertDocument: Query {
        Query(
            sql: """
                INSERT INTO document
                    (kind, owner, channel_url, due_at, request_id, changed_at, body)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                """,
            bind: { document, bindings in
                bindings.append(document.kind.rawValue)
                bindings.append(document.owner.rawValue)
                bindings.append(document.channelURL?.rawValue)
                bindings.append(document.dueAt?.milliseconds)
                bindings.append(document.requestID?.rawValue)
                bindings.append(document.changedAt)
                bindings.append(document.body.text)
            })
    }

    static var updateDocument: Query {
        Query(
            sql: """
                UPDATE document SET channel_url = ?2, due_at = ?3, changed_at = ?4, body = ?5
                WHERE id = ?1
                """,
            bind: { document, bindings in
                bindings.append(document.id)
                bindings.append(document.channelURL?.rawValue)
                bindings.append(document.dueAt?.milliseconds)
                bindings.append(document.changedAt)
                bindings.append(document.body.text)
            })
    }
}

extension Query where Input == Int64, Output == Void {
    static var endWaiting: Query {
        Query(
            sql: "UPDATE document SET due_at = NULL WHERE id = ?1",
            bind: { id, bindings in bindings.append(id) })
    }
}

extension Query where Input == ChannelURL, Output == Void {
    /// Takes the documents of a deleted channel out of it, `Document.endsWithChannel(_:)`.
    static var endDocumentsOfChannel: Query {
        Query(
            sql: """
                UPDATE document SET channel_url = NULL, due_at = iif(due_at IS NULL, NULL, 0)
                WHERE channel_url = ?1 AND kind IN ('poll', 'scheduled')
                """,
            bind: { url, bindings in bindings.append(url.rawValue) })
    }
}

extension Query where Input == UserID, Output == Void {
    /// Removes the documents of a deleted user, `Document.endsWithUser(_:)`.
    static var removeDocumentsOfUser: Query {
        Query(
            sql: """
                DELETE FROM document WHERE owner = ?1
                    AND (kind = 'scheduled' OR kind = 'poll' AND channel_url IS NULL)
                """,
            bind: { id, bindings in bindings.append(id.rawValue) })
    }
}

extension Query where Input == (kind: Document.Kind, owner: UserID, limit: Int), Output == Void {
    static var removeFinishedDocuments: Query {
        Query(
            sql: """
                DELETE FROM document WHERE id IN (
                    SELECT id FROM document WHERE owner = ?2 AND kind = ?1 AND due_at IS NULL
                    ORDER BY id DESC LIMIT -1 OFFSET ?3)
                """,
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.owner.rawValue)
                bindings.append(input.limit)
            })
    }
}

extension Query where Input == (kind: Document.Kind, owner: UserID), Output == Int {
    static var documentCount: Query {
        Query(
            sql: "SELECT count(*) FROM document WHERE owner = ?2 AND kind = ?1",
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.owner.rawValue)
            },
            decode: { row in Int(row.int64(0)) })
    }

    static var waitingDocuments: Query {
        Query(
            sql: """
                -- The plus keeps SQLite from document_by_due, which has documents of all owners.
                SELECT count(*) FROM document
                WHERE kind = ?1 AND +due_at IS NOT NULL AND owner = ?2
                """,
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.owner.rawValue)
            },
            decode: { row in Int(row.int64(0)) })
    }
}

extension Query where Input == Void, Output == Int64 {
    static var lastDocument: Query {
        Query(sql: "SELECT last_insert_rowid()") { row in row.int64(0) }
    }
}

extension Query where Input == (id: Int64, kind: Document.Kind), Output == Document {
    static var document: Query {
        Query(
            sql: """
                SELECT id, kind, owner, channel_url, due_at, request_id, body FROM document
                WHERE id = ?1 AND kind = ?2
                """,
            bind: { input, bindings in
                bindings.append(input.id)
                bindings.append(input.kind.rawValue)
            },
            decode: { row throws(SQLiteError) in try RoostServer.decode(row) })
    }
}

extension Query
where
    Input == (kind: Document.Kind, owner: UserID?, url: ChannelURL?, after: Int64, limit: Int),
    Output == DocumentRow
{
    // An optional condition would hide its column from the indexes, so each selection has its query.
    static func documents(of owner: UserID?, in url: ChannelURL?) -> Query {
        if owner != nil { return documentsOfOwner }
        return url == nil ? allDocuments : documentsOfChannel
    }

    private static func page(_ sql: SQL) -> Query {
        Query(
            sql: sql,
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.owner?.rawValue)
                bindings.append(input.url?.rawValue)
                bindings.append(input.after)
                bindings.append(input.limit)
            },
            decode: { row in decodeRow(row) })
    }

    static var allDocuments: Query {
        page(
            """
            SELECT id, kind, owner, channel_url, due_at, request_id, body FROM document
            WHERE kind = ?1 AND id > ?4 ORDER BY id LIMIT ?5
            """)
    }

    static var documentsOfChannel: Query {
        page(
            """
            SELECT id, kind, owner, channel_url, due_at, request_id, body FROM document
            WHERE channel_url = ?3 AND kind = ?1 AND id > ?4 ORDER BY id LIMIT ?5
            """)
    }

    /// The documents of an owner, in one channel or in all.
    static var documentsOfOwner: Query {
        page(
            """
            SELECT id, kind, owner, channel_url, due_at, request_id, body FROM document
            WHERE owner = ?2 AND kind = ?1 AND id > ?4 AND (?3 IS NULL OR channel_url = ?3)
            ORDER BY id LIMIT ?5
            """)
    }
}

extension Query where Input == (kind: Document.Kind, list: String), Output == DocumentRow {
    /// The documents of a JSON list of numbers.
    static var documentsAmong: Query {
        Query(
            sql: """
                SELECT id, kind, owner, channel_url, due_at, request_id, body FROM document
                WHERE id IN (SELECT value FROM json_each(?2)) AND kind = ?1 ORDER BY id
                """,
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.list)
            },
            decode: { row in decodeRow(row) })
    }
}

extension Query
where
    Input == (kind: Document.Kind, now: Timestamp, except: String, limit: Int),
    Output == DocumentRow
{
    /// The due documents outside the channels of a JSON list.
    static var dueDocuments: Query {
        Query(
            sql: """
                SELECT id, kind, owner, channel_url, due_at, request_id, body FROM document
                WHERE kind = ?1 AND due_at <= ?2
                    AND ifnull(channel_url, '') NOT IN (SELECT value FROM json_each(?3))
                ORDER BY due_at, id LIMIT ?4
                """,
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.now.milliseconds)
                bindings.append(input.except)
                bindings.append(input.limit)
            },
            decode: { row in decodeRow(row) })
    }
}

extension Query
where
    Input == (kind: Document.Kind, owner: UserID, url: ChannelURL, requestID: RequestID),
    Output == Document
{
    static var documentOfRequest: Query {
        Query(
            sql: """
                SELECT id, kind, owner, channel_url, due_at, request_id, body FROM document
                WHERE owner = ?2 AND kind = ?1 AND channel_url = ?3 AND request_id = ?4
                """,
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.owner.rawValue)
                bindings.append(input.url.rawValue)
                bindings.append(input.requestID.rawValue)
            },
            decode: { row throws(SQLiteError) in try RoostServer.decode(row) })
    }
}

/// A row of a document, with the time of its last change.
typealias ChangedDocumentRow = (id: Int64, changedAt: Int64, row: Readable<Document>)

extension Query
where
    Input == (kind: Document.Kind, url: ChannelURL, at: Int64, id: Int64, limit: Int),
    Output == ChangedDocumentRow
{
    static var changedDocuments: Query {
        Query(
            sql: """
                SELECT id, kind, owner, channel_url, due_at, request_id, body, changed_at
                FROM document
                WHERE channel_url = ?2 AND kind = ?1 AND (changed_at, id) > (?3, ?4)
                ORDER BY changed_at, id LIMIT ?5
                """,
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.url.rawValue)
                bindings.append(input.at)
                bindings.append(input.id)
                bindings.append(input.limit)
            },
            decode: { row in
                let found = decodeRow(row)
                return (found.id, row.int64(7), found.row)
            })
    }
}
