// SPDX-License-Identifier: Apache-2.0

/// The place of a delivered message in its channel: the server's time, then the server's ID.
///
/// Several messages may have the same time. The pair is unique, so paging by position loses none.
public struct Position: Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
    /// The time of the message by the server's clock.
    public let createdAt: Timestamp
    /// The ID of the message.
    public let messageID: MessageID

    /// Creates a position.
    public init(createdAt: Timestamp, messageID: MessageID) {
        self.createdAt = createdAt
        self.messageID = messageID
    }

    /// The position before every message; a covered range that begins here includes the start of
    /// history.
    public static let distantPast = Position(createdAt: .distantPast, messageID: MessageID(.min))
    /// The position after every message.
    public static let distantFuture = Position(
        createdAt: .distantFuture, messageID: MessageID(.max))

    /// The time and the ID, for logs.
    public var description: String {
        switch self {
        case .distantPast: "start"
        case .distantFuture: "end"
        default: "\(createdAt)/\(messageID)"
        }
    }

    /// Orders by time, then by ID.
    public static func < (left: Self, right: Self) -> Bool {
        (left.createdAt, left.messageID) < (right.createdAt, right.messageID)
    }
}
