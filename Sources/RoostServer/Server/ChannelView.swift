// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension MemberRecord {
    var member: Member {
        Member(user: user, state: state, role: role, joinedAt: joinedAt)
    }
}

extension ChannelState {
    var counts: ChannelEvent.Counts {
        ChannelEvent.Counts(members: members.count, joinedMembers: joinedCount)
    }

    private var joinedCount: Int { members.count { $0.state == .joined } }

    /// The channel from one user's point of view, or from nobody's.
    func view(for viewer: UserID?, _ extras: ChannelExtras) -> GroupChannel {
        let me = viewer.flatMap { id in members.first { $0.user.id == id } }
        return GroupChannel(
            url: record.url, name: record.name, coverURL: record.coverURL, data: record.data,
            customType: record.customType, createdAt: record.createdAt,
            createdBy: members.first { $0.user.id == record.createdBy }?.user,
            isDistinct: record.isDistinct, isSuper: record.isSuper, isPublic: record.isPublic,
            members: extras.members ? members.map(\.member) : [], memberCount: members.count,
            joinedMemberCount: joinedCount, unreadMessageCount: unreadCount,
            unreadMentionCount: mentionCount, lastMessage: lastMessage,
            myState: me?.state ?? .none, myRole: me?.role ?? .none, myLastRead: me?.lastRead,
            messageOffset: me?.messageOffset, unknownFields: furtherFields(me, extras))
    }

    /// Fields that clients read and the model does not have.
    private func furtherFields(_ me: MemberRecord?, _ extras: ChannelExtras) -> UnknownFields {
        var fields = UnknownFields()
        func keep(_ name: String, _ json: String) {
            fields.keep(UnknownFields.Field(name: name, json: json))
        }
        keep("is_hidden", "false")
        keep("hidden_state", "\"unhidden\"")
        if let joinedAt = me?.joinedAt { keep("joined_ts", String(joinedAt.seconds)) }
        if extras.readReceipts { keep("read_receipt", receipts { $0.lastRead }) }
        if extras.deliveryReceipts { keep("delivery_receipt", receipts { $0.deliveredAt }) }
        return fields
    }

    private func receipts(_ moment: (MemberRecord) -> Timestamp?) -> String {
        JSONValue.object(
            members.filter { $0.state == .joined }.map { member in
                JSONValue.Field(
                    member.user.id.rawValue, .int(moment(member)?.milliseconds ?? 0))
            }
        ).text
    }
}
