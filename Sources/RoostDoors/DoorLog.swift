// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostModel

/// The log of an old library's app, which asks for it by a level.
///
/// A line tells a request, a step of the connection or the outcome of a message. It has no text of
/// a message and no token; the path of a request may name users and channels.
package final class DoorLog: Sendable {
    /// The levels; the log has the lines of the app's level and of those behind it.
    package enum Level: Int, Comparable, Sendable {
        case verbose, debug, info, warning, error, none

        package static func < (left: Level, right: Level) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    private struct State {
        var level = Level.none
        var write = StandardLog.write
    }

    private let state = Guarded(State())

    package init() {}

    /// The app's level; `.none` writes nothing.
    package var level: Level {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    /// Replaces the standard error by another receiver of lines.
    package func send(to write: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.write = write }
    }

    /// Writes a line, unless the app's level is behind its level.
    package func note(_ level: Level, _ line: @autoclosure () -> String) {
        let write = state.withLock { level >= $0.level ? $0.write : nil }
        write?("Roost \(level): \(line())")
    }
}

extension DoorLog {
    func note(_ step: ConnectionStep, _ state: ConnectionState) {
        switch step {
        case .connected: note(.info, "The connection is made.")
        case .regained: note(.info, "The connection is made again.")
        case .lost: note(.warning, "There is no connection now; another attempt follows.")
        case .givenUp, .refused:
            var reason = ""
            if case .refused(let error) = state { reason = " (\(error.code.rawValue))" }
            note(.error, "The server refuses the login\(reason).")
        case .disconnected: note(.info, "The connection is closed.")
        }
    }

    func note(_ event: OutboxEvent) {
        switch event {
        case .queued(let message): note(.debug, "Message \(message.logName) waits.")
        case .delayed(let message, let code):
            note(.warning, "Message \(message.logName) is sent later (\(code.rawValue)).")
        case .delivered(let message): note(.debug, "Message \(message.logName) is sent.")
        case .failed(let message):
            var reason = ""
            if case .unsent(_, .failed(let code)) = message.delivery {
                reason = " (\(code.rawValue))"
            }
            note(.error, "Message \(message.logName) has failed\(reason).")
        case .retried(let message): note(.debug, "Message \(message.logName) waits again.")
        case .canceled(let message): note(.debug, "Message \(message.logName) is canceled.")
        case .changeQueued(let change): note(.debug, "Change \(change.id.rawValue) waits.")
        case .changeMade(let change): note(.debug, "Change \(change.id.rawValue) is made.")
        case .changeRefused(let refusal):
            let (id, code) = (refusal.change.id.rawValue, refusal.reason.rawValue)
            note(.error, "Change \(id) is refused (\(code)).")
        case .changeDropped(let change): note(.debug, "Change \(change.id.rawValue) is dropped.")
        case .uploaded(let id, file: _): note(.debug, "A file of message \(id.rawValue) is sent.")
        case .unrecorded(let id):
            note(.error, "The state of message \(id.rawValue) cannot be written.")
        case .uploading, .draftChanged: break
        }
    }
}

extension Message {
    /// The name of an own message in a log.
    fileprivate var logName: String { requestID?.rawValue ?? "without a request ID" }
}
