// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore

/// The reason why a message is, or is not, visible on this device.
public enum MessageExplanation: Hashable, Sendable {
    /// The message is on this device; `passes` says whether the filter selects it.
    case cached(Message, passes: Bool)
    /// The message is on this device and not shown, because its deletion waits in the outbox.
    case deleting(Message)
    /// Only this device has the message, and it will be sent; `ahead` items of the channel go
    /// before it.
    case pending(Message, ahead: Int, Waiting)
    /// Only this device has the message, and it is not sent again without a call of
    /// `ChatClient.resend(_:)`.
    case failed(Message)
    /// The server may have the message, in one of these holes.
    case perhapsIn([HistoryHole])
    /// The message is not in the channel, whose whole history is on this device.
    ///
    /// It was deleted, lies before the history that the member may see, or never existed.
    case notInChannel

    /// The condition that an unsent message waits for.
    public enum Waiting: Hashable, Sendable {
        /// A connection.
        case connection
        /// The server's answer to this message or one before it.
        case server
    }
}

/// The reason why a channel is, or is not, in a list on this device.
public enum ChannelExplanation: Hashable, Sendable {
    /// The list shows the channel.
    case shown
    /// The channel is on this device; it does not meet these conditions of the list.
    case leftOut([ChannelFilter.Criterion])
    /// The channel is not among the user's channels on this device; `isListWhole` says whether all
    /// of them are.
    case unknown(isListWhole: Bool)
}

extension ChatClient {
    /// Returns why a message is or is not visible in a timeline, from disk only.
    ///
    /// - Throws: `.localDatabaseError`.
    public func explain(
        _ message: MessageID, in channel: ChannelURL, under filter: MessageFilter = .everything
    ) async throws(RoostError) -> MessageExplanation {
        let cached = try await read { reader throws(StoreError) in
            try await reader.message(message).value
        }
        return try await explain(.message(message), cached, in: channel, under: filter)
    }

    /// Returns the state of a message written on this device, from disk only.
    ///
    /// - Throws: `.localDatabaseError`.
    public func explain(
        _ message: RequestID, in channel: ChannelURL, under filter: MessageFilter = .everything
    ) async throws(RoostError) -> MessageExplanation {
        let cached = try await read { reader throws(StoreError) in
            try await reader.message(message).value
        }
        return try await explain(.request(message), cached, in: channel, under: filter)
    }

    private func explain(
        _ name: Message.Identity, _ cached: Message?, in channel: ChannelURL,
        under filter: MessageFilter
    ) async throws(RoostError) -> MessageExplanation {
        if let cached, cached.channelURL == channel {
            guard let shown = await marks(in: channel).shown(cached) else {
                return .deleting(cached)
            }
            return .cached(shown, passes: filter.matches(shown))
        }
        let (unsent, isSending) = await engine.read { state in
            let unsent = state.outbox.unsent(in: channel)
            // A file may be on its way without a connection.
            let hasFile = unsent.contains { message in
                message.requestID.map { state.outbox.lanes.isOnItsWay($0) } ?? false
            }
            return (unsent, state.session != nil || hasFile)
        }
        if let message = unsent.first(where: { $0.identities.contains(name) }) {
            guard message.status == .pending else { return .failed(message) }
            let ahead = unsent.prefix { $0 != message }.count { $0.status == .pending }
            return .pending(message, ahead: ahead, isSending ? .server : .connection)
        }
        let holes = try await holes(in: channel)
        return holes.isEmpty ? .notInChannel : .perhapsIn(holes)
    }

    /// Returns why a channel is or is not visible in a list, from disk only.
    ///
    /// - Throws: `.localDatabaseError`.
    public func explain(
        _ channel: ChannelURL, in query: ChannelListQuery = ChannelListQuery()
    ) async throws(RoostError) -> ChannelExplanation {
        let known = try await read { reader throws(StoreError) in
            try await reader.channel(channel).value
        }
        guard let known, known.myState != .none else {
            let isWhole = try await read { reader throws(StoreError) in
                try await reader.isChannelListWhole
            }
            return .unknown(isListWhole: isWhole)
        }
        let unmet = query.filter.criteria(unmetBy: known, viewer: configuration.userID)
        return unmet.isEmpty ? .shown : .leftOut(unmet)
    }
}

extension Message {
    fileprivate var failureWords: String {
        switch delivery {
        case .unsent(_, .failed(let code)): "error \(code)"
        case .unsent(_, .canceled): "canceled"
        case .unsent(_, .pending), .delivered: "no reason is known"
        }
    }
}

extension MessageExplanation: CustomStringConvertible {
    /// The explanation in one sentence, without message texts.
    public var description: String {
        switch self {
        case .cached(_, passes: true):
            "The message is on this device, and the timeline's filter selects it."
        case .cached(_, passes: false):
            "The message is on this device, but the timeline's filter does not select it."
        case .deleting: "The message is on this device, and its deletion waits in the outbox."
        case .pending(_, let ahead, .connection):
            "The message waits for a connection\(Self.behind(ahead)), and is sent then."
        case .pending(_, let ahead, .server):
            "The message is being sent\(Self.behind(ahead)); the server has not answered yet."
        case .failed(let message):
            "The message has failed (\(message.failureWords)); it can be sent again or canceled."
        case .perhapsIn(let holes):
            "The message is not on this device. The server may have it: \(holes.count) parts of the channel's "
                + "history have not been fetched."
        case .notInChannel:
            "The message is not in the channel, whose whole history is on this device. It was deleted, lies "
                + "before the visible history, or never existed."
        }
    }

    private static func behind(_ count: Int) -> String {
        count > 0 ? " behind \(count) other items" : ""
    }
}

extension ChannelExplanation: CustomStringConvertible {
    /// The explanation in one sentence.
    public var description: String {
        switch self {
        case .shown: "The list shows the channel."
        case .leftOut(let criteria):
            "The list leaves the channel out because of its \(criteria.map(\.rawValue).joined(separator: ", "))."
        case .unknown(isListWhole: true):
            "The user is no member of the channel: all the user's channels are on this device."
        case .unknown(isListWhole: false):
            "The channel is not on this device; not all of the user's channels have been fetched yet."
        }
    }
}
