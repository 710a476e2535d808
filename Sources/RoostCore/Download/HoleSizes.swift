// SPDX-License-Identifier: Apache-2.0

// The server's counts of the messages in holes, as long as they are true.
//
// A count belongs to one connection: every message that comes or goes meanwhile is reported, and
// drops the counts that it may have changed.

package import RoostModel

/// The numbers of messages in the holes of channels, of one connection.
package struct HoleSizes: Codable, Sendable {
    /// The most channels whose counts are kept.
    private static let channelLimit = 100

    private struct Count: Codable {
        let channel: ChannelURL
        /// The holes without those that a message has entered or left since the beginning.
        var unchanged: Set<Hole>
    }

    private var sizes: [ChannelURL: [Hole: HoleSize]] = [:]
    /// The count under way; one channel is counted at a time.
    private var count: Count?

    /// The known sizes of a channel's holes; a hole that is paged into has none.
    package subscript(channel: ChannelURL) -> [Hole: HoleSize] { sizes[channel] ?? [:] }

    /// Begins a count of the present holes of a channel.
    mutating func begin(_ channel: ChannelURL, _ holes: [Hole]) {
        count = Count(channel: channel, unchanged: Set(holes))
    }

    /// Whether no message has entered or left these holes since the beginning of the count.
    func areUnchanged(_ holes: [Hole]) -> Bool {
        count.map { $0.unchanged.isSuperset(of: holes) } ?? false
    }

    /// Ends the count, and keeps the sizes of unchanged holes.
    mutating func end(_ counted: [Hole: HoleSize]) {
        guard let count else { return }
        self.count = nil
        if sizes[count.channel] == nil, sizes.count >= Self.channelLimit { sizes = [:] }
        sizes[count.channel] = counted.filter { count.unchanged.contains($0.key) }
    }

    /// Drops the counts of the holes that a new message lies in.
    mutating func drop(_ channel: ChannelURL, around position: Position) {
        func isElsewhere(_ hole: Hole) -> Bool {
            position < hole.lower || hole.upper < position
        }
        sizes[channel] = sizes[channel]?.filter { isElsewhere($0.key) }
        guard let count, count.channel == channel else { return }
        self.count = Count(channel: channel, unchanged: count.unchanged.filter(isElsewhere))
    }

    /// Drops the counts of a channel, because a message that they may contain is gone.
    mutating func drop(_ channel: ChannelURL) {
        sizes[channel] = nil
        if count?.channel == channel { count?.unchanged = [] }
    }
}
