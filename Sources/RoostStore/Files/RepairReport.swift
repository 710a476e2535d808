// SPDX-License-Identifier: Apache-2.0

/// The state in which a database of the store was found; an app tells its users of anything but `.intact`.
package enum RepairReport: Hashable, Sendable {
    case intact
    /// The file was damaged, and its readable content is in a new one.
    ///
    /// The damaged files of the outbox stay at `setAside`, whole. Those of the cache stay until the next repair.
    /// The path is nil where they are deleted: files in the clear beside a sealed store.
    case repaired(setAside: String?, because: String, saved: SavedContent)
    /// The file was missing though there had been one, and was made anew; the number of lost items is unknown.
    case gone
}

/// The content that a repair carried over, and the losses that it knows of.
package struct SavedContent: Hashable, Sendable {
    /// Channels of a cache; an outbox has none.
    package internal(set) var channels = 0
    /// Messages of a cache, or items of an outbox.
    package internal(set) var messages = 0
    /// Items of an outbox that were there and could not be read; nil where the number is unknown.
    ///
    /// Of a cache 0, if all of it came over, or nil.
    package internal(set) var lost: Int? = 0

    package init(channels: Int = 0, messages: Int = 0, lost: Int? = 0) {
        (self.channels, self.messages, self.lost) = (channels, messages, lost)
    }

    /// Whether nothing is known or feared to be lost.
    package var isWhole: Bool { lost == 0 }
}
