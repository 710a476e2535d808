// SPDX-License-Identifier: Apache-2.0

package import RoostCore
public import RoostModel

/// The messages of one channel in order, as on the server, shown from disk first.
///
/// The list has no hole: where history is missing it ends, and `hasOlder` or `hasNewer` is true.
/// Behind it are the user's unsent messages, and those that were sent while messages are missing
/// before them (`Snapshot.sentBeyondGap`). Close it when it is off screen.
public final class Timeline: Sendable {
    /// The channel of the messages.
    public let channel: ChannelURL
    /// The selection of messages.
    public let filter: MessageFilter

    private let id: TimelineID
    private let feed = TimelineFeed()
    private let engine: SyncEngine

    init(_ open: OpenTimeline, engine: SyncEngine) {
        id = open.id
        channel = open.channel
        filter = open.filter
        self.engine = engine
        engine.performers.notices.add(feed, as: id)
    }

    // A timeline that the app releases without closing it is no longer kept up to date.
    deinit {
        if engine.performers.notices.remove(id) { engine.feed.send(.closeTimeline(id)) }
    }

    /// Adds up to a page of older messages, from disk if the page is covered there.
    ///
    /// - Returns: The number of messages added; `hasOlder` says whether there may be more.
    /// - Throws: `.queryInProgress` while another page is loading. A network error if the disk
    ///   lacks the messages and the server does not answer. `.notAMember` in a channel that is not
    ///   the user's. Nothing is lost then, and `hasOlder` stays true.
    @discardableResult
    public func loadOlder() async throws(RoostError) -> Int { try await loadPage(.older) }

    /// Adds up to a page of newer messages, from disk if the page is covered there.
    ///
    /// Once the newest message is reached, the list follows it.
    ///
    /// - Returns: The number of messages added.
    /// - Throws: As `loadOlder()`; `hasNewer` stays true then.
    @discardableResult
    public func loadNewer() async throws(RoostError) -> Int { try await loadPage(.newer) }

    private func loadPage(_ direction: PageDirection) async throws(RoostError) -> Int {
        try await engine.run(.timelinePaging(TimelinePaging(id, direction)), \.count)
    }

    /// Shows the messages around another moment, as a new timeline would; `.distantFuture` leads to
    /// the newest.
    ///
    /// The call returns when the messages on disk are shown; the server's page follows. The
    /// messages shown before stay on disk.
    ///
    /// - Throws: `.queryInProgress` while a page is loading; `.localDatabaseError`.
    public func jump(to moment: Timestamp) async throws(RoostError) {
        try await engine.run(.timelineJump(TimelineJump(id, to: moment)))
    }

    /// Waits until the server's first page is shown, or could not be fetched.
    ///
    /// After a login that is the page of the catch-up. The call returns within eight seconds.
    ///
    /// - Throws: A network error if the server could not be asked, or does not answer in time. With
    ///   the remedy `.retry` the client retries, and the messages arrive as changes.
    public func reachServer() async throws(RoostError) {
        try await engine.run(.inTime(InTime(.timelineArrival(TimelineArrival(id)))))
    }

    /// Closes the timeline: the streams end and later calls throw `.collectionDisposed`.
    public func close() async {
        guard engine.performers.notices.remove(id) else { return }
        await engine.read { [id, feed] state in feed.close(at: state.snapshot(of: id, feed)) }
        await engine.receive(.closeTimeline(id))
    }
}

// MARK: - State

extension Timeline {
    /// The state of a timeline at one moment.
    public struct Snapshot: Hashable, Sendable {
        /// The delivered messages by position, oldest first, then the unsent ones by age.
        ///
        /// The last delivered ones may lie beyond a gap: `sentBeyondGap`.
        ///
        /// They show the edits and reactions that wait in the outbox (`Message.pendingChanges`),
        /// and those whose deletions wait are left out.
        public let messages: [Message]
        /// Whether `loadOlder()` may find more.
        public let hasOlder: Bool
        /// Whether `loadNewer()` may find more; false while the list follows the newest message.
        public let hasNewer: Bool
        /// Whether more than 300 messages are missing after the last one.
        ///
        /// The list has stopped following. Page forward with `loadNewer()`, or jump to
        /// `.distantFuture`.
        public let hasHugeGap: Bool
        /// The number of the last delivered messages that lie beyond missing ones; 0 in most lists.
        ///
        /// They are the user's own, sent while the list does not reach the newest message. They
        /// stay until the list reaches them, or moves by `jump(to:)`.
        public let sentBeyondGap: Int
        /// The waiting changes that the messages show.
        package let marks: MessageMarks

        /// The ends at which messages are missing.
        package var extent: Extent {
            Extent(hasOlder: hasOlder, hasNewer: hasNewer, hasHugeGap: hasHugeGap)
        }

        /// The delivered messages without those beyond a gap: one stretch of the channel's history.
        package var stretch: ArraySlice<Message> {
            messages.prefix { $0.status == .succeeded }.dropLast(sentBeyondGap)
        }
    }

    /// The ends at which a list lacks messages, as `Snapshot` has them beside the messages.
    package struct Extent: Hashable, Sendable {
        package let hasOlder: Bool
        package let hasNewer: Bool
        package let hasHugeGap: Bool
    }

    /// The current state.
    public var snapshot: Snapshot {
        get async { await engine.read { [id, feed] state in state.snapshot(of: id, feed) } }
    }

    /// Returns a stream of the current state and all later ones; a slow reader misses some but gets
    /// the last.
    ///
    /// Two states in a row may be equal, because a change may concern nothing that the list has.
    public func snapshots() async -> AsyncStream<Snapshot> {
        await engine.read { [id, feed] state in
            feed.changes.snapshots(from: state.snapshot(of: id, feed))
        }
    }

    /// Returns a stream of the current and all later extents; unlike snapshots, it copies no
    /// messages.
    package func extents() async -> AsyncStream<Extent> {
        await engine.read { [id, feed] state in
            feed.extents.open(beginningWith: state.extent(of: id, feed))
        }
    }

    /// Returns a stream of all later changes without losses; changes are joined for a slow reader.
    public func changes() async -> AsyncStream<ListDiff<Message>> {
        await engine.read { _ in self.feed.changes.changes(of: self) }
    }

    /// The number of readers of changes.
    package var changeReaderCount: Int { get async { feed.changes.readerCount } }

    /// Returns a stream of the server's refusals to show the channel, the current one included; it
    /// ends when the timeline is closed.
    ///
    /// A timeline shows what is on disk, also of a channel that the user may not see any more. The
    /// reason, such as `.notAMember`, comes here. A failure of the network is no refusal.
    public func serverRefusals() async -> AsyncStream<RoostError> {
        await engine.read { [id, feed] state in
            feed.refusals.open(beginningWith: state.timelines[id]?.refusals.last)
        }
    }
}

/// The readers of one timeline.
final class TimelineFeed: Sendable {
    let changes = CollectionFeed<Timeline.Snapshot, Message>()
    let extents = StreamFeed<Timeline.Extent>(.bufferingNewest(1))
    let refusals = StreamFeed<RoostError>(.bufferingNewest(1))

    /// Ends all streams; does nothing if the feed is closed.
    func close(at last: Timeline.Snapshot) {
        changes.close(at: last)
        extents.finish()
        refusals.finish()
    }
}

extension SyncState {
    /// Returns the current state of a timeline, or the last one of a closed timeline.
    func snapshot(of id: TimelineID, _ feed: TimelineFeed) -> Timeline.Snapshot {
        timelines[id].map { Timeline.Snapshot($0) } ?? feed.changes.last ?? .empty
    }

    /// Returns the current extent of a timeline, or the last one of a closed timeline.
    func extent(of id: TimelineID, _ feed: TimelineFeed) -> Timeline.Extent {
        timelines[id].map { Timeline.Extent($0) } ?? (feed.changes.last ?? .empty).extent
    }
}

extension Timeline.Extent {
    fileprivate init(_ open: OpenTimeline) {
        self.init(
            hasOlder: open.list.hasOlder, hasNewer: open.list.hasNewer,
            hasHugeGap: open.hasHugeGap)
    }
}

extension Timeline.Snapshot {
    fileprivate init(_ open: OpenTimeline) {
        self.init(
            messages: open.messages, hasOlder: open.list.hasOlder,
            hasNewer: open.list.hasNewer, hasHugeGap: open.hasHugeGap,
            sentBeyondGap: open.beyondGapCount, marks: open.marks)
    }

    fileprivate static var empty: Self {
        Self(
            messages: [], hasOlder: true, hasNewer: false, hasHugeGap: false,
            sentBeyondGap: 0, marks: MessageMarks())
    }
}
