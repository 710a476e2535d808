// SPDX-License-Identifier: Apache-2.0

/// The place of a message in its channel: the server's time, then the ID.
struct Position: Comparable, Hashable, Sendable {
    var createdAt: Int64
    var id: Int64

    /// The place before all messages, and the one behind all of them.
    static let first = Position(createdAt: .min, id: .min)
    static let last = Position(createdAt: .max, id: .max)

    static func < (one: Position, other: Position) -> Bool {
        (one.createdAt, one.id) < (other.createdAt, other.id)
    }
}

extension HistoryMessage {
    var position: Position { Position(createdAt: createdAt, id: id) }
}
