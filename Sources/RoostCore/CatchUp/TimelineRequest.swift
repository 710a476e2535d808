// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The request by which a timeline becomes equal to the server's log.
package enum TimelineRequest: Equatable, Codable, Sendable {
    /// Load a page and show its coverage in place of the window (R99).
    case load(PageQuestion)
    /// Ask for the messages missing after the end of the coverage; fill them in or report a huge
    /// gap.
    case checkGap(above: CoveredRange)
    /// A view of the past has no end to catch up with.
    case nothing

    /// The occasion of the decision.
    package enum Occasion: Equatable, Codable, Sendable {
        /// The timeline was just opened during a connection.
        case opening
        /// The connection is back, or a live message showed that some are missing.
        case catchingUp
    }

    /// Decides on the request.
    ///
    /// `wasLoaded` is whether the server has answered this timeline before. `opening` is the
    /// timeline's first page, and `knownRange` its range in the cache.
    package init(
        _ occasion: Occasion, wasLoaded: Bool, opening: PageQuestion, followsNewest: Bool,
        knownRange: CoveredRange?
    ) {
        switch (occasion, wasLoaded) {
        case (.opening, false):
            self = .load(opening)
        case (.catchingUp, false) where !followsNewest:
            self = .load(opening)
        case (.opening, true), (.catchingUp, _):
            guard followsNewest else {
                self = .nothing
                return
            }
            // The start of an empty history is a position without a moment to count from (scar 85).
            guard let knownRange, knownRange.upper != .distantPast else {
                // The timeline is at the end now, wherever it was opened.
                self = .load(.newest(opening.olderLimit))
                return
            }
            self = .checkGap(above: knownRange)
        }
    }
}
