// SPDX-License-Identifier: Apache-2.0

/// The waits between attempts, by the server's login answer and within fixed bounds.
package struct Backoff: Equatable, Codable, Sendable {
    /// The nominal wait before the first and second attempt, 2...600 s.
    package let interval: Duration
    /// The longest nominal wait, `interval`...600 s.
    package let maxInterval: Duration
    /// The growth from the third attempt on, 1...10.
    package let multiplier: Int
    /// The number of attempts before the end of the retries; negative for no end.
    package let retryCount: Int

    /// The lower bound of `interval`: half of it is the shortest wait, so no server makes a client
    /// retry more than once a second.
    package static let shortestInterval = Duration.seconds(2)
    /// The upper bound of every nominal wait that grows with the attempts.
    package static let longestInterval = Duration.seconds(600)
    /// The upper bound of a wait that an overloaded server names.
    package static let longestBusyWait = Duration.seconds(3_600)

    /// 2 s, at most 20 s, doubling, without end: the values of the real service.
    package static let standard = Backoff(
        interval: .seconds(2), maxInterval: .seconds(20), multiplier: 2, retryCount: -1)

    /// 1...2 s at first, 30...60 s at last, without end: for work that is tried until it succeeds.
    static let patient = Backoff(
        interval: .seconds(2), maxInterval: .seconds(60), multiplier: 2, retryCount: -1)

    package init(interval: Duration, maxInterval: Duration, multiplier: Int, retryCount: Int) {
        self.interval = min(max(interval, Self.shortestInterval), Self.longestInterval)
        self.maxInterval = min(max(maxInterval, self.interval), Self.longestInterval)
        self.multiplier = min(max(1, multiplier), 10)
        self.retryCount = retryCount
    }

    /// Returns the wait before attempt `attempt` (the first is 1), or nil at the end of the
    /// retries.
    package func delay(beforeAttempt attempt: Int, entropy: UInt64) -> Duration? {
        if retryCount >= 0 && attempt > retryCount { return nil }
        return wait(beforeAttempt: attempt, entropy: entropy)
    }

    /// Returns the same wait without an end of the retries.
    ///
    /// The wait is between half and all of the nominal one, drawn from `entropy`, so that clients
    /// that lost the same server do not return at once.
    package func wait(beforeAttempt attempt: Int, entropy: UInt64) -> Duration {
        var nominal = interval
        var step = 2
        while step < attempt, nominal < maxInterval, multiplier > 1 {
            nominal = nominal * multiplier
            step += 1
        }
        return Self.jittered(min(nominal, maxInterval), entropy: entropy)
    }

    /// Returns the wait for an overloaded server that names `asked`: at least that long, at most an
    /// hour and the jitter, and longer with each attempt.
    package func busyWait(
        _ asked: Duration, beforeAttempt attempt: Int, entropy: UInt64
    ) -> Duration {
        min(max(asked, .zero), Self.longestBusyWait)
            + wait(beforeAttempt: attempt, entropy: entropy)
    }

    /// Returns a wait between half of `duration` and all of it.
    package static func jittered(_ duration: Duration, entropy: UInt64) -> Duration {
        let part = Int64(entropy % 1024)
        return duration / 2 + duration * part / 2048
    }
}
