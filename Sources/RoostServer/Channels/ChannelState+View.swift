// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

extension MemberRecord {
    /// Returns the member for an answer at a moment; a mute may have ended by then.
    ///
    /// - Parameters:
    ///   - now: The moment.
    ///   - showsMute: Whether the answer shows mutes, which members alone see.
    /// - Returns: The member.
    package func member(at now: Timestamp, showsMute: Bool = true) -> Member {
        var member = Member(user: user, state: state, role: role, joinedAt: joinedAt)
        guard showsMute, let mute = traits.mute, mute.isActive(at: now) else { return member }
        member.isMuted = true
        member.mutedUntil = mute.endsAt
        member.muteReason = mute.note
        return member
    }
}

extension ChannelState {
    package var counts: ChannelEvent.Counts {
        let counted = counted
        return ChannelEvent.Counts(members: counted.members, joinedMembers: counted.joined)
    }

    /// Whether a user sees the messages of the channel, and its members.
    ///
    /// An invited user sees the members. A public channel with an access code shows other users
    /// only the data that they need to join it.
    private func sight(of me: MemberRecord?, _ viewer: UserID?) -> (words: Bool, members: Bool) {
        guard viewer != nil, me?.state != .joined else { return (true, true) }
        let isShown = record.showsMessages(to: me?.state ?? .none)
        return (isShown, isShown || me != nil)
    }

    /// Returns the channel without its members if a viewer may not see them, so that no filter
    /// finds it by them.
    func veiled(for viewer: UserID?) -> ChannelState {
        let me = viewer.flatMap { id in members.first { $0.user.id == id } }
        guard !sight(of: me, viewer).members else { return self }
        var veiled = self
        veiled.members = []
        return veiled
    }

    /// Returns the last message that a viewer sees; nil is the platform.
    func lastMessage(for viewer: UserID?) -> Message? {
        lastMessage(for: viewer.flatMap { id in members.first { $0.user.id == id } }, viewer)
    }

    private func lastMessage(for me: MemberRecord?, _ viewer: UserID?) -> Message? {
        guard sight(of: me, viewer).words else { return nil }
        return lastMessage.flatMap(Sight(beginning: me?.traits.messageOffset).shown)
    }

    /// Returns the channel for a viewer; nil is the platform.
    package func view(
        for viewer: UserID?, _ extras: ChannelExtras, at now: Timestamp
    ) -> GroupChannel {
        let me = viewer.flatMap { id in members.first { $0.user.id == id } }
        let sight = sight(of: me, viewer)
        let preview = lastMessage(for: me, viewer)?.withPoll(at: now)
        let maker = members.first { $0.user.id == record.createdBy }?.user
        let isReader = viewer == nil || me?.state == .joined
        let isListed = extras.members && sight.members
        let all = isListed ? members.map { $0.member(at: now, showsMute: isReader) } : []
        let shown = all.shown
        let counted = counted
        var channel = GroupChannel(
            url: record.url, name: record.name, coverURL: record.coverURL,
            data: sight.members ? record.data : "",
            customType: record.customType, createdAt: record.createdAt,
            createdBy: sight.members ? maker : nil,
            isDistinct: record.isDistinct, isSuper: record.isSuper, isPublic: record.isPublic,
            members: shown,
            memberCount: counted.members,
            joinedMemberCount: counted.joined, unreadMessageCount: unreadCount,
            unreadMentionCount: mentionCount, lastMessage: preview,
            myState: me?.state ?? .none, myRole: me?.role ?? .none, myLastRead: me?.lastRead,
            messageOffset: me?.traits.messageOffset)
        channel.joinedAt = me?.joinedAt
        channel.metadata = extras.metadata && sight.members ? record.traits.metadata : nil
        channel.pinnedMessageIDs = sight.words ? record.traits.pins : []
        channel.setTraits(record)
        if let me {
            channel.setMine(me, inviter: me.traits.inviter.flatMap(user))
            channel.isMuted = me.traits.mute?.isActive(at: now) ?? false
        }
        // The list of members, which has receipts too, is for members alone.
        guard isReader else { return channel }
        // Receipts of members that do not fit into the row are left out too.
        let listed = shown.count < all.count ? Set(shown.map(\.id)) : nil
        if extras.readReceipts { channel.readReceipts = receipts(of: listed) { $0.lastRead } }
        if extras.deliveryReceipts {
            channel.deliveryReceipts = receipts(of: listed) { $0.deliveredAt }
        }
        return channel
    }

    private func user(_ id: UserID) -> User? { members.first { $0.user.id == id }?.user }

    private func receipts(
        of listed: Set<UserID>?, _ moment: (MemberRecord) -> Timestamp?
    ) -> [UserID: Timestamp] {
        var receipts: [UserID: Timestamp] = [:]
        for member in members
        where member.state == .joined && listed?.contains(member.user.id) ?? true {
            receipts[member.user.id] = moment(member) ?? Timestamp(milliseconds: 0)
        }
        return receipts
    }
}

extension ChannelRecord {
    /// Whether a user in a state sees the messages of the channel.
    package func showsMessages(to state: MembershipState) -> Bool {
        state == .joined || isPublic && traits.accessCode == nil
    }

    /// Whether the channel counts receipts; super and broadcast channels count none.
    package var countsReceipts: Bool { !isSuper && !traits.isBroadcast }

    /// The channel for filters of public lists.
    var veiled: ChannelRecord {
        guard traits.accessCode != nil else { return self }
        var record = self
        record.traits.metadata = [:]
        return record
    }
}

extension [Member] {
    /// The members that fit into a channel's row of an answer, in their order.
    fileprivate var shown: [Member] {
        // A member has few bytes besides the user.
        guard count * (ServerLimits.userBytes + 512) > ServerLimits.memberBytes else { return self }
        return Array(prefix(within: ServerLimits.memberBytes, \.weight))
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
        needsAccessCode = traits.accessCode != nil
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
