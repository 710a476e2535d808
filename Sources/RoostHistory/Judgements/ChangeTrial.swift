// SPDX-License-Identifier: Apache-2.0

/// Judges that queued edits and deletions are made, that acknowledged ones last, and that a client
/// asked for each deletion.
struct ChangeTrial {
    private let evidence: Evidence
    private var channel: ChannelBook { evidence.channel }

    init(_ evidence: Evidence) {
        self.evidence = evidence
    }

    func judge(_ findings: inout Findings) {
        for doubt in channel.doubts { judge(doubt, &findings) }
        // In an order that does not depend on the table.
        let deletions = channel.deletions.acknowledgements.sorted { $0.key < $1.key }
        for (key, deletion) in deletions { judge(deletion, key, &findings) }
        guard let log = evidence.log else { return }
        for key in channel.edits.acknowledgements.keys.sorted() {
            guard let edit = channel.edits.acknowledgements[key]?.last else { continue }
            judge(edit, of: key.message, by: key.client, log, &findings)
        }
        for (key, deletion) in deletions where log.rank(of: key.message) != nil {
            evidence.complain(
                .undone, of: key.message, at: deletion.place,
                expected: "the message is gone, as acknowledged",
                seen: "it is in the log, \(evidence.name(of: log.place))", &findings)
        }
        for key in channel.queue.changes.keys.sorted() {
            guard let changes = channel.queue.changes[key] else { continue }
            judge(changes, key, log, &findings)
        }
    }

    /// Judges that a client asked for an acknowledged deletion.
    ///
    /// The call may stand in the history of any client: processes of one user may share an outbox.
    private func judge(
        _ deletion: DeletionBook.Acknowledgement, _ key: ChangeKey, _ findings: inout Findings
    ) {
        guard !channel.deletions.isAsked(key.message),
            !evidence.clients.usersWithMissingLines.contains(evidence.clients[key.client].user)
        else { return }
        evidence.complain(
            .once, of: key.message, at: deletion.place,
            expected: "a client that asked for the deletion",
            seen: "no history has a call for it", &findings)
    }

    /// Judges the last queued changes of one client, if the client had nothing left to send.
    private func judge(
        _ changes: QueueBook.Changes, _ key: ChangeKey, _ log: FinalLog,
        _ findings: inout Findings
    ) {
        // An acknowledged deletion of a message in the log has a complaint already.
        guard log.rank(of: key.message) != nil, log.lastViews[key.client] != nil,
            !channel[key.message].hasAcknowledgedDeletion
        else { return }
        if let deletion = changes.deletion, !isRefused(deletion, .delete, key) {
            return evidence.complain(
                .undone, of: key.message, at: deletion.place,
                expected: "the message is gone: its deletion was queued, and no refusal is known",
                seen: "it is in the log, \(evidence.name(of: log.place))", &findings)
        }
        guard let change = changes.edit, let edit = change.text, !isRefused(change, .edit, key)
        else { return }
        let text = log.text(of: key.message, in: channel)
        guard text != edit, !channel.edits.isOfOther(text, of: key.message, than: key.client),
            // A later edit takes its place in the outbox. Its call has no answer if the client was
            // killed at that moment.
            !channel.edits.isLater(text, of: key.message, by: key.client, than: change.call),
            channel.edits.acknowledgements[key]?
                .contains(where: { $0.call >= change.call }) != true
        else { return }
        evidence.complain(
            .undone, of: key.message, at: change.place,
            expected: "\(evidence.quoted(edit)) in the log: the edit was queued, and no refusal is "
                + "known",
            seen: "\(evidence.quoted(text)) in \(evidence.name(of: log.place))", &findings)
    }

    private func isRefused(
        _ change: QueueBook.Change, _ kind: HistoryCall.Known, _ key: ChangeKey
    ) -> Bool {
        channel.queue.isRefused(
            key.message, kind, to: evidence.clients[key.client].user, by: key.client,
            after: change.call)
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
            !channel.edits.isLater(text, of: message, by: client, than: edit.call),
            !channel.edits.isOfOther(text, of: message, than: client)
        else { return }
        evidence.complain(
            .undone, of: message, at: edit.place,
            expected: "\(evidence.quoted(edit.text)) in the log, as acknowledged, or a later edit",
            seen: "\(evidence.quoted(text)) in \(evidence.name(of: log.place))", &findings)
    }
}
