// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A read of a timeline's window.
package struct WindowRead: SyncOperation {
    package enum Window: Equatable, Codable, Sendable {
        /// The window of an opening timeline.
        case first
        /// The shown window, with more messages at its ends.
        case shown(olderBy: Int, newerBy: Int)
    }

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case queued
        case reading
        case awaitingCommits(CacheWindow)
    }

    package let timeline: TimelineID
    package let window: Window
    /// Nil if only commits made the read necessary.
    package let origin: ChangeOrigin?
    private var state = State.beginning

    package init(_ timeline: TimelineID, _ window: Window, from origin: ChangeOrigin?) {
        self.timeline = timeline
        self.window = window
        self.origin = origin
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        // The shown messages stay as they were when the timeline was closed (scar 136).
        guard sync.timelines[timeline] != nil else { return .end(.done) }
        switch (state, reply) {
        case (.beginning, .begin):
            guard sync.timelines[timeline]?.reads.enter() == true else {
                state = .queued
                return .need(.wait(.windowRead(timeline)))
            }
            return read(&sync)
        case (.queued, .woken): return read(&sync)
        case (.reading, .read(.success(.window(let found)))):
            // The read may contain commits that have not reached the list yet.
            if sync.timelines[timeline]?.lacks(found) == true {
                state = .awaitingCommits(found)
                return .need(.deliverCommits)
            }
            return show(found, &sync)
        case (.awaitingCommits(let found), .woken): return show(found, &sync)
        case (.reading, _):
            _ = show(nil, &sync)
            return .fail(reply)
        default: return .fail(reply)
        }
    }

    private mutating func read(_ sync: inout SyncState) -> Step {
        guard let open = sync.timelines[timeline] else { return .end(.done) }
        state = .reading
        switch window {
        case .first: return .need(.read(.window(open.firstQuery)))
        case .shown(let older, let newer):
            return .need(.read(.window(open.query(olderBy: older, newerBy: newer))))
        }
    }

    private func show(_ found: CacheWindow?, _ sync: inout SyncState) -> Step {
        let demand = sync.timelines[timeline]?.show(found, from: origin) ?? .nothing
        sync.satisfy(demand, of: timeline)
        if sync.timelines[timeline]?.reads.leave() == true {
            sync.wakeFirst(.windowRead(timeline))
        }
        return .end(.done)
    }
}

extension SyncState {
    /// Starts the operation that a timeline needs after a step.
    package mutating func satisfy(_ demand: TimelineMachine.Demand, of timeline: TimelineID) {
        switch demand {
        case .nothing: break
        // A failed read leaves the list unchanged; the next commit requests another.
        case .reread:
            let read = WindowRead(timeline, .shown(olderBy: 0, newerBy: 0), from: nil)
            start(.window(read), unlessWaitingIn: timelines[timeline]?.reads)
        // Messages are missing below a live message.
        case .repair: askServer(for: timeline, .ifNeeded)
        // Always: a running catch-up may have passed this timeline, which has read the cache again and
        // no longer looks as if it needed the server.
        case .reload: askServer(for: timeline, .anyway)
        }
    }

    /// Asks the server while there is a connection; the next one brings a catch-up anyway.
    private mutating func askServer(for timeline: TimelineID, _ wish: CatchUpWish) {
        guard session != nil, let channel = timelines[timeline]?.channel else { return }
        catchUp(channel, wish)
    }
}
