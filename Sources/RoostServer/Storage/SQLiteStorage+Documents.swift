// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQLite
import RoostWire

extension SQLiteStorage {
    package func addDocument(_ document: Document) throws(StorageError) -> Document {
        try write { db throws(SQLiteError) in
            try db.execute(.insertDocument, document)
            var document = document
            document.id = try db.first(.lastDocument) ?? 0
            return document
        }
    }

    package func document(
        _ id: Int64, _ kind: Document.Kind
    ) throws(StorageError) -> Document? {
        try read { db throws(SQLiteError) in try db.first(.document, (id, kind)) }
    }

    package func updateDocument(
        _ id: Int64, _ kind: Document.Kind, _ change: @Sendable (inout Document) -> Void
    ) throws(StorageError) -> Document? {
        try write { db throws(SQLiteError) in
            guard var document = try db.first(.document, (id, kind)) else { return nil }
            change(&document)
            try db.execute(.updateDocument, document)
            return document
        }
    }

    package func documents(
        _ kind: Document.Kind, of owner: UserID?, in url: ChannelURL?, after id: Int64, limit: Int
    ) throws(StorageError) -> [Document] {
        try read { db throws(SQLiteError) in
            var documents: [Document] = []
            var last = id
            // An unreadable row makes no page short, because a short page is the last.
            while documents.count < limit {
                let rows = try db.all(.documents, (kind, owner, url, last, limit))
                documents += readable(rows.map(\.row))
                guard rows.count == limit, let end = rows.last?.id else { break }
                last = end
            }
            return Array(documents.prefix(limit))
        }
    }

    package func documents(
        _ kind: Document.Kind, among ids: [Int64]
    ) throws(StorageError) -> [Document] {
        let list = JSONValue.array(ids.map { .int($0) }).text
        return try read { db throws(SQLiteError) in
            readable(try db.all(.documentsAmong, (kind, list)).map(\.row))
        }
    }

    package func dueDocuments(
        _ kind: Document.Kind, through now: Timestamp, limit: Int
    ) throws(StorageError) -> [Document] {
        var documents: [Document] = []
        while documents.isEmpty {
            let rows = try read { db throws(SQLiteError) in
                try db.all(.dueDocuments, (kind, now, limit))
            }
            documents = readable(rows.map(\.row))
            let broken = rows.filter { $0.row.value == nil }.map(\.id)
            guard !broken.isEmpty else { break }
            // Unreadable documents would stay the first ones that are due.
            try write { db throws(SQLiteError) in
                for id in broken { try db.execute(.endWaiting, id) }
            }
        }
        return documents
    }

    package func documentCount(
        _ kind: Document.Kind, of owner: UserID
    ) throws(StorageError) -> Int {
        try read { db throws(SQLiteError) in try db.first(.documentCount, (kind, owner)) ?? 0 }
    }

    package func removeFinishedDocuments(
        _ kind: Document.Kind, of owner: UserID, keeping limit: Int
    ) throws(StorageError) {
        try write { db throws(SQLiteError) in
            try db.execute(.removeFinishedDocuments, (kind, owner, limit))
        }
    }

    package func waitingDocuments(
        _ kind: Document.Kind, of owner: UserID
    ) throws(StorageError) -> Int {
        try read { db throws(SQLiteError) in try db.first(.waitingDocuments, (kind, owner)) ?? 0 }
    }
}

/// The number of a document, and the document if it is readable.
private typealias DocumentRow = (id: Int64, row: Readable<Document>)

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
        body = try JSONValue(parsing: row.text(5))
    } catch {
        throw .malformed("document \(row.int64(0))", because: error.description)
    }
    var document = Document(
        kind, of: UserID(row.text(2)), in: row.optionalText(3).map { ChannelURL($0) },
        dueAt: row.optionalInt64(4).map { Timestamp(milliseconds: $0) }, body: body)
    document.id = row.int64(0)
    return document
}

extension Query where Input == Document, Output == Void {
    fileprivate static var insertDocument: Query {
        Query(
            sql: """
                INSERT INTO document (kind, owner, channel_url, due_at, body)
                VALUES (?1, ?2, ?3, ?4, ?5)
                """,
            bind: { document, bindings in
                bindings.append(document.kind.rawValue)
                bindings.append(document.owner.rawValue)
                bindings.append(document.channelURL?.rawValue)
                bindings.append(document.dueAt?.milliseconds)
                bindings.append(document.body.text)
            })
    }

    fileprivate static var updateDocument: Query {
        Query(
            sql: "UPDATE document SET channel_url = ?2, due_at = ?3, body = ?4 WHERE id = ?1",
            bind: { document, bindings in
                bindings.append(document.id)
                bindings.append(document.channelURL?.rawValue)
                bindings.append(document.dueAt?.milliseconds)
                bindings.append(document.body.text)
            })
    }
}

extension Query where Input == Int64, Output == Void {
    fileprivate static var endWaiting: Query {
        Query(
            sql: "UPDATE document SET due_at = NULL WHERE id = ?1",
            bind: { id, bindings in bindings.append(id) })
    }
}

extension Query where Input == (kind: Document.Kind, owner: UserID, limit: Int), Output == Void {
    fileprivate static var removeFinishedDocuments: Query {
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
    fileprivate static var documentCount: Query {
        Query(
            sql: "SELECT count(*) FROM document WHERE owner = ?2 AND kind = ?1",
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.owner.rawValue)
            },
            decode: { row in Int(row.int64(0)) })
    }

    fileprivate static var waitingDocuments: Query {
        Query(
            sql: """
                SELECT count(*) FROM document
                WHERE kind = ?1 AND due_at IS NOT NULL AND owner = ?2
                """,
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.owner.rawValue)
            },
            decode: { row in Int(row.int64(0)) })
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var lastDocument: Query {
        Query(sql: "SELECT last_insert_rowid()") { row in row.int64(0) }
    }
}

extension Query where Input == (id: Int64, kind: Document.Kind), Output == Document {
    fileprivate static var document: Query {
        Query(
            sql: """
                SELECT id, kind, owner, channel_url, due_at, body FROM document
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
    fileprivate static var documents: Query {
        Query(
            sql: """
                SELECT id, kind, owner, channel_url, due_at, body FROM document
                WHERE kind = ?1 AND id > ?4 AND (?2 IS NULL OR owner = ?2)
                    AND (?3 IS NULL OR channel_url = ?3)
                ORDER BY id LIMIT ?5
                """,
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.owner?.rawValue)
                bindings.append(input.url?.rawValue)
                bindings.append(input.after)
                bindings.append(input.limit)
            },
            decode: { row in decodeRow(row) })
    }
}

extension Query where Input == (kind: Document.Kind, list: String), Output == DocumentRow {
    /// The documents of a JSON list of numbers.
    fileprivate static var documentsAmong: Query {
        Query(
            sql: """
                SELECT id, kind, owner, channel_url, due_at, body FROM document
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
where Input == (kind: Document.Kind, now: Timestamp, limit: Int), Output == DocumentRow {
    fileprivate static var dueDocuments: Query {
        Query(
            sql: """
                SELECT id, kind, owner, channel_url, due_at, body FROM document
                WHERE kind = ?1 AND due_at <= ?2 ORDER BY due_at, id LIMIT ?3
                """,
            bind: { input, bindings in
                bindings.append(input.kind.rawValue)
                bindings.append(input.now.milliseconds)
                bindings.append(input.limit)
            },
            decode: { row in decodeRow(row) })
    }
}
