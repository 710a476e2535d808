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

    /// The last queued change of one message by one client.
    struct Change: Sendable {
        /// The number of the call.
        var call: Int64
        /// The text of an edit; nil for a deletion.
        var text: Int32?
        /// The line of the answer.
        var place: HistoryPlace
    }

    private(set) var changes: [ChangeKey: Change] = [:]
    private var refusals: Set<Refusal> = []

    /// Notes a change; a deletion is the last one.
    mutating func note(_ change: Change, of message: Int32, by client: Int32) {
        let key = ChangeKey(message: message, client: client)
        if let known = changes[key], known.text == nil || known.call > change.call { return }
        changes[key] = change
    }

    /// Notes that a change of a message was refused or dropped; older lines do not name it.
    mutating func refuse(_ message: Int32, _ change: HistoryCall.Known?, to user: Int32) {
        refusals.insert(Refusal(message: message, user: user, change: change))
    }

    /// Whether such a change of a user was refused, so that none need be made.
    func isRefused(_ message: Int32, _ change: HistoryCall.Known, to user: Int32) -> Bool {
        let refusal = Refusal(message: message, user: user, change: change)
        return refusals.contains(refusal)
            || refusals.contains(Refusal(message: message, user: user, change: nil))
    }
}
