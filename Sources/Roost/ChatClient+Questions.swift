// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore
import RoostWire

// Queries of the server for apps with a database of their own. The cache neither answers them nor
// learns from them.

/// One page of a change log: the changes since a moment.
public struct ChangeLog<Item: Hashable & Sendable, ID: Hashable & Sendable>: Hashable, Sendable {
    /// The objects that were added or changed, as they are now.
    public let updated: [Item]
    /// The identifiers of deleted objects.
    public let deleted: [ID]
    /// Whether another page follows.
    public let hasMore: Bool
    /// The start of the next page; store it together with this page, never before.
    public let token: String
}

/// The start of a change log.
public enum ChangeLogStart: Hashable, Sendable {
    /// `ChangeLog.token` of the page before. A server may refuse one that was stored for a while.
    case token(String)
    /// A time of the server's clock, such as that of the newest message at hand.
    case moment(Timestamp)
}

extension ChatClient {
    /// The user as of the last login; before the first one, an ID without a name.
    public var me: User {
        get async throws(RoostError) {
            try await userOfLastLogin ?? User(id: configuration.userID)
        }
    }

    /// The user as of the last login; nil before the first one.
    package var userOfLastLogin: User? {
        get async throws(RoostError) {
            if let user = await engine.read({ $0.session?.login.user }) { return user }
            return try await store.userOfLastLogin(configuration.userID)
        }
    }

    /// Sets the access token for the next login; the current connection goes on.
    public func use(token: String?) async { engine.performers.socket.use(token: token) }

    /// Returns the messages around a moment from the server, oldest first.
    ///
    /// Needs a connection.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - moment: A time of the server's clock; messages with exactly this time are returned all
    ///     or not at all.
    ///   - older: The number of messages before the moment, 0...200.
    ///   - newer: The number of messages after it, 0...200.
    ///   - includesMoment: Whether messages with exactly this time are included, beside both
    ///     numbers.
    ///   - filter: The selection of messages.
    /// - Returns: The messages.
    /// - Throws: `.connectionRequired`, a network error, or the server's refusal.
    public func fetchMessages(
        of channel: ChannelURL, around moment: Timestamp, older: Int = 0, newer: Int = 0,
        includesMoment: Bool = false, filter: MessageFilter = MessageFilter()
    ) async throws(RoostError) -> [Message] {
        try await ask(
            ListMessages(
                channelURL: channel, anchor: .time(moment), previousLimit: older,
                nextLimit: newer, includesAnchor: includesMoment, filter: filter)
        ).messages
    }

    /// Returns a message from the server.
    ///
    /// Needs a connection.
    ///
    /// - Throws: `.connectionRequired`, `.messageNotFound` (`.notFound` from other servers),
    ///   `.channelNotFound`, a network error, or another refusal of the server.
    public func fetchMessage(
        _ id: MessageID, in channel: ChannelURL
    ) async throws(RoostError) -> Message {
        try await inTime { () throws(RoostError) in
            do throws(RoostError) {
                return try await self.ask(GetMessage(channelURL: channel, messageID: id))
            } catch {
                guard error.code == .notFound else { throw error }
                // The number says only that something is missing: the message, or the channel.
                _ = try await self.channel(channel)
                throw error
            }
        }
    }

    /// Returns the edits and deletions in a channel since a moment, one page.
    ///
    /// Needs a connection.
    ///
    /// - Throws: `.connectionRequired`, a network error, or the server's refusal. `.invalidValue`:
    ///   the server does not know the token any more, such as after a crash or an upgrade; begin
    ///   with `.moment` of the oldest message that you keep.
    public func fetchMessageChanges(
        of channel: ChannelURL, since start: ChangeLogStart,
        filter: MessageFilter = .everything
    ) async throws(RoostError) -> ChangeLog<Message, MessageID> {
        let answer = try await ask(
            MessageChangeLog(
                channelURL: channel, cursor: ChangeLogCursor(start), filter: filter))
        return ChangeLog(
            updated: answer.updated, deleted: answer.deleted.map(\.id), hasMore: answer.hasMore,
            token: answer.next)
    }

    /// Returns the changes of the user's channels since a moment, one page; a channel that the user
    /// has left counts as deleted.
    ///
    /// Needs a connection.
    ///
    /// - Throws: `.connectionRequired`, a network error, or the server's refusal.
    public func fetchChannelChanges(
        since start: ChangeLogStart, customTypes: [String]? = nil
    ) async throws(RoostError) -> ChangeLog<GroupChannel, ChannelURL> {
        let answer = try await ask(
            ChannelChangeLog(
                userID: configuration.userID, cursor: ChangeLogCursor(start), showsEmpty: true,
                customTypes: customTypes))
        return ChangeLog(
            updated: answer.updated, deleted: answer.deleted, hasMore: answer.hasMore,
            token: answer.next)
    }
}

extension ChangeLogCursor {
    init(_ start: ChangeLogStart) {
        self =
            switch start {
            case .token(let token): .token(token)
            case .moment(let moment): .since(moment)
            }
    }
}

extension Configuration {
    /// The path of the cache's database, to which `-wal` adds its write-ahead log; nil in memory.
    package var cacheFile: String? {
        StoreLocation(cache).files(
            of: StoreOwner(application: applicationID, user: userID.rawValue))?.cache
    }
}
