// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The sources in the words of the old SDK, from the origin of a change and from the values before
// and after it. Of several differences, such as in joined steps, the first below counts. A channel
// is that of a user, the viewer, so the viewer tells own messages from others.

extension CollectionEventSource {
    /// The way in which a change came; of several, the first counts.
    private enum Way {
        /// A live event, or the user's own act.
        case live
        case changeLog
        /// A page, the catch-up, the cache or its upkeep.
        case fill

        init(_ origins: Set<ChangeOrigin>) {
            if !origins.isDisjoint(with: [.event, .answer, .local]) {
                self = .live
            } else {
                self = origins.contains(.changeLog) ? .changeLog : .fill
            }
        }
    }

    // MARK: Messages

    package init(added message: Message, _ origins: Set<ChangeOrigin>) {
        switch (message.status, Way(origins)) {
        case (.pending, _): self = .localMessagePendingCreated
        case (.failed, _): self = .localMessageFailed
        case (.canceled, _): self = .localMessageCanceled
        case (.succeeded, .live):
            self = origins.contains(.event) ? .eventMessageReceived : .eventMessageSent
        case (.succeeded, .changeLog): self = .messageChangelog
        case (.succeeded, .fill): self = .messageFill
        }
    }

    package init(_ update: Update<Message>, _ origins: Set<ChangeOrigin>) {
        switch (update.before.status, update.after.status, Way(origins)) {
        case (.succeeded, .succeeded, .live): self = Self.edit(update)
        case (.succeeded, .succeeded, .changeLog): self = .messageChangelog
        case (.succeeded, .succeeded, .fill): self = .messageFill
        case (_, .succeeded, _): self = .eventMessageSent
        case (_, .failed, _): self = .localMessageFailed
        case (_, .canceled, _): self = .localMessageCanceled
        case (.failed, .pending, _), (.canceled, .pending, _): self = .localMessageResendStarted
        // A waiting message was edited, or a file of it was uploaded.
        case (_, .pending, _): self = .localMessagePendingCreated
        }
    }

    private static func edit(_ update: Update<Message>) -> Self {
        let (before, after) = (update.before, update.after)
        if before.updatedAt != after.updatedAt { return .eventMessageUpdated }
        if before.details.reactions != after.details.reactions { return .eventReactionUpdated }
        if before.details.threadInfo != after.details.threadInfo {
            return .eventThreadInfoUpdated
        }
        if let poll = after.details.poll, let old = before.details.poll, poll != old {
            return poll.voterCount != old.voterCount
                || poll.options.map(\.voteCount) != old.options.map(\.voteCount)
                ? .eventPollVoted : .eventPollUpdated
        }
        return .eventMessageUpdated
    }

    package init(removed message: Message, _ origins: Set<ChangeOrigin>) {
        switch (message.status, Way(origins)) {
        case (.succeeded, .live): self = .eventMessageDeleted
        case (.succeeded, .changeLog): self = .messageChangelog
        case (.succeeded, .fill): self = .messageFill
        case (.pending, _), (.failed, _), (.canceled, _): self = .localMessageCanceled
        }
    }

    // MARK: Channels

    package init(
        added channel: RoostModel.GroupChannel, in change: ListDiff<RoostModel.GroupChannel>,
        for viewer: UserID
    ) {
        switch (Way(change.origins), change.counterpart(of: channel)) {
        case (.live, nil):
            self = channel.myState == .invited ? .eventUserReceivedInvitation : .eventUserJoined
        // The list has room for it since another channel was removed.
        case (.live, channel?): self = .channelRefresh
        case (.live, let before?):
            self.init(Update(before: before, after: channel), change.origins, for: viewer)
        case (.changeLog, _): self = .channelChangelog
        case (.fill, _): self = .channelRefresh
        }
    }

    package init(
        removed channel: RoostModel.GroupChannel, in change: ListDiff<RoostModel.GroupChannel>,
        for viewer: UserID
    ) {
        switch (Way(change.origins), change.counterpart(of: channel)) {
        case (.live, nil): self = .eventChannelDeleted
        // Another channel has taken its place.
        case (.live, channel?): self = .channelRefresh
        case (.live, let after?) where after.myState == .none:
            self = channel.myState == .invited ? .eventUserDeclinedInvitation : .eventUserLeft
        case (.live, let after?):
            self.init(Update(before: channel, after: after), change.origins, for: viewer)
        case (.changeLog, _): self = .channelChangelog
        case (.fill, _): self = .channelRefresh
        }
    }

    package init(
        _ update: Update<RoostModel.GroupChannel>, _ origins: Set<ChangeOrigin>,
        for viewer: UserID
    ) {
        switch Way(origins) {
        case .live:
            self =
                update.lastMessageSource(for: viewer) ?? update.stateSource
                ?? update.memberSource ?? update.metadataSource ?? update.receiptSource
                ?? .eventChannelChanged
        case .changeLog: self = .channelChangelog
        case .fill: self = .channelRefresh
        }
    }
}

extension Update<RoostModel.GroupChannel> {
    fileprivate func lastMessageSource(for viewer: UserID) -> CollectionEventSource? {
        let (old, new) = (before.lastMessage, after.lastMessage)
        guard old != new else { return nil }
        guard let new else { return .eventMessageDeleted }
        if let old, old.messageID == new.messageID {
            return CollectionEventSource(Update<Message>(before: old, after: new), [.event])
        }
        if let old, let was = old.position, let position = new.position, position < was {
            return .eventMessageDeleted
        }
        if after.unreadMentionCount > before.unreadMentionCount { return .eventMention }
        return new.sender?.user.id == viewer ? .eventMessageSent : .eventMessageReceived
    }

    fileprivate var stateSource: CollectionEventSource? {
        if before.isFrozen != after.isFrozen {
            return after.isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen
        }
        if before.hiddenState != after.hiddenState {
            return after.hiddenState == .unhidden ? .eventChannelChanged : .eventChannelHidden
        }
        return before.pinnedMessageIDs != after.pinnedMessageIDs
            ? .eventPinnedMessageUpdated : nil
    }

    fileprivate var memberSource: CollectionEventSource? {
        if !newMembers(.invited).isEmpty { return .eventUserReceivedInvitation }
        if !newMembers(.joined).isEmpty { return .eventUserJoined }
        let ids = Set(after.members.map(\.id))
        if let gone = before.members.first(where: { !ids.contains($0.id) }) {
            return gone.state == .invited ? .eventUserDeclinedInvitation : .eventUserLeft
        }
        let (muted, wereMuted) = (
            Set(after.members.filter(\.isMuted).map(\.id)),
            Set(before.members.filter(\.isMuted).map(\.id))
        )
        if muted != wereMuted {
            return muted.isSubset(of: wereMuted) ? .eventUserUnmuted : .eventUserMuted
        }
        if before.isMuted != after.isMuted {
            return after.isMuted ? .eventUserMuted : .eventUserUnmuted
        }
        if before.memberCount != after.memberCount
            || before.joinedMemberCount != after.joinedMemberCount
        {
            return .eventChannelMemberCountChanged
        }
        return before.operators.map(\.id) != after.operators.map(\.id)
            || before.myRole != after.myRole ? .eventOperatorUpdated : nil
    }

    /// The members in a state who were not in it before.
    func newMembers(_ state: MembershipState) -> [RoostModel.Member] {
        let known = Set(before.members.filter { $0.state == state }.map(\.id))
        return after.members.filter { $0.state == state && !known.contains($0.id) }
    }

    fileprivate var metadataSource: CollectionEventSource? {
        let (old, new) = (before.metadata ?? [:], after.metadata ?? [:])
        guard old != new else { return nil }
        if new.keys.contains(where: { old[$0] == nil }) { return .eventMetaDataCreated }
        if old.keys.contains(where: { new[$0] == nil }) { return .eventMetaDataDeleted }
        return .eventMetaDataUpdated
    }

    fileprivate var receiptSource: CollectionEventSource? {
        if before.readReceipts != after.readReceipts || before.myLastRead != after.myLastRead {
            let hasGoneBack =
                (after.myLastRead ?? .distantPast) < (before.myLastRead ?? .distantPast)
            return hasGoneBack ? .eventUserDidMarkAsUnread : .eventUserDidMarkAsRead
        }
        return before.deliveryReceipts != after.deliveryReceipts
            ? .eventDeliveryStatusUpdated : nil
    }
}
