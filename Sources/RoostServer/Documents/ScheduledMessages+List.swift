// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

// The answers about scheduled messages.
extension ScheduledMessages {
    /// Answers with a page of the caller's scheduled messages, or with their number.
    func listScheduled(
        _ call: RouteCall, counts: Bool
    ) async throws(ServerError) -> APIResponse {
        let fields = call.fields
        let limit = try fields.int("limit", in: 1...100) ?? 20
        let selection = try ScheduledSelection(fields, of: call.caller.userID)
        if counts {
            var count = 0
            try await visit(selection, after: 0) { _ in
                count += 1
                return true
            }
            return APIResponse { [count] writer in writer.field("count", count) }
        }
        let token = fields.string("token") ?? ""
        let order = try ScheduledOrder(fields)
        let found =
            order == ScheduledOrder()
            ? try await created(selection, after: token, limit: limit)
            : try await sorted(selection, order, after: token, limit: limit)
        let owners = Set(found.page.map(\.owner)).sorted()
        let users = try await ask(try await storage.users(owners))
        let names = Dictionary(users.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var texts: [String] = []
        for document in found.page {
            do throws(ServerError) {
                texts.append(try text(of: document, from: names[document.owner]))
            } catch {
                // An unreadable message does not hide the others.
                telemetry.metrics.unreadable += 1
            }
        }
        let (shown, next) = (texts, found.next)
        return APIResponse { writer in
            writer.array("scheduled_messages") { writer in
                for text in shown { writer.raw(text) }
            }
            writer.field("next", next)
        }
    }

    /// A page of a list, and the token of the next one; "" at the end.
    private typealias ScheduledPage = (page: [Document], next: String)

    /// Returns a page in the order of creation; its token is the number of its last document.
    private func created(
        _ selection: ScheduledSelection, after token: String, limit: Int
    ) async throws(ServerError) -> ScheduledPage {
        guard let start = token.isEmpty ? 0 : Int64(token) else { throw Self.badToken }
        var found: [Document] = []
        try await visit(selection, after: start) { document in
            found.append(document)
            return found.count <= limit
        }
        let page = Array(found.prefix(limit))
        let next = found.count > limit ? page.last.map { String($0.id) } : nil
        return (page, next ?? "")
    }

    /// Returns a page in an order that the storage does not have; its token is the place of its last
    /// document.
    ///
    /// It visits all selected documents, and keeps the places of a few pages.
    private func sorted(
        _ selection: ScheduledSelection, _ order: ScheduledOrder, after token: String, limit: Int
    ) async throws(ServerError) -> ScheduledPage {
        var start: ScheduledOrder.Place?
        if !token.isEmpty {
            start = ScheduledOrder.Place(token: token)
            guard start != nil else { throw Self.badToken }
        }
        var places: [ScheduledOrder.Place] = []
        try await visit(selection, after: 0) { [start] document in
            let place = order.place(of: document)
            if start.map({ order.has($0, before: place) }) ?? true { places.append(place) }
            if places.count > 8 * (limit + 1) {
                places.sort { order.has($0, before: $1) }
                places.removeLast(places.count - limit - 1)
            }
            return true
        }
        places.sort { order.has($0, before: $1) }
        let ids = places.prefix(limit).map(\.id)
        let page = try await ask(try await storage.documents(.scheduled, among: ids))
            .sorted { order.has(order.place(of: $0), before: order.place(of: $1)) }
        return (page, places.count > limit ? places[limit - 1].token : "")
    }

    private static let badToken = ServerError(
        .invalidValue, "The token is not from this list; start from the beginning.")

    /// Visits the selected documents by number until the closure returns false.
    private func visit(
        _ selection: ScheduledSelection, after start: Int64, _ body: (Document) -> Bool
    ) async throws(ServerError) {
        var last = start
        while true {
            try stopIfCancelled()
            let start = last
            let slice = try await ask(
                try await storage.documents(
                    .scheduled, of: selection.owner, in: selection.channel, after: start,
                    limit: Self.slice))
            for document in slice where selection.matches(document) {
                guard body(document) else { return }
            }
            guard let end = slice.last else { return }
            last = end.id
        }
    }

    /// The scheduled messages that are in memory at a time.
    private static let slice = 50

    /// Answers with a scheduled message.
    func response(to document: Document) async throws(ServerError) -> APIResponse {
        let user = try await ask(try await storage.user(document.owner))
        return APIResponse(
            status: 200, body: Array(try text(of: document, from: user).utf8))
    }

    /// Returns a scheduled message as JSON, with its time and its state.
    private func text(
        of document: Document, from user: User?
    ) throws(ServerError) -> String {
        let message = document.message(try document.command(), from: user)
        var writer = JSONWriter()
        writer.object { writer in
            writer.fields(of: message, .rest)
            writer.field("scheduled_message_id", document.id)
            writer.field("scheduled_at", document.plannedAt)
            writer.field("scheduled_status", document.status.shown.rawValue)
            if let code = document.body["error_code"]?.int {
                writer.field("error_code", code)
                writer.field("error_message", document.body["error_message"]?.string ?? "")
            }
        }
        return writer.text
    }
}

/// The order of a list of scheduled messages; the default is that of creation, oldest first.
private struct ScheduledOrder: Equatable {
    enum Time: String {
        case creation = "created_at"
        case moment = "scheduled_at"
    }

    /// A document's place in a list.
    struct Place {
        /// The planned time; 0 in the order of creation, which is that of the numbers.
        let at: Int64
        let id: Int64
    }

    private var time = Time.creation
    private var isReversed = false

    init() {}

    init(_ fields: RequestFields) throws(ServerError) {
        let word = fields.string("order") ?? ""
        guard let time = word.isEmpty ? .creation : Time(rawValue: word) else {
            throw ServerError(.invalidValue, "order must be created_at or scheduled_at.")
        }
        self.time = time
        isReversed = try fields.bool("reverse") ?? false
    }

    func place(of document: Document) -> Place {
        Place(at: time == .creation ? 0 : document.plannedAt, id: document.id)
    }

    func has(_ one: Place, before other: Place) -> Bool {
        let (first, second) = isReversed ? (other, one) : (one, other)
        return (first.at, first.id) < (second.at, second.id)
    }
}

extension ScheduledOrder.Place {
    fileprivate init?(token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let at = parts[0], let id = parts[1] else { return nil }
        self.init(at: at, id: id)
    }

    fileprivate var token: String { "\(at).\(id)" }
}

/// The selection of a list of scheduled messages.
private struct ScheduledSelection {
    let owner: UserID?
    let channel: ChannelURL?
    /// The states, any of which fits; empty for all.
    let statuses: [String]
    let kind: MessageFilter.Kind

    init(_ fields: RequestFields, of owner: UserID?) throws(ServerError) {
        self.owner = owner
        channel = fields.string("channel_url").flatMap { $0.isEmpty ? nil : ChannelURL($0) }
        statuses = (try fields.list("scheduled_status", "status") ?? []).filter { !$0.isEmpty }
        guard let kind = MessageFilter.Kind(rawValue: fields.string("message_type") ?? "") else {
            throw ServerError(.invalidValue, "message_type must be MESG, FILE or ADMM.")
        }
        self.kind = kind
    }

    func matches(_ document: Document) -> Bool {
        guard statuses.isEmpty || statuses.contains(document.status.shown.rawValue) else {
            return false
        }
        let isFile = document.body["message"]?["message_type"]?.string == "FILE"
        return switch kind {
        case .all: true
        case .file: isFile
        case .user: !isFile
        case .admin: false
        }
    }
}

extension Document {
    /// The planned time of a scheduled message, in milliseconds.
    fileprivate var plannedAt: Int64 { body["at"]?.int ?? 0 }
}
