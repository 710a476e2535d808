// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The times that a server's message may have. What lies outside is a mistake or an attack: as a place in the
// cache it would stand at an end for ever and hide the messages between.

extension Timestamp {
    package static let earliestOfMessages = Timestamp(milliseconds: 0)
    /// The last millisecond of the year 9999.
    package static let latestOfMessages = Timestamp(milliseconds: 253_402_300_799_999)

    /// Whether a server's message may be of this time.
    package var isOfMessages: Bool {
        self >= Self.earliestOfMessages && self <= Self.latestOfMessages
    }
}

extension Message {
    /// Whether the server's times of this message are possible, so that it may be stored.
    package var hasPossibleTimes: Bool {
        createdAt.isOfMessages && updatedAt?.isOfMessages ?? true
    }
}
