// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
package import RoostModel

/// The clock, the randomness, the hash and the log of a server; a simulation brings its own.
package struct ServerWorld: Sendable {
    package var now: @Sendable () -> Timestamp
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

    /// The same world with a clock that never goes back.
    ///
    /// A client takes the server's time for a place in the change logs. No later change may lie before
    /// such a place.
    var withSteadyClock: ServerWorld {
        var steady = self
        let last = Guarded(Timestamp.distantPast)
        steady.now = { [now] in
            let present = now()
            return last.withLock { last in
                last = max(last, present)
                return last
            }
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
