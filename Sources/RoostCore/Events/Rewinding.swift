// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

// Reading a change log once more, from a place that is certainly not too late.

/// A change log that is to be read again, and from where.
struct Rewind: Hashable, Sendable {
    let key: CursorKey
    let start: Cursor
}

extension SyncState {
    /// The change logs to read again because of a message.
    ///
    /// The answer to a repeated send shows the message as it was at first. Its later changes may lie before the
    /// cursors.
    func logsToRewind(for event: MessageEvent) -> [CursorKey] {
        guard event.acknowledges != nil,
            event.message.createdAt < lastLoginAt ?? .distantPast
        else { return [] }
        return [.channelChanges, .messageChanges(event.message.channelURL)]
    }

    /// Keeps readings of these logs that are under way from putting the cursors back to where they were.
    mutating func beginRewinding(_ rewinds: [Rewind]) {
        for rewind in rewinds { rewindings[rewind.key, default: Rewindings()].underWay += 1 }
    }

    mutating func endRewinding(_ rewinds: [Rewind]) {
        for rewind in rewinds {
            rewindings[rewind.key]?.underWay -= 1
            rewindings[rewind.key]?.done += 1
        }
    }

    /// Reads the logs again that a commit has set back.
    mutating func follow(_ rewinds: [Rewind], in channel: ChannelURL?) {
        guard !rewinds.isEmpty else { return }
        if let channel, !timelines.ids(of: channel).isEmpty { catchUp(channel, .anyway) }
        catchUpChannels()
    }
}
