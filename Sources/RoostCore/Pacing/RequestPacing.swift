// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The limit on requests that a client makes by itself, with any frames and answers of the server.
///
/// A credit of `burst` requests is spent at once and grows again by `perSecond`. That is 210
/// requests in the first minute, 180 in every later one, and less than five a second over any 15
/// seconds. A request that made progress is given back, so a long download is not slowed down.
package struct RequestPacing: Equatable, Codable, Sendable {
    /// The number of requests without a wait.
    package static let burst = 30
    package static let perSecond = 3
    private static let costMS = Int64(1_000 / perSecond)
    private static let fullMS = Int64(burst) * costMS
    /// The longest debt, so that a jump of the clock does not lead to longer waits.
    private static let longestDebtMS: Int64 = 60_000

    /// The credit as a time; negative while requests wait.
    private var creditMS = fullMS
    private var refilledAt: Timestamp?

    package init() {}

    /// Spends one request.
    ///
    /// - Parameter now: The time by any clock. A jump refills the credit at most, and never empties
    ///   it.
    /// - Returns: The wait before the request, zero to 60 s.
    package mutating func take(at now: Timestamp) -> Duration {
        if let last = refilledAt {
            let (passed, overflow) = now.milliseconds.subtractingReportingOverflow(
                last.milliseconds)
            let bounded = overflow ? 0 : min(max(passed, 0), Self.fullMS + Self.longestDebtMS)
            creditMS = min(creditMS + bounded, Self.fullMS)
        }
        refilledAt = now
        creditMS = max(creditMS - Self.costMS, -Self.longestDebtMS)
        return .milliseconds(max(0, -creditMS))
    }

    /// Gives back a request that was not made, or that made progress.
    package mutating func giveBack() {
        creditMS = min(creditMS + Self.costMS, Self.fullMS)
    }
}
