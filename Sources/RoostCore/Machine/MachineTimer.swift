// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A timer of the machine; one that is armed again begins anew.
package enum MachineTimer: Hashable, Sendable {
    case link(LinkMachine.Timer)
    case typing(TypingMachine.Timer)
    /// The pause between two read marks of a channel.
    case readMark(ChannelURL)
    /// The end of the user's own mute.
    case mute(ChannelURL)
    /// The time for the server to acknowledge an item.
    case outboxAnswer(RequestID)
    case outboxRest(OutboxMachine.Lane)
    /// The time for which the outbox's disk is left alone after a refusal.
    case outboxDisk
    /// The pause before the turn to send is asked for again.
    case outboxTurn

    /// The longest wait.
    ///
    /// A clock has no moment in 292 billion years; adding such a duration would end the process.
    package static let longest = Duration.seconds(86_400)
}

extension SyncState {
    mutating func arm(_ timer: MachineTimer, for duration: Duration) {
        notices.append(.arm(timer, min(max(duration, .zero), MachineTimer.longest)))
    }

    mutating func disarm(_ timer: MachineTimer) { notices.append(.disarm(timer)) }

    /// A timer has fired.
    mutating func take(_ timer: MachineTimer) {
        switch timer {
        case .link(let timer): drive(.fired(timer))
        case .typing(let timer): perform(typing.fired(timer))
        case .readMark(let channel): start(.readMarkPause(ReadMarkPause(channel)))
        case .mute(let channel): checkMuteAgain(in: channel)
        case .outboxAnswer, .outboxRest, .outboxDisk, .outboxTurn: fireOutbox(timer)
        }
    }
}
