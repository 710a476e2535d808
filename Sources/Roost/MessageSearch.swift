// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore

/// A search for words in the cached messages and in those that wait in the outbox.
public struct MessageSearch: Hashable, Sendable {
    /// The order of the results.
    public enum Order: Hashable, Sendable {
        /// Newest first.
        case newest
        /// Best match first: frequent occurrence and rare words count; equal matches newest first.
        ///
        /// Words that wait in the outbox stand before all others.
        case relevance
    }

    /// The words, as a user types them.
    ///
    /// All words must occur; the last one may be incomplete. Quotation marks keep words together,
    /// and a minus excludes the word behind it. Every input is valid.
    public var words: String
    /// The channels to search; nil for all.
    public var channels: [ChannelURL]?
    /// The senders whose messages are searched; nil for all messages, those without a sender
    /// included.
    public var senders: [UserID]?
    /// The period to search, both ends included.
    public var period: ClosedRange<Timestamp>
    /// The order of the results.
    public var order: Order
    /// The number of results of a page; at least 1.
    public var limit: Int
    /// The approximate number of characters of each snippet; at least 1.
    public var snippetLength: Int
    /// The last result of the page before.
    private var last: SearchHit?

    /// Creates a search; by default in all channels, newest first.
    public init(
        _ words: String, in channels: [ChannelURL]? = nil, by senders: [UserID]? = nil,
        period: ClosedRange<Timestamp> = .distantPast ... .distantFuture, order: Order = .newest,
        limit: Int = 20, snippetLength: Int = 120
    ) {
        self.words = words
        self.channels = channels
        self.senders = senders
        self.period = period
        self.order = order
        self.limit = limit
        self.snippetLength = snippetLength
    }
}

/// One page of search results.
public struct MessageSearchPage: Hashable, Sendable {
    /// A message with the part that matches.
    public struct Match: Hashable, Sendable {
        /// The message.
        public let message: Message
        /// A line or two of the message's text, caption, file names or poll.
        public let snippet: String
        /// The matches in the snippet: ranges of whole characters, in order, without overlaps.
        public let highlights: [Range<String.Index>]
        /// Whether text of the message precedes the snippet.
        public let isCutBefore: Bool
        /// Whether text of the message follows the snippet.
        public let isCutAfter: Bool
    }

    /// A period of a channel in which the search may have missed messages.
    public struct UnseenPeriod: Hashable, Sendable {
        /// The reason why messages were not searched.
        public enum Reason: Hashable, Sendable {
            /// The cache lacks these messages; paging there fetches them.
            case notCached
            /// The index is being built and has not reached these messages; repeat the search
            /// later.
            case notIndexed
        }

        /// The channel.
        public let channel: ChannelURL
        /// The start of the period; `.distantPast` if it reaches to the unknown beginning of the
        /// channel.
        public let from: Timestamp
        /// The end of the period; `.distantFuture` if it reaches to the newest messages.
        public let through: Timestamp
        /// The reason.
        public let reason: Reason
    }

    /// The results, in the order of the search.
    public let matches: [Match]
    /// The periods that were not searched; if empty, there are no other matches.
    public let unseen: [UnseenPeriod]
    /// The search for the next page; nil at the end.
    public let next: MessageSearch?
}

extension ChatClient {
    /// Returns messages on this device by their words, in any language, without a connection.
    ///
    /// The search reads on a connection of its own, so lists and timelines do not wait for it. The
    /// newest messages of a channel are complete while the client is connected and the channel is
    /// caught up.
    ///
    /// It finds unsent messages, by the device's time of their calls; newest first they precede all
    /// others. A message whose edit waits is found by its new text and not by the old one, and one
    /// whose deletion waits is not found. No index on disk gets these texts.
    ///
    /// - Throws: `.localDatabaseError` if the disk refuses, or if SQLite was built without
    ///   full-text search. `.invalidParameter` for a limit or a length below 1. `.channelNotFound`
    ///   if the server has said that one of the channels does not exist.
    public func search(_ search: MessageSearch) async throws(RoostError) -> MessageSearchPage {
        guard search.limit > 0, search.snippetLength > 0 else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "A search asks for one message and one character at least.")
        }
        // Before the disk is read: it then has every message up to these ends.
        let showsWaiting = configuration.showsWaitingChanges
        let (liveEnds, hasUnknown, waiting) = await engine.read { state in
            (
                state.session?.liveEnds ?? [:],
                search.channels?.contains { state.unknownChannels.contains($0) } ?? false,
                showsWaiting ? WaitingWords(state.outbox) : WaitingWords()
            )
        }
        if hasUnknown { throw .unknownChannel }
        var question = search.question
        question.liveEnds = liveEnds
        question.waiting = waiting
        let answer = try await readAtLength { [question] reader throws(StoreError) in
            try await reader.search(question)
        }
        return MessageSearchPage(answer, search)
    }
}

extension WaitingWords {
    fileprivate init(_ outbox: Outbox) {
        self.init(
            unsent: outbox.unsentInOrder.map { Unsent(sequence: $0, message: $1) },
            marks: outbox.messageMarks)
    }
}

extension MessageSearch {
    fileprivate var question: SearchQuestion {
        SearchQuestion(
            words, in: channels, by: senders, from: period.lowerBound, through: period.upperBound,
            order: order == .newest ? .newest : .relevance, after: last, limit: limit,
            excerptLength: snippetLength)
    }

    fileprivate func after(_ hit: SearchHit) -> MessageSearch {
        var next = self
        next.last = hit
        return next
    }
}

extension MessageSearchPage {
    fileprivate init(_ answer: SearchAnswer, _ search: MessageSearch) {
        matches = answer.found.map { Match($0) }
        unseen =
            switch answer.sight {
            case .complete: []
            case .partial(let periods): periods.map { UnseenPeriod($0) }
            }
        next = answer.next?.after.map { search.after($0) }
    }
}

extension MessageSearchPage.Match {
    fileprivate init(_ found: FoundMessage) {
        message = found.message
        let snippet = found.excerpt?.snippet
        let text = snippet?.text ?? found.message.text
        self.snippet = text
        highlights = (snippet?.highlights ?? []).map { bytes in
            let start = text.utf8.index(text.startIndex, offsetBy: bytes.lowerBound)
            return start..<text.utf8.index(start, offsetBy: bytes.count)
        }
        isCutBefore = snippet?.isCutBefore ?? false
        isCutAfter = snippet?.isCutAfter ?? false
    }
}

extension MessageSearchPage.UnseenPeriod {
    fileprivate init(_ period: RoostCore.UnseenPeriod) {
        channel = period.channel
        from = period.from
        through = period.through
        reason =
            switch period.reason {
            case .notCached: .notCached
            case .notIndexed: .notIndexed
            }
    }
}
