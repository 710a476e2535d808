// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// How often somebody may ask.
package struct Rate: Hashable, Sendable {
    /// So many at once.
    package var burst: Int
    /// So many from then on.
    package var perSecond: Int

    package init(burst: Int, perSecond: Int) {
        precondition(burst > 0 && perSecond > 0, "Who may never ask needs no rate.")
        self.burst = burst
        self.perSecond = perSecond
    }
}

/// Counts who asks too often.
///
/// Each has a debt that grows by one with every question and shrinks with time; who owes nothing is
/// forgotten, so that addresses which came once cost nothing for long.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Debt {
        /// In thousandths of a question.
        var amount: Int64
        var at: Timestamp
    }

    private let rate: Rate?
    private var debts: [Key: Debt] = [:]

    /// nil lets everybody ask as often as they like.
    package init(_ rate: Rate?) { self.rate = rate }

    /// How many are remembered.
    package var count: Int { debts.count }

    /// Notes a question.
    ///
    /// - Parameters:
    ///   - key: Who asks.
    ///   - now: The moment of the question.
    ///   - count: How many questions it counts as; more than a burst count as one burst.
    /// - Returns: How long to wait before it may be asked; nil when it may be asked now.
    package mutating func take(
        _ key: Key, at now: Timestamp, count: Int = 1
    ) -> Duration? {
        guard let rate else { return nil }
        let count = min(count, rate.burst)
        if let wait = wait(of: key, at: now, count: count) { return wait }
        debts[key] = Debt(
            amount: amount(of: key, at: now, rate) + Int64(count) * 1_000, at: now)
        return nil
    }

    /// What `take` would return; nothing is noted.
    package func wait(of key: Key, at now: Timestamp, count: Int = 1) -> Duration? {
        guard let rate else { return nil }
        let excess =
            amount(of: key, at: now, rate) + Int64(count) * 1_000 - Int64(rate.burst) * 1_000
        let perSecond = Int64(rate.perSecond)
        return excess > 0 ? .milliseconds((excess + perSecond - 1) / perSecond) : nil
    }

    /// Whether questions are noted that time has not paid for yet.
    package func owes(_ key: Key, at now: Timestamp) -> Bool {
        rate.map { amount(of: key, at: now, $0) > 0 } ?? false
    }

    private func amount(of key: Key, at now: Timestamp, _ rate: Rate) -> Int64 {
        guard let debt = debts[key] else { return 0 }
        let passed = max(0, now.milliseconds(since: debt.at))
        // A thousandth of a question for each millisecond and question a second.
        let (paid, isFar) = passed.multipliedReportingOverflow(by: Int64(rate.perSecond))
        return isFar ? 0 : max(0, debt.amount - paid)
    }

    /// Forgets who owes nothing any more.
    package mutating func forgetIdle(at now: Timestamp) {
        guard let rate else { return }
        for key in debts.keys where amount(of: key, at: now, rate) == 0 { debts[key] = nil }
    }
}

extension Duration {
    /// As the protocol's headers and fields tell a wait: never shorter than it is.
    package var wholeSecondsUp: Int64 {
        components.seconds + (components.attoseconds > 0 ? 1 : 0)
    }
}
