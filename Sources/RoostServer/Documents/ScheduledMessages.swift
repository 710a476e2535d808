// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

enum ScheduledAction: Equatable, Sendable {
    case create, get, update, cancel, send, list, count
}

/// The state of a scheduled message (`docs/protocol` 3.7).
enum ScheduledStatus: String {
    case pending
    /// Claimed for sending; clients see a pending message, which no call changes any more.
    case sending
    case sent
    case failed
    case canceled

    /// The state that clients see.
    var shown: ScheduledStatus { self == .sending ? .pending : self }
}

/// The messages that wait for their time.
///
/// The sender of a message claims its document in one step of the storage, so a call that changes or
/// cancels it comes before the claim or is refused. A claim is a lease: the document is due again
/// when it ends, unless its outcome is stored. After a crash the message is therefore sent again,
/// under the same request ID, by which the channel's log knows it. Meanwhile the other servers send
/// other messages.
final class ScheduledMessages: ServerPart {
    /// The time for which a claim keeps other servers from the message.
    private static let lease = Duration.seconds(30)

    let context: ServerContext
    let telemetry: Telemetry
    private let logs: ChannelLogs
    let background: Background
    /// The documents that this server is sending.
    private var inHand: Set<Int64> = []
    /// The channels whose due messages this server is sending.
    var busyChannels: Set<ChannelURL> = []
    /// The calls of `sendDue` that wait until no channel is busy.
    var waiting: [CheckedContinuation<Void, Never>] = []

    init(
        _ context: ServerContext, _ logs: ChannelLogs, _ telemetry: Telemetry,
        _ background: Background
    ) {
        self.context = context
        self.logs = logs
        self.telemetry = telemetry
        self.background = background
    }

    /// Answers a call about scheduled messages.
    func answer(
        _ action: ScheduledAction, _ call: RouteCall
    ) async throws(ServerError) -> APIResponse {
        switch action {
        case .create: return try await schedule(call)
        case .list, .count: return try await listScheduled(call, counts: action == .count)
        case .get: return try await response(to: try scheduled(call))
        case .update:
            let news = try message(in: call.fields)
            let moment = try future(call.fields)
            return try await changePending(call) { document in
                if case .object(let fields) = news {
                    var message = document.body["message"] ?? [:]
                    message.merge(fields)
                    document.body["message"] = message
                }
                document.dueAt = moment ?? document.dueAt
            }
        case .cancel:
            _ = try await changePending(call) { document in
                document.body["status"] = .string(ScheduledStatus.canceled.rawValue)
                document.dueAt = nil
            }
            return .empty
        case .send:
            guard let sent = try await send(try scheduled(call).id, isDue: false) else {
                throw Self.isOver
            }
            return try await response(to: sent)
        }
    }

    private func schedule(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let sender = try call.actor()
        guard let moment = try future(call.fields) else {
            throw ServerError(.parameterMissing, "The parameter scheduled_at is missing.")
        }
        let message = try message(in: call.fields)
        let body: JSONValue = [
            "message": message, "status": .string(ScheduledStatus.pending.rawValue),
            "created_at": .int(world.now().milliseconds), "at": .int(moment.milliseconds),
        ]
        let url = call.channelURL
        let requestID = message["req_id"]?.string.flatMap { $0.isEmpty ? nil : RequestID($0) }
        let draft = Document(
            .scheduled, of: sender, in: url, dueAt: moment, requestID: requestID, body: body)
        // The answer to the first call was lost; the limits count its message already.
        if let requestID,
            let known = try await ask(
                try await storage.document(.scheduled, of: sender, in: url, requestID: requestID))
        {
            return try await response(to: known)
        }
        try Self.check(draft, limits)
        let waiting = try await ask(try await storage.waitingDocuments(.scheduled, of: sender))
        try limits.check(
            count: waiting + 1, "messages to be sent later", atMost: limits.scheduledMessages)
        try await ask(
            try await storage.removeFinishedDocuments(
                .scheduled, of: sender, keeping: limits.finishedScheduledMessages))
        return try await response(to: try await ask(try await storage.addDocument(draft)))
    }

    /// Returns the fields of a message in a call.
    ///
    /// - Throws: `.valueLength` if no stored message could have them.
    private func message(in fields: RequestFields) throws(ServerError) -> JSONValue {
        guard !fields.body.isEmpty else { return [:] }
        let message: JSONValue
        do throws(WireError) {
            message = try JSONValue(parsing: fields.body)
        } catch {
            throw ServerError(error)
        }
        try Self.checkSize(of: message)
        return message
    }

    /// Refuses a message that cannot be sent or listed.
    private static func check(
        _ document: Document, _ limits: ServerLimits
    ) throws(ServerError) {
        try checkSize(of: document.body["message"] ?? [:])
        let command = try document.command()
        try limits.check(command)
        try limits.check(content: document.message(command, from: nil))
    }

    /// Refuses fields that are too long; the stored call has fields that a message leaves out.
    private static func checkSize(of message: JSONValue) throws(ServerError) {
        guard message.text.utf8.count > 2 * ServerLimits.contentBytes else { return }
        throw ServerLimits.tooLong("A message to be sent later", 2 * ServerLimits.contentBytes)
    }

    private func future(_ fields: RequestFields) throws(ServerError) -> Timestamp? {
        guard let moment = try fields.keptMoment("scheduled_at") else { return nil }
        guard moment > world.now() else {
            throw ServerError(.invalidValue, "scheduled_at must lie in the future.")
        }
        return moment
    }

    /// Returns the scheduled message that the path names.
    private func scheduled(_ call: RouteCall) throws(ServerError) -> Document {
        guard let document = call.standing.document else {
            throw ServerError(.notFound, "There is no such scheduled message.")
        }
        return document
    }

    private static let isOver = ServerError(
        .invalidValue, "The message is no longer waiting to be sent.")

    /// Changes a message that nothing has claimed for sending.
    private func changePending(
        _ call: RouteCall, _ change: @escaping @Sendable (inout Document) -> Void
    ) async throws(ServerError) -> APIResponse {
        let document = try scheduled(call)
        let judged = JudgedChange<Document> { document in
            change(&document)
            if let moment = document.dueAt { document.body["at"] = .int(moment.milliseconds) }
        } check: { [limits] (outcome, before) throws(ServerError) in
            guard before.status == .pending else { throw Self.isOver }
            try Self.check(outcome, limits)
        }
        let stored = try await ask(
            try await storage.updateDocument(document.id, .scheduled) { judged.apply(to: &$0) })
        try judged.confirm()
        guard let stored else { throw Self.isOver }
        return try await response(to: stored)
    }

    // MARK: Sending

    /// Claims a message and sends it.
    ///
    /// - Parameters:
    ///   - id: The number of its document.
    ///   - isDue: Whether the message is sent because of its time, and so only if that has come.
    /// - Returns: The document afterwards; nil if the message is in hand already.
    /// - Throws: `.invalidValue` if the message does not wait any more.
    func send(_ id: Int64, isDue: Bool) async throws(ServerError) -> Document? {
        guard inHand.insert(id).inserted else { return nil }
        defer { inHand.remove(id) }
        let now = world.now()
        let claim = JudgedChange<Document> { document in
            document.body["status"] = .string(ScheduledStatus.sending.rawValue)
            // A server that starts after a crash finds the claim among the due documents then.
            document.dueAt = now + Self.lease
        } check: { (_, before) throws(ServerError) in
            let isWaiting =
                isDue
                ? before.status.shown == .pending && before.dueAt.map { $0 <= now } ?? false
                : before.status == .pending
            guard isWaiting else { throw Self.isOver }
        }
        let claimed = try await ask(
            try await storage.updateDocument(id, .scheduled) { claim.apply(to: &$0) })
        try claim.confirm()
        guard let claimed else { throw Self.isOver }
        return try await send(claimed)
    }

    /// Sends a claimed message, judged as a call of its user; a refusal becomes its state.
    ///
    /// - Returns: The document afterwards.
    private func send(_ document: Document) async throws(ServerError) -> Document {
        var outcome = ScheduledStatus.sent
        var message: Message?
        var refusal: ServerError?
        do throws(ServerError) {
            var command = try document.command()
            // If the process ends before the next step, the same request ID finds the same message.
            command.requestID = RequestID("scheduled-\(document.id)")
            message = try await logs.accept(
                command, .message, of: .user(document.owner), from: document.owner)
        } catch {
            guard error.code != .internalServerError else { throw error }
            (outcome, refusal) = (.failed, error)
        }
        let (status, id, error) = (outcome, message?.messageID, refusal)
        let stored = try await ask(
            try await storage.updateDocument(document.id, .scheduled) { document in
                // A message in the log is sent, even if a second attempt was refused.
                guard document.status == .sending || status == .sent else { return }
                document.dueAt = nil
                document.body["status"] = .string(status.rawValue)
                document.body["message_id"] = id.map { .int($0.rawValue) }
                document.body["error_code"] = error.map { .int(Int64($0.code.rawValue)) }
                document.body["error_message"] = error.map { .string($0.message) }
            })
        return stored ?? document
    }
}

extension Document {
    /// The state of a scheduled message.
    var status: ScheduledStatus {
        body["status"]?.string.flatMap { ScheduledStatus(rawValue: $0) } ?? .pending
    }

    /// Reads the stored call of a scheduled message.
    func command() throws(ServerError) -> MessageCommand {
        let request = APIRequest(.post, [], body: Array((body["message"] ?? [:]).text.utf8))
        let url = channelURL ?? ""
        let call = try SendMessage(RequestFields(request, pathParts: [url.rawValue]))
        if case .admin = call.message.content {
            throw ServerError(.notAuthorized, "Only the platform sends administrators' messages.")
        }
        return call.message
    }

    /// Returns a scheduled message in the form of a list before it is sent.
    func message(_ command: MessageCommand, from user: User?) -> Message {
        Message(
            delivery: .delivered(MessageID(body["message_id"]?.int ?? 0), command.requestID),
            channelURL: command.channelURL,
            createdAt: Timestamp(milliseconds: body["created_at"]?.int ?? 0),
            sender: user.map { Sender(user: $0) }, content: command.content, data: command.data,
            customType: command.customType, metaArrays: command.metaArrays,
            unknownFields: command.unknownFields)
    }
}
