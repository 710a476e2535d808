// SPDX-License-Identifier: Apache-2.0

package import RoostModel

package enum PageDirection: Equatable, Codable, Sendable { case older, newer }

/// The server's first answer to a timeline, and the request for it.
package struct Opening: Equatable, Codable, Sendable {
    package private(set) var isUnderWay = false
    private var round = 0

    package init() {}

    /// Begins a request.
    ///
    /// Callers that wait for an earlier one wait for this one, because the timeline has moved.
    mutating func begin() -> Int {
        isUnderWay = true
        round += 1
        return round
    }

    /// Ends a request; returns whether it was the last one.
    mutating func end(_ round: Int) -> Bool {
        guard round == self.round else { return false }
        isUnderWay = false
        return true
    }
}

/// A filter that passes each refusal of the server once, until the server has answered or has
/// another reason.
package struct RefusalFilter: Equatable, Codable, Sendable {
    /// The last refusal; nil if the server has answered since.
    package private(set) var last: RoostError?

    package init() {}

    /// Returns the error if it is a new refusal.
    mutating func pass(_ error: RoostError?) -> RoostError? {
        guard let error else {
            last = nil
            return nil
        }
        guard error.isRefusal, error.code != last?.code else { return nil }
        last = error
        return error
    }
}

extension TimelineMachine {
    /// Whether the list is empty although messages may exist: a user cannot scroll to load them.
    package var isBare: Bool { delivered.isEmpty && followsNewest && extent != nil && hasOlder }

    /// The window's range in the cache, which goes on after the window if messages were removed.
    package var knownRange: CoveredRange? {
        guard let extent else { return nil }
        return coverage.range(containing: extent.upper)
            ?? CoveredRange(lower: extent.lower, upper: extent.upper)
    }

    /// Whether only the server knows the list's content: a hole is above, or the list has no range
    /// or no message.
    package var needsServer: Bool {
        hasHoleAbove || isBare || (followsNewest && extent == nil && sequence > .min)
    }

    /// Whether the cache has coverage newer than the window's range.
    package var hasHoleAbove: Bool {
        guard followsNewest, let extent, let newest = coverage.newest else { return false }
        return coverage.range(containing: extent.upper) != newest
    }
}
