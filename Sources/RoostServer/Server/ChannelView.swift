// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension MemberRecord {
    /// How others see the member at a moment, on which depends whether a mute has ended.
    func member(at now: Timestamp) -> Member {
        var member = Member(user: user, state: state, role: role, joinedAt: joinedAt)
        guard let mute = traits.mute, mute.isActive(at: now) else { return member }
        member.isMuted = true
        member.mutedUntil = mute.endsAt
        member.muteReason = mute.note
        return member
    }
}

extension ChannelState {
    var counts: ChannelEvent.Counts {
        ChannelEvent.Counts(members: members.count, joinedMembers: joinedCount)
    }

    private var joinedCount: Int { members.count { $0.state == .joined } }

    /// The channel from one user's point of view, or from nobody's.
    func view(
        for viewer: UserID?, _ extras: ChannelExtras, at now: Timestamp
    ) -> GroupChannel {
        let me = viewer.flatMap { id in members.first { $0.user.id == id } }
        let offset = me?.traits.messageOffset
        let last = lastMessage.flatMap { message in
            offset.map { message.createdAt > $0 } ?? true ? message : nil
        }
        var channel = GroupChannel(
            url: record.url, name: record.name, coverURL: record.coverURL, data: record.data,
            customType: record.customType, createdAt: record.createdAt,
            createdBy: members.first { $0.user.id == record.createdBy }?.user,
            isDistinct: record.isDistinct, isSuper: record.isSuper, isPublic: record.isPublic,
            members: extras.members ? members.map { $0.member(at: now) } : [],
            memberCount: members.count,
            joinedMemberCount: joinedCount, unreadMessageCount: unreadCount,
            unreadMentionCount: mentionCount, lastMessage: last,
            myState: me?.state ?? .none, myRole: me?.role ?? .none, myLastRead: me?.lastRead,
            messageOffset: offset)
        channel.joinedAt = me?.joinedAt
        channel.metadata = extras.metadata ? record.traits.metadata : nil
        channel.pinnedMessageIDs = record.traits.pins
        channel.setTraits(record)
        if let me {
            channel.setMine(me, inviter: me.traits.inviter.flatMap(user))
            channel.isMuted = me.traits.mute?.isActive(at: now) ?? false
        }
        if extras.readReceipts { channel.readReceipts = receipts { $0.lastRead } }
        if extras.deliveryReceipts { channel.deliveryReceipts = receipts { $0.deliveredAt } }
        return channel
    }

    private func user(_ id: UserID) -> User? { members.first { $0.user.id == id }?.user }

    private func receipts(_ moment: (MemberRecord) -> Timestamp?) -> [UserID: Timestamp] {
        var receipts: [UserID: Timestamp] = [:]
        for member in members where member.state == .joined {
            receipts[member.user.id] = moment(member) ?? Timestamp(milliseconds: 0)
        }
        return receipts
    }
}

extension GroupChannel {
    fileprivate mutating func setTraits(_ record: ChannelRecord) {
        let traits = record.traits
        isFrozen = traits.isFrozen
        isBroadcast = traits.isBroadcast
        isExclusive = traits.isExclusive
        isEphemeral = traits.isEphemeral
        isDiscoverable = traits.isDiscoverable ?? record.isPublic
        needsAccessCode = !traits.accessCode.isEmpty
        messageSurvivalSeconds = traits.survivalSeconds
    }

    fileprivate mutating func setMine(_ me: MemberRecord, inviter: User?) {
        hiddenState = me.hidden
        countPreference = me.traits.countPreference
        pushTrigger = me.traits.pushTrigger
        self.inviter = inviter
        invitedAt = me.traits.invitedAt
    }
}
