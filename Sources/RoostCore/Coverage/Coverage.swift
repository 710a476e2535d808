// SPDX-License-Identifier: Apache-2.0

// What the cache knows of a channel's history, as a set of closed ranges of positions.
//
// Inside a range the cache holds every message the server holds; everything else is a hole, and a
// hole is data. A range grows only by a statement of the server: a page, a gap answer, or a live
// message that names its predecessor. That two messages lie side by side in the cache states
// nothing, which is why ranges are kept apart until a statement joins them (scars 4, 29, 30).
//
// Positions are pairs of integers, so "right after" is a place too; ranges are closed at both ends
// and cutting one needs no half-open kind.

package import RoostModel

/// A stretch of history without a hole.
///
/// - Invariant: `lower <= upper`.
package struct CoveredRange: Hashable, Codable, Sendable {
    /// `.distantPast` when the start of history is known.
    package let lower: Position
    package let upper: Position
    /// The message the server named as the one right before `lower`, while it is not in the cache.
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

/// A stretch of history about which nothing is known; both ends belong to it.
package struct Hole: Hashable, Sendable {
    package let lower: Position
    package let upper: Position

    package init(lower: Position, upper: Position) {
        self.lower = lower
        self.upper = upper
    }
}

/// The set of ranges known of one channel under one filter class.
///
/// - Invariant: ranges are sorted, disjoint, and no two of them touch.
package struct Coverage: Hashable, Sendable {
    package private(set) var ranges: [CoveredRange]

    package init() { self.ranges = [] }

    /// Builds the set from ranges in any order; those that overlap or touch become one.
    package init(_ ranges: [CoveredRange]) {
        self.ranges = ranges
        let isInOrder = zip(ranges, ranges.dropFirst()).allSatisfy { left, right in
            left.upper < right.lower && !isJoined(left, right)
        }
        if isInOrder { return }  // As it comes from a database, where it was written in order.
        self.ranges = []
        for range in ranges { insert(range) }
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The newest range.
    package var newest: CoveredRange? { ranges.last }

    /// The range a position lies in; nil when it lies in a hole.
    package func range(containing position: Position) -> CoveredRange? {
        let index = firstIndex(endingAtOrAfter: position)
        guard index < ranges.count, ranges[index].contains(position) else { return nil }
        return ranges[index]
    }

    /// The stretches between the ranges, and the one before the oldest unless history starts there.
    ///
    /// What lies after the newest range is not listed: only a live connection can know its end.
    package var holes: [Hole] {
        var holes: [Hole] = []
        var from = Position.distantPast
        for range in ranges {
            if range.lower > from {
                holes.append(Hole(lower: from, upper: range.lower.previous))
            }
            from = range.upper.next
        }
        return holes
    }

    /// Whether any known range reaches into the stretch after `position` up to `end`.
    package func hasKnowledge(after position: Position, through end: Position) -> Bool {
        let index = firstIndex(endingAtOrAfter: position.next)
        return index < ranges.count && ranges[index].lower <= end
    }

    /// Adds what the server stated, joining every range it overlaps, touches or follows.
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
        // A predecessor can join a range that stood apart, and by it another one: so look once more.
        let joined = CoveredRange(lower: lower, upper: upper, predecessor: predecessor)
        let index = kept.firstIndex { $0.lower > joined.lower } ?? kept.count
        let mayJoinMore = kept.contains { isJoined($0, joined) }
        ranges = kept
        if mayJoinMore { insert(joined) } else { ranges.insert(joined, at: index) }
        checkInvariants()
    }

    /// Forgets what is known from `lower` to `upper`, both included.
    package mutating func subtract(lower: Position, upper: Position) {
        precondition(
            lower <= upper, "A stretch to forget runs from its older end to its newer end.")
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

    /// Forgets everything through `end`, where nothing is visible any more (a reset, a retention).
    ///
    /// A range that reached over it begins with the start of history now: before it there is nothing.
    package mutating func cut(through end: Position) {
        let first = end.next
        let reachesOver = range(containing: first).map { $0.lower <= end } ?? false
        subtract(lower: .distantPast, upper: end)
        if reachesOver { insert(CoveredRange(lower: .distantPast, upper: first)) }
    }

    /// All that is known when both are: what stands under no filter covers every filter (scar 32).
    package func union(_ other: Coverage) -> Coverage {
        var union = self
        for range in other.ranges { union.insert(range) }
        return union
    }

    /// Whether two ranges are one: they share a place, touch, or one names the other's end.
    private func isJoined(_ left: CoveredRange, _ right: CoveredRange) -> Bool {
        if left.lower <= right.upper && right.lower <= left.upper { return true }
        let (older, newer) = left.upper < right.lower ? (left, right) : (right, left)
        return older.upper.next == newer.lower
            || (newer.predecessor != nil && newer.predecessor == older.upper.messageID)
    }

    private func firstIndex(endingAtOrAfter position: Position) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upper < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
