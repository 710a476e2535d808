// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire

// The wire tells the entry of a member in seconds.

extension ServerEvent {
    var asOnTheWire: ServerEvent {
        guard case .channel(var event) = self else { return self }
        switch event.content {
        case .invited(let inviter, let invitees, let moment, let counts):
            let members = invitees.map(\.asOnTheWire)
            event.content = .invited(inviter: inviter, invitees: members, at: moment, counts)
        case .joined(let members, let counts):
            event.content = .joined(members.map(\.asOnTheWire), counts)
        default: return self
        }
        return .channel(event)
    }
}

extension Member {
    var asOnTheWire: Member {
        var member = self
        member.joinedAt = joinedAt.map { Timestamp(seconds: $0.seconds) }
        return member
    }
}

extension ServerQuestion {
    /// Whether a channel is the only object of the question that can be missing.
    var namesOnlyChannel: Bool {
        switch self {
        case .delete(let call): call.encode().namesOnlyChannel
        case .react(let call): call.encode().namesOnlyChannel
        case .mute(let call): call.encode().namesOnlyChannel
        case .markAsRead(let call): call.encode().namesOnlyChannel
        case .invite(let call): call.encode().namesOnlyChannel
        case .request(let call): call.encode().namesOnlyChannel
        case .channel, .openChannel, .messages, .gap, .messageChanges, .fingerprints,
            .countMessages, .post, .update, .join, .leave, .moment, .writeMetadata:
            true
        case .channelChanges, .myChannels, .create, .upload: false
        }
    }
}
