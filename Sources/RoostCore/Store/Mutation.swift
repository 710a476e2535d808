// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A statement of the server as a change of the store.
///
/// The mutations of one commit happen together or not at all, in order. Each may come twice, late,
/// or in several ways: known data change nothing (scar 54).
package enum Mutation: Equatable, Codable, Sendable {
    /// Channels in their present state, added or replaced.
    case channels([GroupChannel])
    /// A channel that the user has left or lost: removed with its messages, its coverage and its
    /// cursor.
    case removeChannel(ChannelURL)
    /// A page of a channel's messages, in any order.
    ///
    /// `covering` is the stretch that the server stated to be complete, nil without a statement. A
    /// message outside this stretch and the earlier coverage is not stored, because the cache would
    /// claim to know its neighbours. A page requested under a filter covers that filter only.
    case messages(
        ChannelURL, [Message], covering: CoveredRange?, under: MessageFilter = .everything)
    /// A live message, and the message that the server named as its predecessor.
    case liveMessage(Message, predecessor: MessageID?)
    /// A message in its present state; stored only if the cache has the message.
    case edited(Message)
    /// One user's reaction added to or removed from a message; stored only if the cache has the
    /// message. A late change is new although the emoji's entry is newer.
    case reacted(ChannelURL, MessageID, ReactionChange, isLate: Bool = false)
    /// The present thread info of a message; an older state than the known one changes nothing.
    case replied(ChannelURL, MessageID, ThreadInfo)
    /// A change of a message's poll; stored only if the cache has the message.
    case polled(ChannelURL, MessageID, PollChange)
    /// Deleted messages; the coverage around them stays.
    case deleted(ChannelURL, [MessageID])
    /// The effect of a live event on a known channel.
    case channelNews(ChannelURL, ChannelNews)
    /// Removes a channel's messages and coverage, not the channel and not its cursor (R120).
    ///
    /// The journal does not list the messages: a message lies in a covered range, so
    /// `coverageAfter` shows that they are gone. The same holds for a removed channel.
    case clearMessages(ChannelURL)
    /// Removes a channel's messages and coverage through a moment, because the cache is too large;
    /// they may be fetched again.
    ///
    /// An eviction is the only mutation of its commit.
    case evicted(ChannelURL, through: Timestamp)
    /// Removes the unreadable messages of a channel; their places are no longer covered, and are
    /// fetched again.
    case unreadable(ChannelURL)
    /// Removes the messages and the coverage of a stretch.
    ///
    /// Other mutations of the commit replace them, and only the differences are reported.
    case forgotten(ChannelURL, CoveredRange)
    /// Removes the messages at or before a moment for good: a history was reset, or a retention has
    /// passed.
    ///
    /// Later copies of such messages are not stored.
    case historyCut(ChannelURL, through: Timestamp)
    /// Notes the opening of a channel's messages: the budget evicts the most recently opened ones
    /// last (R122).
    case accessed(ChannelURL, at: Timestamp)
    /// Pins or unpins a channel; a pinned channel is never evicted.
    case pinned(ChannelURL, Bool)
    /// Removes everything: channels, messages, cursors and users, not the outbox (scar 35).
    case clearAll
    /// The place up to which a change log has been read; part of the commit with the log's changes
    /// (scars 6, 7).
    case cursor(CursorKey, Cursor)
    /// The place from which a change log has to be read, unless there is one.
    ///
    /// It is part of each commit with data of the log, or their later changes would never be
    /// requested.
    case firstCursor(CursorKey, Cursor)
    /// Removes a cursor that the server no longer accepts.
    case removeCursor(CursorKey)
    /// Users in their present state; messages and members show them at once.
    case users([User])

    /// The channel whose messages the mutation changes.
    package var channelOfMessages: ChannelURL? {
        switch self {
        case .removeChannel(let channel), .messages(let channel, _, _, _),
            .deleted(let channel, _), .clearMessages(let channel), .historyCut(let channel, _),
            .evicted(let channel, _), .unreadable(let channel),
            .forgotten(let channel, _), .reacted(let channel, _, _, _),
            .replied(let channel, _, _),
            .polled(let channel, _, _):
            channel
        case .liveMessage(let message, _), .edited(let message): message.channelURL
        case .channels, .channelNews, .clearAll, .cursor, .firstCursor,
            .removeCursor, .users, .accessed, .pinned:
            nil
        }
    }

    /// Returns whether the mutation concerns a channel.
    package func concerns(_ url: ChannelURL) -> Bool {
        switch self {
        case .channels(let channels): channels.contains { $0.url == url }
        case .channelNews(let channel, _), .accessed(let channel, _), .pinned(let channel, _):
            channel == url
        case .cursor(let key, _), .firstCursor(let key, _), .removeCursor(let key):
            key.channel == url
        default: channelOfMessages == url
        }
    }
}
