// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The contents of a page about one user's cache, as plain values.
///
/// An encrypted cache that is read without its key has neither names nor texts in these values.
package struct CachePage: Equatable, Sendable {
    package struct Channel: Equatable, Sendable {
        /// The name that tells the channel from the others: its URL, or its row without the key.
        package var key: String
        /// The name that people gave the channel; nil if it has none or is encrypted.
        package var name: String?
        package var messageCount: Int
        package var byteCount: Int64
        /// The history from old to new, without a place between two parts.
        package var stretches: [Stretch]
        package var isPinned: Bool
        /// Whether a timeline of the channel is open.
        package var isOpen: Bool
        /// Whether an eviction takes the channel last: it is on a screen, or an inbox reads it.
        package var isInUse: Bool
        /// The place among the channels that an eviction takes, from 1; nil if it takes none of it.
        package var evictionPlace: Int?

        package init(
            key: String, name: String? = nil, messageCount: Int = 0, byteCount: Int64 = 0,
            stretches: [Stretch] = [], isPinned: Bool = false, isOpen: Bool = false,
            isInUse: Bool = false, evictionPlace: Int? = nil
        ) {
            self.key = key
            self.name = name
            self.messageCount = messageCount
            self.byteCount = byteCount
            self.stretches = stretches
            self.isPinned = isPinned
            self.isOpen = isOpen
            self.isInUse = isInUse
            self.evictionPlace = evictionPlace
        }
    }

    /// A part of a channel's history.
    package struct Stretch: Equatable, Sendable {
        package enum Kind: Equatable, Sendable {
            /// The cache has all messages.
            case range
            /// Messages may be missing.
            case hole(Reason)
        }

        package let kind: Kind
        package let from: Timestamp
        package let through: Timestamp
        /// The part of the drawing, in thousandths.
        package let share: Int
        /// A sentence about the size of a hole and the last attempt to fill it; nil without one.
        package let note: String?

        package init(
            _ kind: Kind, from: Timestamp, through: Timestamp, share: Int, note: String? = nil
        ) {
            self.kind = kind
            self.from = from
            self.through = through
            self.share = share
            self.note = note
        }
    }

    /// The reason for a hole.
    package enum Reason: Equatable, Sendable {
        case neverFetched
        case notPagedTo
        case betweenVisits
        case notCaughtUp
    }

    /// The channels that are left out.
    package struct Omitted: Equatable, Sendable {
        package var channelCount = 0
        package var messageCount = 0
        package var holeCount = 0

        package init() {}
    }

    /// An item of the outbox.
    package struct Item: Equatable, Sendable {
        package var kind: String
        /// The channel; nil in an encrypted outbox.
        package var channel: String?
        package var writtenAt: Timestamp
        /// The state and its reason, as a sentence.
        package var fate: String
        package var hasFailed: Bool
        package var attempts: Int
        /// The text; nil if there is none or it is not to be shown.
        package var text: String?

        package init(
            kind: String, channel: String?, writtenAt: Timestamp, fate: String,
            hasFailed: Bool = false, attempts: Int = 0, text: String? = nil
        ) {
            self.kind = kind
            self.channel = channel
            self.writtenAt = writtenAt
            self.fate = fate
            self.hasFailed = hasFailed
            self.attempts = attempts
            self.text = text
        }
    }

    package var user: String
    package var application: String
    package var folder: String?
    /// Whether the key of the cache is missing, so that only its structure can be read.
    package var isSealed: Bool
    package var usedBytes: Int64
    package var freeBytes: Int64
    package var outboxBytes: Int64?
    package var userCount: Int
    /// The size at which an eviction begins.
    package var limit: Int64
    package var channels: [Channel]
    package var omitted = Omitted()
    package var outbox: [Item]
    /// Sentences about damage, quarantined files and unreadable items.
    package var warnings: [String]
    /// The state of the client in a line; nil for files without a client.
    package var state: String?
    package var now: Timestamp
    package var journal: JournalChart?

    package init(
        user: String, application: String, folder: String? = nil, isSealed: Bool = false,
        usedBytes: Int64 = 0, freeBytes: Int64 = 0, outboxBytes: Int64? = nil, userCount: Int = 0,
        limit: Int64, channels: [Channel] = [], outbox: [Item] = [], warnings: [String] = [],
        state: String? = nil, now: Timestamp, journal: JournalChart? = nil
    ) {
        self.user = user
        self.application = application
        self.folder = folder
        self.isSealed = isSealed
        self.usedBytes = usedBytes
        self.freeBytes = freeBytes
        self.outboxBytes = outboxBytes
        self.userCount = userCount
        self.limit = limit
        self.channels = channels
        self.outbox = outbox
        self.warnings = warnings
        self.state = state
        self.now = now
        self.journal = journal
    }
}

extension CachePage.Reason {
    /// The reason in a few words.
    var words: String {
        switch self {
        case .neverFetched: "never fetched, or evicted"
        case .notPagedTo: "not paged to"
        case .betweenVisits: "between two visits"
        case .notCaughtUp: "not caught up"
        }
    }
}
