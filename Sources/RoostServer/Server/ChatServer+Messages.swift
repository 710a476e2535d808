// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension ChatServer {
    func compose(
        _ command: MessageCommand, from standing: Standing, to audience: Audience
    ) async throws(ServerError) -> Message {
        let sender = standing.user.map { Sender(user: $0, role: standing.role) }
        var message = Message(
            delivery: .delivered(0, command.requestID), channelURL: command.channelURL,
            createdAt: world.now(), sender: sender, content: command.content, data: command.data,
            customType: command.customType, metaArrays: command.metaArrays,
            parentID: command.parentID,
            isReplyToChannel: command.parentID != nil && command.isReplyToChannel,
            isSilent: command.isSilent, unknownFields: command.unknownFields)
        if audience.room != nil {
            message.unknownFields.keep(.init(name: "channel_type", json: "\"open\""))
        }
        let named = command.mention.userIDs
        let mentioned = try await named.isEmpty ? [] : cards(of: named)
        message.setMention(command.mention.kind, users: mentioned)
        if let parent = command.parentID {
            guard
                let parent = try await ask(
                    try await storage.message(parent, in: command.channelURL)),
                parent.parentID == nil, standing.sight.shows(parent.createdAt)
            else { throw ServerError(.messageNotFound, "There is no such message to answer.") }
            message.details.parentPreview = parent.shownPreview
        }
        try configuration.limits.check(content: message)
        return message
    }

    /// The existing ones of the users, as a message names the users that it mentions.
    private func cards(of ids: [UserID]) async throws(ServerError) -> [User] {
        try await ask(try await storage.users(ids)).map(\.card)
    }

    /// Refuses an edit after which the message would be too heavy.
    ///
    /// The channel's lane is held, so the message does not change before the edit does.
    private func check(_ edit: EditCommand, mentioned: [User]) async throws(ServerError) {
        guard
            var message = try await ask(
                try await storage.message(edit.messageID, in: edit.channelURL))
        else { return }
        let before = message.contentWeight
        message.apply(edit, mentioned: mentioned, at: world.now())
        // One that was stored when there was no such bound may become lighter.
        guard message.contentWeight > before else { return }
        try configuration.limits.check(content: message)
    }

    /// Changes a message and tells everybody.
    @discardableResult
    func change(
        _ edit: EditCommand, in session: SessionID? = nil
    ) async throws(ServerError) -> Message {
        try configuration.limits.check(edit)
        let mentioned = try await cards(of: edit.mentionedUserIDs ?? [])
        try await check(edit, mentioned: mentioned)
        let outcome = try await ask(
            try await storage.edit(edit, mentioned: mentioned, editor: nil, now: world.now()))
        guard case .edited(let message, let oldMention) = outcome else {
            throw ServerError(.messageNotFound, "There is no such message.")
        }
        var event = EditEvent(message: message, oldMention: oldMention)
        let audience = try await publisher.audience(of: edit.channelURL)
        let except = edit.requestID == nil ? nil : session
        await publisher.publish(message, to: audience, except: except) {
            .edited(EditEvent(message: $0, oldMention: oldMention))
        }
        if let session, let requestID = edit.requestID {
            event.acknowledges = requestID
            sessions.send(.edited(event), to: session)
        }
        return message
    }

    /// Deletes a message and tells everybody.
    func delete(_ call: DeleteMessage) async throws(ServerError) {
        let url = call.channelURL
        let outcome = try await ask(
            try await storage.delete(call.messageID, in: url, deleter: nil, now: world.now()))
        guard case .deleted(let message, let parent) = outcome else {
            throw ServerError(.messageNotFound, "There is no such message.")
        }
        let event = DeletionEvent(
            channelURL: url, messageID: call.messageID, timestamp: world.now(),
            messageCreatedAt: message.createdAt, senderID: message.sender?.user.id)
        let audience = try await publisher.audience(of: url)
        await publisher.publish(.deleted(event), about: message.createdAt, to: audience)
        await publisher.publishThread(of: parent, in: url, to: audience)
        let access = try await ask(try await storage.access(to: url, of: nil))
        guard access?.record.traits.pins.contains(call.messageID) == true else { return }
        try await setPins(of: url) { $0.removeAll { $0 == call.messageID } }
    }
}
