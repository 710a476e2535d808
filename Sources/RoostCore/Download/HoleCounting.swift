// SPDX-License-Identifier: Apache-2.0

// The count of the messages in the holes of one channel, by the server.
//
// The fingerprints of Roost's server contain counts: one question counts up to 20 holes, each up to
// a thousand messages. The server's count of the whole channel tells the rest: the size of the only
// larger hole, or of the only hole at a server without fingerprints. Where no server counts, the
// size stays unknown.
//
// Only a call of the app starts a count, and one channel is counted at a time. `HoleSizes` keeps
// the counts; a hole that is paged into is another hole.

package import RoostModel
import RoostWire

/// The count of the messages in a channel's holes.
package struct HoleCounting: SyncOperation {
    /// The most holes of one question; the next call counts more of them.
    private static let holeLimit = 20

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case waiting
        case readingCoverage
        case pacing
        case asking
        case readingHeld
        case pacingTotal(held: [CachedStretch])
        case askingTotal(held: [CachedStretch])
        case readingAgain(held: [CachedStretch], total: Int)
    }

    private let channel: ChannelURL
    private var epoch: LinkMachine.Epoch?
    private var holes: [Hole] = []
    /// The holes that are being counted.
    private var asked: [Hole] = []
    private var sizes: [Hole: HoleSize] = [:]
    private var hasTurn = false
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        let step = decide(reply, &sync)
        if case .end = step, hasTurn {
            sync.isCounting = false
            sync.wakeFirst(.counting)
        }
        return step
    }

    private mutating func decide(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin), (.waiting, .woken(nil)): return begin(&sync)
        case (.readingCoverage, .read(.success(.coverage(let coverage)))):
            return choose(from: coverage, &sync)
        case (.pacing, .paused): return ask(&sync)
        case (.asking, .answer(let answer)): return take(answer, &sync)
        case (.readingHeld, .read(.success(.stretches(let held)))):
            state = .pacingTotal(held: held)
            return sync.spendRequest() ?? askForTotal(held, &sync)
        case (.pacingTotal(let held), .paused): return askForTotal(held, &sync)
        case (.askingTotal(let held), .answer(let answer)): return take(answer, held, &sync)
        case (.readingAgain(let held, let total), .read(.success(.stretches(let now)))):
            return finish(total, held: held, now: now, &sync)
        default: return .fail(reply)
        }
    }

    private mutating func begin(_ sync: inout SyncState) -> Step {
        guard !sync.isCounting else {
            state = .waiting
            return .need(.wait(.counting))
        }
        (hasTurn, sync.isCounting) = (true, true)
        guard let session = sync.session else { return .fail(.notConnected) }
        epoch = session.epoch
        state = .readingCoverage
        return .need(.read(.coverage(channel, under: .everything)))
    }

    /// Chooses the holes to count, newest first; the counts of unchanged holes are kept.
    private mutating func choose(from coverage: Coverage, _ sync: inout SyncState) -> Step {
        guard let session = sync.session, sync.isPresent(epoch) else {
            return .fail(.notConnected)
        }
        holes = coverage.holes(liveEnd: session.liveEnds[channel])
        sizes = session.holeSizes[channel].filter { holes.contains($0.key) }
        sync.session?.holeSizes.begin(channel, holes)
        asked = holes.reversed().filter { sizes[$0] == nil }.prefix(Self.holeLimit).map { $0 }
        guard !asked.isEmpty else { return end(&sync) }
        guard session.countsStretches else { return readHeld() }
        state = .pacing
        return sync.spendRequest() ?? ask(&sync)
    }

    private mutating func ask(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return sync.returnRequest() }
        state = .asking
        return .need(
            .ask(
                .fingerprints(
                    FingerprintMessages(channelURL: channel, stretches: asked.map(\.stretch)))))
    }

    private mutating func take(
        _ answer: Answered<ServerAnswer>, _ sync: inout SyncState
    ) -> Step {
        guard sync.isPresent(epoch) else { return .fail(.notConnected) }
        switch answer {
        case .success(.fingerprints(let found))
        where !found.isEmpty && found.count <= asked.count:
            // The next call asks about the holes that the server has left out.
            for (hole, fingerprint) in zip(asked, found) {
                let limit = FingerprintMessages.countLimit
                sizes[hole] =
                    fingerprint.count > limit
                    ? .atLeast(limit + 1) : .exactly(max(0, fingerprint.count))
            }
            let isOneLarger = sizes.values.count { !$0.isExact } == 1
            return isOneLarger && sizes.count == holes.count ? readHeld() : end(&sync)
        case .success(.fingerprints): return readHeld()
        case .success: return .fail(.unfitAnswer)
        case .failure(let error):
            sync.unknownChannels.note(error, of: channel)
            guard error.remedy != .retry, !error.code.deniesChannel else { return .fail(error) }
            sync.session?.countsStretches = false
            return readHeld()
        }
    }

    // MARK: The whole channel

    private mutating func readHeld() -> Step {
        state = .readingHeld
        return .need(.read(.stretches(channel, in: nil, size: .max)))
    }

    private mutating func askForTotal(
        _ held: [CachedStretch], _ sync: inout SyncState
    ) -> Step {
        guard sync.isPresent(epoch) else { return sync.returnRequest() }
        state = .askingTotal(held: held)
        return .need(.ask(.countMessages(CountMessages(channelURL: channel))))
    }

    private mutating func take(
        _ answer: Answered<ServerAnswer>, _ held: [CachedStretch], _ sync: inout SyncState
    ) -> Step {
        guard sync.isPresent(epoch) else { return .fail(.notConnected) }
        switch answer {
        case .success(.count(let total)):
            state = .readingAgain(held: held, total: total)
            return .need(.read(.stretches(channel, in: nil, size: .max)))
        case .success: return .fail(.unfitAnswer)
        case .failure(let error):
            sync.unknownChannels.note(error, of: channel)
            guard error.remedy != .retry, !error.code.deniesChannel else { return .fail(error) }
            // Some servers count for their own tools only.
            for hole in asked where sizes[hole] == nil { sizes[hole] = .unknown }
            return end(&sync)
        }
    }

    /// Computes the sizes from the total, if the cache did not change during the question.
    private mutating func finish(
        _ total: Int, held: [CachedStretch], now: [CachedStretch], _ sync: inout SyncState
    ) -> Step {
        let covered = Coverage(now.map { CoveredRange(lower: $0.lower, upper: $0.upper) })
        let known = holes.filter { $0.place != .end }
        guard held == now, known == covered.holes(liveEnd: covered.newest?.upper),
            sync.session?.holeSizes.areUnchanged(holes) == true
        else { return end(&sync) }
        // A server may name any number.
        let counts = now.map(\.fingerprint.count) + sizes.values.compactMap(\.exact)
        let sum = counts.reduce(Int64(0)) { $0.addingSaturated(Int64($1)) }
        let missing = max(0, Int64(max(0, total)) - sum)
        let open = holes.filter { sizes[$0]?.isExact != true }
        for hole in open {
            let isAlone = open.count == 1 || missing == 0
            switch sizes[hole] {
            case .atLeast(let least) where !isAlone || missing < least: break
            default: sizes[hole] = isAlone ? .exactly(Int(missing)) : .atMost(Int(missing))
            }
        }
        return end(&sync)
    }

    private func end(_ sync: inout SyncState) -> Step {
        if sync.isPresent(epoch) { sync.session?.holeSizes.end(sizes) }
        return .end(.done)
    }
}

extension HoleSize {
    fileprivate var exact: Int? { if case .exactly(let count) = self { count } else { nil } }

    fileprivate var isExact: Bool { exact != nil }
}

extension Hole {
    /// The hole as a part of a question; servers know no moments beyond those of messages.
    fileprivate var stretch: FingerprintMessages.Stretch {
        let first = Position(createdAt: .earliestOfMessages, messageID: MessageID(.min))
        let last = Position(createdAt: .latestOfMessages, messageID: MessageID(.max))
        let upper = max(min(upper, last), first)
        return FingerprintMessages.Stretch(from: min(max(lower, first), upper), through: upper)
    }
}
