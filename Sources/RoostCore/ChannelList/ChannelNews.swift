// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What a live event means for the channel it happened in (`docs/protocol` 6.6).
package enum ChannelNews: Hashable, Sendable {
    /// What a message that came means to whoever looks at the list.
    package struct Reception: Hashable, Sendable {
        /// It stands as the channel's last message.
        package var isPreview: Bool
        package var isUnread: Bool
        /// It calls the viewer.
        package var isMention: Bool
        /// Up to how many are counted in a super channel.
        package var superLimit: Int

        package init(
            isPreview: Bool = true, isUnread: Bool, isMention: Bool = false, superLimit: Int = 100
        ) {
            self.isPreview = isPreview
            self.isUnread = isUnread
            self.isMention = isMention
            self.superLimit = superLimit
        }
    }

    case received(Message, Reception)
    case edited(Message)
    case deleted([MessageID])
    /// The viewer has read up to here, on whichever device.
    case read(Timestamp)
    /// Up to where members have read, the viewer among them.
    case readBy([UserID: Timestamp])
    /// Up to where messages have reached members.
    case deliveredTo([UserID: Timestamp])
    case frozen(Bool)
    /// With the moment up to which everything is gone, when that was asked for.
    case hidden(HiddenState, through: Timestamp?)
    case historyReset(through: Timestamp)
    case metadata(set: [String: String], removed: [String])
    case memberCounts(all: Int, joined: Int)
    case countPreference(CountPreference)
    case pushTrigger(PushTrigger)
}

extension GroupChannel {
    /// The channel after the news; unchanged when it knew them already.
    package func applying(_ news: ChannelNews) -> GroupChannel {
        var channel = self
        switch news {
        case .received(let message, let reception):
            channel.receive(message, reception)
        case .edited(let message):
            guard let id = message.messageID, let last = lastMessage else { return self }
            if last.messageID == id { channel.lastMessage = message }
            if last.parentID == id { channel.lastMessage?.details.follow(message.preview) }
        case .deleted(let ids):
            guard let last = lastMessage, let id = last.messageID else { return self }
            if let parent = last.parentID, ids.contains(parent) {
                channel.lastMessage?.details.parentPreview = nil
            }
            if ids.contains(id) { channel.lastMessage = nil }
        case .read(let moment):
            guard moment > myLastRead ?? .distantPast else { return self }
            channel.myLastRead = moment
            if lastMessage.map({ $0.createdAt <= moment }) ?? true { channel.clearUnread() }
        case .readBy(let moments):
            // Where nobody asked for receipts, a few of them would pass for all.
            channel.readReceipts?.merge(moments) { max($0, $1) }
        case .deliveredTo(let moments):
            channel.deliveryReceipts?.merge(moments) { max($0, $1) }
        case .frozen(let isFrozen): channel.isFrozen = isFrozen
        case .hidden(let state, let offset): channel.hide(state, through: offset)
        case .historyReset(let offset): channel.hide(hiddenState, through: offset)
        case .metadata(let texts, let removed):
            channel.metadata?.merge(texts) { $1 }
            for key in removed { channel.metadata?[key] = nil }
        case .memberCounts(let all, let joined):
            channel.memberCount = all
            channel.joinedMemberCount = joined
        case .countPreference(let preference): channel.countPreference = preference
        case .pushTrigger(let trigger): channel.pushTrigger = trigger
        }
        return channel
    }

    private mutating func receive(_ message: Message, _ reception: ChannelNews.Reception) {
        // Whoever writes has read what stands above (`docs/protocol` 3.11).
        if let sender = message.sender?.user.id {
            readReceipts?.merge([sender: message.createdAt]) { max($0, $1) }
        }
        // A frame that comes twice must not count twice; an older one is no preview.
        guard let position = message.position,
            lastMessage?.position.map({ $0 < position }) ?? true,
            message.createdAt > messageOffset ?? .distantPast
        else { return }
        if hiddenState == .untilNextMessage { hiddenState = .unhidden }
        if reception.isPreview { lastMessage = message }
        guard reception.isUnread, position.createdAt > myLastRead ?? .distantPast else { return }
        if !isSuper || unreadMessageCount < reception.superLimit {
            unreadMessageCount = unreadMessageCount.addingSaturated(1)
        }
        if reception.isMention { unreadMentionCount = unreadMentionCount.addingSaturated(1) }
    }

    private mutating func hide(_ state: HiddenState, through offset: Timestamp?) {
        hiddenState = state
        guard let offset, offset > messageOffset ?? .distantPast else { return }
        messageOffset = offset
        myLastRead = max(myLastRead ?? offset, offset)
        guard lastMessage.map({ $0.createdAt <= offset }) ?? true else { return }
        lastMessage = nil
        clearUnread()
    }

    private mutating func clearUnread() {
        unreadMessageCount = 0
        unreadMentionCount = 0
    }
}
