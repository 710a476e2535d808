// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension Position {
    /// The position right after this one, with no message between the two.
    ///
    /// Stays at `.distantFuture`.
    package var next: Position {
        if messageID.rawValue < .max {
            return Position(createdAt: createdAt, messageID: messageID.next)
        }
        guard createdAt < .distantFuture else { return self }
        return Position(
            createdAt: createdAt.advanced(by: 1),
            messageID: MessageID(.min))
    }

    /// The position right before this one, with no message between the two.
    ///
    /// Stays at `.distantPast`.
    package var previous: Position {
        if messageID.rawValue > .min {
            return Position(createdAt: createdAt, messageID: messageID.previous)
        }
        guard createdAt > .distantPast else { return self }
        return Position(
            createdAt: createdAt.advanced(by: -1),
            messageID: MessageID(.max))
    }
}
