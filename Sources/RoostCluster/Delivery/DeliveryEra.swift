// SPDX-License-Identifier: Apache-2.0

package import RoostPostgres
package import RoostServer

/// The era of the database whose numbers the delivery of one server goes by.
///
/// Numbers of transactions have an order within an era only. So a notice of another era waits
/// until a sweep has seen that era. A former primary that still answers has a lower timeline, and is
/// ignored.
package struct DeliveryEra: Sendable {
    /// The meaning of an answer's era.
    package enum Verdict: Equatable, Sendable {
        /// The answer's numbers go on from the known ones.
        case known
        /// The numbers begin anew.
        case new
        /// The answer comes from a former primary.
        case former
    }

    /// The most notices of another era that wait; sweeps find the changes of more.
    package static let heldLimit = 1_000
    /// The era that sweeps have seen last; nil if it is unknown.
    package private(set) var era: PostgresEra?
    private var held: [Notice] = []

    package init(_ era: PostgresEra?) { self.era = era }

    /// Judges the era of a sweep's answer.
    package func judge(_ seen: PostgresEra?) -> Verdict {
        guard seen != era else { return .known }
        guard let era, let seen, seen.timeline < era.timeline else { return .new }
        return .former
    }

    /// Begins a new era.
    ///
    /// - Returns: The notices of it that have waited.
    package mutating func enter(_ era: PostgresEra?) -> [(notice: Notice, place: LogPlace)] {
        self.era = era
        defer { held = [] }
        return held.compactMap { notice in
            notice.place.flatMap { isKnown($0) ? (notice, $0) : nil }
        }
    }

    /// Whether a place has the numbers of the known era; servers of an earlier version name none.
    package func isKnown(_ place: LogPlace) -> Bool {
        era.map { place.era.isEmpty || place.era == $0.shortName } ?? true
    }

    /// Lets a notice of another era wait.
    package mutating func hold(_ notice: Notice) {
        held.append(notice)
        if held.count > Self.heldLimit { held.removeFirst() }
    }
}
