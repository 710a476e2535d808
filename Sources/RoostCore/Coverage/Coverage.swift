// SPDX-License-Identifier: Apache-2.0

// The coverage of a channel's history, as a set of closed ranges of positions.
//
// Inside a range the cache has every message of the server; the rest are holes, which are data too.
// A range grows only by a statement of the server: a page, a gap answer, or a live message with its
// predecessor. Two adjacent messages in the cache state nothing about the place between them. So
// ranges are kept apart until a statement joins them (scars 4, 29, 30).
//
// Positions are pairs of integers, so "right after" is a position too. Ranges are closed at both
// ends, and cutting one needs no half-open kind.

package import RoostModel

/// A stretch of history without a hole.
///
/// - Invariant: `lower <= upper`.
package struct CoveredRange: Hashable, Codable, Sendable {
    /// `.distantPast` if the start of history is known.
    package let lower: Position
    package let upper: Position
    /// The message that the server named as the one right before `lower`, if it is not in the
    /// cache.
    package let predecessor: MessageID?

    package init(lower: Position, upper: Position, predecessor: MessageID? = nil) {
        precondition(lower <= upper, "A covered range runs from its older end to its newer end.")
        self.lower = lower
        self.upper = upper
        self.predecessor = lower == .distantPast ? nil : predecessor
    }

    package func contains(_ position: Position) -> Bool { lower <= position && position <= upper }

    package var startsHistory: Bool { lower == .distantPast }
}

/// The covered ranges of one channel under one filter class.
///
/// - Invariant: ranges are sorted, disjoint, and no two of them touch.
package struct Coverage: Hashable, Codable, Sendable {
    package private(set) var ranges: [CoveredRange]

    package init() { self.ranges = [] }

    /// Makes the set from ranges in any order, and joins those that overlap or touch.
    package init(_ ranges: [CoveredRange]) {
        self.ranges = ranges
        let isInOrder = zip(ranges, ranges.dropFirst()).allSatisfy { left, right in
            left.upper < right.lower && !isJoined(left, right)
        }
        if isInOrder { return }  // As stored in a database, in order.
        self.ranges = []
        for range in ranges { insert(range) }
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The newest range.
    package var newest: CoveredRange? { ranges.last }

    /// Returns the range that contains a position; nil if a hole does.
    package func range(containing position: Position) -> CoveredRange? {
        let index = firstIndex(endingAtOrAfter: position)
        guard index < ranges.count, ranges[index].contains(position) else { return nil }
        return ranges[index]
    }

    /// Returns whether any range reaches into the stretch after `position` up to `end`.
    package func hasKnowledge(after position: Position, through end: Position) -> Bool {
        let index = firstIndex(endingAtOrAfter: position.next)
        return index < ranges.count && ranges[index].lower <= end
    }

    /// Adds a range that the server stated, and joins every range that it overlaps, touches or
    /// follows.
    package mutating func insert(_ range: CoveredRange) {
        var lower = range.lower
        var upper = range.upper
        var predecessor = range.predecessor
        var kept: [CoveredRange] = []
        kept.reserveCapacity(ranges.count + 1)
        for other in ranges where !isJoined(other, range) { kept.append(other) }
        for other in ranges where isJoined(other, range) {
            if other.lower < lower || (other.lower == lower && predecessor == nil) {
                predecessor = other.predecessor
                lower = min(lower, other.lower)
            }
            upper = max(upper, other.upper)
        }
        // A predecessor can join a separate range, and that one another, so the search is repeated.
        let joined = CoveredRange(lower: lower, upper: upper, predecessor: predecessor)
        let index = kept.firstIndex { $0.lower > joined.lower } ?? kept.count
        let mayJoinMore = kept.contains { isJoined($0, joined) }
        ranges = kept
        if mayJoinMore { insert(joined) } else { ranges.insert(joined, at: index) }
        checkInvariants()
    }

    /// Removes the coverage from `lower` to `upper`, both included.
    package mutating func subtract(lower: Position, upper: Position) {
        precondition(
            lower <= upper, "A removed stretch runs from its older end to its newer end.")
        var remaining: [CoveredRange] = []
        for range in ranges {
            if range.upper < lower || range.lower > upper {
                remaining.append(range)
                continue
            }
            if range.lower < lower {
                remaining.append(
                    CoveredRange(
                        lower: range.lower, upper: lower.previous, predecessor: range.predecessor))
            }
            if range.upper > upper {
                remaining.append(CoveredRange(lower: upper.next, upper: range.upper))
            }
        }
        ranges = remaining
        checkInvariants()
    }

    /// Removes the coverage through `end`, where no message is visible any more (a reset, a
    /// retention).
    ///
    /// A range that reached over `end` begins with the start of history now.
    package mutating func cut(through end: Position) {
        let first = end.next
        let reachesOver = range(containing: first).map { $0.lower <= end } ?? false
        subtract(lower: .distantPast, upper: end)
        if reachesOver { insert(CoveredRange(lower: .distantPast, upper: first)) }
    }

    /// Returns the coverage of both: coverage without a filter is coverage under every filter (scar
    /// 32).
    package func union(_ other: Coverage) -> Coverage {
        var union = self
        for range in other.ranges { union.insert(range) }
        return union
    }

    /// Returns whether two ranges are one: they overlap, touch, or one names the other's end as
    /// predecessor.
    private func isJoined(_ left: CoveredRange, _ right: CoveredRange) -> Bool {
        if left.lower <= right.upper && right.lower <= left.upper { return true }
        let (older, newer) = left.upper < right.lower ? (left, right) : (right, left)
        return older.upper.next == newer.lower
            || (newer.predecessor != nil && newer.predecessor == older.upper.messageID)
    }

    private func firstIndex(endingAtOrAfter position: Position) -> Int {
        ranges.partitionPoint { $0.upper < position }
    }
}
