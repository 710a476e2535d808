// SPDX-License-Identifier: Apache-2.0

/// The send calls whose messages are unknown: a killed process wrote no answer, or no line has the
/// request ID of the answer.
///
/// A message of their user with their text may be theirs; each call can have one.
struct OpenSends: Sendable {
    private struct Key: Hashable {
        var user: Int32
        var channel: Int32
        var text: Int32
    }

    /// A call whose message is unknown.
    struct Send: Sendable {
        let client: Int32
        let call: Int64
        /// The request of the call's answer; 0 without one.
        let request: Int32
    }

    /// The calls for which no message was found.
    private var counts: [Key: Int] = [:]
    /// The calls at the beginning.
    private let totals: [Key: Int]
    /// The last call of each key.
    private let sends: [Key: Send]
    /// The numbers of the requests by channels that were answered and neither failed nor were
    /// canceled.
    private var queued: [Int32: [Int32]] = [:]

    init(_ clients: ClientBook, _ requests: RequestBook) {
        var counts: [Key: Int] = [:]
        var sends: [Key: Send] = [:]
        for (index, client) in clients.clients.enumerated() {
            for (call, send) in client.openSends {
                let key = Key(user: client.user, channel: send.channel, text: send.text)
                counts[key, default: 0] += 1
                sends[key] = Send(client: Int32(clamping: index), call: call, request: 0)
            }
        }
        // A server need not return the request ID of a message that it has.
        for (index, request) in requests.requests.enumerated()
        where request.hasCall && request.message < 0 {
            let (key, number) = (Self.key(of: request, clients), Int32(clamping: index + 1))
            counts[key, default: 0] += 1
            sends[key] = Send(client: request.client, call: request.call, request: number)
            guard !request.isGivenUp else { continue }
            queued[request.calledChannel, default: []].append(number)
        }
        self.sends = sends
        self.counts = counts
        totals = counts
    }

    private static func key(of request: RequestBook.Request, _ clients: ClientBook) -> Key {
        Key(
            user: clients[request.client].user, channel: request.calledChannel, text: request.text)
    }

    /// Returns the call of a user for a text in a channel; nil unless there is exactly one.
    func only(user: Int32, channel: Int32, text: Int32) -> Send? {
        let key = Key(user: user, channel: channel, text: text)
        return totals[key] == 1 ? sends[key] : nil
    }

    /// Takes one call out; returns false if there is none left.
    mutating func take(user: Int32, channel: Int32, text: Int32) -> Bool {
        let key = Key(user: user, channel: channel, text: text)
        guard let count = counts[key], count > 0 else { return false }
        counts[key] = count - 1
        return true
    }

    /// Returns the queued requests of a channel for which no message is left, the later ones of
    /// equal texts.
    ///
    /// Each unanswered, failed or canceled call of the same text may be one of those without a
    /// message.
    func lost(
        in channel: Int32, _ clients: ClientBook, _ requests: RequestBook
    ) -> [Int32] {
        let groups = Dictionary(grouping: queued[channel] ?? []) { number in
            Self.key(of: requests[number], clients)
        }
        return groups.flatMap { key, numbers in
            let others = (totals[key] ?? 0) - numbers.count
            return numbers.suffix(max(0, (counts[key] ?? 0) - others))
        }.sorted()
    }
}
