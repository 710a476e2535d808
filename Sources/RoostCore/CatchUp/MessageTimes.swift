// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The valid times of a server's message. Others are a mistake or an attack: as positions in the
// cache they would be at an end for ever and hide the messages between.

extension Timestamp {
    package static let earliestOfMessages = Timestamp(milliseconds: 0)
    /// The last millisecond of the year 9999.
    package static let latestOfMessages = Timestamp(milliseconds: 253_402_300_799_999)

    /// Whether a server's message may have this time.
    package var isOfMessages: Bool {
        self >= Self.earliestOfMessages && self <= Self.latestOfMessages
    }
}

extension Message {
    /// Whether the server's times of this message are valid, so that it may be stored.
    package var hasPossibleTimes: Bool {
        createdAt.isOfMessages && updatedAt?.isOfMessages ?? true
    }
}
