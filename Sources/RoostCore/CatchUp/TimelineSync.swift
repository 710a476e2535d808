// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What a timeline asks the server for, to be as the server's log is.
package enum TimelineSync: Hashable, Codable, Sendable {
    /// Load a page and show what it covers, whatever was shown before (R99).
    case load(PageQuestion)
    /// Ask what is missing from the end of what is known, and fill it or tell the app.
    case checkGap(from: Position)
    /// A view of the past has no end to catch up with.
    case nothing

    /// Why the question comes up.
    package enum Occasion: Hashable, Codable, Sendable {
        /// The timeline was just opened, with a connection at hand.
        case opening
        /// The connection is back, or a live message showed that some are missing.
        case catchingUp
    }

    /// Decides on the question.
    ///
    /// `wasLoaded` says that the server has answered this timeline before; `opening` is the page it
    /// asks for at first, and `knownEnd` where the range it shows ends.
    package init(
        _ occasion: Occasion, wasLoaded: Bool, opening: PageQuestion, followsNewest: Bool,
        knownEnd: Position?
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
            // The start of an empty history is a place without a moment to count from (scar 85).
            guard let knownEnd, knownEnd != .distantPast else {
                // Wherever it was opened, it stands at the end now.
                self = .load(.around(.distantFuture, older: opening.olderLimit, newer: 0))
                return
            }
            self = .checkGap(from: knownEnd)
        }
    }
}
