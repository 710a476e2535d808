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

    /// Returns a part of a history that the disk lacks.
    package static func hole(_ hole: HistoryHole) -> JSONValue {
        let reason =
            switch hole.reason {
            case .neverFetched: "never_fetched"
            case .notPagedTo: "not_paged_to"
            case .betweenVisits: "between_visits"
            case .notCaughtUp: "not_caught_up"
            }
        let (least, most): (Int?, Int?) =
            switch hole.size {
            case .exactly(let count): (count, count)
            case .atLeast(let count): (count, nil)
            case .atMost(let count): (nil, count)
            case .unknown: (nil, nil)
            }
        return [
            "from": hole.from == .distantPast ? .null : .int(hole.from.milliseconds),
            "through": hole.through == .distantFuture ? .null : .int(hole.through.milliseconds),
            "reason": .string(reason), "at_least": least.map { .int(Int64($0)) } ?? .null,
            "at_most": most.map { .int(Int64($0)) } ?? .null,
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
