// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension JSONReader {
    /// Reads a group channel from one user's point of view (`protocol.md` 4.2).
    ///
    /// `ts` and `is_created` speak of the answer, not of the channel, and are not kept with it.
    package mutating func readGroupChannel() throws(WireError) -> GroupChannel {
        var fields = GroupChannelFields()
        try readObject { name, reader throws(WireError) in try fields.read(name, &reader) }
        return try fields.channel(endingAt: position)
    }
}

/// The fields of a channel while an object that has them is being read.
struct GroupChannelFields {
    private var url = ""
    private var channel = GroupChannel(url: "")
    /// Set by the answer to "create"; false when a distinct channel was there already.
    private(set) var isCreated: Bool?

    mutating func read(_ name: String, _ reader: inout JSONReader) throws(WireError) {
        switch name {
        case "channel_url": url = try reader.readString()
        case "name": channel.name = try reader.readStringIfPresent() ?? ""
        case "cover_url": channel.coverURL = try reader.readStringIfPresent() ?? ""
        case "data": channel.data = try reader.readStringIfPresent() ?? ""
        case "custom_type": channel.customType = try reader.readStringIfPresent() ?? ""
        case "created_at": channel.createdAt = Timestamp(seconds: try reader.readInt64())
        case "created_by": channel.createdBy = try reader.readUserIfPresent()
        case "members":
            channel.members = try reader.readList { reader throws(WireError) in
                try reader.readMember()
            }
        case "last_message":
            channel.lastMessage = try reader.readNull() ? nil : try reader.readMessage()
        case "is_created": isCreated = try reader.readBoolIfPresent()
        case "ts": try reader.skipValue()
        default: try readFlagOrCount(name, &reader)
        }
    }

    private mutating func readFlagOrCount(
        _ name: String, _ reader: inout JSONReader
    ) throws(WireError) {
        switch name {
        case "is_distinct": channel.isDistinct = try reader.readBoolIfPresent() ?? false
        case "is_super": channel.isSuper = try reader.readBoolIfPresent() ?? false
        case "is_broadcast": channel.isBroadcast = try reader.readBoolIfPresent() ?? false
        case "is_public": channel.isPublic = try reader.readBoolIfPresent() ?? false
        case "freeze": channel.isFrozen = try reader.readBoolIfPresent() ?? false
        case "member_count": channel.memberCount = try reader.readIntIfPresent() ?? 0
        case "joined_member_count": channel.joinedMemberCount = try reader.readIntIfPresent() ?? 0
        case "unread_message_count": channel.unreadMessageCount = try reader.readIntIfPresent() ?? 0
        case "unread_mention_count": channel.unreadMentionCount = try reader.readIntIfPresent() ?? 0
        case "member_state": channel.myState = try reader.readMembershipState()
        case "my_role": channel.myRole = try reader.readRole()
        case "user_last_read": channel.myLastRead = try reader.readMoment()
        case "ts_message_offset": channel.messageOffset = try reader.readMoment()
        default: try channel.unknownFields.keep(name, from: &reader)
        }
    }

    func channel(endingAt offset: Int) throws(WireError) -> GroupChannel {
        guard !url.isEmpty else { throw .missing("channel_url", offset: offset) }
        return GroupChannel(
            url: ChannelURL(url), name: channel.name, coverURL: channel.coverURL,
            data: channel.data, customType: channel.customType, createdAt: channel.createdAt,
            createdBy: channel.createdBy, isDistinct: channel.isDistinct,
            isSuper: channel.isSuper, isBroadcast: channel.isBroadcast,
            isPublic: channel.isPublic, isFrozen: channel.isFrozen, members: channel.members,
            memberCount: channel.memberCount, joinedMemberCount: channel.joinedMemberCount,
            unreadMessageCount: channel.unreadMessageCount,
            unreadMentionCount: channel.unreadMentionCount, lastMessage: channel.lastMessage,
            myState: channel.myState, myRole: channel.myRole, myLastRead: channel.myLastRead,
            messageOffset: channel.messageOffset, unknownFields: channel.unknownFields)
    }
}

extension JSONWriter {
    package mutating func groupChannel(_ channel: GroupChannel) {
        object { writer in writer.fields(of: channel) }
    }

    /// Writes a channel's fields into the object at hand; absent values are left out but for the two
    /// that may be null (`protocol.md` 4.0).
    mutating func fields(of channel: GroupChannel) {
        field("channel_url", channel.url.rawValue)
        field("name", channel.name)
        field("cover_url", channel.coverURL)
        field("data", channel.data)
        field("custom_type", channel.customType)
        field("created_at", channel.createdAt.seconds)
        name("created_by")
        if let user = channel.createdBy { self.user(user) } else { null() }
        field("is_distinct", channel.isDistinct)
        field("is_super", channel.isSuper)
        field("is_broadcast", channel.isBroadcast)
        field("is_public", channel.isPublic)
        field("freeze", channel.isFrozen)
        if !channel.members.isEmpty { members("members", channel.members) }
        field("member_count", channel.memberCount)
        field("joined_member_count", channel.joinedMemberCount)
        field("unread_message_count", channel.unreadMessageCount)
        field("unread_mention_count", channel.unreadMentionCount)
        name("last_message")
        if let message = channel.lastMessage { self.message(message) } else { null() }
        field("member_state", channel.myState.rawValue)
        field("my_role", channel.myRole.rawValue)
        if let moment = channel.myLastRead { field("user_last_read", moment.milliseconds) }
        if let moment = channel.messageOffset { field("ts_message_offset", moment.milliseconds) }
        unknown(channel.unknownFields)
    }
}
