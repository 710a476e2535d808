// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The effect of a live event on its channel (`docs/protocol` 6.6).
package enum ChannelNews: Equatable, Codable, Sendable {
    /// The effect of a received message on its channel in a list.
    package struct Reception: Equatable, Codable, Sendable {
        /// Whether it becomes the channel's last message.
        package var isPreview: Bool
        package var isUnread: Bool
        /// Whether it mentions the viewer.
        package var isMention: Bool
        /// The greatest count in a super channel.
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
    /// The preview is the last message in place of a deleted one, as far as the cache knows.
    case deleted([MessageID], preview: Message? = nil)
    /// The viewer has read up to here, on any device.
    case read(Timestamp)
    /// Members have read up to here, perhaps the viewer among them.
    case readBy([UserID: Timestamp])
    /// Messages up to here have reached members.
    case deliveredTo([UserID: Timestamp])
    case frozen(Bool)
    /// Hidden, with the moment up to which all messages are hidden, if requested.
    case hidden(HiddenState, through: Timestamp?)
    case historyReset(through: Timestamp)
    case metadata(set: [String: String], removed: [String])
    case memberCounts(all: Int, joined: Int)
    case countPreference(CountPreference)
    case pushTrigger(PushTrigger)
}

extension GroupChannel {
    /// Returns the channel after the change; unchanged if it contains the change already.
    package func applying(_ news: ChannelNews) -> GroupChannel {
        var channel = self
        switch news {
        case .received(let message, let reception):
            channel.receive(message, reception)
        case .edited(let message):
            guard let id = message.messageID, let last = lastMessage else { return self }
            if last.messageID == id { channel.lastMessage = last.merged(with: message) }
            if last.parentID == id { channel.lastMessage?.details.follow(message.preview) }
        case .deleted(let ids, let preview):
            guard let last = lastMessage, let id = last.messageID else { return self }
            if let parent = last.parentID, ids.contains(parent) {
                channel.lastMessage?.details.parentPreview = nil
            }
            if ids.contains(id) { channel.lastMessage = preview.flatMap(visibleBefore(last)) }
        case .read(let moment):
            channel = applying(readMark: moment)
        // One receipt changes the whole channel on disk. A large channel gets one for each member.
        case .readBy where !countsReceipts, .deliveredTo where !countsReceipts: return self
        case .readBy(let moments):
            // Without known receipts of all members, a few would pass for all.
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

    /// Returns a filter of the messages before another one that the viewer may see.
    private func visibleBefore(_ last: Message) -> (Message) -> Message? {
        { [messageOffset] message in
            guard let position = message.position, last.position.map({ position < $0 }) ?? false,
                position.createdAt > messageOffset ?? .distantPast
            else { return nil }
            return message
        }
    }

    private mutating func receive(_ message: Message, _ reception: ChannelNews.Reception) {
        // A sender has read all earlier messages (`docs/protocol` 3.11).
        if countsReceipts, let sender = message.sender?.user.id {
            readReceipts?.merge([sender: message.createdAt]) { max($0, $1) }
        }
        // A repeated frame must not count twice, and an older message is no preview.
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
