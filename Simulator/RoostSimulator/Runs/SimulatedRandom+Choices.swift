// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

// The choices that both kinds of worlds make.

extension SimulatedRandom {
    /// Restarts the sequence of random numbers for a step.
    ///
    /// All chance of a step comes from the seed and the step's number, so a step that is left out
    /// changes none of the others.
    func restart(seed: UInt64, step: Int) {
        let number = UInt64(bitPattern: Int64(step + 1))
        restart(from: seed &* 0x9E37_79B9_7F4A_7C15 ^ number &* 0xD1B5_4A32_D192_ED03)
    }

    /// Returns a number from 0 to `count - 1`.
    func pick(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    func pick<Elements: RandomAccessCollection>(of elements: Elements) -> Elements.Element?
    where Elements.Index == Int {
        elements.isEmpty ? nil : elements[elements.startIndex + pick(elements.count)]
    }

    /// The time between two steps.
    func pause() -> Duration {
        switch pick(16) {
        case 0: .zero
        case 1...13: .milliseconds(Int64(pick(120)))
        default: .milliseconds(Int64(pick(2_000)))
        }
    }

    /// One of few types, so that edits often turn one into another.
    func customType() -> String { ["", "", "", "a"][pick(4)] }

    /// A moment between the beginning of the world and a later one.
    func past(until now: Timestamp) -> Timestamp {
        let start = SimulatedWorld.beginningMS
        let length = max(0, now.milliseconds - start)
        return Timestamp(milliseconds: start + Int64(next() % UInt64(length + 1)))
    }

    /// A filter for messages of a channel with a log.
    func messageFilter(
        senders: [UserID], _ log: [MemoryChannel.Entry]
    ) -> MessageFilter {
        switch pick(5) {
        case 0: return MessageFilter()
        case 1:
            return MessageFilter(senderIDs: [senders[pick(senders.count)]], replyType: .all)
        case 2: return MessageFilter(customTypes: ["a"], replyType: .all)
        case 3:
            return MessageFilter(
                kind: pick(2) == 0 ? .user : .file, replyType: .onlyReplyToChannel)
        default:
            let thread = pick(of: log.compactMap(\.message.parentID)) ?? log.last?.message.messageID
            return MessageFilter(parentID: thread ?? MessageID(1))
        }
    }

    func listQuery() -> ChannelListQuery {
        let order: ChannelOrder =
            [.latestLastMessage, .latestLastMessage, .chronological, .name][pick(4)]
        var filter = ChannelFilter()
        filter.includesEmpty = pick(2) == 0
        filter.hidden = [.none, .none, .none, .all, .only][pick(5)]
        filter.isUnread = pick(6) == 0
        return ChannelListQuery(filter, order: order, pageSize: 2)
    }

    /// A message of a log, of one sender or of any.
    ///
    /// The newest messages are chosen most often, so that one message changes several times.
    func message(_ log: [MemoryChannel.Entry], by sender: UserID?) -> MessageID? {
        let recent = log.suffix([log.count, 12, 3, 3][pick(4)]).filter {
            $0.deletedAt == nil && (sender == nil || $0.message.sender?.user.id == sender)
        }
        return pick(of: recent)?.message.messageID
    }

    /// A mute of a member, or its end; some mutes end by themselves within a minute.
    func mute(of member: UserID) -> ChannelChange {
        switch pick(6) {
        case 0, 1: .unmute(member)
        case 2, 3: .mute(member, for: nil, reason: "")
        default: .mute(member, for: .seconds(1 + pick(60)), reason: "")
        }
    }

    /// The request of the same.
    func muteRequest(of member: UserID, in channel: ChannelURL) -> ChannelRequest {
        if case .mute(_, let duration, let reason) = mute(of: member) {
            .mute(channel, member, seconds: duration?.wholeSeconds, reason: reason)
        } else {
            .unmute(channel, member)
        }
    }

    /// The jump of a server's clock, in milliseconds: a second, a minute or an hour, in either
    /// direction.
    func clockJump() -> Int64 {
        [-3_600_000, -60_000, -1_000, 1_000, 60_000, 3_600_000][pick(6)]
    }
}
