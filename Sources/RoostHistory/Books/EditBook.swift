// SPDX-License-Identifier: Apache-2.0

/// The edits of one channel: calls and acknowledgements, by message.
///
/// No clock orders the edits of two clients. So an edit is undone only by a text that no other
/// client ever asked for, and that its own client has not asked for again.
struct EditBook: Sendable {
    private struct TextKey: Hashable {
        var message: Int32
        var text: Int32
    }

    private struct OwnKey: Hashable {
        var client: Int32
        var message: Int32
        var text: Int32
    }

    /// The calls of one client for one text of one message, of which the first ones are made.
    private struct Calls {
        var numbers: [Int64] = []
        var madeCount = 0
    }

    /// The clients that asked for one text of one message.
    private struct Editors {
        var first: Int32
        var hasMore = false
    }

    struct Acknowledgement: Sendable {
        /// The number of its line.
        var number: Int64
        /// The number of its call: the first one for this text that was not acknowledged yet.
        var call: Int64
        var text: Int32
        var place: HistoryPlace
    }

    private var editors: [TextKey: Editors] = [:]
    private var ownCalls: [OwnKey: Calls] = [:]
    private(set) var acknowledgements: [ChangeKey: [Acknowledgement]] = [:]
    private(set) var count = 0

    mutating func call(_ message: Int32, _ text: Int32, by client: Int32, at number: Int64) {
        let key = TextKey(message: message, text: text)
        if let known = editors[key] {
            if known.first != client { editors[key]?.hasMore = true }
        } else {
            editors[key] = Editors(first: client)
        }
        ownCalls[OwnKey(client: client, message: message, text: text), default: Calls()]
            .numbers.append(number)
    }

    /// Takes back a call that was answered by an error: nothing was queued.
    mutating func takeBack(_ message: Int32, _ text: Int32, by client: Int32, at number: Int64) {
        let key = OwnKey(client: client, message: message, text: text)
        ownCalls[key]?.numbers.removeAll { $0 == number }
        guard ownCalls[key]?.numbers.isEmpty == true else { return }
        ownCalls[key] = nil
        let textKey = TextKey(message: message, text: text)
        if editors[textKey]?.hasMore == false { editors[textKey] = nil }
    }

    mutating func acknowledge(
        _ message: Int32, _ text: Int32, by client: Int32, at number: Int64, _ place: HistoryPlace
    ) {
        let key = OwnKey(client: client, message: message, text: text)
        var call = number
        if let calls = ownCalls[key] {
            call = calls.numbers[min(calls.madeCount, calls.numbers.count - 1)]
            ownCalls[key]?.madeCount += 1
        }
        count += 1
        acknowledgements[ChangeKey(message: message, client: client), default: []].append(
            Acknowledgement(number: number, call: call, text: text, place: place))
    }

    /// Whether any client asked for this text.
    func isKnown(_ text: Int32, of message: Int32) -> Bool {
        editors[TextKey(message: message, text: text)] != nil
    }

    /// Returns the last edit that the client knew to be made before a line of its own.
    func last(of message: Int32, by client: Int32, before number: Int64) -> Acknowledgement? {
        // Almost always the last one: few lines lie between a call and its answer.
        acknowledgements[ChangeKey(message: message, client: client)]?
            .last { $0.number < number }
    }

    /// Whether the client itself asked for a text behind another call.
    func isLater(
        _ text: Int32, of message: Int32, by client: Int32, than call: Int64
    ) -> Bool {
        let key = OwnKey(client: client, message: message, text: text)
        return ownCalls[key]?.numbers.last.map { $0 > call } ?? false
    }

    /// Whether another client ever asked for a text.
    func isOfOther(_ text: Int32, of message: Int32, than client: Int32) -> Bool {
        guard let known = editors[TextKey(message: message, text: text)] else { return false }
        return known.hasMore || known.first != client
    }
}
