// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Something the server said, to be written down.
///
/// Mutations of one commit happen together or not at all, in their order. Each may come twice, late, or
/// by several ways: what is known already changes nothing (scar 54).
package enum Mutation: Hashable, Sendable {
    /// Channels as they are now; adds them or replaces what was known.
    case channels([GroupChannel])
    /// A channel is no longer mine: it goes, with its messages, its coverage and its cursor.
    case removeChannel(ChannelURL)
    /// A page of a channel's messages, in any order.
    ///
    /// `covering` is the stretch the server stated to be whole, nil when it stated none. A message that
    /// lies neither there nor in what was covered before is not kept: the cache would claim to know
    /// what stands around it. A page that was asked for under a filter covers that filter only.
    case messages(
        ChannelURL, [Message], covering: CoveredRange?, under: MessageFilter = .everything)
    /// A message that came live, and the one the server named as right before it.
    case liveMessage(Message, predecessor: MessageID?)
    /// A message as it is now; lands only where the cache has it.
    case edited(Message)
    /// One person's emoji on a message came or went; lands only where the cache has the message.
    case reacted(ChannelURL, MessageID, ReactionChange)
    /// What a message's replies amount to now; an older state than the known one changes nothing.
    case replied(ChannelURL, MessageID, ThreadInfo)
    /// What became of the poll that a message carries; lands only where the cache has the message.
    case polled(ChannelURL, MessageID, PollChange)
    /// Messages that are gone; what is known around them stays known.
    case deleted(ChannelURL, [MessageID])
    /// What a live event means for a channel that is known.
    case channelNews(ChannelURL, ChannelNews)
    /// Forgets a channel's messages and coverage, not the channel and not its cursor (R120).
    ///
    /// The journal does not list them: a message is where something is covered, so `coverageAfter`
    /// says that they are gone. The same holds for a removed channel.
    case clearMessages(ChannelURL)
    /// Forgets a channel's messages through a moment, because the cache is too large; what it forgets is
    /// not known any more, and may be fetched again.
    case evicted(ChannelURL, through: Timestamp)
    /// Forgets the messages of a channel that cannot be read; their places are not known any more, and are
    /// asked for again.
    case unreadable(ChannelURL)
    /// Forgets what is cached of a stretch, and that anything is known of it; what the same commit says of it
    /// takes its place, and only what is different then is told.
    case forgotten(ChannelURL, CoveredRange)
    /// Forgets what stands at or before a moment, for good: a history was reset, or a retention has
    /// passed. Copies of such messages that come later are not kept.
    case historyCut(ChannelURL, through: Timestamp)
    /// Somebody looked at a channel's messages: the budget evicts those last that were seen last (R122).
    case accessed(ChannelURL, at: Timestamp)
    /// A pinned channel is never evicted.
    case pinned(ChannelURL, Bool)
    /// Forgets everything: channels, messages, cursors, users and the session, not the outbox (scar 35).
    case clearAll
    /// How far a change log has been read: belongs into the commit of what it told (scars 6, 7).
    case cursor(CursorKey, Cursor)
    /// Where a change log is to be read from, unless that is known: belongs into each commit that brings
    /// something the log tells about, or what becomes of it is never asked for.
    case firstCursor(CursorKey, Cursor)
    /// Forgets a cursor that the server no longer accepts.
    case removeCursor(CursorKey)
    /// Users as they are now, in full; messages and members show them at once.
    case users([User])
    /// The last login, in the caller's own words; nil forgets it.
    case session([UInt8]?)

    /// The channel whose messages it touches.
    package var channelOfMessages: ChannelURL? {
        switch self {
        case .removeChannel(let channel), .messages(let channel, _, _, _),
            .deleted(let channel, _), .clearMessages(let channel), .historyCut(let channel, _),
            .evicted(let channel, _), .unreadable(let channel),
            .forgotten(let channel, _), .reacted(let channel, _, _),
            .replied(let channel, _, _),
            .polled(let channel, _, _):
            channel
        case .liveMessage(let message, _), .edited(let message): message.channelURL
        case .channels, .channelNews, .clearAll, .cursor, .firstCursor,
            .removeCursor, .users, .session,
            .accessed, .pinned:
            nil
        }
    }

    /// Whether it says anything of a channel.
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
