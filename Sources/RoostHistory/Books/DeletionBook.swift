// SPDX-License-Identifier: Apache-2.0

/// The deletions of one channel: calls, and acknowledgements by client.
struct DeletionBook: Sendable {
    struct Acknowledgement: Sendable {
        var number: Int64
        var place: HistoryPlace
    }

    /// The deletions of one message that one user asked for.
    private struct Asks: Sendable {
        let user: Int32
        var calls = 0
        /// The requests that the server refused; 0 for those whose lines name none.
        var refusals: Set<Int32> = []
    }

    private var asked: [Int32: [Asks]] = [:]
    private var acknowledged: Set<Int32> = []
    /// The first call of each client for each message.
    private var calls: [ChangeKey: Int64] = [:]
    private(set) var acknowledgements: [ChangeKey: Acknowledgement] = [:]

    var count: Int { acknowledgements.count }

    mutating func call(
        _ message: Int32, by client: Int32, of user: Int32, at number: Int64
    ) {
        change(message, user) { $0.calls += 1 }
        let key = ChangeKey(message: message, client: client)
        if calls[key] == nil { calls[key] = number }
    }

    mutating func acknowledge(
        _ message: Int32, by client: Int32, at number: Int64, _ place: HistoryPlace
    ) {
        let key = ChangeKey(message: message, client: client)
        // An acknowledged deletion was asked for, though perhaps by another process.
        acknowledged.insert(message)
        if acknowledgements[key] == nil {
            acknowledgements[key] = Acknowledgement(number: number, place: place)
        }
    }

    /// Notes that the server refused a deletion; several lines of one request count once.
    mutating func refuse(_ message: Int32, _ request: Int32, to user: Int32) {
        change(message, user) { $0.refusals.insert(request) }
    }

    private mutating func change(_ message: Int32, _ user: Int32, _ body: (inout Asks) -> Void) {
        var all = asked[message] ?? []
        let place = all.firstIndex { $0.user == user } ?? all.endIndex
        if place == all.endIndex { all.append(Asks(user: user)) }
        body(&all[place])
        asked[message] = all
    }

    /// Whether any client asked for a deletion that the server did not refuse, so that the message
    /// may be gone.
    ///
    /// A refused deletion that was sent again by hand counts as asked for.
    func mayBeMade(of message: Int32, _ requests: RequestBook) -> Bool {
        if acknowledged.contains(message) { return true }
        return asked[message]?.contains { asks in
            asks.calls > asks.refusals.count { $0 == 0 || !requests[$0].isSentAgain }
        } ?? false
    }

    /// Whether a client had asked for the deletion before a line of its own.
    func isAsked(_ message: Int32, by client: Int32, before number: Int64) -> Bool {
        calls[ChangeKey(message: message, client: client)].map { $0 < number } ?? false
    }

    /// Returns the acknowledgement that the client had before a line of its own.
    func acknowledgement(
        of message: Int32, to client: Int32, before number: Int64
    ) -> Acknowledgement? {
        guard let found = acknowledgements[ChangeKey(message: message, client: client)],
            found.number < number
        else { return nil }
        return found
    }
}
