// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

/// The cached messages of one channel on one device, as the invariants read them.
///
/// In full worlds a `Mirror` of the commits has them, in core worlds the `ReferenceStore`. So one
/// set of invariants checks both.
protocol HeldHistory {
    /// The coverage without a filter.
    var coverage: Coverage { get }
    /// Returns a cached message; nil if the cache lacks it.
    func glimpse(of id: MessageID) -> Glimpse?
    /// Returns the messages between two positions, both included, oldest first.
    func glimpses(from lower: Position, through upper: Position) -> [Glimpse]
    /// Whether the coverage, under any filter that the message matches, includes a message.
    func covers(_ glimpse: Glimpse) -> Bool
}

/// A delivered message, compared by the parts that a cache has to keep equal to the server's.
struct Glimpse: Hashable, Sendable, CustomStringConvertible {
    let place: Position
    let message: Message

    init?(_ message: Message) {
        guard let place = message.position else { return nil }
        self.place = place
        self.message = message
    }

    var text: String { message.text }
    var updatedAt: Timestamp? { message.updatedAt }
    private var reactions: [String: Set<UserID>] {
        Dictionary(
            (message.details.reactions ?? []).map { ($0.key, Set($0.userIDs)) },
            uniquingKeysWith: { first, _ in first })
    }
    private var replyCount: Int { message.details.threadInfo?.replyCount ?? 0 }

    /// Compares place, time of edit, text, custom type, reactions and the number of replies.
    ///
    /// The order of a reaction's users does not count, and missing reactions equal an empty list.
    static func == (left: Glimpse, right: Glimpse) -> Bool {
        guard
            left.place == right.place && left.updatedAt == right.updatedAt
                && left.text == right.text && left.message.customType == right.message.customType
        else { return false }
        if left.message.hasNoDetails, right.message.hasNoDetails { return true }
        return left.replyCount == right.replyCount
            && (left.message.details.reactions == right.message.details.reactions
                || left.reactions == right.reactions)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(place) }

    /// Describes the first difference of two lists.
    static func difference(of shown: [Glimpse], from expected: [Glimpse]) -> String {
        let index = zip(shown, expected).prefix { $0 == $1 }.count
        func name(_ list: [Glimpse]) -> String {
            index < list.count ? list[index].description : "the end"
        }
        return "\(name(shown)) instead of \(name(expected))"
    }

    var description: String {
        "\(place) “\(text)”" + (updatedAt.map { " edited \($0)" } ?? "")
            + (message.customType.isEmpty ? "" : " as \(message.customType)")
            + (replyCount == 0 ? "" : " with \(replyCount) replies")
            + (reactions.isEmpty ? "" : " \(reactions)")
    }
}
