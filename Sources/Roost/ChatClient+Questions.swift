// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostStore
import RoostWire

// Questions whose answers are the app's to keep, for whoever has a database of their own: the cache
// neither answers them nor learns from them.

/// What became of things since a moment: one page of a change log.
public struct ChangeLog<Item: Hashable & Sendable, ID: Hashable & Sendable>: Hashable, Sendable {
    public let updated: [Item]
    public let deleted: [ID]
    public let hasMore: Bool
    /// Where the next page begins; store it with what this one said, never before.
    public let token: String
}

/// Where to begin in a change log.
public enum ChangeLogStart: Hashable, Sendable {
    case token(String)
    /// A time the server gave, such as that of the newest message one has.
    case moment(Timestamp)
}

extension ChatClient {
    /// Who the user is: as the last login told, or an ID without a name before the first.
    public var me: User {
        get async throws(RoostError) {
            if let user = await engine.session?.login.user { return user }
            do {
                return try await store.readers[0].user(configuration.userID).value
                    ?? User(id: configuration.userID)
            } catch {
                throw RoostError(error)
            }
        }
    }

    /// Takes another access token, for the next login.
    package func use(token: String?) async { await engine.link?.use(token: token) }

    /// The messages around a moment as the server has them now, oldest first.
    ///
    /// Needs a connection.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - moment: A time of the server's; of messages with this very time all come, or none.
    ///   - older: How many before it, 200 at most.
    ///   - newer: How many after it, 200 at most.
    ///   - includesMoment: Whether those with the very time come as well.
    ///   - filter: Which messages are meant.
    /// - Returns: The messages.
    /// - Throws: A network error, or the server's refusal.
    public func fetchMessages(
        of channel: ChannelURL, around moment: Timestamp, older: Int = 0, newer: Int = 0,
        includesMoment: Bool = false, filter: MessageFilter = MessageFilter()
    ) async throws(RoostError) -> [Message] {
        try await engine.call(
            ListMessages(
                channelURL: channel, anchor: .time(moment), previousLimit: older,
                nextLimit: newer, includesAnchor: includesMoment, filter: filter)
        ).messages
    }

    /// A message as the server has it now.
    ///
    /// Needs a connection.
    public func fetchMessage(
        _ id: MessageID, in channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await engine.call(GetMessage(channelURL: channel, messageID: id))
    }

    /// A page of the application's open channels, which are not cached: nobody tells what becomes of them.
    ///
    /// Needs a connection. `token` is `next` of the page before; nil asks for the first. Of each comes what
    /// a group's channel has too.
    package func openChannels(
        pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<GroupChannel> {
        try await engine.call(ListOpenChannels(limit: pageSize, token: token))
    }

    /// What was edited and deleted in a channel.
    ///
    /// Needs a connection.
    public func fetchMessageChanges(
        of channel: ChannelURL, since start: ChangeLogStart,
        filter: MessageFilter = .everything
    ) async throws(RoostError) -> ChangeLog<Message, MessageID> {
        let answer = try await engine.call(
            MessageChangeLog(
                channelURL: channel, cursor: ChangeLogCursor(start), filter: filter))
        return ChangeLog(
            updated: answer.updated, deleted: answer.deleted.map(\.id), hasMore: answer.hasMore,
            token: answer.next)
    }

    /// What became of the user's channels; one they have left, or lost, counts as deleted.
    ///
    /// Needs a connection.
    public func fetchChannelChanges(
        since start: ChangeLogStart, customTypes: [String]? = nil
    ) async throws(RoostError) -> ChangeLog<GroupChannel, ChannelURL> {
        let answer = try await engine.call(
            ChannelChangeLog(
                userID: configuration.userID, cursor: ChangeLogCursor(start), showsEmpty: true,
                customTypes: customTypes))
        return ChangeLog(
            updated: answer.updated, deleted: answer.deleted, hasMore: answer.hasMore,
            token: answer.next)
    }
}

extension ChangeLogCursor {
    fileprivate init(_ start: ChangeLogStart) {
        self =
            switch start {
            case .token(let token): .token(token)
            case .moment(let moment): .since(moment)
            }
    }
}

extension Configuration {
    /// The database of the cache, to which `-wal` adds its log; nil in memory.
    package var cacheFile: String? {
        StoreLocation(cache).files(
            of: StoreOwner(application: applicationID, user: userID.rawValue))?.cache
    }
}
