// SPDX-License-Identifier: Apache-2.0

/// The place of a delivered message in its channel: the server's time, then the server's ID.
///
/// Ties in time are legal; the pair is unique, so paging by position loses nothing (scar 24).
public struct Position: Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
    public let createdAt: Timestamp
    public let messageID: MessageID

    public init(createdAt: Timestamp, messageID: MessageID) {
        self.createdAt = createdAt
        self.messageID = messageID
    }

    /// Before every message; a covered range that begins here knows the start of history.
    public static let distantPast = Position(createdAt: .distantPast, messageID: MessageID(.min))
    /// After every message.
    public static let distantFuture = Position(
        createdAt: .distantFuture, messageID: MessageID(.max))

    public var description: String {
        switch self {
        case .distantPast: "start"
        case .distantFuture: "end"
        default: "\(createdAt)/\(messageID)"
        }
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.createdAt, left.messageID) < (right.createdAt, right.messageID)
    }
}
