// SPDX-License-Identifier: Apache-2.0

/// Everything that is known about one channel when all lines were taken.
struct Evidence {
    let channel: ChannelBook
    let index: Int32
    /// The log; nil if no line claims to be it.
    let log: FinalLog?
    let requests: RequestBook
    let clients: ClientBook
    let names: TextTable
    let texts: TextTable
    let files: [String]

    /// Returns the send call of a message; nil if it is unknown.
    func call(of message: ChannelBook.Message) -> RequestBook.Request? {
        guard message.request != 0, requests[message.request].hasCall else { return nil }
        return requests[message.request]
    }

    /// Whether the sender's client has written a history, so that all of its calls are known.
    func hasHistory(_ message: ChannelBook.Message) -> Bool {
        message.sender != 0 && clients.users.contains(message.sender)
    }

    /// The place of the first message with a known call; those before it may be older than the
    /// histories.
    var beginning: Position {
        channel.messages.lazy.filter { $0.isSeen && call(of: $0) != nil }
            .map(\.position).min() ?? .last
    }

    /// The number of messages in the log by senders without a history.
    var messagesOfOthers: Int {
        log?.messages.count { !hasHistory(channel[$0]) && call(of: channel[$0]) == nil } ?? 0
    }

    func name(of place: HistoryPlace) -> String { place.text(in: files) }

    /// Returns the beginning of a text in quotes.
    func quoted(_ text: Int32) -> String {
        let text = texts[text]
        let beginning = text.prefix(60)
        return "“\(beginning)\(beginning.utf8.count < text.utf8.count ? "…" : "")”"
    }

    /// Returns the IDs of a few messages, and the number of the others.
    func list(_ few: [Int32], of count: Int) -> String {
        let ids = few.map { String(channel[$0].id) }.joined(separator: ", ")
        return count > few.count ? "\(ids) and \(count - few.count) more" : ids
    }

    func complain(
        _ rule: Complaint.Rule, of number: Int32, at place: HistoryPlace,
        expected: String, seen: String, _ findings: inout Findings
    ) {
        let message = channel[number]
        findings.add(
            rule, at: place, channel.name, message.id, request: requests.id(of: message.request),
            expected: expected, seen: seen)
    }
}
