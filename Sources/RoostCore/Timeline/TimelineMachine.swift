// SPDX-License-Identifier: Apache-2.0

// The list of one open timeline.
//
// It is a window into one covered range, so it never has a hole inside. A window that follows the
// newest end grows with its range. If a newer range appears, messages between the two are missing:
// the window stays and asks for a repair (scars 4, 5).
//
// The user's own messages are behind the window: those that were sent while messages are missing
// behind it, and then the unsent ones, which have no position.
//
// Small changes are applied at once. If a commit alone does not determine the new window (two
// ranges joined, the cache was cleared), the machine asks for a new read.

package import RoostModel

/// The list of a timeline, kept equal to the store.
package struct TimelineMachine: Codable, Sendable {
    /// The work that the timeline needs after a step.
    package enum Demand: Equatable, Sendable {
        case nothing
        /// Read the window again and pass it to `replace`.
        case reread
        /// Messages are missing between the window and later ones.
        case repair
        /// Ask the server for the window, of which nothing is left.
        case reload
    }

    package struct Step: Equatable, Sendable {
        package let diff: ListDiff<Message>
        package let demand: Demand
    }

    package let channel: ChannelURL
    /// The filter of the list.
    package let filter: MessageFilter
    /// The most delivered messages of the list; beyond it, those farthest from the growing end are
    /// removed.
    package let capacity: Int
    /// Whether new messages at the end belong to the list.
    package private(set) var followsNewest: Bool
    /// Whether messages at the end of the window's range were removed, because the list grew at its
    /// beginning.
    package private(set) var isCutAbove = false
    /// Delivered messages, oldest first.
    package private(set) var delivered: [Message] = []
    private var unsentList = UnsentList()
    package private(set) var extent: CacheWindow.Extent?
    package private(set) var coverage = Coverage()
    /// The last commit that the list contains.
    package private(set) var sequence: Int64 = .min
    /// Whether unknown commits were made, so that the window has to be read again.
    package private(set) var isBehind = false
    /// Whether history was cut since the window was read, so that its range may be gone.
    package private(set) var isCutOff = false
    /// Own messages that the server has beyond missing ones, oldest first, until the window reaches
    /// them or the timeline moves.
    package private(set) var beyondGap: [Message] = []
    /// Whether the timeline has moved, so that the next window begins without `beyondGap`.
    private var hasMoved = false

    package init(
        channel: ChannelURL, followsNewest: Bool, filter: MessageFilter = .everything,
        capacity: Int = .max
    ) {
        self.channel = channel
        self.followsNewest = followsNewest
        self.filter = filter.normalized
        self.capacity = capacity
    }

    /// Unsent messages, in the order in which they were written.
    package var unsent: [Message] { unsentList.messages }

    /// The list: delivered messages by position, those beyond a gap, then the unsent ones by age.
    package var messages: [Message] { delivered + beyondGap + unsent }

    /// Whether the server may have older messages than the oldest shown one.
    package var hasOlder: Bool { extent?.lower != .distantPast }

    /// Whether newer messages than the newest shown one have to be fetched.
    package var hasNewer: Bool { !followsNewest || isCutAbove }
}

// MARK: - Steps

extension TimelineMachine {
    /// Shows the result of a read in place of the list; `commits` are those that the read contains
    /// and the list does not.
    package mutating func replace(
        with window: CacheWindow, after commits: [Commit] = []
    ) -> ListDiff<Message> {
        let before = messages
        // Unknown commits may have deleted or changed these messages.
        if hasMoved || isBehind { beyondGap = [] }
        hasMoved = false
        var passed = ListDiff<Message>()
        for commit in commits {
            for case .messages(let change) in commit.changes where change.channel == channel {
                applyBeyondGap(change, &passed)
            }
        }
        delivered = window.messages
        extent = window.extent
        coverage = window.coverage
        // Lower only in a cache that was made anew: its commits count from one.
        sequence = window.sequence
        isBehind = false
        isCutOff = false
        if isCutAbove, extent?.upper == knownRange?.upper { isCutAbove = false }
        unsentList.remove(Set(delivered.compactMap(\.requestID)))
        let end = extent?.upper ?? .distantPast
        beyondGap.removeAll { message in
            message.position.map { $0 <= end || coverage.range(containing: $0) == nil } == true
        }
        return ListDiff(from: before, to: messages)
    }

    /// Applies one commit.
    ///
    /// Commits come in order; a commit that the list already contains changes nothing. A skipped
    /// one is another process's: the changes since are shown, and the rest is read.
    package mutating func apply(_ commit: Commit) -> Step {
        guard commit.sequence > sequence else { return Step(diff: ListDiff(), demand: .nothing) }
        if commit.sequence - 1 > sequence { isBehind = true }
        sequence = commit.sequence
        var diff = ListDiff<Message>()
        var demand = Demand.nothing
        for case .messages(let change) in commit.changes where change.channel == channel {
            demand = apply(change, &diff)
            // An older hole has been reported: only its changes are reported again.
            let hasMoved = change.coverageBefore != change.coverageAfter
            if demand == .nothing, hasMoved, hasHoleAbove { demand = .repair }
        }
        // Names last: the messages came with the names of their time.
        for case .users(let updates) in commit.changes { rename(updates, &diff) }
        return Step(diff: diff, demand: isBehind ? .reread : demand)
    }

    /// Notes that unknown commits were made.
    package mutating func missCommits() { isBehind = true }

    /// Takes all unsent messages of the channel, in order.
    ///
    /// `keepingOthers` keeps those that have left the outbox: their delivered form is in a commit
    /// that waits for a read.
    package mutating func setUnsent(
        _ messages: [Message], keepingOthers: Bool = false
    ) -> ListDiff<Message> {
        let before = unsent
        let arrived = Set((delivered + beyondGap).compactMap(\.requestID))
        let listed = messages.filter { message in
            filter.matches(message) && message.requestID.map { !arrived.contains($0) } == true
        }
        let names = Set(listed.compactMap(\.requestID))
        let others = unsent.filter { message in
            message.requestID.map { !names.contains($0) && !arrived.contains($0) } == true
        }
        unsentList = UnsentList((keepingOthers ? others : []) + listed)
        return ListDiff(from: before, to: unsent)
    }

    /// Adds a message behind the unsent ones; returns nil if the list has one of its request ID.
    package mutating func addUnsent(_ message: Message) -> ListDiff<Message>? {
        var diff = ListDiff<Message>()
        guard filter.matches(message) else { return diff }
        guard let requestID = message.requestID, !unsentList.contains(requestID),
            // The capacity bounds these.
            !delivered.contains(where: { $0.requestID == requestID }),
            !beyondGap.contains(where: { $0.requestID == requestID })
        else { return nil }
        unsentList.append(message)
        diff.inserted.append(message)
        return diff
    }

    /// Empties the files in memory, for a recording.
    mutating func dropBytes() { unsentList = UnsentList(unsent.withoutBytes) }

    /// Removes an unsent message.
    package mutating func removeUnsent(_ requestID: RequestID) -> ListDiff<Message> {
        var diff = ListDiff<Message>()
        if let removed = unsentList.remove(requestID) { diff.deleted.append(removed) }
        return diff
    }

    /// Stops following: more messages are missing than are filled in silently (R113), so the end is
    /// unknown.
    package mutating func leaveNewest() {
        followsNewest = false
        isCutAbove = false
    }

    /// Follows the newest end again: the server stated that no newer message exists.
    package mutating func reachNewest() { followsNewest = true }

    /// Moves to another place, which is read next; the shown list stays until then.
    package mutating func move(toNewest isNewest: Bool) {
        followsNewest = isNewest
        isCutAbove = false
        hasMoved = true
        // The next window continues the shown messages, and there are none.
        if delivered.isEmpty { extent = nil }
    }

    /// Removes messages beyond the capacity, from the end away from the growing one.
    package mutating func shrink(keepingNewer: Bool) -> ListDiff<Message> {
        var diff = ListDiff<Message>()
        let surplus = delivered.count - capacity
        guard surplus > 0, let extent else { return diff }
        if keepingNewer {
            diff.deleted = Array(delivered.prefix(surplus))
            delivered.removeFirst(surplus)
            guard let lower = delivered.first?.position else { return diff }
            self.extent = CacheWindow.Extent(lower: lower, upper: extent.upper)
        } else {
            diff.deleted = Array(delivered.suffix(surplus))
            delivered.removeLast(surplus)
            guard let upper = delivered.last?.position else { return diff }
            self.extent = CacheWindow.Extent(lower: extent.lower, upper: upper)
            isCutAbove = true
        }
        return diff
    }
}

// MARK: - The changes of one channel

// The diff is collected while the list changes: a comparison of whole lists would cost as much per
// message as there are messages on screen.

extension TimelineMachine {
    private mutating func apply(
        _ change: MessagesChange, _ diff: inout ListDiff<Message>
    ) -> Demand {
        applyBeyondGap(change, &diff)
        let known = filter == .everything ? change.coverageBefore : coverage
        guard let coverageNow = coverage(after: change) else { return .reread }
        coverage = coverageNow
        // A cut is rare and moves the start of history: a new read is simpler than computing the
        // result.
        if change.cutThrough != nil {
            isCutOff = true
            return .reread
        }
        for message in change.deleted {
            guard let index = index(of: message) else { continue }
            diff.deleted.append(delivered.remove(at: index))
        }
        for update in change.updated {
            guard let index = index(of: update.after) else {
                if filter != .everything, let extent {
                    // An edit may make a message match the filter.
                    insert(update.after, from: extent.lower, through: extent.upper, &diff)
                }
                continue
            }
            if filter.matches(update.after) {
                replace(at: index, with: update.after, &diff)
            } else {
                diff.deleted.append(delivered.remove(at: index))
            }
        }
        guard let extent else { return coverage.isEmpty ? .nothing : .reread }
        // An eviction takes the oldest messages first.
        guard let range = coverage.range(containing: extent.upper), range.lower <= extent.lower
        else { return .reread }
        var upper = extent.upper
        if followsNewest && !isCutAbove && range.upper > upper {
            // Messages that were cached above a hole are not in this commit.
            if known.hasKnowledge(after: upper, through: range.upper) { return .reread }
            upper = range.upper
        }
        self.extent = CacheWindow.Extent(lower: extent.lower, upper: upper)
        for message in change.inserted {
            insert(message, from: extent.lower, through: upper, &diff)
        }
        return .nothing
    }

    /// Returns the coverage under the filter after a change; nil if the change alone does not
    /// determine it.
    private func coverage(after change: MessagesChange) -> Coverage? {
        if filter == .everything { return change.coverageAfter }
        guard !change.filters.contains(filter) else { return nil }
        if change.coverageBefore == change.coverageAfter { return coverage }
        let hasOnlyGrown =
            change.coverageAfter.union(change.coverageBefore) == change.coverageAfter
        return hasOnlyGrown ? coverage.union(change.coverageAfter) : nil
    }

    private mutating func insert(
        _ message: Message, from lower: Position, through upper: Position,
        _ diff: inout ListDiff<Message>
    ) {
        guard let position = message.position, filter.matches(message),
            lower <= position && position <= upper
        else { return }
        let place = place(of: position)
        if place < delivered.count, delivered[place].position == position {
            return replace(at: place, with: message, &diff)
        }
        delivered.insert(message, at: place)
        let shown = beyondGap.firstIndex { $0.position == position }
        guard let before = shown.map({ beyondGap.remove(at: $0) }) ?? takeUnsent(message) else {
            return diff.inserted.append(message)
        }
        if before != message { diff.updated.append(Update(before: before, after: message)) }
    }

    /// Applies a change to the messages beyond a gap, and adds the own messages that the server has
    /// accepted there.
    private mutating func applyBeyondGap(
        _ change: MessagesChange, _ diff: inout ListDiff<Message>
    ) {
        let end = extent?.upper ?? .distantPast
        for message in change.inserted where !unsent.isEmpty {
            guard let position = message.position, position > end, filter.matches(message),
                let pending = takeUnsent(message)
            else { continue }
            diff.updated.append(Update(before: pending, after: message))
            let place = beyondGap.lastIndex { $0.position.map { $0 < position } == true }
            beyondGap.insert(message, at: place.map { $0 + 1 } ?? 0)
        }
        guard !beyondGap.isEmpty else { return }
        for message in change.deleted { removeBeyondGap(&diff) { $0.position == message.position } }
        for update in change.updated {
            let index = beyondGap.firstIndex { $0.messageID == update.after.messageID }
            guard let index, beyondGap[index] != update.after else { continue }
            guard filter.matches(update.after) else {
                diff.deleted.append(beyondGap.remove(at: index))
                continue
            }
            diff.updated.append(Update(before: beyondGap[index], after: update.after))
            beyondGap[index] = update.after
        }
        if let cut = change.cutThrough { removeBeyondGap(&diff) { $0.createdAt <= cut } }
        if beyondGap.count > capacity { diff.deleted.append(beyondGap.removeFirst()) }
    }

    private mutating func removeBeyondGap(
        _ diff: inout ListDiff<Message>, where isGone: (Message) -> Bool
    ) {
        diff.deleted += beyondGap.filter(isGone)
        beyondGap.removeAll(where: isGone)
    }

    /// Removes the unsent form of a delivered message; nil if the list shows none.
    private mutating func takeUnsent(_ message: Message) -> Message? {
        guard let requestID = message.requestID else { return nil }
        return unsentList.remove(requestID)
    }

    private mutating func replace(
        at index: Int, with message: Message, _ diff: inout ListDiff<Message>
    ) {
        guard delivered[index] != message else { return }
        diff.updated.append(Update(before: delivered[index], after: message))
        delivered[index] = message
    }

    /// Returns the index of a position in the list, or its insertion index; mostly near the end.
    private func place(of position: Position) -> Int {
        let before = delivered.lastIndex { $0.position.map { $0 < position } == true }
        return before.map { $0 + 1 } ?? 0
    }

    private func index(of message: Message) -> Int? {
        guard let position = message.position else { return nil }
        let place = place(of: position)
        let isThere = place < delivered.count && delivered[place].messageID == message.messageID
        return isThere ? place : nil
    }

    private mutating func rename(_ updates: [Update<User>], _ diff: inout ListDiff<Message>) {
        for update in updates {
            for index in delivered.indices where delivered[index].sender?.user.id == update.after.id
            {
                var renamed = delivered[index]
                renamed.sender?.user = update.after
                replace(at: index, with: renamed, &diff)
            }
            for index in beyondGap.indices where beyondGap[index].sender?.user.id == update.after.id
            {
                let before = beyondGap[index]
                beyondGap[index].sender?.user = update.after
                guard beyondGap[index] != before else { continue }
                diff.updated.append(Update(before: before, after: beyondGap[index]))
            }
        }
    }
}
