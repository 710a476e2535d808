// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension GroupChannel {
    static let wire = WireTable<GroupChannel>()
}

extension JSONReader {
    /// Reads a group channel as one user sees it (`docs/protocol` 4.2).
    ///
    /// `ts` and `is_created` describe the answer and are not kept with the channel.
    package mutating func readGroupChannel() throws(WireError) -> GroupChannel {
        try readGroupChannel { reader throws(WireError) in try reader.skipValue() }
    }

    /// Reads a group channel; `isCreated` consumes the mark of a channel that the call has made.
    mutating func readGroupChannel(
        isCreated: (inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) -> GroupChannel {
        var channel = GroupChannel.usual
        var isDiscoverable: Bool?
        var isHidden = false
        try GroupChannel.wire.read(into: &channel, from: &self) {
            field, channel, reader throws(WireError) in
            switch field {
            case .url: channel.url = ChannelURL(try reader.readString())
            case .isHidden: isHidden = try reader.readBoolIfPresent() ?? false
            case .isDiscoverable: isDiscoverable = try reader.readBoolIfPresent()
            case .latestMessage:
                channel.latestMessage = try reader.readPlace(keepingIn: &channel.unknownFields)
            case .disappearing: try reader.readDisappearing(of: &channel)
            case .isCreated: try isCreated(&reader)
            case .ts: try reader.skipValue()
            }
        }
        guard !channel.url.rawValue.isEmpty else {
            throw .missing("channel_url", offset: position)
        }
        channel.isDiscoverable = isDiscoverable ?? channel.isPublic
        // Even if the server's word is unknown, the channel is certainly hidden.
        if isHidden, channel.hiddenState == .unhidden { channel.hiddenState = .untilNextMessage }
        return channel
    }

    private mutating func readDisappearing(of channel: inout GroupChannel) throws(WireError) {
        if try readNull() { return }
        var unknown = UnknownFields()
        try readObject { name, reader throws(WireError) in
            switch name {
            case "message_survival_seconds":
                channel.messageSurvivalSeconds =
                    try reader.readLimit() ?? channel.messageSurvivalSeconds
            case "is_triggered_by_message_read":
                channel.isSurvivalTriggeredByRead = try reader.readBoolIfPresent() ?? false
            default: try unknown.keep(name, from: &reader)
            }
        }
        channel.unknownFields.keep("disappearing_message", inside: unknown)
    }

    /// Reads times by user; null says nothing.
    mutating func readReceipts() throws(WireError) -> [UserID: Timestamp]? {
        if try readNull() { return nil }
        var receipts: [UserID: Timestamp] = [:]
        try readObject { name, reader throws(WireError) in
            receipts[UserID(name)] = try reader.readMoment() ?? Timestamp(milliseconds: 0)
        }
        return receipts
    }

    fileprivate mutating func readPlace(
        keepingIn kept: inout UnknownFields
    ) throws(WireError) -> Position? {
        if try readNull() { return nil }
        var unknown = UnknownFields()
        var id: MessageID?
        var createdAt: Timestamp?
        try readObject { name, reader throws(WireError) in
            switch name {
            case "message_id": id = try reader.readMessageID()
            case "created_at": createdAt = try reader.readMoment()
            default: try unknown.keep(name, from: &reader)
            }
        }
        kept.keep("latest_message", inside: unknown)
        guard let id, let createdAt else { return nil }
        return Position(createdAt: createdAt, messageID: id)
    }
}

extension JSONWriter {
    package mutating func groupChannel(_ channel: GroupChannel) {
        object { writer in writer.fields(of: channel) }
    }

    /// Writes a channel's fields into the current object; absent values are left out, except for
    /// two that may be null (`docs/protocol` 4.0).
    package mutating func fields(of channel: GroupChannel) {
        GroupChannel.wire.write(channel, to: &self) { field, writer in
            switch field {
            case .url: writer.field("channel_url", channel.url.rawValue)
            case .isHidden: writer.field("is_hidden", channel.hiddenState != .unhidden)
            case .isDiscoverable:
                if channel.isDiscoverable != channel.isPublic {
                    writer.field("is_discoverable", channel.isDiscoverable)
                }
            case .latestMessage: writer.latestMessage(of: channel)
            case .disappearing: writer.disappearing(of: channel)
            case .isCreated, .ts: break
            }
        }
    }

    private mutating func latestMessage(of channel: GroupChannel) {
        guard let place = channel.latestMessage else { return }
        object("latest_message") { writer in
            writer.field("message_id", place.messageID.rawValue)
            writer.field("created_at", place.createdAt.milliseconds)
            writer.unknown(channel.unknownFields, inside: "latest_message")
        }
    }

    private mutating func disappearing(of channel: GroupChannel) {
        guard channel.isSurvivalTriggeredByRead else { return }
        object("disappearing_message") { writer in
            writer.field("message_survival_seconds", channel.messageSurvivalSeconds ?? -1)
            writer.field("is_triggered_by_message_read", true)
            writer.unknown(channel.unknownFields, inside: "disappearing_message")
        }
    }

    mutating func receipts(_ receipts: [UserID: Timestamp]) {
        object { writer in
            for (id, moment) in receipts.sorted(by: { $0.key < $1.key }) {
                writer.field(id.rawValue, moment.milliseconds)
            }
        }
    }
}
