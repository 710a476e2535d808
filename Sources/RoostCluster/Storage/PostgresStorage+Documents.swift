// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostPostgres
package import RoostServer
import RoostWire

extension PostgresStorage {
    package func addDocument(_ document: Document) async throws(StorageError) -> Document {
        try await write { db async throws(PostgresError) in
            if let id = document.requestID, let url = document.channelURL,
                let known = try await db.first(
                    .ofRequest(document.kind, document.owner, url, id))?.row.value
            {
                return known
            }
            // No row comes back if another server stored the request a moment ago.
            guard let number = try await db.first(.insertDocument(document)) else {
                throw .conflict
            }
            var document = document
            document.id = number
            return document
        }
    }

    package func document(
        _ id: Int64, _ kind: Document.Kind
    ) async throws(StorageError) -> Document? {
        try await read { db async throws(PostgresError) in
            try await db.first(.document(id, kind))?.readableDocument
        }
    }

    package func document(
        _ kind: Document.Kind, of owner: UserID, in url: ChannelURL, requestID: RequestID
    ) async throws(StorageError) -> Document? {
        try await read { db async throws(PostgresError) in
            try await db.first(.ofRequest(kind, owner, url, requestID))?.readableDocument
        }
    }

    package func documents(
        _ kind: Document.Kind, in url: ChannelURL, changedAfter place: (at: Int64, id: Int64),
        limit: Int
    ) async throws(StorageError) -> [Document] {
        try await pages(limit) { last, limit in
            .changed(
                kind, url, last.map { ($0.changedAt, $0.id) } ?? (place.at, place.id), limit)
        }
    }

    package func documents(
        _ kind: Document.Kind, of owner: UserID?, in url: ChannelURL?, after id: Int64, limit: Int
    ) async throws(StorageError) -> [Document] {
        try await pages(limit) { last, limit in
            .documents(kind, owner, url, after: last?.id ?? id, limit)
        }
    }

    /// Reads pages until one is short; an unreadable row makes none short.
    private func pages(
        _ limit: Int,
        _ page: @Sendable (DocumentRow?, Int) -> PostgresQuery<DocumentRow>
    ) async throws(StorageError) -> [Document] {
        var documents: [Document] = []
        var last: DocumentRow?
        while documents.count < limit {
            let end = last
            let rows = try await read { db async throws(PostgresError) in
                try await db.all(page(end, limit))
            }
            documents += readable(rows.map(\.row))
            guard rows.count == limit else { break }
            last = rows.last
        }
        return Array(documents.prefix(limit))
    }

    package func updateDocument(
        _ id: Int64, _ kind: Document.Kind, _ change: @Sendable (inout Document) -> Void
    ) async throws(StorageError) -> Document? {
        try await write { db async throws(PostgresError) in
            guard var document = try await db.first(.lockedDocument(id, kind))?.readableDocument
            else { return nil }
            change(&document)
            db.add(.updateDocument(document))
            return document
        }
    }

    package func documents(
        _ kind: Document.Kind, among ids: [Int64]
    ) async throws(StorageError) -> [Document] {
        let rows = try await read { db async throws(PostgresError) in
            try await db.all(.among(kind, ids))
        }
        return readable(rows.map(\.row))
    }

    package func documentCount(
        _ kind: Document.Kind, of owner: UserID
    ) async throws(StorageError) -> Int {
        try await read { db async throws(PostgresError) in
            try await db.first(.documentCount(kind, owner)) ?? 0
        }
    }

    package func removeFinishedDocuments(
        _ kind: Document.Kind, of owner: UserID, keeping limit: Int
    ) async throws(StorageError) {
        try await write(recognisesItself: true) { db async throws(PostgresError) in
            db.add(.removeFinished(kind, owner, limit))
        }
    }

    package func waitingDocuments(
        _ kind: Document.Kind, of owner: UserID
    ) async throws(StorageError) -> Int {
        try await read { db async throws(PostgresError) in
            try await db.first(.waitingCount(kind, owner)) ?? 0
        }
    }

    package func dueDocuments(
        _ kind: Document.Kind, through now: Timestamp, except channels: [ChannelURL], limit: Int
    ) async throws(StorageError) -> [Document] {
        var documents: [Document] = []
        while documents.isEmpty {
            let rows = try await read { db async throws(PostgresError) in
                try await db.all(.due(kind, now, channels, limit))
            }
            documents = readable(rows.map(\.row))
            let broken = rows.filter { $0.row.value == nil }.map(\.id)
            guard !broken.isEmpty else { break }
            // Unreadable documents would stay the first ones that are due.
            try await write(recognisesItself: true) { db async throws(PostgresError) in
                db.add(.endWaiting(broken))
            }
        }
        return documents
    }
}

/// The number of a document, the time of its last change, and the document if it is readable.
struct DocumentRow: Sendable {
    let id: Int64
    let changedAt: Int64
    let row: Readable<Document>

    init(_ row: PostgresRow) {
        id = row.int64(0)
        changedAt = row.int64(7)
        self.row = Readable { () throws(PostgresError) in try Self.read(row) }
    }

    private static func read(_ row: PostgresRow) throws(PostgresError) -> Document {
        guard let kind = Document.Kind(rawValue: row.text(1)) else {
            throw .malformed("document \(row.int64(0))", because: "Its kind is unknown.")
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

    var readableDocument: Document {
        get throws(PostgresError) {
            guard let document = row.value else {
                throw .malformed("document \(id)", because: "Its text is damaged.")
            }
            return document
        }
    }
}

/// The columns of a `DocumentRow`.
private let columns: StaticString = """
    SELECT id, kind, owner, channel_url, due_at, request_id, body, changed_at FROM document
    """

extension PostgresQuery where Output == DocumentRow {
    private static func rows(
        _ condition: StaticString, _ values: PostgresValue...
    ) -> PostgresQuery {
        PostgresQuery(PostgresSQL(columns, condition), values: values) { DocumentRow($0) }
    }

    fileprivate static func document(_ id: Int64, _ kind: Document.Kind) -> PostgresQuery {
        rows("WHERE id = $1 AND kind = $2", .int(id), .text(kind.rawValue))
    }

    fileprivate static func lockedDocument(_ id: Int64, _ kind: Document.Kind) -> PostgresQuery {
        rows("WHERE id = $1 AND kind = $2 FOR UPDATE", .int(id), .text(kind.rawValue))
    }

    fileprivate static func ofRequest(
        _ kind: Document.Kind, _ owner: UserID, _ url: ChannelURL, _ request: RequestID
    ) -> PostgresQuery {
        rows(
            "WHERE owner = $2 AND kind = $1 AND channel_url = $3 AND request_key = $4",
            .text(kind.rawValue), .text(owner.rawValue), .text(url.rawValue),
            .text(PostgresStorage.key(request.rawValue)))
    }

    fileprivate static func changed(
        _ kind: Document.Kind, _ url: ChannelURL, _ place: (Int64, Int64), _ limit: Int
    ) -> PostgresQuery {
        rows(
            """
            WHERE channel_url = $2 AND kind = $1 AND (changed_at, id) > ($3::bigint, $4::bigint)
            ORDER BY changed_at, id LIMIT $5
            """, .text(kind.rawValue), .text(url.rawValue), .int(place.0), .int(place.1),
            .int(Int64(limit)))
    }

    /// An optional condition would hide its column from the indexes, so each selection has its query.
    fileprivate static func documents(
        _ kind: Document.Kind, _ owner: UserID?, _ url: ChannelURL?, after id: Int64,
        _ limit: Int
    ) -> PostgresQuery {
        let (kind, id, limit) = (
            PostgresValue.text(kind.rawValue), PostgresValue.int(id),
            PostgresValue.int(Int64(limit))
        )
        if let owner {
            return rows(
                """
                WHERE owner = $2 AND kind = $1 AND id > $3
                    AND ($4::text IS NULL OR channel_url = $4)
                ORDER BY id LIMIT $5
                """, kind, .text(owner.rawValue), id, PostgresValue(url?.rawValue), limit)
        }
        guard let url else {
            return rows("WHERE kind = $1 AND id > $2 ORDER BY id LIMIT $3", kind, id, limit)
        }
        return rows(
            "WHERE channel_url = $2 AND kind = $1 AND id > $3 ORDER BY id LIMIT $4", kind,
            .text(url.rawValue), id, limit)
    }

    fileprivate static func among(_ kind: Document.Kind, _ ids: [Int64]) -> PostgresQuery {
        rows(
            "WHERE id = ANY ($2::bigint[]) AND kind = $1 ORDER BY id", .text(kind.rawValue),
            .ints(ids))
    }

    fileprivate static func due(
        _ kind: Document.Kind, _ now: Timestamp, _ channels: [ChannelURL], _ limit: Int
    ) -> PostgresQuery {
        rows(
            """
            WHERE kind = $1 AND due_at <= $2 AND coalesce(channel_url, '') <> ALL ($3::text[])
            ORDER BY due_at, id LIMIT $4
            """,
            .text(kind.rawValue), .int(now.milliseconds), .texts(channels.map(\.rawValue)),
            .int(Int64(limit)))
    }
}

extension PostgresQuery where Output == Int64 {
    fileprivate static func insertDocument(_ document: Document) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO document (kind, owner, channel_url, due_at, request_id, request_key,
                changed_at, body)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id
            """,
            .text(document.kind.rawValue), .text(document.owner.rawValue),
            PostgresValue(document.channelURL?.rawValue),
            PostgresValue(document.dueAt?.milliseconds),
            PostgresValue(document.requestID?.rawValue),
            PostgresValue(document.requestID.map { PostgresStorage.key($0.rawValue) }),
            .int(document.changedAt), .text(document.body.text)
        ) { $0.int64(0) }
    }
}

extension PostgresQuery where Output == Int {
    fileprivate static func documentCount(
        _ kind: Document.Kind, _ owner: UserID
    ) -> PostgresQuery {
        PostgresQuery(
            "SELECT count(*) FROM document WHERE owner = $2 AND kind = $1",
            .text(kind.rawValue), .text(owner.rawValue)
        ) { Int($0.int64(0)) }
    }

    fileprivate static func waitingCount(
        _ kind: Document.Kind, _ owner: UserID
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT count(*) FROM document WHERE kind = $1 AND due_at IS NOT NULL AND owner = $2
            """, .text(kind.rawValue), .text(owner.rawValue)
        ) { Int($0.int64(0)) }
    }
}

extension PostgresQuery where Output == Void {
    fileprivate static func updateDocument(_ document: Document) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE document SET channel_url = $2, due_at = $3, changed_at = $4, body = $5
            WHERE id = $1
            """,
            .int(document.id), PostgresValue(document.channelURL?.rawValue),
            PostgresValue(document.dueAt?.milliseconds), .int(document.changedAt),
            .text(document.body.text))
    }

    /// Takes the documents of a deleted channel out of it, as `Storage.deleteChannel` says.
    static func endDocuments(ofChannel url: ChannelURL) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE document SET channel_url = NULL,
                due_at = CASE WHEN due_at IS NULL THEN NULL ELSE 0 END
            WHERE channel_url = $1 AND kind IN ('poll', 'scheduled')
            """, .text(url.rawValue))
    }

    /// Removes the documents of a deleted user, as `Storage.deleteUser` says.
    static func removeDocuments(of owner: UserID) -> PostgresQuery {
        PostgresQuery(
            """
            DELETE FROM document WHERE owner = $1
                AND (kind = 'scheduled' OR kind = 'poll' AND channel_url IS NULL)
            """, .text(owner.rawValue))
    }

    fileprivate static func endWaiting(_ ids: [Int64]) -> PostgresQuery {
        PostgresQuery(
            "UPDATE document SET due_at = NULL WHERE id = ANY ($1::bigint[])", .ints(ids))
    }

    fileprivate static func removeFinished(
        _ kind: Document.Kind, _ owner: UserID, _ limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            """
            DELETE FROM document WHERE id IN (
                SELECT id FROM document WHERE owner = $2 AND kind = $1 AND due_at IS NULL
                ORDER BY id DESC OFFSET $3)
            """, .text(kind.rawValue), .text(owner.rawValue), .int(Int64(limit)))
    }
}
