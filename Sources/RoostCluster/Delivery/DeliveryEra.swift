// SPDX-License-Identifier: Apache-2.0

package import RoostPostgres
package import RoostServer

/// The era of the database whose numbers the delivery of one server goes by.
///
/// Numbers of transactions have an order within an era only. So a notice of another era waits
/// until a sweep has seen that era. A former primary that still answers has a lower timeline, and
/// is ignored. An upgrade of the database lowers the timeline too, so after a minute such answers
/// count.
package struct DeliveryEra: Sendable {
    package typealias Instant = ContinuousClock.Instant

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
    /// The time for which nothing but answers of a lower timeline come before they count.
    ///
    /// A former primary ends sooner: its standby is promoted when its own lease has ended.
    package static let formerTime = Duration.seconds(60)

    /// The era that sweeps have seen last; nil if it is unknown.
    package private(set) var era: PostgresEra?
    private var held: [Notice] = []
    /// The first of the answers of a former primary without another one since.
    private var formerSince: Instant?

    package init(_ era: PostgresEra?) { self.era = era }

    /// Judges the era of a sweep's answer.
    package mutating func judge(_ seen: PostgresEra?, at now: Instant) -> Verdict {
        guard seen != era else {
            formerSince = nil
            return .known
        }
        guard let era, let seen, seen.timeline < era.timeline else { return .new }
        if seen.name == era.name {
            // No promotion keeps the name, but an upgrade does; it keeps the numbers as well.
            (self.era, formerSince) = (seen, nil)
            return .known
        }
        let start = formerSince ?? now
        formerSince = start
        return start.duration(to: now) > Self.formerTime ? .new : .former
    }

    /// Begins a new era.
    ///
    /// - Returns: The notices of it that have waited.
    package mutating func enter(_ era: PostgresEra?) -> [(notice: Notice, place: LogPlace)] {
        (self.era, formerSince) = (era, nil)
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
