// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel
import RoostWire

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
    /// The time at which the clock begins if the machine's is behind it.
    private var start = Timestamp.distantPast

    /// The time for rates and for the silence of sockets.
    func evenTime() -> Timestamp { uptime?() ?? now() }

    /// The same world with a clock that never goes back.
    ///
    /// A client takes the server's time for a place in the change logs. No later change may lie before
    /// such a place. After a step back the clock goes on at half its speed until the time has caught
    /// up: clients ignore a count of the same moment.
    var withSteadyClock: ServerWorld {
        var steady = self
        let state = Guarded(SteadyTime(from: start, uptime?()))
        steady.now = { [now, uptime] in
            let (present, even) = (now(), uptime?())
            return state.withLock { $0.next(present, even) }
        }
        return steady
    }

    /// The time between two notes of the clock in a storage; each is a commit.
    ///
    /// A start with a clock behind the last note jumps ahead by this time.
    package static let noteInterval = Duration.seconds(10)
    /// The longest step back over a restart that the clock makes up for, in milliseconds: a day.
    ///
    /// A clock that was years ahead must not keep the server there.
    private static let longestStep: Int64 = 86_400_000

    /// Continues the clock of an earlier run, if the machine's has gone back behind its last note.
    ///
    /// Clients may have times of that run, up to an interval after the note.
    ///
    /// - Parameter noted: The last note in the storage.
    package mutating func resume(from noted: Timestamp) {
        let step = noted.milliseconds(since: now())
        guard step > 0 else { return }
        log(LogLine(.warning, "clock_behind", [.init("ms", .int(step))]))
        guard step <= Self.longestStep else { return }
        start = noted + Self.noteInterval
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
    private var last: Timestamp
    /// The last moment at which the clock led, by the clock and by the even time.
    private var lead: (clock: Timestamp, even: Timestamp)

    init(from start: Timestamp, _ even: Timestamp?) {
        last = start
        lead = (start, even ?? .distantPast)
    }

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
