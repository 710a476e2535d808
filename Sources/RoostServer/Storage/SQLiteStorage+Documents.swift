// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQLite
import RoostWire

extension SQLiteStorage {
    package func addDocument(_ document: Document) throws(StorageError) -> Document {
        try write { db throws(SQLiteError) in
            if let id = document.requestID, let url = document.channelURL,
                let known = try db.first(
                    .documentOfRequest, (document.kind, document.owner, url, id))
            {
                return known
            }
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

    package func document(
        _ kind: Document.Kind, of owner: UserID, in url: ChannelURL, requestID: RequestID
    ) throws(StorageError) -> Document? {
        try read { db throws(SQLiteError) in
            try db.first(.documentOfRequest, (kind, owner, url, requestID))
        }
    }

    package func documents(
        _ kind: Document.Kind, in url: ChannelURL, changedAfter place: (at: Int64, id: Int64),
        limit: Int
    ) throws(StorageError) -> [Document] {
        try read { db throws(SQLiteError) in
            var documents: [Document] = []
            var last = place
            // An unreadable row makes no page short, because a short page is the last.
            while documents.count < limit {
                let rows = try db.all(.changedDocuments, (kind, url, last.at, last.id, limit))
                documents += readable(rows.map(\.row))
                guard rows.count == limit, let end = rows.last else { break }
                last = (end.changedAt, end.id)
            }
            return Array(documents.prefix(limit))
        }
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
                let rows = try db.all(
                    .documents(of: owner, in: url), (kind, owner, url, last, limit))
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
        _ kind: Document.Kind, through now: Timestamp, except channels: [ChannelURL], limit: Int
    ) throws(StorageError) -> [Document] {
        let except = JSONValue.array(channels.map { .string($0.rawValue) }).text
        var documents: [Document] = []
        while documents.isEmpty {
            let rows = try read { db throws(SQLiteError) in
                try db.all(.dueDocuments, (kind, now, except, limit))
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
