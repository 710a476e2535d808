// SPDX-License-Identifier: Apache-2.0

/// The state of a database at its opening; an app informs its users of every state but `.intact`.
package enum RepairReport: Hashable, Sendable {
    case intact
    /// The file was damaged, and its readable content is in a new one.
    ///
    /// The damaged files of the outbox are kept at `quarantine`. Those of the cache are kept until
    /// the next repair. The path is nil if the files were deleted because they were plaintext
    /// beside an encrypted store.
    case repaired(quarantine: String?, because: String, saved: SavedContent)
    /// The file was missing although the store had one before, and a new one was made; the loss is
    /// unknown.
    case gone
}

/// The content saved by a repair, and the known losses.
package struct SavedContent: Hashable, Sendable {
    /// The channels of a cache; an outbox has none.
    package internal(set) var channels = 0
    /// The messages of a cache, or the items of an outbox.
    package internal(set) var messages = 0
    /// The unreadable items of an outbox; nil if the number is unknown.
    ///
    /// For a cache: 0 if all content was saved, nil otherwise.
    package internal(set) var lost: Int? = 0

    package init(channels: Int = 0, messages: Int = 0, lost: Int? = 0) {
        (self.channels, self.messages, self.lost) = (channels, messages, lost)
    }

    /// Whether the repair certainly saved everything.
    package var isWhole: Bool { lost == 0 }
}
