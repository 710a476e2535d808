// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The import of old messages of another system.
///
/// An import is appended to the log, never inserted. A client that knows a stretch as complete
/// would not learn of a message inside it: pages, gap answers and `previous_message_id` go by place.
/// So messages that are not later than the channel's newest one are refused as a whole.
struct Migrations: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let messages: Messages
    let telemetry: Telemetry

    /// One message of a call, with the time it was sent.
    private struct OldMessage {
        let command: MessageCommand
        let sender: UserID?
        let sentAt: Timestamp
    }

    /// Appends the messages of a call, all or none, and publishes them.
    ///
    /// The channel's lane is held.
    func migrate(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let url = call.channelURL
        let marks = ImportMarks(
            raises: try call.fields.bool("update_read_ts") ?? false,
            rewinds: try call.fields.bool("rewind_read_ts") ?? false)
        guard let values = call.fields.value("messages")?.array, !values.isEmpty else {
            throw ServerError(.parameterMissing, "The parameter messages must be a list.")
        }
        try limits.check(
            count: values.count, "messages in one import", atMost: limits.importedMessages)
        let now = world.now()
        var old: [OldMessage] = []
        for value in values { old.append(try message(value, in: url, now)) }
        // The sort keeps the order of messages of one time.
        old.sort { $0.sentAt < $1.sentAt }
        let audience = try await publisher.audience(of: url)
        let composed = try await compose(old, to: audience, now)
        try await checkRequests(of: composed, in: url)
        let outcome = try await ask(
            try await storage.importMessages(composed, into: url, marks, now: now))
        switch outcome {
        case .notFound: throw ServerError(.notFound, "There is no such channel.")
        case .tooOld(let last):
            throw ServerError(
                .invalidValue,
                "The channel has messages up to \(last.milliseconds); only later ones can be imported."
            )
        case .imported(let appendings):
            var portion = telemetry.work
            for appended in appendings where !appended.isRepeat {
                telemetry.metrics.messages += 1
                await publisher.publish(appended.message, to: audience) {
                    .message(MessageEvent(message: $0, previousMessageID: appended.previousID))
                }
                await publisher.publishThread(of: appended.parent, in: url, to: audience)
                await telemetry.pause(since: &portion)
            }
            // Clients count each message as unread; the channel has the right counts.
            if audience.room == nil { try await publisher.publish(in: url, .propertiesChanged) }
            return .empty
        }
    }

    /// Refuses a request ID that the call repeats, or that the log knows.
    private func checkRequests(
        of messages: [Message], in url: ChannelURL
    ) async throws(ServerError) {
        var seen: [UserID: Set<RequestID>] = [:]
        for message in messages {
            guard let request = message.requestID, let sender = message.sender?.user.id else {
                continue
            }
            let isNew = seen[sender, default: []].insert(request).inserted
            let isKnown = try await ask(try await storage.isKnown(request, of: sender, in: url))
            guard isNew, !isKnown else {
                throw ServerError(
                    .duplicate,
                    "Two messages have the request ID \(request.rawValue); nothing was imported.")
            }
        }
    }

    /// Decodes a message of a call.
    private func message(
        _ value: JSONValue, in url: ChannelURL, _ now: Timestamp
    ) throws(ServerError) -> OldMessage {
        let request = APIRequest(
            .post, ["group_channels", url.rawValue, "messages"], body: Array(value.text.utf8))
        let fields = try RequestFields(request, pathParts: [url.rawValue])
        let kind = MessageFilter.Kind(rawValue: try fields.needed("message_type"))
        guard let kind, [.user, .file, .admin].contains(kind) else {
            throw ServerError(.invalidValue, "A message is of the type MESG, FILE or ADMM.")
        }
        let call = try SendMessage(fields)
        var command = call.message
        guard command.unknownFields["poll_id"] == nil else {
            throw ServerError(.invalidValue, "A poll cannot be imported.")
        }
        command.requestID =
            command.requestID
            ?? fields.string("dedup_id").flatMap { $0.isEmpty ? nil : RequestID($0) }
        try limits.check(command)
        guard let time = try fields.int64("timestamp") else {
            throw ServerError(.parameterMissing, "The parameter timestamp is missing.")
        }
        guard time > 0, time <= now.milliseconds else {
            throw ServerError(.invalidValue, "The time of an old message lies in the past.")
        }
        let sender = kind == .admin ? nil : UserID(try fields.needed("user_id"))
        return OldMessage(
            command: command, sender: sender,
            sentAt: Timestamp(milliseconds: time))
    }

    /// Returns the messages with their senders, mentions and parents.
    ///
    /// History is not judged: a sender may have left since, or be muted or deactivated.
    private func compose(
        _ old: [OldMessage], to audience: Audience, _ now: Timestamp
    ) async throws(ServerError) -> [Message] {
        var users: [UserID: User] = [:]
        let senders = Array(Set(old.compactMap(\.sender)))
        for user in try await ask(try await storage.users(senders)) { users[user.id] = user }
        var composed: [Message] = []
        for one in old {
            try stopIfCancelled()
            var standing = Standing(now: now, caller: .platform)
            if let id = one.sender {
                guard let user = users[id] else {
                    throw ServerError(.notFound, "There is no such user: \(id.rawValue).")
                }
                standing.user = user
            }
            var message = try await messages.compose(one.command, from: standing, to: audience)
            message.createdAt = one.sentAt
            composed.append(message)
        }
        return composed
    }
}
