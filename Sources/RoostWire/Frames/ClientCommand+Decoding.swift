// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension ClientCommand {
    package init(decoding frame: Frame) throws(WireError) {
        var frame = frame
        frame.depth = JSONReader.contentDepth
        switch frame.command {
        case .ping: self = .ping(try frame.readPing())
        case .userMessage, .fileMessage: self = .message(try frame.readMessageCommand())
        case .userMessageEdit, .fileMessageEdit: self = .edit(try frame.readEditCommand())
        case .login: self = .refreshSession(try frame.readSessionRefresh())
        case .read:
            let fields = try frame.readCommonFields()
            let url = try fields.channel(frame)
            self =
                fields.parentID.flatMap { $0.rawValue > 0 ? $0 : nil }
                .map { .readThread(url, parentID: $0, fields.requestID) }
                ?? .read(url, fields.requestID)
        case .typingStart:
            let fields = try frame.readCommonFields()
            self = .typingStart(try fields.channel(frame), time: fields.time)
        case .typingEnd:
            let fields = try frame.readCommonFields()
            self = .typingEnd(try fields.channel(frame), time: fields.time)
        case .messageAcknowledgement:
            let fields = try frame.readCommonFields()
            guard let id = fields.messageID else { throw frame.missing("msg_id") }
            self = .messageAcknowledgement(try fields.channel(frame), id)
        case .enter, .exit:
            let fields = try frame.readCommonFields()
            let url = try fields.channel(frame)
            self =
                frame.command == .enter
                ? .enter(url, fields.requestID) : .exit(url, fields.requestID)
        case .vote: self = .vote(try frame.readVote())
        default: self = .unknown(frame.command, try frame.readCommonFields().requestID)
        }
    }
}

/// The fields shared by the short commands.
private struct CommonFields {
    var channelURL: ChannelURL?
    var requestID: RequestID?
    var messageID: MessageID?
    var parentID: MessageID?
    var time = Timestamp(milliseconds: 0)

    func channel(_ frame: Frame) throws(WireError) -> ChannelURL {
        guard let channelURL else { throw frame.missing("channel_url") }
        return channelURL
    }
}

extension JSONReader {
    mutating func readChannelURL() throws(WireError) -> ChannelURL? {
        let text = try readString()
        return text.isEmpty ? nil : ChannelURL(text)
    }
}

extension Frame {
    /// The request ID of a command, even if the rest cannot be decoded, so that an error can answer
    /// it.
    package var requestID: RequestID? {
        var requestID: RequestID?
        do throws(WireError) {
            try readFields { name, reader throws(WireError) in
                if name == "req_id" {
                    requestID = try reader.readRequestID()
                } else {
                    try reader.skipValue()
                }
            }
        } catch {
            // The fields before the fault count.
        }
        return requestID
    }

    func missing(_ field: String) -> WireError { .missing(field, offset: payload.upperBound) }

    fileprivate func readCommonFields() throws(WireError) -> CommonFields {
        var fields = CommonFields()
        try readFields { name, reader throws(WireError) in
            switch name {
            case "channel_url": fields.channelURL = try reader.readChannelURL()
            case "req_id": fields.requestID = try reader.readRequestID()
            case "msg_id": fields.messageID = try reader.readMessageID()
            case "parent_message_id": fields.parentID = try reader.readMessageID()
            case "time": fields.time = try reader.readMoment() ?? fields.time
            default: try reader.skipValue()
            }
        }
        return fields
    }

    fileprivate func readVote() throws(WireError) -> VoteCommand {
        var vote = VoteCommand(channelURL: "", pollID: 0, optionIDs: [], requestID: nil)
        var channelURL: ChannelURL?
        var pollID: PollID?
        var options: [PollOptionID]?
        try readFields { name, reader throws(WireError) in
            switch name {
            case "channel_url": channelURL = try reader.readChannelURL()
            case "poll_id": pollID = PollID(try reader.readInt64())
            case "req_id": vote.requestID = try reader.readRequestID()
            case "option_ids":
                options = try reader.readList { reader throws(WireError) in
                    PollOptionID(try reader.readInt64())
                }
            default: try reader.skipValue()
            }
        }
        guard let channelURL else { throw missing("channel_url") }
        guard let pollID else { throw missing("poll_id") }
        // An explicit empty list withdraws the vote; a missing list is an error.
        guard let options else { throw missing("option_ids") }
        vote.channelURL = channelURL
        vote.pollID = pollID
        vote.optionIDs = options
        return vote
    }

    fileprivate func readPing() throws(WireError) -> Ping {
        var ping = Ping(id: 0)
        try readFields { name, reader throws(WireError) in
            switch name {
            case "id": ping.id = try reader.readInt64IfPresent() ?? 0
            case "active": ping.isActive = try reader.readBoolIfPresent() ?? true
            default: try reader.skipValue()
            }
        }
        return ping
    }

    fileprivate func readSessionRefresh() throws(WireError) -> SessionRefresh {
        var refresh = SessionRefresh(requestID: nil, token: nil, isExpiring: false)
        try readFields { name, reader throws(WireError) in
            switch name {
            case "req_id": refresh.requestID = try reader.readRequestID()
            case "token": refresh.token = try reader.readStringIfPresent()
            case "expiring_session": refresh.isExpiring = try reader.readBoolIfPresent() ?? false
            default: try reader.skipValue()
            }
        }
        return refresh
    }

    fileprivate func readMessageCommand() throws(WireError) -> MessageCommand {
        var fields = MessageCommandFields(isFile: command == .fileMessage)
        try readFields { name, reader throws(WireError) in try fields.read(name, &reader) }
        guard let channelURL = fields.channelURL else { throw missing("channel_url") }
        return try fields.command(to: channelURL, endingAt: payload.upperBound)
    }

    fileprivate func readEditCommand() throws(WireError) -> EditCommand {
        var edit = EditCommand(
            channelURL: "", messageID: 0, requestID: nil, isFile: command == .fileMessageEdit)
        var channelURL: ChannelURL?
        var messageID: MessageID?
        try readFields { name, reader throws(WireError) in
            switch name {
            case "channel_url": channelURL = try reader.readChannelURL()
            case "msg_id", "message_id": messageID = try reader.readMessageID()
            case "req_id": edit.requestID = try reader.readRequestID()
            default: try edit.read(name, &reader)
            }
        }
        guard let channelURL else { throw missing("channel_url") }
        guard let messageID else { throw missing("msg_id") }
        edit.channelURL = channelURL
        edit.messageID = messageID
        return edit
    }
}

extension EditCommand {
    /// Consumes the value of any field: one that an edit can change, or one without meaning here.
    mutating func read(_ name: String, _ reader: inout JSONReader) throws(WireError) {
        switch name {
        case "message": text = try reader.readStringIfPresent()
        case "data", "custom", "custom_field": data = try reader.readStringIfPresent() ?? data
        case "custom_type": customType = try reader.readStringIfPresent()
        case "mention_type":
            mentionKind = try reader.readStringIfPresent().flatMap(Mention.Kind.init(rawValue:))
        case "mentioned_user_ids":
            mentionedUserIDs = try reader.readSet().map { UserID($0) }
        case "mentioned_message_template": mentionTemplate = try reader.readStringIfPresent()
        case "metaarray", "sorted_metaarray": metaArrays = try reader.readMetaArrayEdit()
        default: try reader.skipValue()
        }
    }
}

extension JSONReader {
    fileprivate mutating func readMetaArrayEdit() throws(WireError) -> EditCommand.MetaArrayEdit? {
        if try readNull() { return nil }
        var edit = EditCommand.MetaArrayEdit(arrays: [], mode: .add, isUpsert: false)
        try readObject { name, reader throws(WireError) in
            switch name {
            case "array": edit.arrays = try reader.readMetaArrays()
            case "mode":
                let word = try reader.readString()
                edit.mode = EditCommand.MetaArrayEdit.Mode(rawValue: word) ?? .add
            case "upsert": edit.isUpsert = try reader.readBoolIfPresent() ?? false
            default: try reader.skipValue()
            }
        }
        return edit
    }
}

/// The fields of a new message while it is decoded, from a frame or from a REST body.
struct MessageCommandFields {
    private var isFile: Bool
    private(set) var channelURL: ChannelURL?
    private var command = MessageCommand(channelURL: "", requestID: nil, content: .user(text: ""))
    private var text: String?
    private var customData: String?
    private var file = FileFields()

    init(isFile: Bool) { self.isFile = isFile }

    mutating func read(_ name: String, _ reader: inout JSONReader) throws(WireError) {
        switch name {
        case "channel_url": channelURL = try reader.readChannelURL()
        case "req_id": command.requestID = try reader.readRequestID()
        case "message": text = try reader.readStringIfPresent()
        case "data": command.data = try reader.readStringIfPresent() ?? ""
        case "custom", "custom_field": customData = try reader.readStringIfPresent()
        case "custom_type": command.customType = try reader.readStringIfPresent() ?? ""
        case "mention_type":
            let word = try reader.readStringIfPresent() ?? ""
            command.mention.kind = Mention.Kind(rawValue: word) ?? .users
        case "mentioned_user_ids":
            command.mention.userIDs = try reader.readSet().map { UserID($0) }
        case "metaarray", "sorted_metaarray": command.metaArrays = try reader.readMetaArrays()
        case "parent_message_id", "root_message_id":
            command.parentID = try reader.readMessageID() ?? command.parentID
        case "reply_to_channel", "is_reply_to_channel":
            command.isReplyToChannel = try reader.readBoolIfPresent() ?? false
        case "silent", "is_silent": command.isSilent = try reader.readBoolIfPresent() ?? false
        case "pin_message": command.isPinned = try reader.readBoolIfPresent() ?? false
        default: try readFile(name, &reader)
        }
    }

    private mutating func readFile(
        _ name: String, _ reader: inout JSONReader
    ) throws(WireError) {
        switch name {
        case "url": file.url = try reader.readStringIfPresent()
        case "name", "file_name": file.name = try reader.readStringIfPresent()
        case "type", "file_type": file.type = try reader.readStringIfPresent()
        case "size", "file_size": file.size = try reader.readFileSize()
        case "message_type": isFile = try reader.readStringIfPresent() == MessageKind.file
        case "thumbnails", "require_auth", "files", "extended_message", "poll_id",
            "mentioned_message_template", "apple_critical_alert_options", "push_option":
            try command.unknownFields.keep(name, from: &reader)
        default: try reader.skipValue()
        }
    }

    func command(
        to channelURL: ChannelURL, endingAt offset: Int
    ) throws(WireError) -> MessageCommand {
        var command = command
        command.channelURL = channelURL
        if isFile {
            let first = file.url == nil ? try firstFile() : nil
            guard let url = file.url ?? first?.url else { throw .missing("url", offset: offset) }
            command.content = .file(
                FileContent(
                    url: url, name: file.name ?? first?.name ?? "",
                    type: file.type ?? first?.type ?? "",
                    size: file.size.map { ByteCount(bytes: $0) } ?? first?.size
                        ?? ByteCount(bytes: 0), caption: text ?? ""))
            if command.data.isEmpty { command.data = customData ?? "" }
        } else {
            guard let text else { throw .missing("message", offset: offset) }
            command.content = .user(text: text)
        }
        return command
    }

    /// Returns the first file of a message of several files, which needs no address of its own.
    private func firstFile() throws(WireError) -> FileContent? {
        guard let files = command.unknownFields["files"] else { return nil }
        var reader = try JSONReader(bytes: Array(files.utf8))
        return try reader.readFiles().first { !$0.url.isEmpty }
    }
}
