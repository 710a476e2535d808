// SPDX-License-Identifier: Apache-2.0

extension HistoryJudge {
    /// Comes to a verdict about all lines that were taken.
    ///
    /// - Parameter early: The clients that ended before the others; their last snapshots need not
    ///   have the end of the log.
    /// - Returns: The verdict.
    package consuming func verdict(endedEarly early: [String] = []) -> Verdict {
        var notes = clients.clients.filter { $0.missingLines > 0 }.map { client in
            "\(client.missingLines) lines of \(client.name) are missing by their numbers, and "
                + "everything that they said."
        }
        let sends = OpenSends(clients, requests)
        var pool = sends
        let early = Set(early.compactMap { clients.index(of: $0) })
        for (index, channel) in channels.enumerated() {
            let log = FinalLog(channel, endedEarly: early)
            if let log {
                let unended = channel.users.subtracting(log.lastViews.keys).subtracting(early)
                // A recorder that is no user shows nothing.
                let users = unended.filter { clients[$0].user != 0 }.sorted()
                notes += note(of: users, in: channel.name)
                notes += note(onMessagesBeyond: log, in: channel)
            } else if !channel.users.isEmpty || channel.messages.contains(where: \.isSeen) {
                notes.append(
                    "\(channel.name) has no log and no snapshot of a client that had caught up: "
                        + "only the lines themselves were compared.")
            }
            let evidence = Evidence(
                channel: channel, index: Int32(clamping: index), log: log, requests: requests,
                clients: clients, names: names, texts: texts, files: files)
            let unsent = OnceTrial(evidence).judge(&pool, &findings)
            OrderTrial(evidence).judge(sends, unsent: unsent, &findings)
            ViewTrial(evidence).judge(&findings)
            ChangeTrial(evidence).judge(&findings)
            counts.acknowledgedEdits += channel.edits.count
            counts.acknowledgedDeletions += channel.deletions.count
            counts.messagesInLogs += log?.messages.count ?? 0
            counts.messagesOfOthers += evidence.messagesOfOthers
        }
        counts.clients = clients.clients.count
        counts.channels = channels.count
        return Verdict(
            complaints: findings.complaints.sorted { one, other in one.place < other.place },
            complaintCount: findings.count, notes: notes, counts: counts)
    }

    /// Returns the remark on acknowledged messages outside of the stretch that a log covers.
    private func note(onMessagesBeyond log: FinalLog, in channel: ChannelBook) -> [String] {
        let count = channel.messages.indices.count { index in
            let message = channel.messages[index]
            return message.acknowledged != nil && log.rank(of: Int32(clamping: index)) == nil
                && !log.covers(message.position)
        }
        guard count > 0 else { return [] }
        return [
            "\(count) acknowledged messages of \(channel.name) were not judged, because the log does "
                + "not reach to them. Page back (`older`) until `has_older` is false before the last "
                + "snapshot, or give a log."
        ]
    }

    /// Returns the remark on clients whose state at the end of a channel is unknown.
    private func note(of unended: [Int32], in channel: String) -> [String] {
        guard !unended.isEmpty else { return [] }
        let names = unended.prefix(3).map { clients[$0].name }.joined(separator: ", ")
        let rest = unended.count > 3 ? " and \(unended.count - 3) more" : ""
        return [
            "\(channel) has no last snapshot of \(names)\(rest): the end there, and the changes that "
                + "wait, were not judged."
        ]
    }
}
