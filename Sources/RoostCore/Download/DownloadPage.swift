// SPDX-License-Identifier: Apache-2.0

// The download of history ahead of its use.

package import RoostModel
import RoostWire

/// One step of a download.
package struct DownloadStep: Equatable, Codable, Sendable {
    /// The growth of the channel's cached messages; negative if some were deleted meanwhile.
    package let added: Int
    /// The time back to which the channel is covered; nil if no page was left to fetch.
    package let reached: Timestamp?
    /// The time up to which a page of newer messages reaches; nil for other pages.
    package let reachedNewer: Timestamp?
    /// The connection on which the server named the channel's newest message; nil if it has not.
    package let connection: LinkMachine.Epoch?
}

/// The fetch of the next page on the way from the newest message back to a moment, or from a start
/// in both directions.
package struct DownloadPage: SyncOperation {
    /// The number of requested messages; the server gives at most 200.
    private static let pageSize = 200

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingCoverage
        case pacing(PageQuestion)
        case readingBefore(PageQuestion)
        case fetching(before: Int)
        case readingAfter(before: Int, PageStatement)
    }

    private let channel: ChannelURL
    private let since: Timestamp
    /// The start of the download; nil for the newest message.
    private let start: DownloadStart?
    /// The connection on which the server has named the newest message already; nil for none.
    private let knownEnd: LinkMachine.Epoch?
    private var epoch: LinkMachine.Epoch?
    /// The older end of the range that a page of newer messages continues; nil for other pages.
    private var olderEnd: Timestamp?
    private var state = State.beginning

    package init(
        _ channel: ChannelURL, since: Timestamp, from start: DownloadStart? = nil,
        knowingEndSince knownEnd: LinkMachine.Epoch?
    ) {
        self.channel = channel
        self.since = since
        self.start = start
        self.knownEnd = knownEnd
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard let session = sync.session else { return .fail(.notConnected) }
            epoch = session.epoch
            state = .readingCoverage
            return .need(.read(.coverage(channel, under: .everything)))
        case (.readingCoverage, .read(.success(.coverage(let coverage)))):
            guard sync.isPresent(epoch) else { return .fail(.notConnected) }
            let question = coverage.pageToDownload(
                since: since, from: start, knowsEnd: knownEnd == epoch, limit: Self.pageSize)
            guard let question else {
                return .end(
                    .downloaded(
                        DownloadStep(
                            added: 0, reached: nil, reachedNewer: nil, connection: epoch)))
            }
            if question.olderLimit == 0, let end = question.continues {
                olderEnd = coverage.range(containing: end)?.lower.createdAt
            }
            state = .pacing(question)
            return sync.spendRequest() ?? count(question, &sync)
        case (.pacing(let question), .paused): return count(question, &sync)
        case (.readingBefore(let question), .read(.success(.holding(let holding)))):
            state = .fetching(before: holding.messages)
            return .need(.run(.page(PageFetch(channel, question))))
        case (.fetching(let before), .ended(.page(let statement, _))):
            state = .readingAfter(before: before, statement)
            return .need(.read(.holding(channel)))
        case (.readingAfter(let before, let statement), .read(.success(.holding(let holding)))):
            let added = holding.messages - before
            if added > 0 { sync.pacing.giveBack() }
            return .end(.downloaded(result(added, statement)))
        default: return .fail(reply)
        }
    }

    private func result(_ added: Int, _ statement: PageStatement) -> DownloadStep {
        DownloadStep(
            added: added,
            reached: olderEnd ?? statement.range?.lower.createdAt ?? .distantFuture,
            reachedNewer: olderEnd == nil ? nil : statement.range?.upper.createdAt,
            connection: start == nil || statement.reachesNewest ? epoch : nil)
    }

    private mutating func count(_ question: PageQuestion, _ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return sync.returnRequest() }
        state = .readingBefore(question)
        return .need(.read(.holding(channel)))
    }
}
