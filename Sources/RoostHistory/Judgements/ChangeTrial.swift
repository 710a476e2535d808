// SPDX-License-Identifier: Apache-2.0

/// Judges that acknowledged edits and deletions last.
struct ChangeTrial {
    private let evidence: Evidence
    private var channel: ChannelBook { evidence.channel }

    init(_ evidence: Evidence) {
        self.evidence = evidence
    }

    func judge(_ findings: inout Findings) {
        for doubt in channel.doubts { judge(doubt, &findings) }
        guard let log = evidence.log else { return }
        // In an order that does not depend on the table.
        for key in channel.edits.acknowledgements.keys.sorted() {
            guard let edit = channel.edits.acknowledgements[key]?.last else { continue }
            judge(edit, of: key.message, by: key.client, log, &findings)
        }
        for key in channel.deletions.acknowledgements.keys.sorted() {
            guard log.rank(of: key.message) != nil,
                let deletion = channel.deletions.acknowledgements[key]
            else { continue }
            evidence.complain(
                .undone, of: key.message, at: deletion.place,
                expected: "the message is gone, as acknowledged",
                seen: "it is in the log, \(evidence.name(of: log.place))", &findings)
        }
    }

    /// Judges a text that a client showed after its own edit.
    private func judge(_ doubt: ChannelBook.Doubt, _ findings: inout Findings) {
        guard
            !channel.edits.isOfOther(doubt.text, of: doubt.message, than: doubt.client)
        else { return }
        evidence.complain(
            .undone, of: doubt.message, at: doubt.place,
            expected: "\(evidence.quoted(doubt.edit.text)), as "
                + "\(evidence.name(of: doubt.edit.place)) acknowledges, or a later edit",
            seen: evidence.quoted(doubt.text), &findings)
    }

    /// Judges the last acknowledged edit of one client.
    private func judge(
        _ edit: EditBook.Acknowledgement, of message: Int32, by client: Int32, _ log: FinalLog,
        _ findings: inout Findings
    ) {
        guard log.rank(of: message) != nil else { return }
        let text = log.text(of: message, in: channel)
        guard text != edit.text,
            !channel.edits.isLater(text, of: message, by: client, than: edit),
            !channel.edits.isOfOther(text, of: message, than: client)
        else { return }
        evidence.complain(
            .undone, of: message, at: edit.place,
            expected: "\(evidence.quoted(edit.text)) in the log, as acknowledged, or a later edit",
            seen: "\(evidence.quoted(text)) in \(evidence.name(of: log.place))", &findings)
    }
}
