// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

/// A part of a channel's history that is not on this device.
public struct HistoryHole: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// Nobody has looked at the channel on this device yet, or its messages were evicted.
        case neverFetched
        /// Nobody has paged back this far.
        case notPagedTo
        /// What lies on both sides was fetched at different times, and nobody has paged over it since.
        case betweenVisits
        /// There is no connection, or the channel has not been caught up on it: something may have come.
        case notCaughtUp
    }

    /// The last time this device asked the server for messages of the channel.
    public struct Attempt: Hashable, Sendable {
        /// By this device's clock.
        public let at: Timestamp
        /// Nil when the server answered.
        public let failure: RoostError.Code?
    }

    public let channel: ChannelURL
    public let reason: Reason
    /// `.distantPast` when it reaches to the beginning of the channel.
    public let from: Timestamp
    /// `.distantFuture` when it reaches to whatever was written last.
    public let through: Timestamp
    /// About how many messages are missing, judged by how close those beside it stand; nil when nothing
    /// can be said.
    public let messages: Int?
    /// Nil when it was not asked since the client was opened.
    public let lastAttempt: Attempt?

    /// About how many requests would fill it, at pages of 100.
    public var requests: Int? { messages.map { max(1, ($0 + 99) / 100) } }
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
    /// What of a channel's history is not on this device, oldest first; empty when all of it is.
    ///
    /// Asks no server.
    public func holes(in channel: ChannelURL) async throws(RoostError) -> [HistoryHole] {
        try await engine.holes(in: channel)
    }
}
