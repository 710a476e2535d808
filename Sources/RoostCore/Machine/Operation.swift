// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

// Work of several steps, as values.
//
// An operation makes one request at a time: a read, a question to the server, a commit, a pause, or
// another operation. Its step ends there, and the answer resumes it. It decides by the state that
// all operations share, in the step of the decision; nothing else happens during a step.

/// One piece of work of several steps.
package protocol SyncOperation: Equatable, Codable, Sendable {
    /// Takes an answer and decides on the next step.
    ///
    /// The first answer is `.begin`. An answer that the operation did not request ends it with
    /// `RoostError.outOfStep`; only a journal that was edited by hand contains one.
    mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step
}

extension SyncOperation {
    /// Resumes the operation that a case of this one holds, and keeps its new state.
    mutating func resume<Part: SyncOperation>(
        _ part: Part, as wrapped: (Part) -> Self, _ reply: Reply, _ sync: inout SyncState
    ) -> Step {
        var part = part
        defer { self = wrapped(part) }
        return part.resume(reply, &sync)
    }
}

/// The next step of an operation.
package enum Step: Equatable, Sendable {
    case need(Need)
    case end(Outcome)
}

/// The one request of an operation in a step.
///
/// Needs, replies, inputs and effects are handed on several times, and some hold whole channels, so
/// they are behind references.
package indirect enum Need: Equatable, Sendable {
    case read(StoreQuestion)
    case ask(ServerQuestion, Credentials = .connection)
    /// A frame over the socket of the present connection; an end without an error means that it was
    /// queued.
    case send(ClientCommand)
    /// One transaction; the collections have it when the operation continues.
    case commit([Mutation], ChangeOrigin, unless: CommitCondition? = nil)
    case keep(CacheTask)
    /// A check and repair of the cache; commits in progress may wait for it.
    case mend
    /// A pause, which the next connection ends early.
    case pause(Duration, Pause)
    /// A request to the outbox's file.
    case outbox(OutboxQuestion)
    case run(Operation)
    /// Another operation, which ends for its caller after a duration and continues by itself.
    ///
    /// It ends then with its `outcomeWhenOverdue`. No part of it may have a duration of its own.
    case runWithin(Duration, Operation)
    /// A wake-up by another operation.
    case wait(Condition)
    /// The delivery of every commit in progress; a read may contain one of them.
    case deliverCommits
}

/// The conditions for which an operation can wait.
package enum Condition: Hashable, Codable, Sendable {
    /// The turn to read the window of a timeline.
    case windowRead(TimelineID)
    case listRead(ListID)
    /// The server's first page of a channel list, or the reason why it is missing.
    case listArrival(ListID)
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
    /// The end of the read mark in flight, with any result.
    case readMarkEnd(ChannelURL)
    /// The end of a piece of work in the queue to the outbox's file.
    case outboxDisk(Int)
    /// The end of an unsent item.
    case outcome(RequestID)
    /// A change of a reason for which a download waits.
    case download(DownloadID)
    /// The end of a count of messages in gaps.
    case counting
    /// The end of a reading of the cache's figures.
    case figures
    /// A channel of an inbox to look at, or the end of the reader.
    case inbox(InboxID)
}

/// The reason of a pause.
package enum Pause: Equatable, Codable, Sendable {
    /// The client's own limit on requests; the operation counts as busy.
    case pacing
    /// The wait before a retry; the operation does not keep the client from being idle.
    case retry
}

/// A state of the cache in which a commit is left out, checked at the commit's turn.
package enum CommitCondition: Equatable, Codable, Sendable {
    /// The cursor of a log has changed since the request.
    case cursorMoved(CursorKey, from: Cursor?)
    /// The log of the user's channels has a cursor, or the cache has one of these channels.
    case channelsKnown(any: [ChannelURL])
    /// The channel's log has a cursor, a stretch of its messages is known, or the cache lacks the
    /// channel.
    case messagesKnown(of: ChannelURL)
}

/// A value, or the error in its place.
///
/// `Result` cannot be encoded. The parameter has no requirements, because the runtime would look up
/// the conformance for each of them, in all libraries of the process.
package enum Answered<Value: Sendable>: Sendable {
    case success(Value)
    case failure(RoostError)

    package init(_ result: Result<Value, RoostError>) {
        switch result {
        case .success(let value): self = .success(value)
        case .failure(let error): self = .failure(error)
        }
    }

    package var value: Value? { if case .success(let value) = self { value } else { nil } }

    package var failure: RoostError? { if case .failure(let error) = self { error } else { nil } }
}

extension Answered: Equatable where Value: Equatable {}
extension Answered: Encodable where Value: Encodable {}
extension Answered: Decodable where Value: Decodable {}

/// The answer to a need.
package indirect enum Reply: Equatable, Codable, Sendable {
    case begin
    case read(Answered<StoreAnswer>)
    case answer(Answered<ServerAnswer>)
    case sent(RoostError?)
    case outbox(Answered<OutboxAnswer>)
    /// Nil if the condition of the commit left it out.
    case committed(Answered<Commit?>)
    case kept(Answered<CacheTaskAnswer>)
    case mended(Answered<CacheCheck>)
    case paused
    /// The awaited condition holds, or ended with an error.
    case woken(RoostError?)
    case ended(Outcome)

    /// The failure in the answer.
    package var failure: RoostError? {
        switch self {
        case .outbox(.failure(let error)), .read(.failure(let error)), .answer(.failure(let error)),
            .committed(.failure(let error)), .kept(.failure(let error)),
            .mended(.failure(let error)), .ended(.failed(let error)):
            error
        case .woken(let error), .sent(let error): error
        case .outbox, .begin, .read, .answer, .committed, .kept, .mended, .paused, .ended: nil
        }
    }

    /// The failure in the answer; an answer without one fits no request of its operation.
    package var error: RoostError { failure ?? .outOfStep }
}

/// The result of an operation.
package indirect enum Outcome: Equatable, Codable, Sendable {
    case done
    /// A page is stored; the number of received messages.
    case page(PageStatement, messages: Int)
    case gap(GapResult)
    case count(Int)
    case channel(GroupChannel)
    case openChannel(OpenChannel)
    case message(Message)
    case votes(PollVotes, in: MessageID?)
    case metadata([String: String])
    case comparison(CacheComparison)
    case downloaded(DownloadStep)
    case estimated(DownloadEstimate)
    case trimmed(TrimProgress)
    case erased(isComplete: Bool)
    case item(OutboxItem)
    /// The request ID of a change.
    case request(RequestID)
    case flag(Bool)
    case refusals([ChangeRefusal])
    case failed(RoostError)
}

extension Step {
    package static func fail(_ error: RoostError) -> Step { .end(.failed(error)) }

    /// Ends with the error of an answer.
    package static func fail(_ answer: Reply) -> Step { .fail(answer.error) }
}

extension RoostError {
    /// An answer that fits no request.
    package static let outOfStep = RoostError(
        .malformedData, remedy: .none,
        message: "An answer fits no request. Was a journal edited by hand?")

    /// An answer of the server that is about something else, or of another kind.
    package static let unfitAnswer = RoostError(
        .malformedData, remedy: .none,
        message: "The server's answer does not fit the request, so it is not used.")

    package static let notConnected = RoostError(
        .connectionRequired, remedy: .retry,
        message: "There is no connection: connect first, or try again once the client is "
            + "connected.")

    /// An answer about a channel that the user left meanwhile.
    ///
    /// A retry succeeds for users who came back; the server refuses the others.
    package static let departed = RoostError(
        .notAMember, remedy: .retry,
        message: "The user left the channel before the answer came: join again, then repeat the "
            + "call.")

    package static let waitCanceled = RoostError(
        .requestCanceled, remedy: .none,
        message: "The task that waited was canceled; what it waited for goes on.")

    package static let overdue = RoostError(
        .requestFailed, remedy: .retry,
        message: "The server did not answer in time. The request may have taken effect.")

    /// The server's pages make no progress.
    package static let stalled = RoostError(
        .malformedData, remedy: .retry,
        message: "The server's pages repeat themselves or contain nothing new. "
            + "The pages so far are kept; the rest is requested again later.")
}
