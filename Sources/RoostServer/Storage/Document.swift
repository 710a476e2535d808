// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// A report, a poll or a scheduled message.
package struct Document: Equatable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case report
        case poll
        case scheduled
    }

    /// The number, unique among all documents; the storage assigns it.
    package var id: Int64 = 0
    package let kind: Kind
    package var channelURL: ChannelURL?
    package let owner: UserID
    /// The time of a waiting scheduled message; nil for all other documents.
    package var dueAt: Timestamp?
    /// The request that made the document; a repeated one of its owner makes no second
    /// document in the channel.
    package let requestID: RequestID?
    package var body: JSONValue

    package init(
        _ kind: Kind, of owner: UserID, in channelURL: ChannelURL? = nil,
        dueAt: Timestamp? = nil, requestID: RequestID? = nil, body: JSONValue
    ) {
        self.kind = kind
        self.owner = owner
        self.channelURL = channelURL
        self.dueAt = dueAt
        self.requestID = requestID
        self.body = body
    }

    /// The time of a waiting message whose channel was deleted.
    static let overdue = Timestamp(milliseconds: 0)

    /// Whether the document leaves a channel that is deleted.
    func endsWithChannel(_ url: ChannelURL) -> Bool { kind != .report && channelURL == url }

    /// Whether the document goes when a user is deleted.
    func endsWithUser(_ id: UserID) -> Bool {
        guard owner == id else { return false }
        return switch kind {
        case .scheduled: true
        case .poll: channelURL == nil
        case .report: false
        }
    }

    /// The time of a poll's last change, in milliseconds; 0 for all other documents.
    package var changedAt: Int64 { body["changed"]?.int ?? 0 }
}

package protocol DocumentStorage: Sendable {
    /// Stores a new document under the next number, in one step with looking for a repeated request.
    ///
    /// - Returns: The stored document; for a repeated request that of the first one.
    func addDocument(_ document: Document) async throws(StorageError) -> Document
    func document(_ id: Int64, _ kind: Document.Kind) async throws(StorageError) -> Document?
    /// Returns an owner's document in a channel that a request made.
    func document(
        _ kind: Document.Kind, of owner: UserID, in url: ChannelURL, requestID: RequestID
    ) async throws(StorageError) -> Document?
    /// Changes a document in one step with reading it; its number, kind and owner stay.
    ///
    /// - Returns: The document after the change; nil if there is none.
    @discardableResult
    func updateDocument(
        _ id: Int64, _ kind: Document.Kind, _ change: @Sendable (inout Document) -> Void
    ) async throws(StorageError) -> Document?
    /// Returns a page of documents by number; the owner or channel nil matches all.
    func documents(
        _ kind: Document.Kind, of owner: UserID?, in url: ChannelURL?, after id: Int64, limit: Int
    ) async throws(StorageError) -> [Document]
    /// Returns a channel's documents that changed after a place, in the order of change and number.
    ///
    /// - Parameters:
    ///   - kind: The kind of the documents.
    ///   - url: The channel.
    ///   - place: The last change that is left out, and its document.
    ///   - limit: The most documents.
    /// - Returns: The documents; fewer than the limit if none follows.
    /// - Throws: A failure of the storage.
    func documents(
        _ kind: Document.Kind, in url: ChannelURL, changedAfter place: (at: Int64, id: Int64),
        limit: Int
    ) async throws(StorageError) -> [Document]
    /// Returns the existing documents among the numbers, in order.
    ///
    /// - Complexity: One query for any number of documents.
    func documents(
        _ kind: Document.Kind, among ids: [Int64]
    ) async throws(StorageError) -> [Document]
    /// Returns the number of an owner's documents.
    func documentCount(
        _ kind: Document.Kind, of owner: UserID
    ) async throws(StorageError) -> Int
    /// Removes the oldest of an owner's documents that do not wait for their time.
    ///
    /// - Parameters:
    ///   - kind: The kind of the documents.
    ///   - owner: Their owner.
    ///   - limit: The number of documents that stay, the newest ones.
    /// - Throws: A failure of the storage; then all documents stay.
    func removeFinishedDocuments(
        _ kind: Document.Kind, of owner: UserID, keeping limit: Int
    ) async throws(StorageError)
    /// Returns the number of an owner's documents that wait for their time.
    func waitingDocuments(
        _ kind: Document.Kind, of owner: UserID
    ) async throws(StorageError) -> Int
    /// Reads the documents that are due; an unreadable one is not due any more.
    ///
    /// - Parameters:
    ///   - kind: The kind of the documents.
    ///   - now: The last moment at which a document is due.
    ///   - channels: The channels whose documents are left out; an empty URL stands for none.
    ///   - limit: The most documents.
    /// - Returns: The documents, longest overdue first.
    /// - Throws: A failure of the storage.
    func dueDocuments(
        _ kind: Document.Kind, through now: Timestamp, except channels: [ChannelURL], limit: Int
    ) async throws(StorageError) -> [Document]
}

extension MemoryStorage {
    package func addDocument(_ document: Document) -> Document {
        if let id = document.requestID, let url = document.channelURL,
            let known = self.document(document.kind, of: document.owner, in: url, requestID: id)
        {
            return known
        }
        var document = document
        document.id = lastDocument + 1
        lastDocument = document.id
        documents[document.id] = document
        return document
    }

    package func document(_ id: Int64, _ kind: Document.Kind) -> Document? {
        guard let document = documents[id], document.kind == kind else { return nil }
        return document
    }

    package func document(
        _ kind: Document.Kind, of owner: UserID, in url: ChannelURL, requestID: RequestID
    ) -> Document? {
        documents.values.first {
            $0.kind == kind && $0.owner == owner && $0.channelURL == url
                && $0.requestID == requestID
        }
    }

    package func documents(
        _ kind: Document.Kind, in url: ChannelURL, changedAfter place: (at: Int64, id: Int64),
        limit: Int
    ) -> [Document] {
        let found = documents.values.filter { document in
            document.kind == kind && document.channelURL == url
                && (document.changedAt, document.id) > place
        }
        return Array(
            found.sorted { ($0.changedAt, $0.id) < ($1.changedAt, $1.id) }.prefix(limit))
    }

    package func updateDocument(
        _ id: Int64, _ kind: Document.Kind, _ change: @Sendable (inout Document) -> Void
    ) -> Document? {
        guard var document = document(id, kind) else { return nil }
        change(&document)
        documents[id] = document
        return document
    }

    package func documents(
        _ kind: Document.Kind, of owner: UserID?, in url: ChannelURL?, after id: Int64, limit: Int
    ) -> [Document] {
        let found = documents.values.filter { document in
            document.kind == kind && document.id > id
                && (owner == nil || document.owner == owner)
                && (url == nil || document.channelURL == url)
        }
        return Array(found.sorted { $0.id < $1.id }.prefix(limit))
    }

    package func documents(_ kind: Document.Kind, among ids: [Int64]) -> [Document] {
        Set(ids).sorted().compactMap { document($0, kind) }
    }

    package func documentCount(_ kind: Document.Kind, of owner: UserID) -> Int {
        documents.values.count { $0.kind == kind && $0.owner == owner }
    }

    package func removeFinishedDocuments(
        _ kind: Document.Kind, of owner: UserID, keeping limit: Int
    ) {
        let finished = documents.values.filter {
            $0.kind == kind && $0.owner == owner && $0.dueAt == nil
        }
        for id in finished.map(\.id).sorted(by: >).dropFirst(limit) { documents[id] = nil }
    }

    package func waitingDocuments(_ kind: Document.Kind, of owner: UserID) -> Int {
        documents.values.count { $0.kind == kind && $0.owner == owner && $0.dueAt != nil }
    }

    package func dueDocuments(
        _ kind: Document.Kind, through now: Timestamp, except channels: [ChannelURL], limit: Int
    ) -> [Document] {
        let due = documents.values.filter { document in
            document.kind == kind && document.dueAt.map { $0 <= now } ?? false
                && !channels.contains(document.channelURL ?? "")
        }
        return Array(due.sorted { ($0.dueAt, $0.id) < ($1.dueAt, $1.id) }.prefix(limit))
    }
}

/// The order by time and number; no time comes first.
private func < (one: (Timestamp?, Int64), other: (Timestamp?, Int64)) -> Bool {
    let (left, right) = (one.0 ?? .distantPast, other.0 ?? .distantPast)
    return left == right ? one.1 < other.1 : left < right
}
