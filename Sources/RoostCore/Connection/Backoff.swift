// SPDX-License-Identifier: Apache-2.0

/// The waits between tries, as the server asks for them in its login answer and within fixed bounds.
package struct Backoff: Hashable, Codable, Sendable {
    /// The nominal wait before the first and second try, 2...600 s.
    package let interval: Duration
    /// The longest nominal wait, `interval`...600 s.
    package let maxInterval: Duration
    /// The growth from the third try on, 1...10.
    package let multiplier: Int
    /// Tries before giving up; negative means never.
    package let retryCount: Int

    /// The floor of `interval`: half of it is the shortest wait, so no server has a client try more than
    /// once a second.
    package static let shortestInterval = Duration.seconds(2)
    /// The ceiling of every nominal wait that grows with the tries.
    package static let longestInterval = Duration.seconds(600)
    /// The ceiling of a wait that an overloaded server names.
    package static let longestBusyWait = Duration.seconds(3_600)

    /// 2 s, at most 20 s, doubling, for ever: what the real service sends.
    package static let standard = Backoff(
        interval: .seconds(2), maxInterval: .seconds(20), multiplier: 2, retryCount: -1)

    package init(interval: Duration, maxInterval: Duration, multiplier: Int, retryCount: Int) {
        self.interval = min(max(interval, Self.shortestInterval), Self.longestInterval)
        self.maxInterval = min(max(maxInterval, self.interval), Self.longestInterval)
        self.multiplier = min(max(1, multiplier), 10)
        self.retryCount = retryCount
    }

    /// Returns the wait before try `attempt` (the first is 1), or nil when the tries are used up.
    package func delay(beforeAttempt attempt: Int, entropy: UInt64) -> Duration? {
        if retryCount >= 0 && attempt > retryCount { return nil }
        return wait(beforeAttempt: attempt, entropy: entropy)
    }

    /// Returns the same, however many tries there were.
    ///
    /// The wait lies between half and all of the nominal one, drawn from `entropy`, so that clients that lost
    /// the same server do not return in step.
    package func wait(beforeAttempt attempt: Int, entropy: UInt64) -> Duration {
        var nominal = interval
        var step = 2
        while step < attempt, nominal < maxInterval, multiplier > 1 {
            nominal = nominal * multiplier
            step += 1
        }
        return Self.jittered(min(nominal, maxInterval), entropy: entropy)
    }

    /// Returns the wait of a server that asks for `asked` in its overload: never shorter than asked, an hour
    /// and the spread at most, and longer with each try.
    package func busyWait(
        _ asked: Duration, beforeAttempt attempt: Int, entropy: UInt64
    ) -> Duration {
        min(max(asked, .zero), Self.longestBusyWait)
            + wait(beforeAttempt: attempt, entropy: entropy)
    }

    /// A wait between half of `duration` and all of it.
    package static func jittered(_ duration: Duration, entropy: UInt64) -> Duration {
        let part = Int64(entropy % 1024)
        return duration / 2 + duration * part / 2048
    }
}
