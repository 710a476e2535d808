// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The bound of a rate of requests.
package struct Rate: Equatable, Sendable {
    /// The number of requests at once.
    package var burst: Int
    /// The number of requests per second after a burst.
    package var perSecond: Int

    package init(burst: Int, perSecond: Int) {
        precondition(burst > 0 && perSecond > 0, "A rate allows at least one request.")
        self.burst = burst
        self.perSecond = perSecond
    }
}

/// The requests of each key against a rate.
///
/// Each key has a debt. A request adds one to it, and time reduces it. A key without debt is
/// forgotten, so a key with a single request costs no memory for long.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Debt {
        /// In thousandths of a request.
        var amount: Int64
        var at: Timestamp
    }

    private let rate: Rate?
    private var debts: [Key: Debt] = [:]

    /// - Parameter rate: The rate of each key; nil is without bound.
    package init(_ rate: Rate?) { self.rate = rate }

    /// The number of keys with a debt.
    package var count: Int { debts.count }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - key: The key of the request.
    ///   - now: The moment of the request.
    ///   - count: The number of requests that it counts as; more than a burst count as one burst.
    /// - Returns: The wait until the request is allowed; nil if it is allowed now.
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

    /// Counts requests that have been answered already, also beyond the rate.
    ///
    /// - Parameters:
    ///   - key: The key of the requests.
    ///   - now: The present moment.
    ///   - count: The number of requests.
    package mutating func note(_ key: Key, at now: Timestamp, count: Int) {
        guard let rate else { return }
        debts[key] = Debt(
            amount: amount(of: key, at: now, rate) + Int64(min(count, rate.burst)) * 1_000, at: now)
    }

    /// Returns the result of `take` without counting.
    package func wait(of key: Key, at now: Timestamp, count: Int = 1) -> Duration? {
        guard let rate else { return nil }
        let count = min(count, rate.burst)
        let excess =
            amount(of: key, at: now, rate) + Int64(count) * 1_000 - Int64(rate.burst) * 1_000
        let perSecond = Int64(rate.perSecond)
        return excess > 0 ? .milliseconds((excess + perSecond - 1) / perSecond) : nil
    }

    /// Whether a key has a debt.
    package func owes(_ key: Key, at now: Timestamp) -> Bool {
        rate.map { amount(of: key, at: now, $0) > 0 } ?? false
    }

    private func amount(of key: Key, at now: Timestamp, _ rate: Rate) -> Int64 {
        guard let debt = debts[key] else { return 0 }
        let passed = max(0, now.milliseconds(since: debt.at))
        // A thousandth of a request per millisecond, for each request per second.
        let (paid, isFar) = passed.multipliedReportingOverflow(by: Int64(rate.perSecond))
        return isFar ? 0 : max(0, debt.amount - paid)
    }

    /// Forgets keys without debt.
    package mutating func forgetIdle(at now: Timestamp) {
        guard let rate else { return }
        for key in debts.keys where amount(of: key, at: now, rate) == 0 { debts[key] = nil }
    }
}

extension Duration {
    /// The duration in whole seconds, rounded up, as headers and fields of the protocol have it.
    package var wholeSecondsUp: Int64 {
        components.seconds + (components.attoseconds > 0 ? 1 : 0)
    }
}
