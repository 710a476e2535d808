// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The output lines of `roost client`: one answer for each request, and events in between.
package enum ReplyLine {
    package static func success(_ id: JSONValue, _ result: JSONValue) -> JSONValue {
        ["id": id, "ok": true, "result": result]
    }

    /// Returns the answer from the cache, with the server's error beside it if there is one.
    package static func answer(
        _ id: JSONValue, _ result: JSONValue, _ error: RoostError?
    ) -> JSONValue {
        guard let error else { return success(id, result) }
        return ["id": id, "ok": false, "error": .error(error), "result": result]
    }

    package static func failure(_ id: JSONValue, _ error: RoostError) -> JSONValue {
        ["id": id, "ok": false, "error": .error(error)]
    }

    /// Returns the event for a refusal of the server; nil for all other events of the outbox.
    package static func refusal(_ event: OutboxEvent) -> JSONValue? {
        switch event {
        case .failed(let message):
            return Self.event(
                "failed",
                [
                    JSONValue.Field("channel", .string(message.channelURL.rawValue)),
                    JSONValue.Field("message", .message(message)),
                ])
        case .changeRefused(let refusal):
            var id: JSONValue = .null
            if case .delivered(let message)? = refusal.change.action.target {
                id = .int(message.rawValue)
            }
            return Self.event(
                "refused",
                [
                    JSONValue.Field("channel", .string(refusal.change.channel.rawValue)),
                    JSONValue.Field("kind", .string(refusal.change.action.kind)),
                    JSONValue.Field("message_id", id),
                    JSONValue.Field("request_id", .string(refusal.change.id.rawValue)),
                    JSONValue.Field("error_code", .int(Int64(refusal.reason.rawValue))),
                    JSONValue.Field("held", refusal.held.map { .message($0) } ?? .null),
                    JSONValue.Field(
                        "held_channel", refusal.heldChannel.map { .channel($0) } ?? .null),
                ])
        default: return nil
        }
    }

    /// Returns the event for a channel that the server refuses to show.
    package static func refusal(opening channel: ChannelURL, _ error: RoostError) -> JSONValue {
        event(
            "refused",
            [
                JSONValue.Field("channel", .string(channel.rawValue)),
                JSONValue.Field("kind", "open"), JSONValue.Field("message_id", .null),
                JSONValue.Field("request_id", .null),
                JSONValue.Field("error_code", .int(Int64(error.code.rawValue))),
                JSONValue.Field("held", .null), JSONValue.Field("held_channel", .null),
            ])
    }

    /// Returns the line for an event that no list shows; nil for all other events and for the own
    /// read marks of the user.
    package static func live(_ event: ChatEvent, for me: UserID) -> JSONValue? {
        switch event {
        case .typing(let users, let channel):
            Self.event(
                "typing",
                [
                    JSONValue.Field("channel", .string(channel.rawValue)),
                    JSONValue.Field("users", .users(users.map(\.id))),
                ])
        case .read(let user, let moment, let channel) where user.id != me:
            Self.event(
                "read",
                [
                    JSONValue.Field("channel", .string(channel.rawValue)),
                    JSONValue.Field("user", .string(user.id.rawValue)),
                    JSONValue.Field("through", .int(moment.milliseconds)),
                ])
        case .storageRepaired(let sentence):
            Self.event("storage", [JSONValue.Field("sentence", .string(sentence))])
        default: nil
        }
    }

    package static func event(_ name: String, _ fields: [JSONValue.Field] = []) -> JSONValue {
        .object([JSONValue.Field("event", .string(name))] + fields)
    }
}

extension JSONValue {
    package static func error(_ error: RoostError) -> JSONValue {
        [
            "code": .int(Int64(error.code.rawValue)), "message": .string(error.message),
            "remedy": .string(error.remedy.name),
        ]
    }

    package static func message(_ message: Message) -> JSONValue {
        var fields = [
            Field("id", message.messageID.map { .int($0.rawValue) } ?? .null),
            Field("request_id", message.requestID.map { .string($0.rawValue) } ?? .null),
            Field("text", .string(message.text)),
            Field("sender", message.sender.map { .string($0.user.id.rawValue) } ?? .null),
            Field("created_at", .int(message.createdAt.milliseconds)),
            Field("updated_at", message.updatedAt.map { .int($0.milliseconds) } ?? .null),
            Field("status", .string(message.status.rawValue)),
        ]
        if case .unsent(_, .failed(let code)) = message.delivery {
            fields.append(Field("error_code", .int(Int64(code.rawValue))))
        }
        if case .file(let content) = message.content {
            let files = content.files.isEmpty ? [content] : content.files
            fields.append(Field("files", .array(files.map { .file($0) })))
        }
        if let reactions = message.details.reactions, !reactions.isEmpty {
            fields.append(Field("reactions", .array(reactions.map { .reaction($0) })))
        }
        return .object(fields)
    }

    private static func reaction(_ reaction: Reaction) -> JSONValue {
        ["key": .string(reaction.key), "users": .users(reaction.userIDs)]
    }

    fileprivate static func users(_ ids: [UserID]) -> JSONValue {
        .array(ids.map { .string($0.rawValue) })
    }

    private static func file(_ file: FileContent) -> JSONValue {
        // Before the upload a file has at most an address on this machine.
        let hasURL = !file.url.isEmpty && !file.url.hasPrefix("file:")
        return [
            "name": .string(file.name), "type": .string(file.type),
            "size": .int(file.size.bytes), "url": hasURL ? .string(file.url) : .null,
        ]
    }

    package static func channel(_ channel: GroupChannel) -> JSONValue {
        [
            "url": .string(channel.url.rawValue), "name": .string(channel.name),
            "members": .array(channel.members.map { .string($0.user.id.rawValue) }),
            "member_count": .int(Int64(channel.memberCount)),
            "unread": .int(Int64(channel.unreadMessageCount)),
            "last_message": channel.lastMessage.map { .message($0) } ?? .null,
            "pending": .array(channel.pendingChanges.map { .string($0.action.kind) }),
            "draft": channel.draft.map { .string($0.text) } ?? .null,
        ]
    }

    package static func draft(_ draft: MessageDraft) -> JSONValue {
        [
            "channel": .string(draft.place.channel.rawValue),
            "thread": draft.place.thread.map { .int($0.rawValue) } ?? .null,
            "text": .string(draft.text), "edited_at": .int(draft.editedAt.milliseconds),
        ]
    }

    package static func changes<Element>(
        _ diff: ListDiff<Element>, _ show: (Element) -> JSONValue
    ) -> [Field] {
        [
            Field("inserted", .array(diff.inserted.map(show))),
            Field("updated", .array(diff.updated.map { show($0.after) })),
            Field("deleted", .array(diff.deleted.map(show))),
        ]
    }
}

extension RoostError.Remedy {
    /// The name in the lines of scripts.
    package var name: String {
        switch self {
        case .none: "none"
        case .retry: "retry"
        case .signIn: "sign_in"
        case .correctInput: "correct_input"
        case .repairStorage: "repair_storage"
        }
    }
}
