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

    func judge(_ findings: inout Findings) {
        guard let log = evidence.log else { return }
        judgeSenders(log, &findings)
        for (index, message) in channel.messages.enumerated() where message.isSeen {
            judgePhantom(Int32(clamping: index), message, log, &findings)
        }
    }

    private func judgeSenders(_ log: FinalLog, _ findings: inout Findings) {
        var last: [Int32: (call: Int64, message: Int32)] = [:]
        for number in log.messages {
            guard let call = evidence.call(of: channel[number]), !call.isOutOfOrder,
                call.calledChannel == evidence.index
            else { continue }
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
        // A lost acknowledged message and one that was never sent have complaints of their own. Of
        // a sender without a history the deletions are unknown.
        guard message.acknowledged == nil, evidence.call(of: message) != nil,
            log.rank(of: number) == nil, log.covers(message.position),
            !channel.deletions.mayBeMade(of: number, evidence.requests)
        else { return }
        evidence.complain(
            .oneOrder, of: number, at: message.place,
            expected: "a message of the log, \(evidence.name(of: log.place))",
            seen: "the log lacks it, and no deletion of it can have been made", &findings)
    }
}
