// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

// Work of several steps, as values.
//
// An operation asks for one thing at a time: a read, a question to the server, a commit, a pause, or another
// operation. It ends its step there and is resumed with the answer. What it decides on it reads from the state
// that all operations share, in the step in which it decides; nothing else happens during a step.

/// One piece of work of several steps.
package protocol SyncOperation: Hashable, Sendable {
    /// Takes an answer and decides on the next step.
    ///
    /// The first answer is `.begin`. An answer that the operation did not ask for ends it with
    /// `RoostError.outOfStep`; only a journal that was edited by hand holds one.
    mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step
}

/// The next step of an operation.
package enum Step: Hashable, Sendable {
    case need(Need)
    case end(Outcome)
}

/// The one thing that an operation waits for.
package enum Need: Hashable, Sendable {
    case read(StoreQuestion)
    case ask(ServerQuestion, Credentials = .connection)
    /// A frame over the socket of the present connection; an end without an error means that it was queued.
    case send(ClientCommand)
    /// One transaction; the collections have been told of it when the operation goes on.
    case commit([Mutation], ChangeOrigin, unless: CommitCondition? = nil)
    case keep(CacheTask)
    /// A pause, which the next connection ends early.
    case pause(Duration, Pause)
    /// A request to the outbox's file.
    case outbox(OutboxQuestion)
    case run(Operation)
    /// Another operation, which fails with `RoostError.overdue` after a duration; it goes on by itself then.
    case runWithin(Duration, Operation)
    /// A wake-up by another operation.
    case wait(Condition)
    /// The delivery of every commit that is under way; a read may contain one of them.
    case deliverCommits
}

/// What an operation can wait for.
package enum Condition: Hashable, Sendable {
    /// The turn to read the window of a timeline.
    case windowRead(TimelineID)
    case listRead(ListID)
    /// The server's first answer to a timeline.
    case opening(TimelineID)
    /// An answer to the look-up of a channel, or its first failure.
    case lookUp(ChannelURL)
    /// The first outcome of the connecting.
    case connection
    /// The answer to a command over the socket.
    case answer(RequestID)
    /// The read mark that answers the callers of a round.
    case readMark(ChannelURL, round: Int)
    /// The end of the read mark that is on its way, whatever its result.
    case readMarkEnd(ChannelURL)
    /// The end of a piece of work in the queue to the outbox's file.
    case outboxDisk(Int)
    /// The end of an unsent item.
    case outcome(RequestID)
}

/// Why an operation pauses.
package enum Pause: Hashable, Sendable {
    /// The client's own bound on requests; the operation counts as busy.
    case pacing
    /// The wait before a retry; the operation does not keep the client from being idle.
    case retry
}

/// A state of the cache in which a commit is left out; looked at in the commit's place in the order.
package enum CommitCondition: Hashable, Sendable {
    /// The cursor of a log is not what it was when the question was asked.
    case cursorMoved(CursorKey, from: Cursor?)
}

/// The answer to a need.
package enum Reply: Hashable, Sendable {
    case begin
    case read(Result<StoreAnswer, RoostError>)
    case answer(Result<ServerAnswer, RoostError>)
    case sent(RoostError?)
    case outbox(Result<OutboxAnswer, RoostError>)
    /// Nil where the condition of the commit left it out.
    case committed(Result<Commit?, RoostError>)
    case kept(Result<CacheTaskAnswer, RoostError>)
    case paused
    /// What an operation waited for has happened, or ended with an error.
    case woken(RoostError?)
    case ended(Outcome)

    /// The failure that the answer tells of.
    package var failure: RoostError? {
        switch self {
        case .outbox(.failure(let error)), .read(.failure(let error)), .answer(.failure(let error)),
            .committed(.failure(let error)), .kept(.failure(let error)),
            .ended(.failed(let error)):
            error
        case .woken(let error), .sent(let error): error
        case .outbox, .begin, .read, .answer, .committed, .kept, .paused, .ended: nil
        }
    }
}

/// The result of an operation.
package enum Outcome: Hashable, Sendable {
    case done
    /// A page is stored; the number of messages that came.
    case page(PageStatement, messages: Int)
    case gap(GapResult)
    case count(Int)
    case channel(GroupChannel)
    case metadata([String: String])
    case comparison(Comparison.Result)
    case downloaded(DownloadStep)
    case trimmed(TrimProgress)
    case erased(isComplete: Bool)
    case item(OutboxItem)
    /// The name of a change.
    case request(RequestID)
    case flag(Bool)
    case refusals([ChangeRefusal])
    case failed(RoostError)
}

extension Step {
    package static func fail(_ error: RoostError) -> Step { .end(.failed(error)) }
}

extension RoostError {
    /// An answer that fits no question.
    package static let outOfStep = RoostError(
        .malformedData, remedy: .none,
        message: "An answer came that nothing had asked for. Was a journal edited by hand?")

    package static let notConnected = RoostError(
        .connectionRequired, remedy: .retry, message: "There is no connection right now.")

    /// An answer about a channel that the user left meanwhile.
    ///
    /// A retry is answered for users who came back; the server refuses the others.
    package static let departed = RoostError(
        .notAMember, remedy: .retry,
        message: "The channel was left while this was on its way.")

    package static let overdue = RoostError(
        .requestFailed, remedy: .retry,
        message: "The server did not answer in time. It may have done as asked.")

    /// The server's pages lead nowhere.
    package static let stalled = RoostError(
        .malformedData, remedy: .retry,
        message: "The server's pages repeat themselves or bring nothing new. "
            + "What they said so far is kept; they are asked for again later.")

    /// A message of an impossible time; it is not stored, whatever brings it.
    package static let impossible = RoostError(
        .malformedData, remedy: .none,
        message: "The server dates a message before 1970 or after 9999; it is not stored.")
}
