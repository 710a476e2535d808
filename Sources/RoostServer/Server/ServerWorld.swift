// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel

/// The clock, the randomness, the hash and the log of a server; a simulation brings its own.
package struct ServerWorld: Sendable {
    package var now: @Sendable () -> Timestamp
    /// A time that passes evenly, whatever happens to the clock.
    ///
    /// Only its differences count. Nil if the clock is such a time.
    package var uptime: (@Sendable () -> Timestamp)?
    /// Returns 64 random bits; keys and tokens consist of them, so live ones must be secure.
    package var entropy: @Sendable () -> UInt64
    /// Returns 64 random bits for a salt.
    ///
    /// A simulation draws salts apart, so that its seeds stay the same.
    package var salt: @Sendable () -> UInt64
    /// Returns a hash as hexadecimal digits; a live one must not be invertible.
    package var digest: @Sendable (String) -> String
    /// Takes a line for the operators of the server; it must not block.
    package var log: @Sendable (LogLine) -> Void
    /// Whether anybody reads lines of level `trace`, which cost a hash for each command.
    package var traces = false

    /// The time for rates and for the silence of sockets.
    func evenTime() -> Timestamp { uptime?() ?? now() }

    /// The same world with a clock that never goes back.
    ///
    /// A client takes the server's time for a place in the change logs. No later change may lie before
    /// such a place. After a step back the clock goes on at half its speed until the time has caught
    /// up: clients ignore a count of the same moment.
    var withSteadyClock: ServerWorld {
        var steady = self
        let state = Guarded(SteadyTime())
        steady.now = { [now, uptime] in
            let (present, even) = (now(), uptime?())
            return state.withLock { $0.next(present, even) }
        }
        return steady
    }

    package init(
        now: @escaping @Sendable () -> Timestamp, entropy: @escaping @Sendable () -> UInt64,
        salt: (@Sendable () -> UInt64)? = nil,
        digest: @escaping @Sendable (String) -> String,
        log: @escaping @Sendable (LogLine) -> Void = { _ in }
    ) {
        self.now = now
        self.entropy = entropy
        self.salt = salt ?? entropy
        self.digest = digest
        self.log = log
    }
}

/// A time that never goes back.
private struct SteadyTime {
    private var last = Timestamp.distantPast
    /// The last moment at which the clock led, by the clock and by the even time.
    private var lead = (clock: Timestamp.distantPast, even: Timestamp.distantPast)

    mutating func next(_ present: Timestamp, _ even: Timestamp?) -> Timestamp {
        if present > last {
            last = present
            lead = (present, even ?? .distantPast)
        } else if let even {
            let passed = max(0, even.milliseconds(since: lead.even))
            last = max(last, lead.clock.advanced(by: passed / 2))
        }
        return last
    }
}
