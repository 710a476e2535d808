// SPDX-License-Identifier: Apache-2.0

// Request IDs name the items of one user: the server keeps (user, channel, request ID) apart
// (`docs/protocol` 2.3), and may show them to everybody. A client that took the one of another user
// for its own would settle an item that was never sent. So messages of other users lose theirs
// where they enter the machine.

import RoostModel
import RoostWire

extension Message {
    /// The message, with a request ID only if it is the user's.
    fileprivate func entering(for me: UserID) -> Message {
        guard case .delivered(let id, .some) = delivery, let sender, sender.user.id != me else {
            return self
        }
        var message = self
        message.delivery = .delivered(id, nil)
        return message
    }
}

extension GroupChannel {
    fileprivate func entering(for me: UserID) -> GroupChannel {
        var channel = self
        channel.lastMessage = lastMessage?.entering(for: me)
        channel.latestPinnedMessage = latestPinnedMessage?.entering(for: me)
        return channel
    }
}

extension ServerEvent {
    /// The event, with request IDs only in the user's messages.
    func entering(for me: UserID) -> ServerEvent {
        switch self {
        case .message(var event):
            event.message = event.message.entering(for: me)
            return .message(event)
        case .edited(var event):
            event.message = event.message.entering(for: me)
            return .edited(event)
        default: return self
        }
    }
}

extension Reply {
    /// The reply, with request IDs only in the user's messages.
    func entering(for me: UserID) -> Reply {
        guard case .answer(.success(let answer)) = self else { return self }
        return .answer(.success(answer.entering(for: me)))
    }
}

extension ServerAnswer {
    fileprivate func entering(for me: UserID) -> ServerAnswer {
        switch self {
        case .channel(let channel): return .channel(channel.entering(for: me))
        case .messages(var page):
            page.messages = page.messages.map { $0.entering(for: me) }
            return .messages(page)
        case .message(let message): return .message(message.entering(for: me))
        case .gap(var gap):
            gap.previous.messages = gap.previous.messages.map { $0.entering(for: me) }
            gap.next.messages = gap.next.messages.map { $0.entering(for: me) }
            return .gap(gap)
        case .messageChanges(var changes):
            changes.updated = changes.updated.map { $0.entering(for: me) }
            return .messageChanges(changes)
        case .channelChanges(var changes):
            changes.updated = changes.updated.map { $0.entering(for: me) }
            return .channelChanges(changes)
        case .myChannels(var page):
            page.channels = page.channels.map { $0.entering(for: me) }
            return .myChannels(page)
        case .openChannel, .reaction, .uploaded, .fingerprints, .count, .mute, .moment, .metadata,
            .done:
            return self
        }
    }
}
