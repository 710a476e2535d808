// SPDX-License-Identifier: Apache-2.0

/// The edits and deletions of one channel that were queued: their calls were answered.
///
/// Two processes of one user may share an outbox, so the outcome of a change may stand in the
/// history of either.
struct QueueBook: Sendable {
    private struct Refusal: Hashable {
        var message: Int32
        var user: Int32
        /// The refused change; nil if the line does not name it.
        var change: HistoryCall.Known?
    }

    /// A queued change of one message by one client.
    struct Change: Sendable {
        /// The number of the call.
        var call: Int64
        /// The text of an edit; nil for a deletion.
        var text: Int32?
        /// The line of the answer.
        var place: HistoryPlace
    }

    /// The last queued changes of one message by one client: each has an outcome of its own.
    struct Changes: Sendable {
        fileprivate(set) var edit: Change?
        fileprivate(set) var deletion: Change?
    }

    private struct RequestKey: Hashable {
        var message: Int32
        var client: Int32
        var request: Int32
        /// The number of times that the request was sent again by hand before the line.
        var resends: Int32
    }

    private(set) var changes: [ChangeKey: Changes] = [:]
    /// The last line of each client that refuses such a change for the first time.
    private var refusals: [Refusal: [Int32: Int64]] = [:]
    /// The requests whose refusals are known: each start of a client repeats them.
    private var refused: Set<RequestKey> = []

    mutating func note(_ change: Change, of message: Int32, by client: Int32) {
        let key = ChangeKey(message: message, client: client)
        var known = changes[key] ?? Changes()
        if change.text == nil {
            known.deletion = Self.last(known.deletion, change)
        } else {
            known.edit = Self.last(known.edit, change)
        }
        changes[key] = known
    }

    /// Returns the change that was asked for last; the answers may come in another order.
    private static func last(_ known: Change?, _ change: Change) -> Change {
        if let known, known.call > change.call { known } else { change }
    }

    /// Notes that a change of a message was refused or dropped; older lines do not name it.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - change: The refused change.
    ///   - request: Its request, of which the first line behind each resend counts; nil if the line
    ///     names none.
    ///   - user: The user of the client.
    ///   - client: The client that says so.
    ///   - number: The number of its line.
    mutating func refuse(
        _ message: Int32, _ change: HistoryCall.Known?,
        _ request: (number: Int32, resends: Int32)?, to user: Int32, by client: Int32,
        at number: Int64
    ) {
        if let request {
            let key = RequestKey(
                message: message, client: client, request: request.number,
                resends: request.resends)
            guard refused.insert(key).inserted else { return }
        }
        let refusal = Refusal(message: message, user: user, change: change)
        refusals[refusal, default: [:]][client] = number
    }

    /// Whether such a change of a user was refused behind a call, so that none need be made.
    ///
    /// The order of two clients is unknown, so a refusal in the history of another one counts.
    func isRefused(
        _ message: Int32, _ change: HistoryCall.Known, to user: Int32, by client: Int32,
        after call: Int64
    ) -> Bool {
        [change, nil].contains { change in
            let refusal = Refusal(message: message, user: user, change: change)
            return refusals[refusal]?.contains { $0.key != client || $0.value > call } ?? false
        }
    }
}
