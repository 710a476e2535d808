// SPDX-License-Identifier: Apache-2.0

// The holes below messages that have just arrived.
//
// After an absence a live message, or an own one that the server has accepted, stands alone: the
// messages before it are missing. A timeline that is opened offline would begin there, and could
// not reach the older messages of the cache. So the hole is filled, if fewer than 300 messages are
// missing; a wider one stays. In a channel without cached messages nothing is hidden.
//
// The catch-ups of open timelines come first, and usually close the holes of their channels. One
// hole at a time is filled. The list outlives the connection, but not the process: the first
// message that arrives in a channel notes its newest hole again.

import RoostModel

/// A hole of a channel, below a message that has arrived.
private struct NotedHole: Equatable, Codable, Sendable {
    let channel: ChannelURL
    /// The first position of the covered range above the hole.
    let end: Position
    /// The failed attempts to fill it while there was a connection.
    var failures = 0
}

/// The holes below messages that have arrived.
struct OpenHoles: Codable, Sendable {
    /// The holes to fill, the first one first.
    fileprivate var waiting: [NotedHole] = []
    /// The channels in which a message has arrived in this process.
    fileprivate var channels: Set<ChannelURL> = []
    /// Whether a `HoleFilling` is running.
    fileprivate var isBeingFilled = false

    /// Notes the hole that a message has opened, or the newest one of a channel from an earlier
    /// process.
    fileprivate mutating func note(_ change: MessagesChange) {
        let ranges = change.coverageAfter.ranges
        guard !change.inserted.isEmpty, let newest = ranges.last else { return }
        let isFirst = channels.insert(change.channel).inserted
        guard ranges.count > 1, isFirst || change.opensRange(newest) else { return }
        waiting.append(NotedHole(channel: change.channel, end: newest.lower))
    }
}

/// The filling of the noted holes, one after the other.
///
/// It ends when timelines are being caught up, and their end starts another one.
package struct HoleFilling: SyncOperation {
    /// The attempts to fill a hole, so that one that never succeeds ends.
    private static let attempts = 5

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingCoverage(NotedHole)
        case filling(NotedHole)
        case resting
    }

    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        let step = decide(reply, &sync)
        if case .end = step { sync.holes.isBeingFilled = false }
        return step
    }

    private mutating func decide(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin), (.resting, .paused): return goOn(&sync)
        case (.readingCoverage(let hole), .read(.success(.coverage(let coverage)))):
            guard let above = coverage.ranges.firstIndex(where: { $0.contains(hole.end) }),
                above > 0, coverage.ranges[above - 1].upper != .distantPast
            else { return goOn(&sync) }
            let (below, upper) = (coverage.ranges[above - 1], coverage.ranges[above])
            state = .filling(hole)
            return .need(.run(.gap(GapFill(hole.channel, between: below, and: upper))))
        case (.filling, .ended(.gap)): return goOn(&sync)
        case (.readingCoverage(let hole), .read(.failure(let error))),
            (.filling(let hole), .ended(.failed(let error))):
            return fail(hole, error, &sync)
        default: return .fail(reply)
        }
    }

    private mutating func goOn(_ sync: inout SyncState) -> Step {
        guard sync.session != nil, !sync.isCatchingUp, !sync.holes.waiting.isEmpty else {
            return .end(.done)
        }
        let hole = sync.holes.waiting.removeFirst()
        state = .readingCoverage(hole)
        return .need(.read(.coverage(hole.channel, under: .everything)))
    }

    /// Puts a hole behind the others after a passing failure, and rests.
    private mutating func fail(
        _ hole: NotedHole, _ error: RoostError, _ sync: inout SyncState
    ) -> Step {
        guard error.remedy == .retry || error.mayPassWithDisk else { return goOn(&sync) }
        var hole = hole
        if sync.session != nil { hole.failures += 1 }
        guard hole.failures < Self.attempts else { return goOn(&sync) }
        sync.holes.waiting.append(hole)
        guard sync.session != nil else { return .end(.done) }
        state = .resting
        let wait = Backoff.patient.wait(beforeAttempt: hole.failures, entropy: sync.random.next())
        return .need(.pause(wait, .retry))
    }
}

extension SyncState {
    /// Notes the holes below the live and own messages of a commit.
    mutating func noteHoles(in commit: Commit, from origin: ChangeOrigin) {
        guard origin == .event || origin == .answer else { return }
        for case .messages(let change) in commit.changes { holes.note(change) }
        fillHoles()
    }

    /// Fills the noted holes while there is a connection, behind the catch-ups.
    mutating func fillHoles() {
        guard session != nil, !holes.waiting.isEmpty, !holes.isBeingFilled, !isCatchingUp else {
            return
        }
        holes.isBeingFilled = true
        start(.holeFilling(HoleFilling()))
    }
}

extension MessagesChange {
    /// Whether a range lies above all of the earlier coverage.
    fileprivate func opensRange(_ newest: CoveredRange) -> Bool {
        coverageBefore.newest.map { newest.lower > $0.upper } ?? false
    }
}
