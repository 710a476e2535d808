// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostStore

/// What is looked for in the words of the cached messages.
public struct MessageSearch: Hashable, Sendable {
    public enum Order: Hashable, Sendable {
        case newest
        /// Those first in which the words stand most often, the seldom words before the frequent ones; equal
        /// ones newest first.
        case relevance
    }

    /// What a person types.
    ///
    /// All words are wanted, the last one may be unfinished, quotation marks keep words together, a minus
    /// before one excludes it. Nothing that can be typed is an error.
    public var words: String
    /// Only in these channels; nil in all.
    public var channels: [ChannelURL]?
    /// Only by these users; nil by anybody, and by nobody.
    public var senders: [UserID]?
    /// The earliest and the latest moment, both included.
    public var period: ClosedRange<Timestamp>
    public var order: Order
    /// Messages of a page; at least one.
    public var limit: Int
    /// About how many characters of each message are shown around what was found; at least one.
    public var snippetLength: Int
    /// Where the page before this one ended.
    private var last: SearchHit?

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

/// One page of messages that were found.
public struct MessageSearchPage: Hashable, Sendable {
    /// A message, and what of it was found.
    public struct Match: Hashable, Sendable {
        public let message: Message
        /// A line or two of the message's words: its text or caption, the names of its files, its poll.
        public let snippet: String
        /// What was found in the snippet: whole characters, in order, apart.
        public let highlights: [Range<String.Index>]
        /// Words of the message stand before the snippet.
        public let isCutBefore: Bool
        /// Words of the message stand after the snippet.
        public let isCutAfter: Bool
    }

    /// A period of one channel in which there may be messages that the search has not seen.
    public struct UnseenPeriod: Hashable, Sendable {
        public enum Reason: Hashable, Sendable {
            /// The cache does not have these messages; paging there fetches them.
            case notCached
            /// The index of words is being made and has not come this far; ask again later.
            case notIndexed
        }

        public let channel: ChannelURL
        /// `.distantPast` when it reaches to the unknown beginning of the channel.
        public let from: Timestamp
        /// `.distantFuture` when it reaches to whatever was written last.
        public let through: Timestamp
        public let reason: Reason
    }

    public let matches: [Match]
    /// Empty when every message of the channels and the period was looked at: then what was not found is
    /// not there.
    public let unseen: [UnseenPeriod]
    /// What to ask for the next page; nil when this is the last.
    public let next: MessageSearch?
}

extension ChatClient {
    /// Finds messages on this device by their words, in any language, without asking the server.
    ///
    /// It reads on a connection of its own: lists and timelines do not wait for it.
    ///
    /// - Throws: `.localDatabaseError` when the disk refuses, or SQLite was built without full-text search;
    ///   `.invalidParameter` for a limit or a length below one.
    public func search(_ search: MessageSearch) async throws(RoostError) -> MessageSearchPage {
        guard search.limit > 0, search.snippetLength > 0 else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "A search asks for one message and one character at least.")
        }
        do {
            // The last one, so that a long search holds up nobody who reads a page.
            let reader = store.readers[store.readers.count - 1]
            return MessageSearchPage(try await reader.search(search.question).value, search)
        } catch {
            throw RoostError(error)
        }
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
