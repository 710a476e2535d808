// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel

/// Publishes to the app: the state of the connection, events, and changes of the open collections
/// and downloads.
final class AppNotices: Sendable {
    let connectionStates = StreamFeed<ConnectionState>(.bufferingNewest(1))
    let events = StepFeed<ChatEvent>()
    let outboxEvents = StreamFeed<OutboxEvent>(.unbounded)
    let health = HealthFeed()
    /// The moments after which unread counts may be others.
    let countChanges = StreamFeed<Void>(.bufferingNewest(1))

    private struct Feeds {
        var timelines: [TimelineID: TimelineFeed] = [:]
        var lists: [ListID: ListFeed] = [:]
        /// The readers of the downloads that have not ended.
        var downloads: [DownloadID: DownloadFeed] = [:]
        /// The one reader of each inbox that is being read.
        var inboxes: [String: InboxID] = [:]
    }

    private let feeds = Guarded(Feeds())

    deinit { finish() }

    func add(_ feed: TimelineFeed, as id: TimelineID) {
        feeds.withLock { $0.timelines[id] = feed }
    }

    func add(_ feed: ListFeed, as id: ListID) { feeds.withLock { $0.lists[id] = feed } }

    func add(_ feed: DownloadFeed, as id: DownloadID) {
        feeds.withLock { $0.downloads[id] = feed }
    }

    /// Reserves an inbox for a reader; returns false if another reader has it.
    func claim(_ inbox: String, for id: InboxID) -> Bool {
        feeds.withLock { feeds in
            guard feeds.inboxes[inbox] == nil else { return false }
            feeds.inboxes[inbox] = id
            return true
        }
    }

    /// Ends a reservation; returns false if the reader had none.
    func release(_ inbox: String, from id: InboxID) -> Bool {
        feeds.withLock { feeds in
            guard feeds.inboxes[inbox] == id else { return false }
            feeds.inboxes[inbox] = nil
            return true
        }
    }

    /// Removes the readers of a timeline; false if they were removed before.
    func remove(_ id: TimelineID) -> Bool {
        feeds.withLock { $0.timelines.removeValue(forKey: id) != nil }
    }

    /// Removes the readers of a list; false if they were removed before.
    func remove(_ id: ListID) -> Bool {
        feeds.withLock { $0.lists.removeValue(forKey: id) != nil }
    }

    /// Publishes a notice; makes a snapshot of the state only if a reader of snapshots exists.
    func publish(_ notice: Notice, _ state: () -> SyncState) {
        switch notice {
        case .connection(let state, let failure):
            connectionStates.publish(ConnectionState(state, lastFailure: failure))
        case .event(let event): events.publish(event)
        case .forgotten(let count, let channel):
            events.publish(.storageRepaired(Self.report(of: count, in: channel)))
        case .outbox(let event): outboxEvents.publish(event)
        case .timelineChanged(let id, let diff):
            guard let feed = feeds.withLock({ $0.timelines[id] }) else { return }
            feed.changes.publish(diff) { state().snapshot(of: id, feed) }
            feed.extents.publish(state().extent(of: id, feed))
        case .listChanged(let id, let diff):
            guard let feed = feeds.withLock({ $0.lists[id] }) else { return }
            feed.publish(diff) { state().snapshot(of: id, feed) }
        case .downloadChanged(let id, let progress):
            feeds.withLock { $0.downloads[id] }?.publish(progress)
            if progress.isOver { feeds.withLock { $0.downloads[id] = nil } }
        case .refused(let id, let error):
            feeds.withLock { $0.timelines[id] }?.refusals.publish(error)
        case .openSocket, .closeSocket, .askToken, .send, .fillIndex, .deleteFiles, .keepUploaded,
            .cancelUpload,
            .arm, .disarm:
            break
        }
    }

    private static func report(of count: Int, in channel: ChannelURL) -> String {
        "\(count) message\(count == 1 ? "" : "s") of the channel \(channel) could not be read and "
            + "will be fetched again; unsent messages were not touched."
    }

    /// Ends the streams of all collections at their last state.
    func finishCollections(at state: SyncState) {
        let open = feeds.withLock { feeds in
            defer { (feeds.timelines, feeds.lists) = ([:], [:]) }
            return feeds
        }
        for (id, feed) in open.timelines.sorted(by: { $0.key.number < $1.key.number }) {
            feed.close(at: state.snapshot(of: id, feed))
        }
        for (id, feed) in open.lists.sorted(by: { $0.key.number < $1.key.number }) {
            feed.close(at: state.snapshot(of: id, feed))
        }
    }

    /// Ends the streams of states and events.
    func finish() {
        connectionStates.finish()
        events.finish()
        outboxEvents.finish()
        health.finish()
        countChanges.finish()
    }
}
