// SPDX-License-Identifier: Apache-2.0

// The holes below live messages in channels that no timeline shows.
//
// After an absence a live message stands alone: the messages before it are missing. A timeline would
// end there, and offline it could not show the older messages of the cache. So the hole is filled
// while there is a connection, by up to 300 messages. A wider hole stays, and shrinks from below
// once a connection. Channels without cached messages are left alone: nothing of them is hidden.

import RoostModel

/// The channels with a hole below a live message of one connection.
package struct OpenHoles: Equatable, Codable, Sendable {
    /// The channels to fill, the first one first.
    fileprivate var waiting: [ChannelURL] = []
    /// The channels that have waited; each is tried once a connection, also if that fails.
    private var seen: Set<ChannelURL> = []
    fileprivate var isBeingFilled = false

    /// Notes the coverage of a channel after a live event; an older hole counts, too.
    ///
    /// - Returns: Whether there is a hole below its newest range for the first time.
    fileprivate mutating func note(_ coverage: Coverage, of channel: ChannelURL) -> Bool {
        guard coverage.ranges.count > 1, seen.insert(channel).inserted else { return false }
        waiting.append(channel)
        return true
    }
}

/// The filling of the holes of one connection, one channel after the other, behind the catch-ups of
/// open timelines.
package struct HoleFilling: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case waiting
        case readingCoverage(ChannelURL)
        case filling
    }

    private var epoch: LinkMachine.Epoch?
    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            epoch = sync.session?.epoch
            return goOn(&sync)
        case (.waiting, .woken), (.filling, .ended): return goOn(&sync)
        case (.readingCoverage(let channel), .read(let result)):
            guard case .success(.coverage(let coverage)) = result else { return goOn(&sync) }
            return fill(channel, coverage, &sync)
        default: return .fail(reply)
        }
    }

    private mutating func goOn(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch), let holes = sync.session?.holes else { return .end(.done) }
        guard let channel = holes.waiting.first else {
            sync.session?.holes.isBeingFilled = false
            return .end(.done)
        }
        if sync.isCatchingUp {
            state = .waiting
            return .need(.wait(.holes))
        }
        sync.session?.holes.waiting.removeFirst()
        state = .readingCoverage(channel)
        return .need(.read(.coverage(channel, under: .everything)))
    }

    private mutating func fill(
        _ channel: ChannelURL, _ coverage: Coverage, _ sync: inout SyncState
    ) -> Step {
        // A timeline that was opened meanwhile fills its own hole.
        guard sync.isPresent(epoch), sync.timelines.ids(of: channel).isEmpty,
            let below = coverage.ranges.dropLast().last, below.upper != .distantPast
        else { return goOn(&sync) }
        state = .filling
        return .need(.run(.gap(GapFill(channel, above: below, hasKnowledgeAbove: true))))
    }
}

extension SyncState {
    /// Fills the hole below a live message in a channel that no timeline shows.
    mutating func fillHole(below change: MessagesChange) {
        guard timelines.ids(of: change.channel).isEmpty,
            session?.holes.note(change.coverageAfter, of: change.channel) == true,
            session?.holes.isBeingFilled == false
        else { return }
        session?.holes.isBeingFilled = true
        start(.holeFilling(HoleFilling()))
    }
}
