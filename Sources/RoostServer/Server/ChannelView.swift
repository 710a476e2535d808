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
        var channel = GroupChannel(
            url: record.url, name: record.name, coverURL: record.coverURL, data: record.data,
            customType: record.customType, createdAt: record.createdAt,
            createdBy: members.first { $0.user.id == record.createdBy }?.user,
            isDistinct: record.isDistinct, isSuper: record.isSuper, isPublic: record.isPublic,
            members: extras.members ? members.map(\.member) : [], memberCount: members.count,
            joinedMemberCount: joinedCount, unreadMessageCount: unreadCount,
            unreadMentionCount: mentionCount, lastMessage: lastMessage,
            myState: me?.state ?? .none, myRole: me?.role ?? .none, myLastRead: me?.lastRead,
            messageOffset: me?.messageOffset)
        channel.isDiscoverable = record.isPublic
        channel.joinedAt = me?.joinedAt
        if extras.readReceipts { channel.readReceipts = receipts { $0.lastRead } }
        if extras.deliveryReceipts { channel.deliveryReceipts = receipts { $0.deliveredAt } }
        return channel
    }

    private func receipts(_ moment: (MemberRecord) -> Timestamp?) -> [UserID: Timestamp] {
        var receipts: [UserID: Timestamp] = [:]
        for member in members where member.state == .joined {
            receipts[member.user.id] = moment(member) ?? Timestamp(milliseconds: 0)
        }
        return receipts
    }
}
