// SPDX-License-Identifier: Apache-2.0

// The time limit of calls. A call that the server has accepted may wait for the server's
// description of the channel, which other events can delay without end. Its caller gets the success
// after the time limit; the description follows.

import RoostModel
import RoostWire

/// An operation whose caller waits for a limited time; afterwards the operation continues by
/// itself.
package struct InTime: SyncOperation {
    /// The time limit of a caller, equal to that of one call.
    package static let timeLimit = Duration.seconds(8)

    private let work: Operation
    private let limit: Duration
    private var hasBegun = false

    package init(_ work: Operation, within limit: Duration = Self.timeLimit) {
        self.work = work
        self.limit = limit
    }

    /// Creates a command over the socket.
    init(_ command: ClientCommand, _ requestID: RequestID) {
        self.init(.socketCall(SocketCall(command, requestID)), within: SocketCall.timeLimit)
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (hasBegun, reply) {
        case (false, .begin):
            hasBegun = true
            return .need(.runWithin(limit, work))
        case (true, .ended(let outcome)): return .end(outcome)
        default: return .fail(reply)
        }
    }
}

extension Operation {
    /// The outcome for a caller whose time is over while the operation continues.
    var outcomeWhenOverdue: Outcome {
        switch self {
        case .channelAct(let act): act.acceptedOutcome ?? .failed(.overdue)
        case .markAsUnread(let mark) where mark.isAccepted: .done
        case .downloadEstimating:
            .estimated(DownloadEstimate(missingMessages: nil, size: nil))
        case .socketCall, .roomArrival: .failed(.unanswered)
        default: .failed(.overdue)
        }
    }
}
