// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostWire

extension JSONValue {
    /// Returns the result of a search: the messages, and the periods that it could not see.
    package static func found(_ page: MessageSearchPage) -> JSONValue {
        [
            "matches": .array(page.matches.map { .match($0) }), "has_more": .bool(page.next != nil),
            "unseen": .array(page.unseen.map { .unseen($0) }),
        ]
    }

    private static func match(_ match: MessageSearchPage.Match) -> JSONValue {
        [
            "channel": .string(match.message.channelURL.rawValue),
            "message": .message(match.message), "snippet": .string(match.snippet),
        ]
    }

    private static func unseen(_ period: MessageSearchPage.UnseenPeriod) -> JSONValue {
        let reason =
            switch period.reason {
            case .notCached: "not_cached"
            case .notIndexed: "not_indexed"
            }
        return [
            "channel": .string(period.channel.rawValue),
            "from": period.from == .distantPast ? .null : .int(period.from.milliseconds),
            "through": period.through == .distantFuture ? .null : .int(period.through.milliseconds),
            "reason": .string(reason),
        ]
    }
}
