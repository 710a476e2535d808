// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The fields of the smaller server frames.
private struct SmallFields {
    var channelURL: ChannelURL?
    var messageID: MessageID?
    var parentID: MessageID?
    var user: User?
    var userID: UserID?
    var senderID: UserID?
    var requestID: RequestID?
    var timestamp: Timestamp?
    var messageCreatedAt: Timestamp?
    var updatedAt: Timestamp?
    var retryAfter: Duration?
    var numbers: [String: Int] = [:]
    var texts: [String: String] = [:]
    var raws: [String: String] = [:]
    var thread: ThreadInfo?
    var delivered: [UserID: Timestamp] = [:]
    var isExcluded = false

    mutating func read(_ name: String, _ reader: inout JSONReader) throws(WireError) {
        switch name {
        case "channel_url": channelURL = try reader.readChannelURL()
        case "msg_id", "message_id": messageID = try reader.readMessageID()
        case "parent_message_id", "root_message_id":
            parentID = try reader.readMessageID() ?? parentID
        case "user": user = try reader.readUserIfPresent()
        case "user_id": userID = try reader.readStringIfPresent().map { UserID($0) }
        case "sender_id": senderID = try reader.readStringIfPresent().map { UserID($0) }
        case "req_id": requestID = try reader.readRequestID()
        case "ts": timestamp = try reader.readMoment()
        case "message_created_at": messageCreatedAt = try reader.readMoment()
        case "updated_at": updatedAt = try reader.readMoment()
        case "retry_after": retryAfter = try reader.readDuration()
        case "cat", "code", "reason_code", "reason", "expires_in":
            numbers[name] = try reader.readIntIfPresent()
        case "message", "reaction", "operation": texts[name] = try reader.readStringIfPresent()
        case "data": raws[name] = try reader.readRaw()
        case "thread_info": thread = try reader.readThreadInfoIfPresent()
        case "updated": try readDelivered(&reader)
        case "is_excluded": isExcluded = try reader.readBoolIfPresent() ?? false
        default: try reader.skipValue()
        }
    }

    private mutating func readDelivered(_ reader: inout JSONReader) throws(WireError) {
        if try reader.readNull() { return }
        try reader.readObject { name, reader throws(WireError) in
            self.delivered[UserID(name)] = try reader.readMoment()
        }
    }
}

extension Frame {
    private func readSmallFields() throws(WireError) -> SmallFields {
        var fields = SmallFields()
        try readFields { name, reader throws(WireError) in try fields.read(name, &reader) }
        return fields
    }

    private func need<Value>(_ value: Value?, _ name: String) throws(WireError) -> Value {
        guard let value else { throw missing(name) }
        return value
    }

    func readDeletion() throws(WireError) -> DeletionEvent {
        let fields = try readSmallFields()
        return DeletionEvent(
            channelURL: try need(fields.channelURL, "channel_url"),
            messageID: try need(fields.messageID, "msg_id"), timestamp: fields.timestamp,
            messageCreatedAt: fields.messageCreatedAt, senderID: fields.senderID)
    }

    func readRead() throws(WireError) -> ReadEvent {
        let fields = try readSmallFields()
        var event = ReadEvent(
            channelURL: try need(fields.channelURL, "channel_url"),
            user: try need(fields.user, "user"), timestamp: try need(fields.timestamp, "ts"),
            acknowledges: fields.requestID)
        event.isExcluded = fields.isExcluded
        return event
    }

    func readDelivered() throws(WireError) -> ServerEvent {
        let fields = try readSmallFields()
        return .delivered(try need(fields.channelURL, "channel_url"), fields.delivered)
    }

    func readUserEvent() throws(WireError) -> ServerEvent {
        let fields = try readSmallFields()
        return .user(
            category: try need(fields.numbers["cat"], "cat"), data: fields.raws["data"] ?? "{}")
    }

    func readError() throws(WireError) -> ServerEvent {
        let fields = try readSmallFields()
        let code = RoostError.Code(try need(fields.numbers["code"], "code"))
        return .error(
            ServerError(code, fields.texts["message"] ?? ""), acknowledges: fields.requestID)
    }

    func readBusy() throws(WireError) -> BusyEvent {
        let fields = try readSmallFields()
        return BusyEvent(
            retryAfter: fields.retryAfter ?? .zero,
            reason: fields.numbers["reason_code"] ?? 0, message: fields.texts["message"] ?? "")
    }

    func readExpiring() throws(WireError) -> ServerEvent {
        let fields = try readSmallFields()
        return .expired(reason: fields.numbers["reason"], expiresIn: fields.numbers["expires_in"])
    }

    func readReaction() throws(WireError) -> ReactionEvent {
        let fields = try readSmallFields()
        return ReactionEvent(
            channelURL: try need(fields.channelURL, "channel_url"),
            messageID: try need(fields.messageID, "msg_id"),
            change: ReactionChange(
                key: try need(fields.texts["reaction"], "reaction"),
                userID: try need(fields.userID, "user_id"),
                isAdded: try need(fields.texts["operation"], "operation").uppercased() == "ADD",
                updatedAt: try need(fields.updatedAt, "updated_at")))
    }

    func readThread() throws(WireError) -> ThreadEvent {
        let fields = try readSmallFields()
        return ThreadEvent(
            channelURL: try need(fields.channelURL, "channel_url"),
            parentID: try need(fields.parentID, "parent_message_id"),
            threadInfo: fields.thread ?? ThreadInfo(replyCount: 0))
    }

    func readCounts() throws(WireError) -> ServerEvent {
        var counts: [MemberCounts] = []
        var participants: [ParticipantCount] = []
        try readFields { name, reader throws(WireError) in
            switch name {
            case "group_channels":
                counts = try reader.readList { reader throws(WireError) in
                    try reader.readMemberCounts()
                }
            case "open_channels":
                participants = try reader.readList { reader throws(WireError) in
                    try reader.readParticipantCount()
                }
            default: try reader.skipValue()
            }
        }
        return .memberCounts(counts, participants)
    }

    /// Whether the frame says that its channel is an open one.
    var isOfOpenChannel: Bool {
        var kind: String?
        // A frame that cannot be read was refused before.
        try? readFields { name, reader throws(WireError) in
            guard name == "channel_type" else { return try reader.skipValue() }
            kind = try reader.readStringIfPresent()
        }
        return kind == "open"
    }
}

extension JSONReader {
    fileprivate mutating func readParticipantCount() throws(WireError) -> ParticipantCount {
        var url: ChannelURL?
        var count = 0
        try readObject { name, reader throws(WireError) in
            switch name {
            case "channel_url": url = try reader.readChannelURL()
            case "participant_count": count = try reader.readCount() ?? 0
            default: try reader.skipValue()
            }
        }
        guard let url else { throw .missing("channel_url", offset: position) }
        return ParticipantCount(channelURL: url, count: count)
    }

    fileprivate mutating func readMemberCounts() throws(WireError) -> MemberCounts {
        var url: ChannelURL?
        var counts = MemberCounts(
            channelURL: "", memberCount: 0, joinedMemberCount: 0, timestamp: nil)
        try readObject { name, reader throws(WireError) in
            switch name {
            case "channel_url": url = try reader.readChannelURL()
            case "member_count": counts.memberCount = try reader.readCount() ?? 0
            case "joined_member_count":
                counts.joinedMemberCount = try reader.readCount() ?? 0
            case "ts": counts.timestamp = try reader.readMoment()
            default: try reader.skipValue()
            }
        }
        guard let url else { throw .missing("channel_url", offset: position) }
        counts.channelURL = url
        return counts
    }
}
