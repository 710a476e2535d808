// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A stretch of a channel's history that is missing in the cache, with estimates about it.
package struct HistoryGap: Equatable, Sendable {
    package enum Place: Equatable, Codable, Sendable {
        /// The channel has no coverage.
        case everything
        /// Before the oldest covered message.
        case beginning
        /// Between two covered ranges.
        case between
        /// After the newest covered message.
        case end
    }

    package let place: Place
    package let from: Timestamp
    package let through: Timestamp
    /// The estimated number of missing messages, by the density of their neighbours; nil without an
    /// estimate.
    package let messages: Int?
}

extension SearchedChannel {
    /// Returns the missing stretches, oldest first.
    ///
    /// `messageCount` is the number of covered messages. `madeAt`, the creation of the channel, and
    /// `now`, the server's time, are the bounds of open-ended gaps, if they are known.
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
