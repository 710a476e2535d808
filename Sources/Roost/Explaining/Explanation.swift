// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Why a message is, or is not, to be seen on this device.
public enum MessageExplanation: Hashable, Sendable {
    /// It is on this device; `passes` says whether the filter asked about lets it through.
    case cached(Message, passes: Bool)
    /// Only this device has it, and it will be sent; so many of the channel go before it.
    case pending(Message, ahead: Int, Waiting)
    /// Only this device has it, and it is not sent again until somebody says so.
    case failed(Message)
    /// The server may have it, in one of these holes.
    case perhapsIn([HistoryHole])
    /// All of the channel's history is here and it is not in it: it was deleted, lies before what this
    /// member may see, or never was.
    case notInChannel

    /// What a message waits for.
    public enum Waiting: Hashable, Sendable {
        case connection
        /// It, or one before it, is on its way to the server.
        case server
    }
}

/// Why a channel is, or is not, in a list on this device.
public enum ChannelExplanation: Hashable, Sendable {
    case shown
    /// It is on this device; the list asks for something it does not have.
    case leftOut([ChannelFilter.Criterion])
    /// It is not among the user's channels on this device; `isListWhole` says that they are all there.
    case unknown(isListWhole: Bool)
}

extension ChatClient {
    /// Says why a message can or cannot be seen in a timeline; asks no server.
    public func explain(
        _ message: MessageID, in channel: ChannelURL, under filter: MessageFilter = .everything
    ) async throws(RoostError) -> MessageExplanation {
        try await engine.explain(.message(message), in: channel, under: filter)
    }

    /// Says what became of a message that was written on this device; asks no server.
    public func explain(
        _ message: RequestID, in channel: ChannelURL, under filter: MessageFilter = .everything
    ) async throws(RoostError) -> MessageExplanation {
        try await engine.explain(.request(message), in: channel, under: filter)
    }

    /// Says why a channel can or cannot be seen in a list; asks no server.
    public func explain(
        _ channel: ChannelURL, in query: ChannelListQuery = ChannelListQuery()
    ) async throws(RoostError) -> ChannelExplanation {
        try await engine.explain(channel, in: query)
    }
}

extension Message {
    fileprivate var failureWords: String {
        switch delivery {
        case .unsent(_, .failed(let code)): "error \(code)"
        case .unsent(_, .canceled): "it was taken back"
        case .unsent(_, .pending), .delivered: "no reason is known"
        }
    }
}

extension MessageExplanation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cached(_, passes: true):
            "It is on this device, and the timeline's filter lets it through."
        case .cached(_, passes: false):
            "It is on this device, but the timeline's filter leaves it out."
        case .pending(_, let ahead, .connection):
            "It waits for a connection\(Self.behind(ahead)), and is sent then."
        case .pending(_, let ahead, .server):
            "It is being sent\(Self.behind(ahead)); the server has not answered yet."
        case .failed(let message):
            "It was not sent (\(message.failureWords)) and waits for "
                + "somebody to try it again or to take it back."
        case .perhapsIn(let holes):
            "It is not on this device. The server may have it: \(holes.count) parts of the channel's "
                + "history have not been fetched."
        case .notInChannel:
            "It is not in the channel: all of the history is on this device. It was deleted, lies before "
                + "what this member may see, or never was."
        }
    }

    private static func behind(_ count: Int) -> String {
        count > 0 ? " behind \(count) others" : ""
    }
}

extension ChannelExplanation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .shown: "The list shows it."
        case .leftOut(let criteria):
            "The list leaves it out because of its \(criteria.map(\.rawValue).joined(separator: ", "))."
        case .unknown(isListWhole: true):
            "The user is no member of it: all the user's channels are on this device."
        case .unknown(isListWhole: false):
            "It is not on this device; not all of the user's channels have been fetched yet."
        }
    }
}
