// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A timer of the machine; arming it again restarts it.
package enum MachineTimer: Hashable, Codable, Sendable {
    case link(LinkMachine.Timer)
    case typing(TypingMachine.Timer)
    /// The pause between two read marks of a channel.
    case readMark(ChannelURL)
    /// The end of the user's own mute.
    case mute(ChannelURL)
    /// The time limit for the server's acknowledgement of an item.
    case outboxAnswer(RequestID)
    case outboxRest(OutboxMachine.Lane)
    /// The rest after a failed search for arrived messages.
    case outboxSearch(ChannelURL)
    /// The pause of the outbox's disk after a refusal.
    case outboxDisk
    /// The pause before the next request for the turn to send.
    case outboxTurn
    /// The rest of a download before its next request.
    case download(DownloadID)
    /// The limit of a wait until the client has nothing to do.
    case idle(SyncMachine.OperationID)
    /// The pause after a reading of the cache's figures.
    case figures

    /// The longest wait.
    ///
    /// A much longer one would overflow the clock's instants, and end the process.
    package static let longest = Duration.seconds(86_400)
}

extension SyncState {
    mutating func arm(_ timer: MachineTimer, for duration: Duration) {
        let duration = min(max(duration, .zero), MachineTimer.longest)
        notes.arm(timer, at: now + duration)
        step.notices.append(.arm(timer, duration))
    }

    mutating func disarm(_ timer: MachineTimer) {
        notes.disarm(timer)
        step.notices.append(.disarm(timer))
    }

    /// Handles a timer that has fired.
    mutating func take(_ timer: MachineTimer) {
        notes.disarm(timer)
        switch timer {
        case .link(let timer): drive(.fired(timer))
        case .typing(let timer): perform(typing.fired(timer))
        case .readMark(let channel): start(.readMarkPause(ReadMarkPause(channel)))
        case .mute(let channel): checkMuteAgain(in: channel)
        case .outboxAnswer, .outboxRest, .outboxSearch, .outboxDisk, .outboxTurn:
            fireOutbox(timer)
        case .download(let id): endRest(of: id)
        case .figures: endPauseOfFigures()
        // The machine itself has the waits.
        case .idle: break
        }
    }
}
