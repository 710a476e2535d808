// SPDX-License-Identifier: Apache-2.0

// The list one open timeline shows.
//
// It is a window into one covered range, so no hole can ever lie inside it; unsent messages stand
// behind it and claim no place. A window that follows the newest end grows when its range grows.
// When a range appears above it, history is missing in between: the window stays where it is and
// asks for a repair, instead of drawing over the hole (scars 4, 5).
//
// Small news is applied on the spot; where a commit alone cannot tell what the window now holds (two
// ranges joined, the cache was cleared), the machine asks for the window to be read again.

package import RoostModel

/// Keeps a timeline's list true to the store.
package struct TimelineMachine: Sendable {
    /// What the shell must see to after a step.
    package enum Need: Hashable, Sendable {
        case nothing
        /// Read the window again and hand it to `replace`.
        case reread
        /// History is missing between the window and what came after it.
        case repair
    }

    package struct Step: Hashable, Sendable {
        package let diff: ListDiff<Message>
        package let need: Need
    }

    package let channel: ChannelURL
    /// Which messages the list shows.
    package let filter: MessageFilter
    /// How many delivered messages the list holds at most; those farthest from where it grew go.
    package let capacity: Int
    /// Whether new messages at the end belong to the list.
    package private(set) var followsNewest: Bool
    /// Whether messages at the end of the window's range went, because the list grew at its beginning.
    package private(set) var isCutAbove = false
    /// Delivered messages, oldest first.
    package private(set) var delivered: [Message] = []
    /// In the order they were written.
    package private(set) var unsent: [Message] = []
    package private(set) var extent: CacheWindow.Extent?
    package private(set) var coverage = Coverage()
    /// The last commit the list contains.
    package private(set) var sequence: Int64 = .min
    /// Whether commits were made that nobody told of: the window has to be read again.
    package private(set) var isBehind = false
    /// Whether history was cut since the window was read: the end it stood on may be gone.
    package private(set) var isCutOff = false
    /// Unsent ones that the server has, but above a hole: shown as unsent until the hole is filled.
    private var aboveHole: Set<RequestID> = []

    package init(
        channel: ChannelURL, followsNewest: Bool, filter: MessageFilter = .everything,
        capacity: Int = .max
    ) {
        self.channel = channel
        self.followsNewest = followsNewest
        self.filter = filter.normalized
        self.capacity = capacity
    }

    /// The list: delivered messages by place, then the unsent by age.
    package var messages: [Message] { delivered + unsent }

    /// Whether the server may hold older messages than the oldest shown.
    package var hasOlder: Bool { extent?.lower != .distantPast }

    /// Whether newer messages than the newest shown have to be asked for.
    package var hasNewer: Bool { !followsNewest || isCutAbove }

    /// Whether it shows nothing though there may be something: nobody can scroll to where more is loaded.
    package var isBare: Bool { delivered.isEmpty && followsNewest && extent != nil && hasOlder }

    /// Where the range of the window ends, which is after the window once messages went.
    package var knownEnd: Position? {
        guard let extent else { return nil }
        return coverage.range(containing: extent.upper)?.upper ?? extent.upper
    }
}

// MARK: - Steps

extension TimelineMachine {
    /// Shows what a read found, whatever was shown before.
    package mutating func replace(with window: CacheWindow) -> ListDiff<Message> {
        let before = messages
        delivered = window.messages
        extent = window.extent
        coverage = window.coverage
        // Lower only in a cache that was begun anew: its commits count from there.
        sequence = window.sequence
        isBehind = false
        isCutOff = false
        if isCutAbove, extent.map({ $0.upper == knownEnd }) ?? true { isCutAbove = false }
        let arrived = Set(delivered.compactMap(\.requestID))
        unsent.removeAll { $0.requestID.map(arrived.contains) ?? false }
        aboveHole.subtract(arrived)
        if !hasHoleAbove {
            // What has been delivered and is not in the window lies before it.
            unsent.removeAll { $0.requestID.map(aboveHole.contains) ?? false }
            aboveHole = []
        }
        return ListDiff(from: before, to: messages)
    }

    /// Applies one commit.
    ///
    /// Commits come in order; one the list already contains changes nothing. One that was skipped is
    /// another process's: what is told since is shown, and the rest is read.
    package mutating func apply(_ commit: Commit) -> Step {
        guard commit.sequence > sequence else { return Step(diff: ListDiff(), need: .nothing) }
        if commit.sequence - 1 > sequence { isBehind = true }
        sequence = commit.sequence
        var diff = ListDiff<Message>()
        var need = Need.nothing
        for case .messages(let change) in commit.changes where change.channel == channel {
            need = apply(change, &diff)
            // A hole that was there before has been reported: only news of it is news.
            let hasMoved = change.coverageBefore != change.coverageAfter
            if need == .nothing, hasMoved, hasHoleAbove { need = .repair }
        }
        // Names last: the messages themselves came with the names they had.
        for case .users(let updates) in commit.changes { rename(updates, &diff) }
        return Step(diff: diff, need: isBehind ? .reread : need)
    }

    /// Notes that commits were made of which nothing but that is known.
    package mutating func missCommits() { isBehind = true }

    /// Takes over the unsent messages of the channel, all of them and in order.
    package mutating func setUnsent(_ messages: [Message]) -> ListDiff<Message> {
        let before = unsent
        let arrived = Set(delivered.compactMap(\.requestID))
        let listed = messages.filter { message in
            filter.matches(message) && message.requestID.map { !arrived.contains($0) } ?? false
        }
        let names = Set(listed.compactMap(\.requestID))
        let waiting = unsent.filter { message in
            guard followsNewest, !isCutAbove, let requestID = message.requestID else {
                return false
            }
            return aboveHole.contains(requestID) && !names.contains(requestID)
        }
        unsent = waiting + listed
        return ListDiff(from: before, to: unsent)
    }

    /// Stops following: more is missing than is filled silently (R113), so the end is unknown.
    package mutating func leaveNewest() -> ListDiff<Message> {
        let before = unsent
        followsNewest = false
        isCutAbove = false
        unsent.removeAll { $0.requestID.map(aboveHole.contains) ?? false }
        aboveHole = []
        return ListDiff(from: before, to: unsent)
    }

    /// Follows the newest end again: the server said that nothing newer exists.
    package mutating func reachNewest() { followsNewest = true }

    /// Begins anew at another place, which is read next; what is shown stays until then.
    package mutating func move(toNewest isNewest: Bool) {
        followsNewest = isNewest
        isCutAbove = false
    }

    /// Drops what is more than the list may hold, from the end that lies away from where it grew.
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

    /// Whether only the server can tell what belongs here: a hole lies above, or there is nothing to stand
    /// on, or to show.
    package var needsServer: Bool {
        hasHoleAbove || isBare || (followsNewest && extent == nil && sequence > .min)
    }

    /// Whether the cache knows of messages newer than the window's range.
    package var hasHoleAbove: Bool {
        guard followsNewest, let extent, let newest = coverage.newest else { return false }
        return coverage.range(containing: extent.upper) != newest
    }
}

// MARK: - One channel's news

// The difference is gathered while the list changes: comparing whole lists would make each message cost
// as much as there are messages on screen.

extension TimelineMachine {
    private mutating func apply(_ change: MessagesChange, _ diff: inout ListDiff<Message>) -> Need {
        let known = filter == .everything ? change.coverageBefore : coverage
        guard let coverageNow = coverage(after: change) else { return .reread }
        coverage = coverageNow
        // Rare, and it moves the start of history: reading again is simpler than working it out.
        if change.cutThrough != nil {
            isCutOff = true
            return .reread
        }
        noteOwn(change.inserted)
        for message in change.deleted {
            if let requestID = message.requestID, aboveHole.remove(requestID) != nil,
                let pending = unsent.firstIndex(where: { $0.requestID == requestID })
            {
                diff.deleted.append(unsent.remove(at: pending))
            }
            guard let index = index(of: message) else { continue }
            diff.deleted.append(delivered.remove(at: index))
        }
        for update in change.updated {
            guard let index = index(of: update.after) else {
                if filter != .everything, let extent {
                    // An edit may bring a message under the filter.
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
            // What lay in the cache above a hole is not in this commit's news.
            if known.hasKnowledge(after: upper, through: range.upper) { return .reread }
            upper = range.upper
        }
        self.extent = CacheWindow.Extent(lower: extent.lower, upper: upper)
        for message in change.inserted {
            insert(message, from: extent.lower, through: upper, &diff)
        }
        return .nothing
    }

    /// What is known under the filter after a change; nil when the change alone does not tell.
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
        guard let position = message.position, filter.matches(message) else { return }
        let pending = unsent.firstIndex {
            $0.requestID != nil && $0.requestID == message.requestID
        }
        guard lower <= position && position <= upper else { return }
        let place = place(of: position)
        if place < delivered.count, delivered[place].position == position {
            return replace(at: place, with: message, &diff)
        }
        delivered.insert(message, at: place)
        guard let pending else { return diff.inserted.append(message) }
        if let requestID = message.requestID { aboveHole.remove(requestID) }
        diff.updated.append(Update(before: unsent.remove(at: pending), after: message))
    }

    /// Own messages that the server has but the window may not show yet: they stay in sight as unsent
    /// until it does.
    private mutating func noteOwn(_ messages: [Message]) {
        guard !unsent.isEmpty else { return }
        let end = extent?.upper ?? .distantPast
        for message in messages {
            guard let requestID = message.requestID, let position = message.position,
                position > end, filter.matches(message),
                unsent.contains(where: { $0.requestID == requestID })
            else { continue }
            aboveHole.insert(requestID)
        }
    }

    private mutating func replace(
        at index: Int, with message: Message, _ diff: inout ListDiff<Message>
    ) {
        guard delivered[index] != message else { return }
        diff.updated.append(Update(before: delivered[index], after: message))
        delivered[index] = message
    }

    /// Where a position stands in the list, or would stand; mostly near the end.
    private func place(of position: Position) -> Int {
        let before = delivered.lastIndex { $0.position.map { $0 < position } ?? false }
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
        }
    }
}
