// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel

/// A search in the words of the cached messages.
package struct SearchQuestion: Equatable, Sendable {
    /// The query as the user typed it, see `TypedQuery`.
    ///
    /// A query without a word has no hits.
    package var typed: String
    /// The channels to search; nil for all channels of the cache.
    package var channels: [ChannelURL]?
    /// The senders to search; nil for all messages, including those without a sender.
    package var senders: [UserID]?
    /// Both ends included.
    package var from: Timestamp
    package var through: Timestamp
    package var order: SearchRequest.Order
    /// The last hit of the page before.
    package var after: SearchHit?
    package var limit: Int
    /// The approximate length of each hit's excerpt in characters; nil for none, which is faster.
    package var excerptLength: Int?
    /// The ends of the channels that are caught up on the present connection, as they were before
    /// the search.
    ///
    /// The newest messages of all other channels count as unseen.
    package var liveEnds: [ChannelURL: Position]
    /// The contents of the outbox that are searched, too.
    package var waiting: WaitingWords

    package init(
        _ typed: String, in channels: [ChannelURL]? = nil, by senders: [UserID]? = nil,
        from: Timestamp = .distantPast, through: Timestamp = .distantFuture,
        order: SearchRequest.Order = .newest, after: SearchHit? = nil, limit: Int = 20,
        excerptLength: Int? = 120, liveEnds: [ChannelURL: Position] = [:],
        waiting: WaitingWords = WaitingWords()
    ) {
        self.typed = typed
        self.channels = channels
        self.senders = senders
        self.from = from
        self.through = through
        self.order = order
        self.after = after
        self.limit = limit
        self.excerptLength = excerptLength
        self.liveEnds = liveEnds
        self.waiting = waiting
    }

    /// Returns whether a message is in the channels, of the senders and of the time to search.
    func selects(_ message: Message) -> Bool {
        channels?.contains(message.channelURL) ?? true
            && senders.map { $0.contains { $0 == message.sender?.user.id } } ?? true
            && from <= message.createdAt && message.createdAt <= through
    }
}

/// The words that wait in the outbox.
///
/// They are compared in memory, and no index gets them.
package struct WaitingWords: Equatable, Sendable {
    /// An unsent message.
    package struct Unsent: Equatable, Sendable {
        /// The number in the order of writing.
        package let sequence: Int64
        package let message: Message

        package init(sequence: Int64, message: Message) {
            self.sequence = sequence
            self.message = message
        }
    }

    package var unsent: [Unsent]
    /// The waiting changes of the cached messages.
    package var marks: [ChannelURL: MessageMarks]

    package init(unsent: [Unsent] = [], marks: [ChannelURL: MessageMarks] = [:]) {
        self.unsent = unsent
        self.marks = marks
    }

    /// Returns a message with its waiting changes; nil if they delete it.
    func shown(_ message: Message) -> Message? {
        guard let marks = marks[message.channelURL] else { return message }
        return marks.shown(message)
    }

    /// The number of cached messages that may be found no more.
    var changedCount: Int {
        marks.values.reduce(unsent.count) { $0.addingSaturated($1.count) }
    }
}

/// A hit.
package struct FoundMessage: Equatable, Sendable {
    package let message: Message
    /// The hit's place in the order; the next page begins after it.
    package let hit: SearchHit
    /// Nil if no excerpts were requested.
    package let excerpt: SearchExcerpt?
}

/// The part of a message that matches, with its surroundings.
package struct SearchExcerpt: Equatable, Sendable {
    /// A text of the message and the matches in it.
    package struct Marked: Equatable, Sendable {
        package let place: SearchedText
        /// The matches as ranges of bytes in the text's `utf8`: whole characters, in order, not
        /// adjacent.
        package let highlights: [Range<Int>]
    }

    /// One or two lines of `Message.searchableText`, for display.
    package let snippet: SearchSnippet
    /// The texts with a match.
    package let marked: [Marked]
}

/// One page of hits, and the extent of the searched part.
package struct SearchAnswer: Sendable {
    package let found: [FoundMessage]
    /// The progress of indexing.
    package let index: SearchIndex.State
    let searched: [SearchedChannel]
    let question: SearchQuestion

    /// Whether the cache has a channel to search at all.
    package var hasChannels: Bool { !searched.isEmpty }

    /// Whether the cache has any history of the searched channels.
    package var hasHistory: Bool { searched.contains { !$0.coverage.ranges.isEmpty } }

    /// Whether the absence of a hit is certain; otherwise the periods that were not searched.
    ///
    /// - Complexity: Reads the coverage of every searched channel.
    package var sight: SearchSight {
        let channels =
            question.liveEnds.isEmpty
            ? searched
            : searched.map { channel in
                var channel = channel
                channel.liveEnd = question.liveEnds[channel.url]
                return channel
            }
        return SearchSight(of: channels, from: question.from, through: question.through)
    }

    /// The query for the next page; nil if this one is the last.
    package var next: SearchQuestion? {
        guard let last = found.last, found.count >= question.limit else { return nil }
        var next = question
        next.after = last.hit
        return next
    }
}
