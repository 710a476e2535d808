// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

// Rewinding: reading a change log once more, from a place that is certainly early enough.

/// A change log to read again, and its new place.
struct Rewind: Equatable, Codable, Sendable {
    let key: CursorKey
    let start: Cursor
}

extension SyncState {
    /// Returns the change logs to read again because of a message.
    ///
    /// The answer to a repeated send shows the message in its first state. Its later changes may be
    /// before the cursors.
    func logsToRewind(for event: MessageEvent) -> [CursorKey] {
        guard event.acknowledges != nil,
            event.message.createdAt < lastLoginAt ?? .distantPast
        else { return [] }
        return [.channelChanges, .messageChanges(event.message.channelURL)]
    }

    /// Keeps running readings of these logs from restoring the old cursors.
    mutating func beginRewinding(_ keys: [CursorKey]) {
        for key in keys { rewindings[key, default: Rewindings()].underWay += 1 }
    }

    mutating func endRewinding(_ keys: [CursorKey]) {
        for key in keys {
            rewindings[key]?.underWay -= 1
            rewindings[key]?.done += 1
        }
    }

    /// Reads the logs again that a commit has rewound.
    mutating func follow(_ rewinds: [Rewind], in channel: ChannelURL?) {
        guard !rewinds.isEmpty else { return }
        if let channel, !timelines.ids(of: channel).isEmpty { catchUp(channel, .anyway) }
        catchUpChannels()
    }
}
