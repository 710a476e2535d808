// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel

/// The state of a channel that a commit needs to write messages into it.
struct KnownChannel {
    let row: ChannelRow
    let coverage: Coverage
    /// Whether the channel has coverage under filters only.
    let hasFilters: Bool
    let holding: Holding
}

/// The changes of one commit to one channel's messages; becomes a `MessagesChange`.
struct MessageNews {
    /// A message before the commit and in its present state.
    private struct Row {
        let before: Message?
        var after: Message?
        /// Whether the message was covered under filters only, so it is new to readers without a
        /// filter.
        var hasEntered = false
    }

    /// The place of a message's change.
    private enum Slot {
        case added(Int)
        case changed(Int)
    }

    /// The coverage under a filter, before the commit and now.
    struct Filtered {
        let filterRow: Int64
        let filter: MessageFilter
        let before: Coverage
        var now: Coverage
    }

    let channel: ChannelURL
    let channelRow: Int64
    /// Nothing at or before this moment is visible.
    var cut: Timestamp?
    /// Whether the channel had coverage under filters only before the commit; that coverage is read
    /// on demand.
    let hasFilters: Bool
    let coverageBefore: Coverage
    var coverage: Coverage
    /// Nil until it is needed.
    var filtered: [Filtered]?
    let holdingBefore: Holding
    var holding: Holding
    /// The positions of unreadable messages that were deleted.
    var dropped: [Position] = []
    private var cutThrough: Timestamp?
    /// The new messages that were not changed since; nil after a change.
    ///
    /// Nearly all messages of a page are of this kind, so they are moved and not copied into the
    /// journal.
    private var added: [Message?] = []
    private var rows: [Row] = []
    private var slots: [MessageID: Slot] = [:]

    init(of channel: ChannelURL, _ known: KnownChannel) {
        self.channel = channel
        channelRow = known.row.row
        cut = known.row.cut
        hasFilters = known.hasFilters
        coverageBefore = known.coverage
        coverage = known.coverage
        holdingBefore = known.holding
        holding = known.holding
    }

    /// The state for the next commit; valid once this commit is durable.
    var left: KnownChannel {
        KnownChannel(
            row: ChannelRow(row: channelRow, cut: cut), coverage: coverage,
            hasFilters: filtered.map { $0.contains { !$0.now.ranges.isEmpty } } ?? hasFilters,
            holding: holding)
    }

    /// Whether the ranges or the sums have changed.
    var hasOtherState: Bool {
        coverage != coverageBefore || holding != holdingBefore
            || (filtered ?? []).contains { $0.before != $0.now }
    }

    /// The newest range, if only its upper end and the sums have changed; nil otherwise.
    var continuedRange: CoveredRange? {
        let (old, new) = (coverageBefore.ranges, coverage.ranges)
        guard hasOtherState, let range = new.last, let last = old.last, old.count == new.count,
            range.lower == last.lower, range.predecessor == last.predecessor,
            old.dropLast() == new.dropLast(),
            (filtered ?? []).allSatisfy({ $0.before == $0.now })
        else { return nil }
        return range
    }

    /// Whether the channel may have coverage under filters only: this commit may have brought it.
    var mayHaveFilters: Bool { hasFilters || filtered != nil }

    /// Whether a message at a position may be cached, other than in coverage that this commit brought
    /// without a filter.
    func mayHaveHeld(_ place: Position) -> Bool {
        mayHaveFilters || coverageBefore.range(containing: place) != nil
    }

    /// Notes that the server has reported the present state of a message, so that an unreadable
    /// copy is not fetched again.
    mutating func noteServerState(of id: MessageID) {
        if !dropped.isEmpty { dropped.removeAll { $0.messageID == id } }
    }

    /// Notes an added message.
    mutating func noteAdded(_ id: MessageID, _ message: Message) {
        guard slots[id] == nil else { return note(id, before: nil, after: message) }
        slots[id] = .added(added.count)
        added.append(message)
    }

    /// Notes the change of a message from `before` to `after`.
    mutating func note(_ id: MessageID, before: Message?, after: Message?) {
        switch slots[id] {
        case .changed(let index): rows[index].after = after
        case .added(let index):
            added[index] = nil
            slots[id] = .changed(rows.count)
            rows.append(Row(before: nil, after: after))
        case nil:
            slots[id] = .changed(rows.count)
            rows.append(Row(before: before, after: after))
        }
    }

    /// Notes that a message, covered only under filters as `before`, is now covered without a
    /// filter.
    mutating func noteEntered(_ id: MessageID, before: Message, after: Message) {
        note(id, before: before, after: after)
        if case .changed(let index)? = slots[id] { rows[index].hasEntered = true }
    }

    /// Removes everything; the empty coverage states that no message is left.
    ///
    /// - Returns: The state of each changed message before the commit; nil for an added one.
    mutating func clear() -> [MessageID: Message?] {
        let found = slots.mapValues { slot -> Message? in
            if case .changed(let index) = slot { rows[index].before } else { nil }
        }
        added = []
        rows = []
        slots = [:]
        coverage = Coverage()
        holding.messageCount = 0
        holding.payloadBytes = 0
        for index in (filtered ?? []).indices { filtered?[index].now = Coverage() }
        return found
    }

    /// Removes the messages at or before a moment; observers receive the moment alone.
    mutating func cut(through moment: Timestamp) {
        cut = moment
        cutThrough = moment
        let end = Position(createdAt: moment, messageID: MessageID(.max))
        coverage.cut(through: end)
        for index in (filtered ?? []).indices { filtered?[index].now.cut(through: end) }
        let kept = (
            added: added.compactMap { $0 }.filter { $0.createdAt > moment },
            rows: rows.filter { ($0.after ?? $0.before).map { $0.createdAt > moment } ?? false }
        )
        added = []
        rows = []
        slots = [:]
        for message in kept.added {
            if let id = message.messageID { noteAdded(id, message) }
        }
        for row in kept.rows {
            guard let id = (row.after ?? row.before)?.messageID else { continue }
            slots[id] = .changed(rows.count)
            rows.append(row)
        }
    }

    /// Returns the change for observers; nil if nothing is different.
    ///
    /// `now` returns a message with its sender after the commit, `before` with its sender before
    /// the commit.
    mutating func change(
        now: (Message) -> Message, before: (Message) -> Message
    ) -> MessagesChange? {
        var inserted: [Message] = []
        var updated: [Update<Message>] = []
        var deleted: [Message] = []
        var reworded: [Message]?
        inserted.reserveCapacity(added.count)
        for index in added.indices {
            if let message = added[index].take() { inserted.append(now(message)) }
        }
        for row in rows {
            switch (row.before, row.after) {
            case (nil, let after?): inserted.append(now(after))
            case (let old?, nil): deleted.append(before(old))
            case (let old?, let after?) where row.hasEntered:
                inserted.append(now(after))
                if !old.searchableText.utf8.elementsEqual(after.searchableText.utf8) {
                    reworded = (reworded ?? []) + [before(old)]
                }
            case (let old?, let after?):
                // A new name of the sender is reported by `Change.users` only.
                if old.updatedAt != after.updatedAt || now(old) != now(after) {
                    updated.append(Update(before: before(old), after: now(after)))
                }
            case (nil, nil): break
            }
        }
        let filters = (filtered ?? []).filter { $0.before != $0.now }.map(\.filter)
        guard
            !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty || !filters.isEmpty
                || coverage != coverageBefore || cutThrough != nil
        else { return nil }
        inserted.sortByPlace(\.self)
        deleted.sortByPlace(\.self)
        updated.sortByPlace(\.after)
        return MessagesChange(
            channel: channel, inserted: inserted, updated: updated, deleted: deleted,
            cutThrough: cutThrough, coverageBefore: coverageBefore, coverageAfter: coverage,
            filters: filters, reworded: reworded)
    }
}

extension Array {
    /// Pages are already in one of the two orders, and sorting moves large values.
    fileprivate mutating func sortByPlace(_ message: (Element) -> Message) {
        let places = map { message($0).position ?? .distantFuture }
        let isAscending = zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
        guard !isAscending else { return }
        let order = places.indices.sorted { places[$0] < places[$1] }
        self = order.map { self[$0] }
    }
}
