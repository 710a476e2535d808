// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostWire

/// The server's log of a channel, and the part of it that one user can see.
struct ServerLog {
    let channel: ChannelURL
    /// All messages by position, the deleted ones too.
    let entries: [MemoryChannel.Entry]
    /// The entries that are not hidden from the user.
    let visible: ArraySlice<MemoryChannel.Entry>

    /// Creates a log; messages up to `offset` are hidden from the user.
    init(of channel: ChannelURL, _ entries: [MemoryChannel.Entry], hiddenThrough offset: Timestamp?)
    {
        self.channel = channel
        self.entries = entries
        let start = offset.map { entries.firstIndex(after: $0) } ?? 0
        visible = entries[start...]
    }

    /// The visible messages that are not deleted.
    var living: [Message] { visible.filter { $0.deletedAt == nil }.map(\.message) }
}

extension RandomAccessCollection<MemoryChannel.Entry> where Index == Int {
    /// Returns the index of the first entry after a moment.
    func firstIndex(after moment: Timestamp) -> Int {
        firstIndex(
            atOrAfter: Position(
                createdAt: Timestamp(milliseconds: moment.milliseconds + 1),
                messageID: MessageID(.min)))
    }

    /// Returns the index of the first entry at a position or after it, by binary search.
    func firstIndex(atOrAfter place: Position) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if (self[middle].message.position ?? .distantPast) < place {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    func entry(at place: Position) -> MemoryChannel.Entry? {
        let index = firstIndex(atOrAfter: place)
        return index < endIndex && self[index].message.position == place ? self[index] : nil
    }
}

extension Cursor {
    /// The moment of a cursor that is one; nil for a token.
    var moment: Timestamp? {
        if case .moment(let moment) = self { moment } else { nil }
    }

    /// Whether the cursor has read past a change, by its time or by its number in the change log.
    func covers(_ change: (sequence: Int64, at: Timestamp)) -> Bool {
        switch self {
        case .moment(let moment): change.at < moment
        case .token(let token): Int64(token.dropFirst()).map { change.sequence <= $0 } ?? false
        }
    }
}

extension ListMyChannels {
    /// The question about all channels of a user, empty and hidden ones too.
    static func all(of user: UserID) -> ListMyChannels {
        var filter = ChannelFilter()
        filter.includesEmpty = true
        filter.hidden = .all
        return ListMyChannels(
            userID: user, limit: 100, order: .chronological, showsEmpty: true, showsFrozen: true,
            filters: filter.query)
    }
}
