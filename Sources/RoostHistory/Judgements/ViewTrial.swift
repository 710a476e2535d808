// SPDX-License-Identifier: Apache-2.0

/// Judges that each view is whole where it claims to be, and that the last ones equal the log.
///
/// A view is whole from its first to its last message: all messages between them were stored before
/// the last one. A client that had caught up also shows the messages that it knew of. The last
/// view of a client that had caught up reaches to the end of the log.
///
/// A client does not show a message while its own deletion of it waits, which the server may refuse
/// later. A client that has caught up has no such deletion.
struct ViewTrial {
    private let evidence: Evidence
    private var channel: ChannelBook { evidence.channel }

    init(_ evidence: Evidence) {
        self.evidence = evidence
    }

    func judge(_ findings: inout Findings) {
        // Stretches of a log out of order cannot be looked up.
        guard let log = evidence.log, log.isSorted else { return }
        for (index, view) in channel.views.views.enumerated()
        where view.isOrdered && !log.parts.contains(index) {
            // A log that is not the chosen one is of an earlier moment.
            let isFinal = !view.isLog && log.lastViews[view.client] == index
            judge(view, isFinal: isFinal, against: log, &findings)
        }
    }

    private func judge(
        _ view: ViewBook.View, isFinal: Bool, against log: FinalLog, _ findings: inout Findings
    ) {
        // An empty list claims the messages behind the last one that its client knew.
        let begin = view.count == 0 ? view.known : view.first
        let from = max(view.hasOlder ? begin : .first, log.start)
        var through = view.last
        if view.isCaughtUp, !view.hasNewer { through = isFinal ? .last : max(through, view.known) }
        through = min(through, log.end)
        guard from <= through else { return }
        let claimed = log.range(from: from, through: through)
        var found = 0
        for run in channel.views.runs(of: view) {
            for number in run.start..<run.start + run.count {
                if let rank = log.rank(of: number), claimed.contains(rank) { found += 1 }
            }
        }
        if found < claimed.count { complain(view, claimed, found, log, &findings) }
        if isFinal { compare(view, from, through, log, &findings) }
    }

    /// Whether a waiting deletion may hide a message from the view: one of the view's own client, or
    /// of another process that may share its outbox.
    private func isHidden(_ message: Int32, from view: ViewBook.View) -> Bool {
        !view.isCaughtUp
            && channel.deletions.isAsked(
                message, by: view.client, of: evidence.clients[view.client].user,
                before: view.number)
    }

    /// The messages of a stretch of the log that a view lacks.
    private struct Lack {
        let count: Int
        /// The first three.
        let first: [Int32]
    }

    /// Returns what a view lacks of a stretch of the log, of which it has `found` messages.
    private func lack(
        of view: ViewBook.View, in stretch: Range<Int>, found: Int, _ log: FinalLog
    ) -> Lack {
        let shown = Set(channel.views.messages(of: view))
        let missing = log.messages[stretch].lazy.filter {
            !shown.contains($0) && !isHidden($0, from: view)
        }
        // Only a waiting deletion makes it necessary to look at all of them, and a client that has
        // caught up has none. A view with a wrong end may lack nearly the whole log.
        let count = view.isCaughtUp ? stretch.count - found : missing.count
        return Lack(count: count, first: Array(missing.prefix(min(count, 3))))
    }

    /// Complains of the messages that a view lacks.
    private func complain(
        _ view: ViewBook.View, _ claimed: Range<Int>, _ found: Int, _ log: FinalLog,
        _ findings: inout Findings
    ) {
        // In the order of the log, those behind the last message come last.
        let end = log.range(from: .first, through: view.last).upperBound
        let border = min(max(end, claimed.lowerBound), claimed.upperBound)
        let inside = lack(of: view, in: claimed.lowerBound..<border, found: found, log)
        let behind = lack(of: view, in: border..<claimed.upperBound, found: 0, log)
        if let first = inside.first.first {
            evidence.complain(
                .hole, of: first, at: view.place,
                expected: "all \(inside.count + behind.count + found) messages of the log between "
                    + "the first and the last",
                seen: "\(evidence.list(inside.first, of: inside.count)) missing, and no hole shown",
                &findings)
        }
        guard let first = behind.first.first else { return }
        let seen = "\(evidence.list(behind.first, of: behind.count)) missing at the end"
        if channel[first].position <= view.known {
            evidence.complain(
                .hole, of: first, at: view.place,
                expected: "the messages that the client knew before it took the snapshot",
                seen: seen, &findings)
        } else {
            let client = evidence.clients[view.client].name
            evidence.complain(
                .final, of: first, at: view.place,
                expected: "the log up to its end, \(evidence.name(of: log.place)); if the client "
                    + "ended before the others, give --early \(client)",
                seen: seen, &findings)
        }
    }

    /// Compares a last view with the log, message by message.
    private func compare(
        _ view: ViewBook.View, _ from: Position, _ through: Position, _ log: FinalLog,
        _ findings: inout Findings
    ) {
        let texts = channel.views.texts(of: view)
        for run in channel.views.runs(of: view) {
            for number in run.start..<run.start + run.count {
                let position = channel[number].position
                guard from <= position, position <= through else { continue }
                guard log.rank(of: number) != nil else {
                    evidence.complain(
                        .final, of: number, at: view.place,
                        expected: "only messages of the log, \(evidence.name(of: log.place))",
                        seen: "a message that the log lacks", &findings)
                    continue
                }
                let text = texts[number] ?? channel[number].text
                let expected = log.text(of: number, in: channel)
                guard text != expected else { continue }
                evidence.complain(
                    .final, of: number, at: view.place,
                    expected: "\(evidence.quoted(expected)), as in \(evidence.name(of: log.place))",
                    seen: evidence.quoted(text), &findings)
            }
        }
    }
}
