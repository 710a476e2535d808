// SPDX-License-Identifier: Apache-2.0

/// Judges the order of each sender, and that no client saw a message that the log lacks.
///
/// The order of one view is judged when its line is taken. Two views agree in their order if each is
/// ordered and no message has two places.
struct OrderTrial {
    private let evidence: Evidence
    private var channel: ChannelBook { evidence.channel }

    init(_ evidence: Evidence) {
        self.evidence = evidence
    }

    /// - Parameters:
    ///   - sends: The calls of all channels whose messages are unknown.
    ///   - unsent: The messages that no call sent; they have complaints of their own.
    ///   - findings: Gets the complaints.
    func judge(_ sends: OpenSends, unsent: Set<Int32>, _ findings: inout Findings) {
        guard let log = evidence.log else { return }
        if let part = log.misplacedPart {
            evidence.complain(
                .oneOrder, of: part.message, at: part.place,
                expected: "the log's messages behind those of the part before",
                seen: "the part begins at the same or an earlier place", &findings)
        }
        let beginning = evidence.beginning
        judgeSenders(log, sends, from: beginning, &findings)
        for (index, message) in channel.messages.enumerated() where message.isSeen {
            let number = Int32(clamping: index)
            // Messages before the first known call may have been deleted before the histories.
            guard
                evidence.call(of: message) != nil
                    || evidence.hasHistory(message) && message.position > beginning
                        && !unsent.contains(number)
            else { continue }
            judgePhantom(number, message, log, &findings)
        }
    }

    /// Returns the client and the number of the call that sent a message; nil if the message has no
    /// place in the order of calls, or the call is not certain.
    private func sendCall(
        of number: Int32, _ sends: OpenSends, from beginning: Position
    ) -> (client: Int32, call: Int64)? {
        let message = channel[number]
        if let call = evidence.call(of: message) {
            guard !call.isOutOfOrder, call.calledChannel == evidence.index else { return nil }
            return (call.client, call.call)
        }
        // The text of an edit says nothing about the call.
        guard evidence.hasHistory(message), message.position > beginning,
            !channel.edits.isKnown(message.text, of: number),
            let send = sends.only(
                user: message.sender, channel: evidence.index, text: message.text)
        else { return nil }
        // A killed client's call has no request ID, and a message of an answered one has lost it.
        let request = message.request == 0 ? send.request : message.request
        guard (message.request == 0) != (send.request == 0),
            !evidence.requests[request].isOutOfOrder
        else { return nil }
        return (send.client, send.call)
    }

    private func judgeSenders(
        _ log: FinalLog, _ sends: OpenSends, from beginning: Position, _ findings: inout Findings
    ) {
        var last: [Int32: (call: Int64, message: Int32)] = [:]
        for number in log.messages {
            guard let call = sendCall(of: number, sends, from: beginning) else { continue }
            guard let before = last[call.client], call.call < before.call else {
                last[call.client] = (call.call, number)
                continue
            }
            evidence.complain(
                .senderOrder, of: number, at: log.place,
                expected: "a place before message \(channel[before.message].id), because "
                    + "\(evidence.clients[call.client].name) made call \(call.call) before call "
                    + "\(before.call)",
                seen: "it stands behind that message", &findings)
        }
    }

    private func judgePhantom(
        _ number: Int32, _ message: ChannelBook.Message, _ log: FinalLog,
        _ findings: inout Findings
    ) {
        // A lost acknowledged message has a complaint of its own. Of a sender without a history the
        // deletions are unknown.
        guard message.acknowledged == nil, log.rank(of: number) == nil,
            log.covers(message.position),
            !channel.deletions.mayBeMade(of: number, evidence.requests)
        else { return }
        evidence.complain(
            .oneOrder, of: number, at: message.place,
            expected: "a message of the log, \(evidence.name(of: log.place))",
            seen: "the log lacks it, and no deletion of it can have been made", &findings)
    }
}
