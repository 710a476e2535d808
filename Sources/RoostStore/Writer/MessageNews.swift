// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel

/// What one commit does to one channel's messages; becomes a `MessagesChange`.
struct MessageNews {
    /// A message before the commit and after what has been done so far.
    struct Row {
        let before: Message?
        var after: Message?
    }

    let channel: ChannelURL
    let coverageBefore: Coverage
    var coverage: Coverage
    private(set) var rows: [MessageID: Row] = [:]

    init(channel: ChannelURL, coverage: Coverage) {
        self.channel = channel
        coverageBefore = coverage
        self.coverage = coverage
    }

    /// Notes that a message, known before as `before`, is now `after`.
    mutating func note(_ id: MessageID, before: Message?, after: Message?) {
        if rows[id] == nil { rows[id] = Row(before: before, after: after) }
        rows[id]?.after = after
    }

    /// Forgets everything: no message is left, and that none is covered says so.
    mutating func clear() {
        rows = [:]
        coverage = Coverage()
    }

    /// The change as observers hear of it; nil when nothing is different now.
    ///
    /// `now` gives a message its sender as they are after the commit, `before` as they were.
    func change(now: (Message) -> Message, before: (Message) -> Message) -> MessagesChange? {
        var inserted: [Message] = []
        var updated: [Update<Message>] = []
        var deleted: [Message] = []
        for row in rows.values {
            switch (row.before, row.after) {
            case (nil, let after?): inserted.append(now(after))
            case (let old?, nil): deleted.append(before(old))
            case (let old?, let after?):
                // A new name of the sender alone is the news of `Change.users`.
                if now(old) != now(after) {
                    updated.append(Update(before: before(old), after: now(after)))
                }
            case (nil, nil): break
            }
        }
        guard
            !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty || coverage != coverageBefore
        else { return nil }
        return MessagesChange(
            channel: channel, inserted: inserted.inOrder,
            updated: updated.sorted { $0.after.isBefore($1.after) }, deleted: deleted.inOrder,
            coverageBefore: coverageBefore, coverageAfter: coverage)
    }
}

extension [Message] {
    fileprivate var inOrder: [Message] { sorted { $0.isBefore($1) } }
}

extension Message {
    fileprivate func isBefore(_ other: Message) -> Bool {
        (position ?? .distantFuture) < (other.position ?? .distantFuture)
    }
}
