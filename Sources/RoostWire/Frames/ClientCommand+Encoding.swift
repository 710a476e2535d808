// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ClientCommand {
    /// The command as one line of text.
    package var encoded: String {
        switch self {
        case .ping(let ping):
            Frame.text(.ping) { writer in
                writer.field("id", ping.id)
                writer.field("active", ping.isActive ? 1 : 0)
                writer.field("req_id", "")
            }
        case .message(let command): command.encoded
        case .edit(let command): command.encoded
        case .read(let url, let requestID):
            Frame.text(.read) { writer in
                writer.field("channel_url", url.rawValue)
                writer.field("req_id", requestID?.rawValue ?? "")
            }
        case .readThread(let url, let parentID, let requestID):
            Frame.text(.read) { writer in
                writer.field("channel_url", url.rawValue)
                writer.field("parent_message_id", parentID.rawValue)
                writer.field("req_id", requestID?.rawValue ?? "")
            }
        case .typingStart(let url, let time): Self.typing(.typingStart, url, time)
        case .typingEnd(let url, let time): Self.typing(.typingEnd, url, time)
        case .messageAcknowledgement(let url, let id):
            Frame.text(.messageAcknowledgement) { writer in
                writer.field("channel_url", url.rawValue)
                writer.field("msg_id", id.rawValue)
                writer.field("req_id", "")
            }
        case .refreshSession(let refresh):
            Frame.text(.login) { writer in
                if let token = refresh.token { writer.field("token", token) }
                writer.field("expiring_session", refresh.isExpiring ? 1 : 0)
                writer.field("req_id", refresh.requestID?.rawValue ?? "")
            }
        case .enter(let url, let requestID): Self.presence(.enter, url, requestID)
        case .exit(let url, let requestID): Self.presence(.exit, url, requestID)
        case .vote(let vote):
            Frame.text(.vote) { writer in
                writer.field("channel_url", vote.channelURL.rawValue)
                writer.field("poll_id", vote.pollID.rawValue)
                writer.array("option_ids") { writer in
                    for id in vote.optionIDs { writer.int(id.rawValue) }
                }
                writer.field("req_id", vote.requestID?.rawValue ?? "")
            }
        case .unknown(let command, let requestID):
            Frame.text(command) { writer in
                if let requestID { writer.field("req_id", requestID.rawValue) }
            }
        }
    }

    private static func presence(
        _ command: Frame.Command, _ url: ChannelURL, _ requestID: RequestID?
    ) -> String {
        Frame.text(command) { writer in
            writer.field("channel_url", url.rawValue)
            writer.field("req_id", requestID?.rawValue ?? "")
        }
    }

    private static func typing(
        _ command: Frame.Command, _ url: ChannelURL, _ time: Timestamp
    ) -> String {
        Frame.text(command) { writer in
            writer.field("channel_url", url.rawValue)
            writer.field("time", time.milliseconds)
            writer.field("req_id", "")
        }
    }
}

extension MessageCommand {
    fileprivate var encoded: String {
        if case .file(let file) = content {
            return Frame.text(.fileMessage) { writer in
                common(&writer)
                writer.field("url", file.url)
                writer.field("name", file.name)
                writer.field("type", file.type)
                writer.field("size", file.size.bytes)
                if !file.caption.isEmpty { writer.field("message", file.caption) }
                writer.uploaded(file)
                writer.unknown(unknownFields)
            }
        }
        return Frame.text(.userMessage) { writer in
            common(&writer)
            writer.field("message", content.text)
            writer.unknown(unknownFields)
        }
    }

    /// Writes the fields of both kinds, under names that the socket and REST share.
    func common(_ writer: inout JSONWriter) {
        if let requestID { writer.field("req_id", requestID.rawValue) }
        writer.field("channel_url", channelURL.rawValue)
        if !data.isEmpty { writer.field("data", data) }
        if !customType.isEmpty { writer.field("custom_type", customType) }
        writer.field("mention_type", mention.kind.rawValue)
        if mention.kind == .users {
            writer.field("mentioned_user_ids", mention.userIDs.map(\.rawValue))
        }
        if !metaArrays.isEmpty { writer.sortedMetaArrays("metaarray", metaArrays) }
        if let parentID {
            writer.field("parent_message_id", parentID.rawValue)
            writer.field("root_message_id", parentID.rawValue)
            writer.field("reply_to_channel", isReplyToChannel)
        }
        if isSilent { writer.field("silent", true) }
        if isPinned { writer.field("pin_message", true) }
    }
}

extension MessageContent {
    var text: String {
        switch self {
        case .user(let text), .admin(let text): text
        case .file(let file): file.caption
        case .unknown: ""
        }
    }
}

extension JSONWriter {
    /// Writes the uploaded file and the other files of the message, under names of both dialects.
    mutating func uploaded(_ file: FileContent) {
        if !file.thumbnails.isEmpty {
            name("thumbnails")
            thumbnails(file.thumbnails)
        }
        if file.requiresAuth { field("require_auth", true) }
        files(file.files)
    }
}

extension EditCommand {
    fileprivate var encoded: String {
        Frame.text(isFile ? .fileMessageEdit : .userMessageEdit) { writer in
            writer.field("req_id", requestID?.rawValue ?? "")
            writer.field("channel_url", channelURL.rawValue)
            writer.field("msg_id", messageID.rawValue)
            fields(&writer)
        }
    }

    /// Writes the fields that change.
    func fields(_ writer: inout JSONWriter) {
        if let text { writer.field("message", text) }
        if let data { writer.field("data", data) }
        if let customType { writer.field("custom_type", customType) }
        if let mentionKind { writer.field("mention_type", mentionKind.rawValue) }
        if let mentionedUserIDs {
            writer.field("mentioned_user_ids", mentionedUserIDs.map(\.rawValue))
        }
        if let mentionTemplate { writer.field("mentioned_message_template", mentionTemplate) }
        if let metaArrays {
            writer.object("metaarray") { writer in
                writer.sortedMetaArrays("array", metaArrays.arrays)
                writer.field("mode", metaArrays.mode.rawValue)
                writer.field("upsert", metaArrays.isUpsert)
            }
        }
    }
}
