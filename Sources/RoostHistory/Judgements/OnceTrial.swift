// SPDX-License-Identifier: Apache-2.0

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

    /// - Parameters:
    ///   - pool: The calls of all channels without a message, of which the found ones are taken.
    ///   - findings: Gets the complaints.
    /// - Returns: The messages that no call sent.
    func judge(_ pool: inout OpenSends, _ findings: inout Findings) -> Set<Int32> {
        let beginning = evidence.beginning
        var unclaimed: [Int32: Int] = [:]
        var unsent: Set<Int32> = []
        for (index, message) in channel.messages.enumerated() {
            guard message.isSeen else {
                // A deletion named it, and no line shows it.
                unclaimed[0, default: 0] += 1
                continue
            }
            let number = Int32(clamping: index)
            if let call = evidence.call(of: message) {
                judge(number, message, sentBy: call, &findings)
            } else if !evidence.hasHistory(message) || message.position <= beginning {
                unclaimed[message.sender, default: 0] += 1
            } else {
                switch judgeUnknown(number, message, &pool, &findings) {
                case .sent: break
                case .edited: unclaimed[message.sender, default: 0] += 1
                case .unsent:
                    unclaimed[message.sender, default: 0] += 1
                    unsent.insert(number)
                }
            }
            if let place = message.acknowledged { judgeLoss(number, message, place, &findings) }
        }
        for other in channel.otherTexts { judge(other, &findings) }
        judgeQueued(pool, unclaimed, &findings)
        return unsent
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

    /// The origin of a message without a known call.
    private enum Origin {
        case sent
        /// Its first text here is that of an edit, so its call may be any.
        case edited
        case unsent
    }

    /// Judges a message of a known user without a known call.
    private func judgeUnknown(
        _ number: Int32, _ message: ChannelBook.Message, _ pool: inout OpenSends,
        _ findings: inout Findings
    ) -> Origin {
        if channel.edits.isKnown(message.text, of: number) { return .edited }
        if pool.take(user: message.sender, channel: evidence.index, text: message.text) {
            return .sent
        }
        let isInLog = evidence.log?.rank(of: number) != nil
        evidence.complain(
            isInLog ? .once : .oneOrder, of: number, at: message.place,
            expected: "a message that a client of \(evidence.names[message.sender]) sent",
            seen: "no call sent \(evidence.quoted(message.text))", &findings)
        return .unsent
    }

    /// Judges that an acknowledged message is in the log.
    private func judgeLoss(
        _ number: Int32, _ message: ChannelBook.Message, _ place: HistoryPlace,
        _ findings: inout Findings
    ) {
        guard let log = evidence.log, log.rank(of: number) == nil, log.covers(message.position),
            !channel.deletions.mayBeMade(of: number, evidence.requests)
        else { return }
        evidence.complain(
            .once, of: number, at: place,
            expected: "a place in the log, \(evidence.name(of: log.place)), as acknowledged",
            seen: "the log lacks it, and no deletion of it can have been made", &findings)
    }

    /// Judges that a queued message was delivered, if its client had nothing left to send.
    ///
    /// - Parameters:
    ///   - pool: The calls of all channels without a message.
    ///   - unclaimed: The numbers of messages without a known call, by sender; 0 for an unknown one.
    ///     Each may be a queued message.
    ///   - findings: Gets the complaints.
    private func judgeQueued(
        _ pool: OpenSends, _ unclaimed: [Int32: Int], _ findings: inout Findings
    ) {
        guard let log = evidence.log else { return }
        var rest = unclaimed
        for number in pool.lost(in: evidence.index, evidence.clients, evidence.requests) {
            let request = evidence.requests[number]
            let sender = [evidence.clients[request.client].user, 0].first { rest[$0] ?? 0 > 0 }
            if let sender {
                rest[sender, default: 0] -= 1
                continue
            }
            guard log.lastViews[request.client] != nil else { continue }
            findings.add(
                .once, at: request.answer, channel.name, nil,
                request: evidence.requests.id(of: number),
                expected: "a message \(evidence.quoted(request.text)), which was queued",
                seen: "no line has it, although its client had nothing left to send")
        }
    }
}
