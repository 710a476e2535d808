// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// What is cached against what the server has: fingerprints are exchanged, and only stretches that differ
// are fetched.

extension SyncEngine {
    /// Messages of a stretch.
    private static let comparedStretch = 150
    /// Messages a page asks for: so some may be missing, and one page brings a stretch all the same.
    private static let comparedPage = 200
    /// Pages of one stretch: a server may hold more there than is cached, but not without end.
    private static let comparedPages = 100

    func compare(_ channel: ChannelURL) async throws(RoostError) -> CacheComparison {
        guard isOnline else { throw .notConnected }
        journal.asked("comparison", of: channel)
        var comparison = CacheComparison()
        let known = try await stretches(of: channel)
        for batch in known.batches(of: FingerprintMessages.stretchLimit) {
            let theirs = try await fingerprints(of: batch, in: channel)
            for (index, stretch) in batch.enumerated() {
                comparison.comparedMessages += stretch.fingerprint.count
                if let theirs, theirs[index] == stretch.fingerprint { continue }
                comparison.fetchedMessages += try await fetchAnew(stretch, of: channel)
                let range = CoveredRange(lower: stretch.lower, upper: stretch.upper)
                // Without the server's fingerprints only what came says whether anything was wrong.
                let now = try await stretches(of: channel, in: range)
                if now.map(\.fingerprint) != [stretch.fingerprint] {
                    comparison.differingStretches += 1
                }
            }
        }
        return comparison
    }

    private func stretches(
        of channel: ChannelURL, in range: CoveredRange? = nil
    ) async throws(RoostError) -> [CachedStretch] {
        do {
            return try await reader.stretches(
                of: channel, in: range, size: range == nil ? Self.comparedStretch : .max
            ).value
        } catch {
            throw RoostError(error)
        }
    }

    /// What the server has there; nil when it is one that does not say.
    private func fingerprints(
        of stretches: [CachedStretch], in channel: ChannelURL
    ) async throws(RoostError) -> [MessageFingerprint]? {
        let question = FingerprintMessages(
            channelURL: channel,
            stretches: stretches.map { .init(from: $0.lower, through: $0.upper) })
        do throws(RoostError) {
            try await takeTurn()
            let answer = try await call(question)
            return answer.count == stretches.count ? answer : nil
        } catch {
            // It is Roost's own call; whoever is refused the messages too is told by the next.
            guard error.remedy != .retry, isOnline else { throw error }
            return nil
        }
    }

    /// Puts what the server has of a stretch in the place of what is cached.
    ///
    /// - Returns: How many messages came.
    private func fetchAnew(
        _ stretch: CachedStretch, of channel: ChannelURL
    ) async throws(RoostError) -> Int {
        // No message is older than the epoch, and servers take no earlier time.
        var place = max(
            stretch.lower.previous,
            Position(createdAt: .earliestOfMessages, messageID: MessageID(.min)))
        // What an earlier release cached from before the epoch goes with the first page.
        var lower = min(stretch.lower, place)
        var count = 0
        var walk = PageWalk<Position, Position>(from: place, pageLimit: Self.comparedPages)
        while true {
            try await takeTurn()
            let page = try await loadPage(
                PageFetch(
                    channel, .newer(than: place, limit: Self.comparedPage),
                    replacing: CoveredRange(lower: lower, upper: max(lower, stretch.upper))))
            count += page.count
            guard let end = page.statement.range?.upper, end < stretch.upper,
                !page.statement.reachesNewest, end > place
            else { return count }
            guard walk.goesOn(to: end, after: [end]) else { throw .stalled }
            (place, lower) = (end, end)
        }
    }
}

extension Array {
    fileprivate func batches(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
