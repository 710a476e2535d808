// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension ServerEvent {
    /// The event as one line of text; an event of a channel counts as one of a group channel.
    package var encoded: String { encoded(isOpen: false) }

    /// Returns the event as one line of text, for an open channel or a group channel.
    package func encoded(isOpen: Bool) -> String {
        switch self {
        case .login(let result): result.encoded
        case .pong: Frame.text(.pong) { _ in }
        case .message(let event): event.encoded
        case .edited(let event): event.encoded
        case .deleted(let event): event.encoded(isOpen: isOpen)
        case .read(let event): event.encoded
        case .delivered(let url, let moments): Self.delivered(url, moments)
        case .channel(let event): event.encoded(isOpen: isOpen)
        case .user(let category, let data):
            Frame.text(.userEvent) { writer in
                writer.field("cat", category)
                writer.field("data", raw: data)
            }
        case .error(let error, let requestID):
            Frame.text(.error) { writer in
                if let requestID { writer.field("req_id", requestID.rawValue) }
                writer.error(error)
            }
        case .busy(let busy):
            Frame.text(.busy) { writer in
                writer.field("retry_after", busy.retryAfter.components.seconds)
                writer.field("reason_code", busy.reason)
                writer.field("message", busy.message)
            }
        case .expired(let reason, let expiresIn):
            Frame.text(.expiring) { writer in
                if let reason { writer.field("reason", reason) }
                if let expiresIn { writer.field("expires_in", expiresIn) }
            }
        case .memberCounts(let counts, let participants):
            Self.memberCounts(counts, participants)
        case .reaction(let event): event.encoded(isOpen: isOpen)
        case .thread(let event): event.encoded(isOpen: isOpen)
        case .poll(let event): event.encoded(isOpen: isOpen)
        case .room(let answer): answer.encoded
        case .inOpenChannel(let event): event.encoded(isOpen: true)
        case .unknown(let command): Frame.text(command) { _ in }
        }
    }

    private static func delivered(_ url: ChannelURL, _ moments: [UserID: Timestamp]) -> String {
        Frame.text(.delivered) { writer in
            writer.channel(url)
            writer.object("updated") { writer in
                for (user, moment) in moments.sorted(by: { $0.key < $1.key }) {
                    writer.field(user.rawValue, moment.milliseconds)
                }
            }
        }
    }

    private static func memberCounts(
        _ counts: [MemberCounts], _ participants: [ParticipantCount]
    ) -> String {
        Frame.text(.memberCounts) { writer in
            writer.array("group_channels") { writer in
                for count in counts {
                    writer.object { writer in
                        writer.field("channel_url", count.channelURL.rawValue)
                        writer.field("member_count", count.memberCount)
                        writer.field("joined_member_count", count.joinedMemberCount)
                        if let moment = count.timestamp { writer.field("ts", moment.milliseconds) }
                    }
                }
            }
            writer.array("open_channels") { writer in
                for count in participants {
                    writer.object { writer in
                        writer.field("channel_url", count.channelURL.rawValue)
                        writer.field("participant_count", count.count)
                    }
                }
            }
        }
    }
}

extension JSONWriter {
    /// Writes the two fields that every frame of a channel must have.
    package mutating func channel(_ url: ChannelURL) {
        field("channel_url", url.rawValue)
        field("channel_type", isAboutOpenChannel ? "open" : "group")
    }

    /// Writes a message into a frame, as the answer to its sender or as an event for all other
    /// users.
    ///
    /// The request ID in an answer is that of the command; for an edit it is not the message's own.
    fileprivate mutating func message(_ message: Message, acknowledging requestID: RequestID?) {
        var message = message
        if let requestID, case .delivered(let id, _) = message.delivery {
            message.delivery = .delivered(id, requestID)
        }
        fields(of: message, .socket(isAnswer: requestID != nil))
    }
}

extension MessageEvent {
    fileprivate var encoded: String {
        Frame.text(Frame.Command(message.content.kind)) { writer in
            writer.message(message, acknowledging: acknowledges)
            if let id = previousMessageID { writer.field("previous_message_id", id.rawValue) }
            if forcesLastMessage { writer.field("force_update_last_message", true) }
            writer.unread(unread)
        }
    }
}

extension MessageEvent {
    /// Returns the answer to a message's sender, derived from the event for all other users.
    ///
    /// Both differ in the name of one field only, and encoding a message twice is expensive.
    package func answer(to requestID: RequestID, from event: String) -> String {
        let (name, other) = ("\"request_id\":", "\"req_id\":")
        if message.requestID == requestID, let id = message.messageID {
            // The field stands directly behind the ID, so text of the sender cannot be mistaken for
            // it.
            let head = "\(Frame.Command(message.content.kind).rawValue){\"msg_id\":\(id.rawValue),"
            let text = event.utf8
            if text.starts(with: (head + name).utf8) {
                let start = text.index(text.startIndex, offsetBy: head.utf8.count)
                let rest = text.index(start, offsetBy: name.utf8.count)
                return head + other + event[rest...]
            }
        }
        var answer = self
        answer.acknowledges = requestID
        return answer.encoded
    }
}

extension EditEvent {
    fileprivate var encoded: String {
        Frame.text(command) { writer in
            writer.message(message, acknowledging: acknowledges)
            guard let oldMention else { return }
            writer.object("old_values") { writer in
                writer.field("mention_type", oldMention.kind.rawValue)
                writer.field("mentioned_user_ids", oldMention.userIDs.map(\.rawValue))
            }
        }
    }

    private var command: Frame.Command {
        switch message.content {
        case .user, .unknown: .userMessageEdit
        case .file: .fileMessageEdit
        case .admin: .adminMessageEdit
        }
    }
}

extension DeletionEvent {
    fileprivate func encoded(isOpen: Bool) -> String {
        Frame.text(.deletion, isOpen: isOpen) { writer in
            writer.channel(channelURL)
            writer.field("msg_id", messageID.rawValue)
            if let timestamp { writer.field("ts", timestamp.milliseconds) }
            if let moment = messageCreatedAt {
                writer.field("message_created_at", moment.milliseconds)
            }
            if let senderID { writer.field("sender_id", senderID.rawValue) }
        }
    }
}

extension ReadEvent {
    fileprivate var encoded: String {
        Frame.text(.read) { writer in
            if let acknowledges { writer.field("req_id", acknowledges.rawValue) }
            writer.channel(channelURL)
            writer.name("user")
            writer.user(user)
            writer.field("ts", timestamp.milliseconds)
            if isExcluded { writer.field("is_excluded", true) }
            if let uniqueID { writer.field("unique_id", uniqueID) }
            if let parentID { writer.field("parent_message_id", parentID.rawValue) }
        }
    }
}

extension ReactionEvent {
    fileprivate func encoded(isOpen: Bool) -> String {
        Frame.text(.reaction, isOpen: isOpen) { writer in
            writer.channel(channelURL)
            writer.field("msg_id", messageID.rawValue)
            writer.field("reaction", change.key)
            writer.field("user_id", change.userID.rawValue)
            writer.field("operation", change.isAdded ? "ADD" : "DELETE")
            writer.field("updated_at", change.updatedAt.milliseconds)
        }
    }
}

extension ThreadEvent {
    fileprivate func encoded(isOpen: Bool) -> String {
        Frame.text(.thread, isOpen: isOpen) { writer in
            writer.channel(channelURL)
            writer.field("parent_message_id", parentID.rawValue)
            writer.field("root_message_id", parentID.rawValue)
            writer.name("thread_info")
            writer.threadInfo(threadInfo)
        }
    }
}
