// SPDX-License-Identifier: Apache-2.0

// Events for the app. An event whose effect only the server knows waits until the server has
// described its channel.

package import RoostModel
import RoostWire

/// The waiting events for the app, and the time of the last total of unread messages.
package struct Announcements: Equatable, Codable, Sendable {
    /// The most waiting events of a channel; the oldest beyond it are announced without the
    /// description.
    static let limit = 100

    /// The events that wait for the description of their channel.
    var pending: [ChannelURL: [ChatEvent]] = [:]
    /// The time of the newest statement about all unread messages.
    var totalAt = Timestamp.distantPast
}

extension SyncState {
    package mutating func emit(_ event: ChatEvent) { step.notices.append(.event(event)) }

    /// Announces an event once the server's description of its channel is on disk.
    package mutating func emit(_ event: ChatEvent, afterLookUpOf channel: ChannelURL) {
        announcements.pending[channel, default: []].append(event)
        if let waiting = announcements.pending[channel], waiting.count > Announcements.limit {
            announcements.pending[channel]?.removeFirst()
            emit(waiting[0])
        }
        lookUp(channel)
    }

    /// Notes that the server has described a channel.
    mutating func noteDescription(of channel: ChannelURL) {
        marks.unreadMarks.remove(channel)
        emitPending(of: channel)
    }

    /// Announces the waiting events of channels that are not being looked up.
    mutating func emitPending() {
        for channel in announcements.pending.keys.sorted() where lookUps[channel] == nil {
            emitPending(of: channel)
        }
    }

    private mutating func emitPending(of channel: ChannelURL) {
        for event in announcements.pending.removeValue(forKey: channel) ?? [] { emit(event) }
    }

    mutating func note(_ total: UnreadCount?) {
        guard let total, total.timestamp >= announcements.totalAt else { return }
        announcements.totalAt = total.timestamp
        emit(.unreadTotalChanged(total.all))
    }

    mutating func emit(_ event: PollEvent) {
        guard let id = event.messageID else { return }
        switch event.change {
        case .voted(let votes): emit(.pollVoted(votes, id, event.channelURL))
        case .edited(let poll): emit(.pollChanged(poll, id, event.channelURL))
        }
    }

    mutating func emitBlock(_ category: Int, _ data: String) {
        guard let block = BlockEvent(category: category, data: data) else { return }
        emit(
            block.isBlocked
                ? .blocked(block.blockee, by: block.blocker)
                : .unblocked(block.blockee, by: block.blocker))
    }
}
