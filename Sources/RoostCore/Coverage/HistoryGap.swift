// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A stretch of a channel's history that the cache does not have, and what is known of it all the same.
package struct HistoryGap: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        /// Nothing of the channel is known.
        case everything
        /// Before the oldest message that is known.
        case beginning
        /// Between two stretches that are known.
        case between
        /// After the newest message that is known.
        case end
    }

    package let place: Place
    package let from: Timestamp
    package let through: Timestamp
    /// About how many messages are missing, by how close those beside it stand; nil when that says nothing.
    package let messages: Int?
}

extension SearchedChannel {
    /// What is missing, oldest first.
    ///
    /// `messageCount` is how many messages are known; `madeAt` when the channel was made and `now` the
    /// server's time, as far as they are known, bound what has no end of its own.
    package func gaps(messageCount: Int, madeAt: Timestamp?, now: Timestamp?) -> [HistoryGap] {
        let known = coverage.ranges.reduce(0 as Int64) { sum, range in
            let from = range.lower == .distantPast ? madeAt : range.lower.createdAt
            let length = range.upper.createdAt.milliseconds(since: from ?? .distantFuture)
            return sum.addingSaturated(max(0, length))
        }
        return unseen(from: .distantPast, through: .distantFuture)
            .filter { $0.reason == .notCached }
            .map { period in
                let place: HistoryGap.Place =
                    switch (period.from == .distantPast, period.through == .distantFuture) {
                    case (true, true): .everything
                    case (true, false): .beginning
                    case (false, true): .end
                    case (false, false): .between
                    }
                let from = period.from == .distantPast ? madeAt : period.from
                let through = period.through == .distantFuture ? now : period.through
                var messages: Int?
                if let from, let through, known > 0, messageCount > 0 {
                    let length = Double(max(0, through.milliseconds(since: from)))
                    let estimate = (length * Double(messageCount) / Double(known)).rounded(.up)
                    messages = Int(min(estimate, Double(Int32.max)))
                }
                return HistoryGap(
                    place: place, from: period.from, through: period.through, messages: messages)
            }
    }
}
