// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ServerEvent {
    package init(decoding frame: Frame) throws(WireError) {
        let event = try ServerEvent(ofAnyChannel: frame)
        self = event.needsKind && frame.isOfOpenChannel ? .inOpenChannel(event) : event
    }

    /// Whether the event itself does not tell the kind of its channel.
    private var needsKind: Bool {
        switch self {
        case .deleted, .read, .delivered, .channel, .reaction, .thread, .poll: true
        case .login, .pong, .message, .edited, .user, .error, .busy, .expired, .memberCounts,
            .room, .inOpenChannel, .unknown:
            false
        }
    }

    private init(ofAnyChannel frame: Frame) throws(WireError) {
        switch frame.command {
        case .login: self = .login(try frame.readLogin())
        case .pong: self = .pong
        case .userMessage, .fileMessage, .adminMessage, .broadcastMessage:
            self = .message(try frame.readMessageEvent())
        case .userMessageEdit: self = .edited(try frame.readEditEvent(MessageKind.user))
        case .fileMessageEdit: self = .edited(try frame.readEditEvent(MessageKind.file))
        case .adminMessageEdit: self = .edited(try frame.readEditEvent(MessageKind.admin))
        case .deletion: self = .deleted(try frame.readDeletion())
        case .read: self = .read(try frame.readRead())
        case .delivered: self = try frame.readDelivered()
        case .channelEvent: self = .channel(try frame.readChannelEvent())
        case .userEvent: self = try frame.readUserEvent()
        case .error: self = try frame.readError()
        case .busy: self = .busy(try frame.readBusy())
        case .expiring: self = try frame.readExpiring()
        case .memberCounts: self = try frame.readCounts()
        case .reaction: self = .reaction(try frame.readReaction())
        case .thread: self = .thread(try frame.readThread())
        case .vote: self = .poll(try frame.readVoteEvent())
        case .enter, .exit: self = .room(try frame.readRoomAnswer())
        case .pollEdit: self = .poll(try frame.readPollEdit())
        default: self = .unknown(frame.command)
        }
    }
}

// MARK: - Messages

extension Frame {
    fileprivate func readMessageEvent() throws(WireError) -> MessageEvent {
        var fields = MessageFields(command: command.rawValue)
        var previous: MessageID?
        var forcesLastMessage = false
        var unread: UnreadCount?
        try readKnownFields(MessageField.self) { field, name, reader throws(WireError) in
            switch field {
            case .previousMessageID?: previous = try reader.readMessageID()
            case .forcesLastMessage?:
                forcesLastMessage = try reader.readBoolIfPresent() ?? false
            case .unreadCount?: unread = try reader.readUnreadCount()
            default: try fields.readLive(field, name, &reader)
            }
        }
        return MessageEvent(
            message: try fields.message(endingAt: payload.upperBound).withoutVotes,
            acknowledges: fields.acknowledged, previousMessageID: previous,
            forcesLastMessage: forcesLastMessage, unread: unread)
    }

    fileprivate func readEditEvent(_ kind: String) throws(WireError) -> EditEvent {
        var fields = MessageFields(command: kind)
        var oldMention: Mention?
        try readKnownFields(MessageField.self) { field, name, reader throws(WireError) in
            switch field {
            case .oldValues?: oldMention = try reader.readOldMention()
            case .unreadCount?, .previousMessageID?, .forcesLastMessage?:
                try reader.skipValue()
            default: try fields.readLive(field, name, &reader)
            }
        }
        // The request ID of an edit's answer belongs to the edit; the message's own is not sent.
        var message = try fields.message(endingAt: payload.upperBound).withoutVotes
        if fields.acknowledged != nil, let id = message.messageID {
            message.delivery = .delivered(id, nil)
        }
        return EditEvent(
            message: message, acknowledges: fields.acknowledged, oldMention: oldMention)
    }
}

extension Message {
    /// The message without the reader's votes: the frame is the same for all users (`docs/protocol`
    /// 2.7).
    fileprivate var withoutVotes: Message {
        guard !hasNoDetails, details.poll?.votedOptionIDs != nil else { return self }
        var message = self
        message.details.poll?.votedOptionIDs = nil
        return message
    }
}

extension MessageFields {
    /// Reads a field as `read` does, but leaves out fields that describe the frame only
    /// (`docs/protocol` 4.4).
    fileprivate mutating func readLive(
        _ field: MessageField?, _ name: FieldText, _ reader: inout JSONReader
    ) throws(WireError) {
        switch field {
        case .isSuper?, .isGuestMessage?, .channelID?, .sts?, .scrapID?, .isRemoved?, .oldValues?,
            .messageToken?:
            try reader.skipValue()
        default: try read(field, name, &reader)
        }
    }
}

extension JSONReader {
    fileprivate mutating func readOldMention() throws(WireError) -> Mention? {
        if try readNull() { return nil }
        var mention = Mention()
        try readObject { name, reader throws(WireError) in
            switch name {
            case "mention_type":
                let word = try reader.readStringIfPresent() ?? ""
                mention.kind = Mention.Kind(rawValue: word) ?? .users
            case "mentioned_user_ids":
                mention.userIDs = try reader.readStrings().map { UserID($0) }
            default: try reader.skipValue()
            }
        }
        return mention
    }
}
