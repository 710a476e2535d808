// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension ChatServer {
    /// A joined member's standing in a channel; everybody else is refused.
    @discardableResult
    func member(_ id: UserID, of url: ChannelURL) async throws(ServerError) -> ChannelAccess {
        guard let access = try await ask(try await storage.access(to: url, of: id)) else {
            throw ServerError(.channelNotFound, "There is no such channel.")
        }
        if access.record.traits.isOpen {
            try refuseBanned(access)
            return access
        }
        switch access.state {
        case .joined: return access
        case .invited:
            throw ServerError(
                RoostError.Code(900_023), "The invitation to this channel is not accepted yet.")
        case .none: throw ServerError(.notAMember, "Only members of the channel may do this.")
        }
    }

    func compose(
        _ command: MessageCommand, from standing: Standing?, to audience: Audience
    ) async throws(ServerError) -> Message {
        let sender = standing.map { Sender(user: $0.user, role: $0.access.role) }
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
        let mentioned = try await named.isEmpty ? [] : ask(try await storage.users(named))
        message.setMention(command.mention.kind, users: mentioned)
        if let parent = command.parentID {
            guard
                let parent = try await ask(
                    try await storage.message(parent, in: command.channelURL)),
                parent.parentID == nil
            else { throw ServerError(.messageNotFound, "There is no such message to answer.") }
            message.details.parentPreview = parent.preview
        }
        return message
    }

    /// Refuses who writes to somebody that has blocked them, where nobody else listens.
    ///
    /// Among several, clients leave the blocked one's messages out by themselves.
    func checkBlock(of id: UserID, in audience: Audience) async throws(ServerError) {
        guard audience.members.count == 2, let other = audience.members.first(where: { $0 != id }),
            try await ask(try await storage.userRecord(other))?.traits.blocked.contains(id) == true
        else { return }
        throw ServerError(RoostError.Code(900_080), "The other one has blocked you.")
    }

    /// Refuses who may not speak in a channel now.
    func checkSpeech(_ access: ChannelAccess) throws(ServerError) {
        if access.traits.mute?.isActive(at: world.now()) == true {
            throw ServerError(RoostError.Code(900_041), "You are muted in this channel.")
        }
        let traits = access.record.traits
        guard access.role == .operator || !traits.isFrozen && !traits.isBroadcast else {
            throw ServerError(
                .channelFrozen, "Only operators write here while the channel is frozen.")
        }
    }

    func tellThread(
        of parent: Message?, in url: ChannelURL, to audience: Audience
    ) async {
        guard let parent, let id = parent.messageID, let thread = parent.details.threadInfo else {
            return
        }
        let event = ThreadEvent(channelURL: url, parentID: id, threadInfo: thread)
        await publish(.thread(event), to: audience)
    }

    /// Changes a message and tells everybody.
    @discardableResult
    func change(
        _ edit: EditCommand, by editor: UserID?, in session: SessionID? = nil
    ) async throws(ServerError) -> Message {
        try await inLane(of: edit.channelURL) { () async throws(ServerError) in
            try configuration.limits.check(edit)
            if let editor { try await member(editor, of: edit.channelURL) }
            let mentioned = try await ask(try await storage.users(edit.mentionedUserIDs ?? []))
            let outcome = try await ask(
                try await storage.edit(
                    edit, mentioned: mentioned, editor: editor, now: world.now()))
            switch outcome {
            case .notFound: throw ServerError(.messageNotFound, "There is no such message.")
            case .notOwner: throw ServerError(.notTheOwner, "Only its sender may edit a message.")
            case .edited(let message, let oldMention):
                var event = EditEvent(message: message, oldMention: oldMention)
                let audience = try await audience(of: edit.channelURL)
                let except = edit.requestID == nil ? nil : session
                await publish(.edited(event), to: audience, except: except)
                if let session, let requestID = edit.requestID {
                    event.acknowledges = requestID
                    send(.edited(event), to: session)
                }
                return message
            }
        }
    }

    /// Deletes a message and tells everybody; operators may delete other people's.
    func delete(_ call: DeleteMessage, by caller: Caller) async throws(ServerError) {
        let url = call.channelURL
        try await inLane(of: url) { () async throws(ServerError) in
            var deleter = caller.userID
            if let id = deleter, try await member(id, of: url).role == .operator { deleter = nil }
            let owner = deleter
            let outcome = try await ask(
                try await storage.delete(
                    call.messageID, in: url, deleter: owner, now: world.now()))
            switch outcome {
            case .notFound: throw ServerError(.messageNotFound, "There is no such message.")
            case .notOwner:
                throw ServerError(.notTheOwner, "Only its sender may delete a message.")
            case .deleted(let message, let parent):
                let event = DeletionEvent(
                    channelURL: url, messageID: call.messageID, timestamp: world.now(),
                    messageCreatedAt: message.createdAt, senderID: message.sender?.user.id)
                let audience = try await audience(of: url)
                await publish(.deleted(event), to: audience)
                await tellThread(of: parent, in: url, to: audience)
                let access = try await ask(try await storage.access(to: url, of: nil))
                guard access?.record.traits.pins.contains(call.messageID) == true else { return }
                try await setPins(of: url) { $0.removeAll { $0 == call.messageID } }
            }
        }
    }
}
