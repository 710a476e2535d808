// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next try, as the server asked for in its login answer.
package struct Backoff: Hashable, Codable, Sendable {
    /// Before the first and second try.
    package let interval: Duration
    package let maxInterval: Duration
    package let multiplier: Int
    /// Tries before giving up; negative means never (`protocol.md` 2.4).
    package let retryCount: Int

    /// 2 s, at most 20 s, doubling, for ever: what the real service sends (`protocol.md` 2.4).
    package static let standard = Backoff(
        interval: .seconds(2), maxInterval: .seconds(20), multiplier: 2, retryCount: -1)

    package init(interval: Duration, maxInterval: Duration, multiplier: Int, retryCount: Int) {
        // What a server names is bounded: no hurry without end, no wait beyond ten minutes.
        self.interval = min(max(interval, .milliseconds(50)), .seconds(600))
        self.maxInterval = min(max(maxInterval, self.interval), .seconds(600))
        self.multiplier = min(max(1, multiplier), 10)
        self.retryCount = retryCount
    }

    /// The wait before try `attempt` (the first is 1), or nil when the tries are used up.
    ///
    /// Between half and all of the nominal wait, drawn from `entropy`, so that clients that lost the
    /// same server do not return in step.
    package func delay(beforeAttempt attempt: Int, entropy: UInt64) -> Duration? {
        if retryCount >= 0 && attempt > retryCount { return nil }
        var nominal = interval
        if attempt > 2 {
            for _ in 2..<attempt where nominal < maxInterval { nominal = nominal * multiplier }
        }
        return Self.jittered(min(nominal, maxInterval), entropy: entropy)
    }

    /// A wait between half of `duration` and all of it.
    package static func jittered(_ duration: Duration, entropy: UInt64) -> Duration {
        let part = Int64(entropy % 1024)
        return duration / 2 + duration * part / 2048
    }
}
