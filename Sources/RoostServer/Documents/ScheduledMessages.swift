// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

enum ScheduledAction: Equatable, Sendable {
    case create, get, update, cancel, send, list, count
}

/// The state of a scheduled message (`docs/protocol` 3.7).
private enum ScheduledStatus: String {
    case pending
    case sent
    case failed
    case canceled
}

/// Returns the scheduled message of a call.
struct ScheduledMessages: ServerPart {
    let context: ServerContext
    let logs: ChannelLogs
    let telemetry: Telemetry

    /// Answers a call about scheduled messages.
    func answer(
        _ action: ScheduledAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .create: return try await schedule(call)
        case .list, .count: return try await listScheduled(call, counts: action == .count)
        case .get: return try await response(to: try scheduled(call))
        case .update:
            let news = call.fields.body
            let moment = try future(call.fields)
            return try await changePending(call) { document in
                guard case .object(let fields) = try? JSONValue(parsing: news) else { return }
                var message = document.body["message"] ?? [:]
                for field in fields { message[field.name] = field.value }
                document.body["message"] = message
                document.dueAt = moment ?? document.dueAt
            }
        case .cancel:
            _ = try await changePending(call) { document in
                document.body["status"] = .string(ScheduledStatus.canceled.rawValue)
                document.dueAt = nil
            }
            return .empty
        case .send:
            let document = try scheduled(call)
            try requirePending(document)
            return try await response(to: try await sendScheduled(document) ?? document)
        }
    }

    /// Sends the messages that are due; after a failure of the server they are sent again later.
    func sendDue() async {
        while let due = try? await storage.dueDocuments(
            .scheduled, through: world.now(), limit: 50),
            !due.isEmpty
        {
            for document in due {
                // The storage failed; the next timer tries again.
                guard (try? await sendScheduled(document)) != nil else { return }
            }
        }
    }

    private func schedule(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let sender = try call.actor()
        guard let moment = try future(call.fields) else {
            throw ServerError(.parameterMissing, "The parameter scheduled_at is missing.")
        }
        let message: JSONValue
        do throws(WireError) {
            message = try JSONValue(parsing: call.fields.body)
        } catch {
            throw ServerError(error)
        }
        let body: JSONValue = [
            "message": message, "status": .string(ScheduledStatus.pending.rawValue),
            "created_at": .int(world.now().milliseconds), "at": .int(moment.milliseconds),
        ]
        let draft = Document(
            .scheduled, of: sender, in: call.channelURL, dueAt: moment, body: body)
        try check(draft)
        let waiting = try await ask(try await storage.waitingDocuments(.scheduled, of: sender))
        let limits = configuration.limits
        try limits.check(
            count: waiting + 1, "messages to be sent later", atMost: limits.scheduledMessages)
        try await ask(
            try await storage.removeFinishedDocuments(
                .scheduled, of: sender, keeping: limits.finishedScheduledMessages))
        return try await response(to: try await ask(try await storage.addDocument(draft)))
    }

    /// Refuses a message that cannot be sent or listed.
    private func check(_ document: Document) throws(ServerError) {
        let command = try command(of: document)
        try configuration.limits.check(command)
        try configuration.limits.check(content: message(command, of: document, from: nil))
        // The stored call has fields that a message leaves out.
        let bytes = (document.body["message"] ?? [:]).text.utf8.count
        guard bytes > 2 * ServerLimits.contentBytes else { return }
        throw ServerLimits.tooLong("A message to be sent later", 2 * ServerLimits.contentBytes)
    }

    private func future(_ fields: RequestFields) throws(ServerError) -> Timestamp? {
        guard let moment = try fields.keptMoment("scheduled_at") else { return nil }
        guard moment > world.now() else {
            throw ServerError(.invalidValue, "scheduled_at must lie in the future.")
        }
        return moment
    }

    /// The scheduled message that the path names.
    private func scheduled(_ call: RouteCall) throws(ServerError) -> Document {
        guard let document = call.standing.document else {
            throw ServerError(.notFound, "There is no such scheduled message.")
        }
        return document
    }

    private func requirePending(_ document: Document) throws(ServerError) {
        guard document.status == .pending else {
            throw ServerError(.invalidValue, "The message is no longer waiting to be sent.")
        }
    }

    private func changePending(
        _ call: RouteCall, _ change: @Sendable (inout Document) -> Void
    ) async throws(ServerError) -> APIResponse {
        let document = try scheduled(call)
        try requirePending(document)
        var changed = document
        change(&changed)
        try check(changed)
        let stored = try await ask(
            try await storage.updateDocument(document.id, .scheduled) { stored in
                // It may have been sent meanwhile.
                guard stored.status == .pending else { return }
                change(&stored)
                if let moment = stored.dueAt { stored.body["at"] = .int(moment.milliseconds) }
            })
        return try await response(to: stored ?? document)
    }

    /// Sends a message now, judged as a call of its user; a refusal becomes its state.
    ///
    /// - Returns: The scheduled message afterwards.
    private func sendScheduled(_ document: Document) async throws(ServerError) -> Document? {
        var outcome = ScheduledStatus.sent
        var message: Message?
        var refusal: ServerError?
        do throws(ServerError) {
            var command = try command(of: document)
            // If the process ends before the next step, the same request ID finds the same message.
            command.requestID = RequestID("scheduled-\(document.id)")
            message = try await logs.accept(
                command, .message, of: .user(document.owner), from: document.owner)
        } catch {
            guard error.code != .internalServerError else { throw error }
            (outcome, refusal) = (.failed, error)
        }
        let (status, id, error) = (outcome, message?.messageID, refusal)
        return try await ask(
            try await storage.updateDocument(document.id, .scheduled) { document in
                document.dueAt = nil
                document.body["status"] = .string(status.rawValue)
                if let id { document.body["message_id"] = .int(id.rawValue) }
                guard let error else { return }
                document.body["error_code"] = .int(Int64(error.code.rawValue))
                document.body["error_message"] = .string(error.message)
            })
    }

    private func command(of document: Document) throws(ServerError) -> MessageCommand {
        let url = document.channelURL ?? ""
        let request = APIRequest(
            .post, [], body: Array((document.body["message"] ?? [:]).text.utf8))
        let call = try SendMessage(RequestFields(request, pathParts: [url.rawValue]))
        if case .admin = call.message.content {
            throw ServerError(.notAuthorized, "Only the platform sends administrators' messages.")
        }
        return call.message
    }

    private func listScheduled(
        _ call: RouteCall, counts: Bool
    ) async throws(ServerError) -> APIResponse {
        let fields = call.fields
        let limit = try fields.int("limit", in: 1...100) ?? 20
        let owner = call.caller.userID
        let url = fields.string("channel_url").flatMap { $0.isEmpty ? nil : ChannelURL($0) }
        let wanted = (try fields.list("scheduled_status", "status") ?? [])
            .filter { !$0.isEmpty }
        var after = try fields.int64("token") ?? 0
        var found: [Document] = []
        var total = 0
        while counts || found.count <= limit {
            try stopIfCancelled()
            let start = after
            let page = try await ask(
                try await storage.documents(
                    .scheduled, of: owner, in: url, after: start, limit: Self.slice))
            guard let last = page.last else { break }
            after = last.id
            let matching = page.filter { wanted.isEmpty || wanted.contains($0.status.rawValue) }
            total += matching.count
            if !counts { found += matching }
        }
        if counts {
            let count = total
            return APIResponse { $0.field("count", count) }
        }
        let page = Array(found.prefix(limit))
        var texts: [String] = []
        for document in page {
            do throws(ServerError) {
                texts.append(try await text(of: document))
            } catch {
                guard error.code != .internalServerError else { throw error }
                // An unreadable message does not hide the others.
                telemetry.metrics.unreadable += 1
            }
        }
        let (shown, next) = (texts, found.count > limit ? page.last.map { String($0.id) } : nil)
        return APIResponse { writer in
            writer.array("scheduled_messages") { writer in
                for text in shown { writer.raw(text) }
            }
            writer.field("next", next ?? "")
        }
    }

    /// The scheduled messages that are in memory at a time.
    private static let slice = 50

    /// Returns the message in the form of a list before it is sent.
    private func message(
        _ command: MessageCommand, of document: Document, from user: User?
    ) -> Message {
        Message(
            delivery: .delivered(
                MessageID(document.body["message_id"]?.int ?? 0), command.requestID),
            channelURL: command.channelURL,
            createdAt: Timestamp(milliseconds: document.body["created_at"]?.int ?? 0),
            sender: user.map { Sender(user: $0) }, content: command.content, data: command.data,
            customType: command.customType, metaArrays: command.metaArrays,
            unknownFields: command.unknownFields)
    }

    private func response(to document: Document) async throws(ServerError) -> APIResponse {
        APIResponse(status: 200, body: Array(try await text(of: document).utf8))
    }

    /// Returns a scheduled message as JSON, with its time and its state.
    private func text(of document: Document) async throws(ServerError) -> String {
        let user = try await ask(try await storage.user(document.owner))
        let message = message(try command(of: document), of: document, from: user)
        var writer = JSONWriter()
        writer.object { writer in
            writer.fields(of: message, .rest)
            writer.field("scheduled_message_id", document.id)
            writer.field("scheduled_at", document.body["at"]?.int ?? 0)
            writer.field("scheduled_status", document.status.rawValue)
            if let code = document.body["error_code"]?.int {
                writer.field("error_code", code)
                writer.field("error_message", document.body["error_message"]?.string ?? "")
            }
        }
        return writer.text
    }
}

extension Document {
    fileprivate var status: ScheduledStatus {
        body["status"]?.string.flatMap { ScheduledStatus(rawValue: $0) } ?? .pending
    }
}
