// SPDX-License-Identifier: Apache-2.0

// A command over the socket whose answer is the frame with its request ID.

package import RoostModel
package import RoostWire

/// A command and the wait for its answer.
package struct SocketCall: SyncOperation {
    /// The time limit of a command, equal to that of a call (`docs/protocol` 2.3).
    package static let timeLimit = Duration.seconds(8)

    private enum State: Equatable, Codable, Sendable { case beginning, sending, waiting }

    package let command: ClientCommand
    package let requestID: RequestID
    private var state = State.beginning

    package init(_ command: ClientCommand, _ requestID: RequestID) {
        self.command = command
        self.requestID = requestID
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            sync.answers[requestID] = .waiting
            state = .sending
            return .need(.send(command))
        case (.sending, .sent(let error?)):
            sync.answers[requestID] = nil
            return .fail(error)
        case (.sending, .sent(nil)):
            // The answer may come before the end of the sending.
            if case .arrived(let early)? = sync.answers[requestID] { return end(early, &sync) }
            state = .waiting
            return .need(.wait(.answer(requestID)))
        case (.waiting, .woken):
            guard case .arrived(let answer)? = sync.answers[requestID] else {
                return .fail(reply)
            }
            return end(answer, &sync)
        default: return .fail(reply)
        }
    }

    private func end(_ answer: SocketAnswer, _ sync: inout SyncState) -> Step {
        sync.answers[requestID] = nil
        switch answer {
        case .taken: return .end(.done)
        case .message(let message): return .end(.message(message))
        case .votes(let votes, let message): return .end(.votes(votes, in: message))
        case .participants(let count): return .end(.count(count))
        case .refused(let error): return .fail(error)
        }
    }
}

/// The answer for which a command over the socket waits.
package enum AwaitedAnswer: Equatable, Codable, Sendable {
    case waiting
    case arrived(SocketAnswer)
}

/// The answer to a command over the socket.
package enum SocketAnswer: Equatable, Codable, Sendable {
    case taken
    /// The message as the server has it now.
    case message(Message)
    /// The state of a poll after the user's vote, and the message that carries the poll.
    case votes(PollVotes, MessageID?)
    /// The number of users inside an open channel after an entry or an exit.
    case participants(Int)
    case refused(RoostError)
}

extension SyncState {
    /// Passes an event to the command that it answers.
    mutating func answer(_ event: ServerEvent) {
        guard let requestID = event.acknowledges, answers[requestID] != nil else { return }
        let content: SocketAnswer =
            switch event {
            case .error(let error, _): .refused(RoostError(error))
            case .message(let event): .message(event.message)
            case .edited(let event): .message(event.message)
            case .poll(let event): event.answer
            case .room(let answer): .participants(answer.participantCount)
            default: .taken
            }
        answers[requestID] = .arrived(content)
        wakeAll(.answer(requestID), nil)
    }

    /// Ends every wait for an answer after the loss of the connection.
    mutating func failAnswers() {
        for requestID in answers.keys.sorted() where answers[requestID] == .waiting {
            let loss = RoostError(
                .socketClosed, remedy: .retry,
                message: "The connection was lost before the server answered.")
            answers[requestID] = .arrived(.refused(loss))
            wakeAll(.answer(requestID), nil)
        }
    }
}

extension PollEvent {
    fileprivate var answer: SocketAnswer {
        if case .voted(let votes) = change { .votes(votes, messageID) } else { .taken }
    }
}

extension RoostError {
    /// The error of a command whose answer did not come within its time limit.
    static let unanswered = RoostError(
        .ackTimeout, remedy: .retry,
        message: "The server did not answer in time. The request may have taken effect.")
}
