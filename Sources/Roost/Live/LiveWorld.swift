// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostTransport
import RoostWire

#if canImport(Darwin)
import Darwin
import RoostURLSession
#else
import Glibc
#endif

extension World {
    /// Returns the real world: sockets, time and randomness of the system.
    package static func live() -> World {
        World(
            http: liveHTTP,
            sockets: liveSockets,
            clock: LiveClock(),
            wallTime: { Timestamp(milliseconds: LiveClock.wallMilliseconds()) },
            entropy: { UInt64.random(in: .min ... .max) },
            executor: ThreadExecutor(name: "roost.client"))
    }

    private static var liveHTTP: any HTTPTransport {
        #if canImport(Darwin)
        URLSessionHTTP(answerBytes: WireLimits.answerBytes)
        #else
        LiveTransports.http(answerBytes: WireLimits.answerBytes)
        #endif
    }

    private static var liveSockets: any SocketTransport {
        #if canImport(Darwin)
        URLSessionSocketTransport(messageBytes: WireLimits.frameBytes)
        #else
        LiveTransports.sockets(messageBytes: WireLimits.frameBytes)
        #endif
    }
}

/// The system's clocks; waits go on while the device sleeps.
struct LiveClock: WorldClock {
    /// The longest wait, a year; the system's clock cannot represent a much later moment.
    private static let longest = Duration.seconds(366 * 86_400)

    func sleep(for duration: Duration) async throws(CancellationError) {
        do {
            try await Task.sleep(for: min(duration, Self.longest), clock: .continuous)
        } catch {
            throw CancellationError()
        }
    }

    /// Returns the time of the device's clock, which a user may change, in ms since 1970.
    static func wallMilliseconds() -> Int64 {
        var now = timespec()
        // SAFETY: the call fills the structure and keeps no pointer to it.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
