// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What a live event means for the channel it happened in (`protocol.md` 6.6).
package enum ChannelNews: Hashable, Sendable {
    case received(Message, countsAsUnread: Bool)
    case edited(Message)
    case deleted([MessageID])
    /// The viewer has read up to here, on whichever device.
    case read(Timestamp)
}

extension GroupChannel {
    /// The channel after the news; unchanged when it knew them already.
    package func applying(_ news: ChannelNews) -> GroupChannel {
        var channel = self
        switch news {
        case .received(let message, let countsAsUnread):
            // A frame that comes twice must not count twice; an older one is no preview.
            guard let position = message.position,
                lastMessage?.position.map({ $0 < position }) ?? true,
                // The answer to a repeated send may be from before the history was reset.
                position.createdAt > messageOffset ?? .distantPast
            else { return self }
            if channel.hiddenState == .untilNextMessage { channel.hiddenState = .unhidden }
            if let myLastRead, position.createdAt <= myLastRead {
                channel.lastMessage = message
                return channel
            }
            channel.lastMessage = message
            if countsAsUnread { channel.unreadMessageCount += 1 }
        case .edited(let message):
            guard let id = message.messageID, lastMessage?.messageID == id else { return self }
            channel.lastMessage = message
        case .deleted(let ids):
            guard let id = lastMessage?.messageID, ids.contains(id) else { return self }
            channel.lastMessage = nil
        case .read(let moment):
            guard moment > myLastRead ?? .distantPast else { return self }
            channel.myLastRead = moment
            if lastMessage.map({ $0.createdAt <= moment }) ?? true {
                channel.unreadMessageCount = 0
                channel.unreadMentionCount = 0
            }
        }
        return channel
    }
}
