// SPDX-License-Identifier: Apache-2.0

package import RoostCore
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
        /// Both sides were fetched at different times, and paging has not closed the hole since.
        case betweenVisits
        /// There is no connection, or the channel has not been caught up on it, so messages may be
        /// missing.
        case notCaughtUp
    }

    /// The number of messages in a hole, as the server counts them.
    ///
    /// It is never computed from times or IDs.
    public enum Size: Hashable, Sendable {
        /// The server has counted this many.
        case exactly(Int)
        /// The server has counted this many and stopped there.
        case atLeast(Int)
        /// The server has counted the whole channel, and this many are missing in all its holes.
        case atMost(Int)
        /// The server was not asked yet, or does not count.
        case unknown
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
    /// The start of the hole; `.distantPast` if it reaches to the beginning of the channel, and
    /// that of the history which the user may see if there is one.
    public let from: Timestamp
    /// The end of the hole; `.distantFuture` if it reaches to the newest messages.
    public let through: Timestamp
    /// The number of messages in the hole; `countedHoles(in:)` asks the server for it.
    public let size: Size
    /// The last request since the client was opened; nil for none.
    public let lastAttempt: Attempt?

    /// The greatest number of requests that fill the hole, at pages of 100; nil if unknown.
    public var requests: Int? {
        switch size {
        case .exactly(let count), .atMost(let count):
            max(1, count / 100 + (count % 100 == 0 ? 0 : 1))
        case .atLeast, .unknown: nil
        }
    }
}

extension HistoryHole.Size {
    init(_ size: HoleSize?) {
        self =
            switch size {
            case .exactly(let count): .exactly(count)
            case .atLeast(let count): .atLeast(count)
            case .atMost(let count): .atMost(count)
            case .unknown, nil: .unknown
            }
    }
}

extension HistoryHole.Size: CustomStringConvertible {
    /// The size in words, such as “500” or “at least 1001”.
    public var description: String {
        switch self {
        case .exactly(let count): "\(count)"
        case .atLeast(let count): "at least \(count)"
        case .atMost(let count): "at most \(count)"
        case .unknown: "unknown"
        }
    }
}

extension HistoryHole.Attempt {
    init(_ attempt: FetchAttempt) {
        at = attempt.at
        failure = attempt.failure
    }
}

extension HistoryHole {
    package init(
        _ hole: Hole, in history: SearchedChannel, size: Size = .unknown,
        lastAttempt: Attempt? = nil
    ) {
        channel = history.url
        self.size = size
        self.lastAttempt = lastAttempt
        from = max(hole.lower.createdAt, history.visibleFrom ?? .distantPast)
        through = hole.upper.createdAt
        reason =
            switch hole.place {
            case .everything: .neverFetched
            case .beginning: .notPagedTo
            case .between: .betweenVisits
            case .end: .notCaughtUp
            }
    }
}

extension HistoryHole {
    init(_ hole: Hole, in history: SearchedChannel, _ state: SyncState) {
        self.init(
            hole, in: history, size: Size(state.session?.holeSizes[history.url][hole]),
            lastAttempt: state.attempts[history.url].map { Attempt($0) })
    }
}

extension ChatClient {
    /// Returns the parts of a channel's history that are not on this device, oldest first; empty
    /// for none.
    ///
    /// The call needs no connection and asks the server nothing. The sizes are those that
    /// `countedHoles(in:)` has found on this connection. The same parts are `unseen` in a search.
    ///
    /// - Throws: `.localDatabaseError`; `.channelNotFound` if the server has said that the channel
    ///   does not exist.
    public func holes(in channel: ChannelURL) async throws(RoostError) -> [HistoryHole] {
        // Before the disk is read: it then has every message up to this end.
        let (liveEnd, isUnknown) = await engine.read { state in
            (state.session?.liveEnds[channel], state.unknownChannels.contains(channel))
        }
        if isUnknown { throw .unknownChannel }
        var history = try await read { reader throws(StoreError) in
            try await reader.history(of: channel).value
        }
        history.liveEnd = liveEnd
        return await engine.read { [history] state in
            history.holes.map { HistoryHole($0, in: history, state) }
        }
    }

    /// Returns the parts of a channel's history that are not on this device, with the numbers of
    /// their messages.
    ///
    /// The server is asked for the sizes that are not known yet, in two requests at most and for
    /// the newest 20 holes. A count holds until its hole changes or the connection ends. Sizes stay
    /// `.unknown` without a connection, and if the server does not count. A count that takes longer
    /// than eight seconds is in the answer of a later call.
    ///
    /// - Throws: As `holes(in:)`.
    public func countedHoles(in channel: ChannelURL) async throws(RoostError) -> [HistoryHole] {
        // A failed count leaves sizes unknown; `holes` reports a channel that does not exist.
        _ = await engine.outcome {
            .start($0, .inTime(InTime(.holeCounting(HoleCounting(channel)))))
        }
        return try await holes(in: channel)
    }
}
