// SPDX-License-Identifier: Apache-2.0

// The comparison of a channel's cached messages with the server's: fingerprints are exchanged, and
// only the stretches that differ are fetched.

package import RoostModel
import RoostWire

/// The comparison of a channel's cached messages with the server, and the replacement of those that
/// differ.
package struct Comparison: SyncOperation {
    /// The number of messages of a stretch.
    private static let stretchSize = 150
    /// The number of requested messages: one page brings a stretch even if the cache lacks some of
    /// it.
    private static let pageSize = 200
    /// The most pages of one stretch: a server may have more there than is cached, but not without
    /// end.
    private static let pageLimit = 100

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingStretches
        case pacingQuestion
        case asking
        case pacingPage
        case fetching
        case rereading
    }

    package let channel: ChannelURL
    private var epoch: LinkMachine.Epoch?
    private var stretches: [CachedStretch] = []
    /// The stretches that are being compared; the first of `batch` is the next one.
    private var batch = 0..<0
    /// The server's fingerprints of a batch, and the batch's first stretch; nil from a server
    /// without them.
    private var theirs: [MessageFingerprint]?
    private var batchStart = 0
    /// The place behind which the stretch is fetched, and the lower end of the part that the next
    /// page replaces.
    private var place = Position.distantPast
    private var lower = Position.distantPast
    private var walk = PageWalk<Position, Position>(from: nil)
    private var result = CacheComparison()
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard let session = sync.session else { return .fail(.notConnected) }
            epoch = session.epoch
            state = .readingStretches
            return .need(.read(.stretches(channel, in: nil, size: Self.stretchSize)))
        case (.readingStretches, .read(.success(.stretches(let known)))):
            stretches = known
            return compareNext(&sync)
        case (.pacingQuestion, .paused): return ask(&sync)
        case (.asking, .answer(let answer)): return take(answer, &sync)
        case (.pacingPage, .paused): return fetch(&sync)
        case (.fetching, .ended(.page(let statement, let count))):
            return goOn(statement, count, &sync)
        case (.rereading, .read(.success(.stretches(let known)))):
            // Without the server's fingerprints only the fetched messages show a difference.
            if known.map(\.fingerprint) != [stretches[batch.lowerBound].fingerprint] {
                result.differingStretches += 1
            }
            batch = batch.dropFirst()
            return compareNext(&sync)
        default: return .fail(reply)
        }
    }

    private mutating func compareNext(_ sync: inout SyncState) -> Step {
        while let next = batch.first {
            let stretch = stretches[next]
            result.comparedMessages += stretch.fingerprint.count
            guard theirs?[next - batchStart] == stretch.fingerprint else {
                return fetchAnew(stretch, &sync)
            }
            batch = batch.dropFirst()
        }
        batchStart = batch.upperBound
        batch = batchStart..<min(batchStart + FingerprintMessages.stretchLimit, stretches.count)
        guard !batch.isEmpty else { return .end(.comparison(result)) }
        return pace(.pacingQuestion, &sync)
    }

    private mutating func pace(_ next: State, _ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return .fail(.notConnected) }
        state = next
        return sync.spendRequest() ?? resume(.paused, &sync)
    }

    private mutating func ask(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return sync.returnRequest() }
        state = .asking
        return .need(
            .ask(
                .fingerprints(
                    FingerprintMessages(
                        channelURL: channel,
                        stretches: stretches[batch].map {
                            .init(from: $0.lower, through: $0.upper)
                        }))))
    }

    private mutating func take(
        _ answer: Answered<ServerAnswer>, _ sync: inout SyncState
    ) -> Step {
        switch answer {
        case .success(.fingerprints(let fingerprints)):
            if !fingerprints.isEmpty, fingerprints.count <= batch.count {
                theirs = fingerprints
                // The next question begins with the stretches that the server has left out.
                batch = batch.prefix(fingerprints.count)
            } else {
                theirs = nil
            }
        case .success: return .fail(.unfitAnswer)
        case .failure(let error):
            // This call is Roost's own. A user without access to the messages is refused the next
            // call.
            guard error.remedy != .retry, sync.session != nil else { return .fail(error) }
            theirs = nil
        }
        return compareNext(&sync)
    }

    /// Replaces the cached messages of a stretch by the server's.
    private mutating func fetchAnew(_ stretch: CachedStretch, _ sync: inout SyncState) -> Step {
        // No message is older than the epoch, and servers take no earlier time.
        place = max(
            stretch.lower.previous,
            Position(createdAt: .earliestOfMessages, messageID: MessageID(.min)))
        lower = min(stretch.lower, place)
        walk = PageWalk(from: place, pageLimit: Self.pageLimit)
        return pace(.pacingPage, &sync)
    }

    private mutating func fetch(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return sync.returnRequest() }
        let upper = stretches[batch.lowerBound].upper
        state = .fetching
        return .need(
            .run(
                .page(
                    PageFetch(
                        channel, .newer(than: place, limit: Self.pageSize),
                        replacing: CoveredRange(lower: lower, upper: max(lower, upper))))))
    }

    private mutating func goOn(
        _ statement: PageStatement, _ count: Int, _ sync: inout SyncState
    ) -> Step {
        let stretch = stretches[batch.lowerBound]
        result.fetchedMessages += count
        if let end = statement.range?.upper, end < stretch.upper, !statement.reachesNewest,
            end > place
        {
            guard walk.goesOn(to: end, after: [end]) else { return .fail(.stalled) }
            (place, lower) = (end, end)
            return pace(.pacingPage, &sync)
        }
        state = .rereading
        let range = CoveredRange(lower: stretch.lower, upper: stretch.upper)
        return .need(.read(.stretches(channel, in: range, size: .max)))
    }
}
