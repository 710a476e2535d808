// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCluster
import RoostModel
import RoostServer
import RoostSockets

extension ServerWorld {
    /// Returns the world with the system's secure random numbers and a clock, by default the system's.
    static func live(
        _ log: LogWriter,
        now: @escaping @Sendable () -> Timestamp = {
            Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        }
    ) -> ServerWorld {
        var world = ServerWorld(
            now: now, entropy: { UInt64.random(in: .min ... .max) },
            // A secret has 160 random bits, so a fast hash of it and its salt is enough.
            digest: { Digest.sha256($0) }, log: { log.write($0) })
        let clock = SteadyClock.live
        world.uptime = { Timestamp(milliseconds: clock.milliseconds()) }
        world.traces = log.traces
        return world
    }
}

/// A clock that neither jumps nor goes back.
struct SteadyClock: Sendable {
    let instant: @Sendable () -> ContinuousClock.Instant
    /// The time since the start of the clock.
    let milliseconds: @Sendable () -> Int64

    static var live: SteadyClock {
        let start = ContinuousClock.now
        return SteadyClock(
            instant: { ContinuousClock.now },
            milliseconds: { start.duration(to: .now).wholeMilliseconds })
    }
}

extension S3World {
    /// Returns the world with the system's steady clock and its waits.
    static func live(
        time: @escaping @Sendable () -> Timestamp, log: @escaping @Sendable (LogLine) -> Void
    ) -> S3World {
        S3World(
            time: time, now: { ContinuousClock.now },
            pause: sleep(for:), log: log)
    }
}

/// Waits on the system's clock.
@Sendable private func sleep(for time: Duration) async {
    // Only a cancellation ends the wait early.
    try? await Task.sleep(for: time)
}

extension ChaosWorld {
    /// Returns the world with the system's waits and the server's log.
    static func live(_ log: LogWriter) -> ChaosWorld {
        ChaosWorld(
            pause: sleep(for:), write: { log.report($0) })
    }
}

extension HostID {
    /// Returns a number that no other start has.
    static func random() -> HostID { HostID(rawValue: UInt64.random(in: .min ... .max)) }
}
