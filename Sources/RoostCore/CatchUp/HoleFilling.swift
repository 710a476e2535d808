// SPDX-License-Identifier: Apache-2.0

// The holes below messages that have just arrived.
//
// After an absence a live message, or an own one that the server has accepted, stands alone: the
// messages before it are missing. A timeline that is opened offline would begin there, and could
// not reach the older messages of the cache. So each such hole is filled once, if fewer than 300
// messages are missing; a wider one stays. In a channel without cached messages nothing is hidden.
//
// The catch-ups of open timelines come first, and usually close the holes of their channels. One
// hole at a time is filled. The list outlives the connection, but not the process: to find the
// holes of earlier runs, every channel would have to be read.

import RoostModel

/// The channels with a hole below a message that has just arrived.
struct OpenHoles: Codable, Sendable {
    /// The channels to fill, the first one first.
    private var waiting: [ChannelURL] = []
    /// Whether a `HoleFilling` is running.
    fileprivate var isBeingFilled = false

    fileprivate var isEmpty: Bool { waiting.isEmpty }

    fileprivate mutating func note(_ channel: ChannelURL) {
        if !waiting.contains(channel) { waiting.append(channel) }
    }

    fileprivate mutating func takeFirst() -> ChannelURL { waiting.removeFirst() }
}

/// The filling of the noted holes, one after the other.
///
/// It ends when timelines are being caught up, and their end starts another one.
package struct HoleFilling: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingCoverage(ChannelURL)
        case filling(ChannelURL)
        case resting
    }

    private var failures = 0
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
        case (.readingCoverage(let channel), .read(.success(.coverage(let coverage)))):
            guard let newest = coverage.newest, let below = coverage.ranges.dropLast().last,
                below.upper != .distantPast
            else { return goOn(&sync) }
            state = .filling(channel)
            return .need(.run(.gap(GapFill(channel, between: below, and: newest))))
        case (.filling, .ended(.gap)):
            failures = 0
            return goOn(&sync)
        case (.readingCoverage(let channel), .read(.failure(let error))),
            (.filling(let channel), .ended(.failed(let error))):
            return fail(channel, error, &sync)
        default: return .fail(reply)
        }
    }

    private mutating func goOn(_ sync: inout SyncState) -> Step {
        guard sync.session != nil, !sync.isCatchingUp, !sync.holes.isEmpty else {
            return .end(.done)
        }
        let channel = sync.holes.takeFirst()
        state = .readingCoverage(channel)
        return .need(.read(.coverage(channel, under: .everything)))
    }

    /// Puts a channel behind the others after a passing failure, and rests.
    private mutating func fail(
        _ channel: ChannelURL, _ error: RoostError, _ sync: inout SyncState
    ) -> Step {
        guard error.remedy == .retry || error.mayPassWithDisk else { return goOn(&sync) }
        sync.holes.note(channel)
        guard sync.session != nil else { return .end(.done) }
        failures += 1
        state = .resting
        let wait = Backoff.patient.wait(beforeAttempt: failures, entropy: sync.random.next())
        return .need(.pause(wait, .retry))
    }
}

extension SyncState {
    /// Notes the holes that the live and own messages of a commit have opened below them.
    mutating func noteHoles(in commit: Commit, from origin: ChangeOrigin) {
        guard origin == .event || origin == .answer else { return }
        for case .messages(let change) in commit.changes where change.opensHole {
            holes.note(change.channel)
        }
        fillHoles()
    }

    /// Fills the noted holes while there is a connection, behind the catch-ups.
    mutating func fillHoles() {
        guard session != nil, !holes.isEmpty, !holes.isBeingFilled, !isCatchingUp else { return }
        holes.isBeingFilled = true
        start(.holeFilling(HoleFilling()))
    }
}

extension MessagesChange {
    /// Whether an inserted message has begun a range above all of the earlier coverage.
    fileprivate var opensHole: Bool {
        guard !inserted.isEmpty, coverageAfter.ranges.count > 1, let newest = coverageAfter.newest,
            let before = coverageBefore.newest
        else { return false }
        return newest.lower > before.upper
    }
}
