// SPDX-License-Identifier: Apache-2.0

// One open timeline: its list, and its requests.
//
// Commits are applied as they come. While the window is read they wait, because the read may
// contain them. One read runs at a time; the others queue. A timeline that moved drops the requests
// of its earlier place.

package import RoostModel

/// The number of an open timeline.
package struct TimelineID: Hashable, Codable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }
}

/// A timeline that an app has open.
package struct OpenTimeline: Codable, Sendable {
    package let id: TimelineID
    package let channel: ChannelURL
    package let filter: MessageFilter
    package let pageSize: Int
    /// The moment around which the timeline begins; `.distantFuture` for the newest messages.
    package private(set) var start: Timestamp
    /// The number of moves of the timeline.
    package private(set) var moves = 0
    package private(set) var list: TimelineMachine
    /// Whether the server has answered the first page, or a later request, at this place.
    package private(set) var wasLoaded = false
    /// Whether more messages are missing after the last one than are filled in silently (R113).
    package private(set) var hasHugeGap = false
    /// Whether a page is being added; then the page decides which end of the list shrinks.
    package var isPaging = false
    /// The running read, and the number of waiting ones.
    package var reads = ReadQueue()
    package var opening = Opening()
    package var refusals = RefusalFilter()
    /// Whether the server must be asked, because nothing is left of the shown stretch.
    private var needsReload = false
    private var backlog = Backlog()
    /// The waiting changes that the list shows.
    package private(set) var marks = MessageMarks()
    /// The waiting changes of the outbox; the list shows them once it has all commits.
    package private(set) var latestMarks = MessageMarks()
    /// The outbox's unsent messages that the list shows once it has all commits; nil if it shows
    /// them.
    private var latestUnsent: [Message]?
    /// Whether a commit, or the loss of the shown stretch, needs a read that has not begun.
    private var needsRead = false
    /// Whether the list shows the changes of messages that wait in the outbox.
    private let showsChanges: Bool
    private var publishedFlags: [Bool] = []
    /// The changes since the last step, for the readers of the list.
    private var publications: [ListDiff<Message>] = []

    package init(
        _ id: TimelineID, channel: ChannelURL, startingAt start: Timestamp,
        filter: MessageFilter, capacity: Int, pageSize: Int, showsChanges: Bool = true
    ) {
        self.id = id
        self.showsChanges = showsChanges
        self.channel = channel
        self.filter = filter.normalized
        self.start = start
        self.pageSize = pageSize
        // The least is a few pages, so that paging is possible.
        list = TimelineMachine(
            channel: channel, followsNewest: start == .distantFuture, filter: filter,
            capacity: max(capacity, 4 * pageSize))
    }

    /// The messages as the app sees them: those of the list with the changes that wait.
    package var messages: [Message] { marks.shown(list.messages, under: filter) }

    /// The number of the messages beyond a gap that the app sees.
    package var beyondGapCount: Int { marks.shown(list.beyondGap, under: filter).count }

    /// Empties the files in memory, for a recording.
    mutating func dropBytes() {
        list.dropBytes()
        latestUnsent = latestUnsent.withoutBytes
    }

    /// Returns the changes since the last call.
    mutating func takePublications() -> [ListDiff<Message>] {
        guard !publications.isEmpty else { return [] }
        defer { publications = [] }
        return publications
    }
}

// MARK: - Requests

extension OpenTimeline {
    /// The start of the first page; any timeline may be at the newest end by now.
    private var beginning: Timestamp { list.followsNewest ? .distantFuture : start }

    var firstQuery: WindowQuery {
        .around(
            beginning, in: channel, filter: filter, olderCount: pageSize, newerCount: pageSize)
    }

    /// Returns the shown window with some more messages at its ends.
    func query(olderBy older: Int, newerBy newer: Int) -> WindowQuery {
        guard let extent = list.extent else { return firstQuery }
        return WindowQuery(
            channel: channel, filter: filter, lower: extent.lower,
            upper: list.hasNewer ? extent.upper : .distantFuture, olderCount: older,
            newerCount: newer)
    }

    private var firstQuestion: PageQuestion {
        .around(beginning, older: pageSize, newer: pageSize)
    }

    func hasMore(_ direction: PageDirection) -> Bool {
        direction == .older ? list.hasOlder : list.hasNewer
    }

    /// Returns the request for the page that continues the window; for the first page without
    /// coverage.
    func question(_ direction: PageDirection) -> PageQuestion {
        guard let extent = list.extent else { return firstQuestion }
        return direction == .older
            ? .older(than: extent.lower, limit: pageSize)
            : .newer(than: extent.upper, limit: pageSize)
    }

    /// The first page of a timeline.
    ///
    /// At the newest end it is requested without a filter, because the live messages that continue
    /// it come without one.
    struct FirstPage: Equatable, Codable, Sendable {
        fileprivate let move: Int
        let filter: MessageFilter
    }

    func nextRequest(_ occasion: TimelineRequest.Occasion) -> (TimelineRequest, FirstPage) {
        let decision = TimelineRequest(
            occasion, wasLoaded: wasLoaded, opening: firstQuestion,
            followsNewest: list.followsNewest,
            // An empty window has no end to continue from, and no stretch to keep at a huge gap.
            knownRange: list.delivered.isEmpty ? nil : list.knownRange)
        var isAtNewest = start == .distantFuture
        if case .load(let question) = decision {
            isAtNewest = question.anchor == .distantFuture
        }
        return (decision, FirstPage(move: moves, filter: isAtNewest ? .everything : filter))
    }

    /// Returns the request for the page that fills up a short first page, if more messages may
    /// exist.
    func questionForRest(of page: FirstPage) -> PageQuestion? {
        guard page.move == moves, list.followsNewest, list.hasOlder,
            list.delivered.count < pageSize, let extent = list.extent
        else { return nil }
        return .older(than: extent.lower, limit: pageSize)
    }

    /// Returns whether the timeline is still at the place of a page's request.
    func isInPlace(_ page: FirstPage) -> Bool { page.move == moves }
}

// MARK: - Answers

extension OpenTimeline {
    mutating func jump(to moment: Timestamp) {
        start = moment
        moves += 1
        wasLoaded = false
        hasHugeGap = false
        list.move(toNewest: moment == .distantFuture)
    }

    /// Notes that the server has answered; returns whether the answer replaces the shown window
    /// (R99).
    ///
    /// A timeline that was paged back keeps its window if that is still one stretch.
    mutating func noteLoaded() -> Bool {
        wasLoaded = true
        let hasPaged = list.delivered.count > pageSize && !list.hasHoleAbove
        return !(hasPaged && list.followsNewest)
    }

    /// Notes that no message is missing, or that the missing messages are on disk.
    mutating func reachServer(_ page: FirstPage) {
        if page.move == moves { wasLoaded = true }
    }

    /// Notes that too many messages are missing above the covered end.
    mutating func showHugeGap() {
        wasLoaded = true
        hasHugeGap = true
        list.leaveNewest()
        publish(ListDiff(), from: [.catchUp])
    }

    /// Follows the newest end if a page has reached it and the window ends there.
    mutating func followIfNewest(_ statement: PageStatement) {
        guard statement.reachesNewest, !list.followsNewest, let upper = list.extent?.upper,
            upper == list.coverage.newest?.upper
        else { return }
        list.reachNewest()
        hasHugeGap = false
        publish(ListDiff(), from: [.page])
    }

    mutating func shrink(keepingNewer: Bool) {
        publish(list.shrink(keepingNewer: keepingNewer), from: [.upkeep])
    }

    /// Takes the channel's unsent messages.
    ///
    /// A delivered message leaves the outbox behind the commit with it. While commits wait for a
    /// read, it stays shown as unsent: otherwise it would be missing until then.
    mutating func setUnsent(_ messages: [Message]) {
        let isWaiting = reads.isUnderWay || needsRead
        latestUnsent = isWaiting ? messages : nil
        publish(list.setUnsent(messages, keepingOthers: isWaiting), from: [.local])
    }

    /// Adds a message that was written behind all others of the outbox.
    ///
    /// - Returns: Whether that suffices; if not, all unsent messages are needed.
    mutating func addUnsent(_ message: Message) -> Bool {
        if reads.isUnderWay || needsRead { return false }
        guard let change = list.addUnsent(message) else { return false }
        publish(change, from: [.local])
        return true
    }

    /// Removes an unsent message that the user has canceled.
    mutating func removeUnsent(_ requestID: RequestID) {
        publish(list.removeUnsent(requestID), from: [.local])
    }

    /// Removes a message that has left the outbox.
    ///
    /// - Returns: False while commits wait for a read, because all unsent messages are needed then.
    mutating func dropUnsent(_ requestID: RequestID) -> Bool {
        if reads.isUnderWay || needsRead { return false }
        removeUnsent(requestID)
        return true
    }

    /// Returns whether a read contains commits that have not reached the list.
    func lacks(_ window: CacheWindow) -> Bool {
        backlog.lacks(window.sequence, showing: list.sequence)
    }

    /// Shows a window, then the commits after it; nil for a failed read.
    ///
    /// Without an origin, only the waiting commits made the read necessary.
    mutating func show(
        _ window: CacheWindow?, from origin: ChangeOrigin?
    ) -> TimelineMachine.Demand {
        needsRead = false
        if let window {
            // Another process may have cleared the shown messages; a cut may have removed all of
            // them.
            let mayBeCleared =
                list.isBehind || list.isCutOff
                || backlog.contains(through: window.sequence) { $0.cutsHistory(of: channel) }
            let hasShown = !list.delivered.isEmpty
            let origins = backlog.origins(of: origin, through: window.sequence) {
                $0.concerns(channel)
            }
            let commits = backlog.commits(through: window.sequence)
            publish(list.replace(with: window, after: commits), from: origins)
            if mayBeCleared && list.extent == nil || hasShown && isEmptied { loseAll() }
        }
        if !isPaging { shrink(keepingNewer: true) }
        let demand = apply(backlog.takeCommits())
        if !reads.hasWaiting { settle() }
        return demand == .nothing && list.hasHoleAbove ? .repair : demand
    }

    /// Takes the changes of the channel's messages that wait in the outbox.
    ///
    /// A change that the server has made leaves the outbox behind the commit with its effect. While
    /// commits wait for a read, the marks wait too: otherwise the old state would be shown again.
    mutating func mark(_ new: MessageMarks) {
        guard showsChanges else { return }
        latestMarks = new
        if !reads.isUnderWay { settleMarks() }
    }

    /// Shows the outbox as it is, unless a commit is still missing.
    private mutating func settle() {
        guard !needsRead else { return }
        if let messages = latestUnsent {
            latestUnsent = nil
            publish(list.setUnsent(messages), from: [.local])
        }
        settleMarks()
    }

    private mutating func settleMarks() {
        guard !needsRead, latestMarks != marks else { return }
        let diff = marks.replaced(by: latestMarks, in: list.messages, under: filter)
        marks = latestMarks
        if !diff.isEmpty { publications.append(diff.withOrigins([.local])) }
    }

    /// Takes one commit; commits come in order.
    mutating func receive(_ commit: Commit, from origin: ChangeOrigin) -> TimelineMachine.Demand {
        guard !reads.isUnderWay else {
            backlog.wait(with: commit, from: origin)
            return .nothing
        }
        defer { settle() }
        return apply([Backlog.Entry(commit: commit, origin: origin)])
    }

    /// Notes that unknown commits were made, which only a read shows.
    mutating func missCommits() {
        list.missCommits()
        backlog.note(.otherProcess)
        needsRead = true
    }

    private mutating func apply(_ commits: [Backlog.Entry]) -> TimelineMachine.Demand {
        var demand = TimelineMachine.Demand.nothing
        let hasShown = !list.delivered.isEmpty
        for entry in commits {
            let step = list.apply(entry.commit)
            publish(step.diff, from: [entry.origin])
            if !isPaging { shrink(keepingNewer: true) }
            if step.demand == .reread {
                needsRead = true
                backlog.note(entry.origin)
            }
            if step.demand == .reread || demand == .nothing { demand = step.demand }
        }
        if hasShown && isEmptied { loseAll() }
        if needsRead { demand = .reread }
        if demand != .reread, needsReload {
            demand = .reload
            needsReload = false
        }
        return demand
    }

    /// Whether nothing is left of a shown stretch that has more messages at the server.
    private var isEmptied: Bool { list.isBare || hasHugeGap && list.delivered.isEmpty }

    /// Notes that nothing is left of the shown stretch.
    ///
    /// Without the stretch there is no gap above it, so the timeline begins at the newest messages
    /// again: first at those of the cache, then at the server's.
    private mutating func loseAll() {
        needsReload = true
        guard hasHugeGap, start == .distantFuture else { return }
        hasHugeGap = false
        wasLoaded = false
        list.move(toNewest: true)
        needsRead = true
        backlog.note(.upkeep)
        publish(ListDiff(), from: [.upkeep])
    }

    private mutating func publish(_ diff: ListDiff<Message>, from origins: Set<ChangeOrigin>) {
        let diff = marks.shown(diff, under: filter)
        let flags = [list.hasOlder, list.hasNewer, hasHugeGap]
        guard !diff.isEmpty || flags != publishedFlags else { return }
        publishedFlags = flags
        publications.append(diff.withOrigins(origins))
    }
}
