// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPages
import RoostServer

/// The figures of a server over the last hour, from readings of its counters.
struct ServerHistory: Equatable, Sendable {
    /// The time between two readings.
    static let interval = Duration.seconds(10)
    private static let limit = 360

    /// The counters at one moment.
    struct Reading: Equatable, Sendable {
        let at: Timestamp
        let metrics: ServerMetrics
        let disk: ServerPage.Disk
    }

    private(set) var samples: [ServerPage.Sample] = []
    private var last: Reading?

    /// Adds the period since the last reading; the first reading begins one.
    mutating func note(_ reading: Reading) {
        defer { last = reading }
        guard let last, reading.at > last.at else { return }
        let (new, old) = (reading.metrics, last.metrics)
        let waits = new.waits.since(old.waits)
        samples.append(
            ServerPage.Sample(
                at: reading.at,
                seconds: Double(reading.at.milliseconds(since: last.at)) / 1_000,
                sockets: new.sessions, messages: new.messages - old.messages,
                deliveries: new.deliveries - old.deliveries, calls: new.calls - old.calls,
                failedCalls: new.failedCalls - old.failedCalls,
                limited: new.limited + new.overLimit - old.limited - old.overLimit,
                refusedLogins: new.refusedLogins - old.refusedLogins, p50: waits.quantile(0.5),
                p99: waits.quantile(0.99), disk: reading.disk))
        samples.removeFirst(max(0, samples.count - Self.limit))
    }
}
