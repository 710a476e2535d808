// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore

/// A part of a channel's history that is not on this device.
public struct HistoryHole: Hashable, Sendable {
    /// The reason for a hole.
    public enum Reason: Hashable, Sendable {
        /// This device has not fetched the channel yet, or its messages were evicted.
        case neverFetched
        /// Paging has not reached this part.
        case notPagedTo
        /// Both sides were fetched at different times, and paging has not closed the gap since.
        case betweenVisits
        /// There is no connection, or the channel has not been caught up on it, so messages may be
        /// missing.
        case notCaughtUp
    }

    /// The last request of this device for messages of the channel.
    public struct Attempt: Hashable, Sendable {
        /// The time by the device's clock.
        public let at: Timestamp
        /// The reason for a failure; nil if the server answered.
        public let failure: RoostError.Code?
    }

    /// The channel.
    public let channel: ChannelURL
    /// The reason for the hole.
    public let reason: Reason
    /// The start of the hole; `.distantPast` if it reaches to the beginning of the channel.
    public let from: Timestamp
    /// The end of the hole; `.distantFuture` if it reaches to the newest messages.
    public let through: Timestamp
    /// The estimated number of missing messages, by the density beside the hole; nil if unknown.
    public let messages: Int?
    /// The last request since the client was opened; nil for none.
    public let lastAttempt: Attempt?

    /// The estimated number of requests that fill the hole, at pages of 100; nil if unknown.
    public var requests: Int? { messages.map { max(1, ($0 + 99) / 100) } }
}

extension HistoryHole.Attempt {
    init(_ attempt: FetchAttempt) {
        at = attempt.at
        failure = attempt.failure
    }
}

extension HistoryHole {
    init(_ gap: HistoryGap, in channel: ChannelURL, lastAttempt: Attempt?) {
        self.channel = channel
        self.lastAttempt = lastAttempt
        from = gap.from
        through = gap.through
        messages = gap.messages
        reason =
            switch gap.place {
            case .everything: .neverFetched
            case .beginning: .notPagedTo
            case .between: .betweenVisits
            case .end: .notCaughtUp
            }
    }
}

extension ChatClient {
    /// Returns the parts of a channel's history that are not on this device, oldest first; empty
    /// for none.
    ///
    /// The call needs no connection.
    ///
    /// - Throws: `.localDatabaseError`.
    public func holes(in channel: ChannelURL) async throws(RoostError) -> [HistoryHole] {
        let (coverage, known, count) = try await read { reader throws(StoreError) in
            (
                try await reader.coverage(of: channel).value,
                try await reader.channel(channel).value,
                try await reader.holding(of: channel).value.messages
            )
        }
        let now = world.wallTime()
        return await engine.read { state in
            let view = SearchedChannel(
                url: channel, coverage: coverage,
                isLive: state.session?.caughtUp.contains(channel) ?? false,
                visibleFrom: known?.messageOffset)
            let gaps = view.gaps(
                messageCount: count, madeAt: known?.createdAt,
                now: state.session.map { _ in now })
            return gaps.map {
                HistoryHole($0, in: channel, lastAttempt: state.attempts[channel].map { .init($0) })
            }
        }
    }
}
