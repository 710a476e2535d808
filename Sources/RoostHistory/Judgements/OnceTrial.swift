// SPDX-License-Identifier: Apache-2.0

/// The send calls whose messages are unknown: a killed process wrote no answer.
///
/// A message of their user with their text may be theirs; each call can have one.
struct OpenSends: Sendable {
    private struct Key: Hashable {
        var user: Int32
        var channel: Int32
        var text: Int32
    }

    private var counts: [Key: Int] = [:]

    init(_ clients: ClientBook, _ requests: RequestBook) {
        for client in clients.clients {
            for send in client.openSends.values {
                counts[
                    Key(user: client.user, channel: send.channel, text: send.text), default: 0] += 1
            }
        }
        // A server need not return the request ID of a message that it has.
        for request in requests.requests where request.hasCall && request.message < 0 {
            let key = Key(
                user: clients[request.client].user, channel: request.calledChannel,
                text: request.text)
            counts[key, default: 0] += 1
        }
    }

    /// Takes one call out; returns false if there is none left.
    mutating func take(user: Int32, channel: Int32, text: Int32) -> Bool {
        let key = Key(user: user, channel: channel, text: text)
        guard let count = counts[key], count > 0 else { return false }
        counts[key] = count - 1
        return true
    }
}

/// Judges that an acknowledged send is in the log once, as acknowledged, and nothing else is.
///
/// A second message of one request, or a second place of one message, is found when the line is
/// taken.
struct OnceTrial {
    private let evidence: Evidence
    private var channel: ChannelBook { evidence.channel }

    init(_ evidence: Evidence) {
        self.evidence = evidence
    }

    func judge(_ pool: inout OpenSends, _ findings: inout Findings) {
        let beginning = beginning
        for (index, message) in channel.messages.enumerated() where message.isSeen {
            let number = Int32(clamping: index)
            if let call = evidence.call(of: message) {
                judge(number, message, sentBy: call, &findings)
            } else if evidence.hasHistory(message), message.position > beginning {
                judgeUnknown(number, message, &pool, &findings)
            }
            if let place = message.acknowledged { judgeLoss(number, message, place, &findings) }
        }
        for other in channel.otherTexts { judge(other, &findings) }
    }

    /// The place of the first message with a known call; those before it may be older than the
    /// histories.
    private var beginning: Position {
        channel.messages.lazy.filter { $0.isSeen && evidence.call(of: $0) != nil }
            .map(\.position).min() ?? .last
    }

    /// Judges a message whose call is known.
    private func judge(
        _ number: Int32, _ message: ChannelBook.Message, sentBy call: RequestBook.Request,
        _ findings: inout Findings
    ) {
        if call.calledChannel != evidence.index {
            evidence.complain(
                .once, of: number, at: message.place,
                expected: "a message of the channel for which it was sent",
                seen: "it is in this one", &findings)
        }
        judge(message.text, of: number, at: message.place, sentBy: call, &findings)
    }

    private func judge(_ other: ChannelBook.OtherText, _ findings: inout Findings) {
        guard let call = evidence.call(of: channel[other.message]) else { return }
        judge(other.text, of: other.message, at: other.place, sentBy: call, &findings)
    }

    /// Judges one text that a line shows.
    private func judge(
        _ text: Int32, of number: Int32, at place: HistoryPlace, sentBy call: RequestBook.Request,
        _ findings: inout Findings
    ) {
        guard text != call.text, !channel.edits.isKnown(text, of: number) else { return }
        evidence.complain(
            .once, of: number, at: place,
            expected: "\(evidence.quoted(call.text)), as it was sent, or the text of an edit",
            seen: evidence.quoted(text), &findings)
    }

    /// Judges a message of a known user without a known call.
    private func judgeUnknown(
        _ number: Int32, _ message: ChannelBook.Message, _ pool: inout OpenSends,
        _ findings: inout Findings
    ) {
        // Its first text here may be that of an edit.
        if channel.edits.isKnown(message.text, of: number) { return }
        if pool.take(user: message.sender, channel: evidence.index, text: message.text) { return }
        let isInLog = evidence.log?.rank(of: number) != nil
        evidence.complain(
            isInLog ? .once : .oneOrder, of: number, at: message.place,
            expected: "a message that a client of \(evidence.names[message.sender]) sent",
            seen: "no call sent \(evidence.quoted(message.text))", &findings)
    }

    /// Judges that an acknowledged message is in the log.
    private func judgeLoss(
        _ number: Int32, _ message: ChannelBook.Message, _ place: HistoryPlace,
        _ findings: inout Findings
    ) {
        guard let log = evidence.log, log.rank(of: number) == nil, log.covers(message.position),
            !channel.deletions.isAsked(number)
        else { return }
        evidence.complain(
            .once, of: number, at: place,
            expected: "a place in the log, \(evidence.name(of: log.place)), as acknowledged",
            seen: "the log lacks it, and no client asked for its deletion", &findings)
    }
}
