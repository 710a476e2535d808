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
        /// The clients that called, each once.
        var callers: [Int32] = []
        /// The requests that the server refused.
        var refusals: Set<Int32> = []
        /// The number of refusals whose lines name no request.
        var unnamedRefusals = 0
    }

    private var asked: [Int32: [Asks]] = [:]
    private var acknowledged: Set<Int32> = []
    /// The calls of each client for each message, in order.
    private var calls: [ChangeKey: [Int64]] = [:]
    private(set) var acknowledgements: [ChangeKey: Acknowledgement] = [:]

    var count: Int { acknowledgements.count }

    mutating func call(
        _ message: Int32, by client: Int32, of user: Int32, at number: Int64
    ) {
        change(message, user) { asks in
            asks.calls += 1
            if !asks.callers.contains(client) { asks.callers.append(client) }
        }
        calls[ChangeKey(message: message, client: client), default: []].append(number)
    }

    /// Takes back a call that was answered by an error: nothing was queued.
    mutating func takeBack(
        _ message: Int32, by client: Int32, of user: Int32, at number: Int64
    ) {
        change(message, user) { $0.calls -= 1 }
        calls[ChangeKey(message: message, client: client)]?.removeAll { $0 == number }
    }

    mutating func acknowledge(
        _ message: Int32, by client: Int32, at number: Int64, _ place: HistoryPlace
    ) {
        let key = ChangeKey(message: message, client: client)
        acknowledged.insert(message)
        if acknowledgements[key] == nil {
            acknowledgements[key] = Acknowledgement(number: number, place: place)
        }
    }

    /// Notes that the server refused a deletion; several lines of one request count once.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - request: The refused request; nil if the line names none.
    ///   - user: The user of the deletion.
    mutating func refuse(_ message: Int32, _ request: Int32?, to user: Int32) {
        change(message, user) { asks in
            if let request { asks.refusals.insert(request) } else { asks.unnamedRefusals += 1 }
        }
    }

    private mutating func change(_ message: Int32, _ user: Int32, _ body: (inout Asks) -> Void) {
        var all = asked[message] ?? []
        let place = all.firstIndex { $0.user == user } ?? all.endIndex
        if place == all.endIndex { all.append(Asks(user: user)) }
        body(&all[place])
        asked[message] = all
    }

    /// Whether any client asked for a deletion of the message, refused or not.
    func isAsked(_ message: Int32) -> Bool {
        asked[message]?.contains { $0.calls > 0 } ?? false
    }

    /// Whether any client asked for a deletion that the server did not refuse, so that the message
    /// may be gone.
    ///
    /// A refused deletion that was sent again by hand counts as asked for. An acknowledged one
    /// without a call has a complaint of its own.
    func mayBeMade(of message: Int32, _ requests: RequestBook) -> Bool {
        if acknowledged.contains(message) { return true }
        return asked[message]?.contains { asks in
            asks.calls > asks.unnamedRefusals
                + asks.refusals.count { !requests[$0].isSentAgain }
        } ?? false
    }

    /// Whether a client had asked for the deletion before a line of its own, or another client of
    /// its user at any time: the order of two clients is unknown, and they may share an outbox.
    func isAsked(_ message: Int32, by client: Int32, of user: Int32, before number: Int64) -> Bool {
        if let own = calls[ChangeKey(message: message, client: client)]?.first, own < number {
            return true
        }
        guard user != 0, let asks = asked[message]?.first(where: { $0.user == user }) else {
            return false
        }
        return asks.callers.contains { caller in
            caller != client
                && calls[ChangeKey(message: message, client: caller)]?.isEmpty == false
        }
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
