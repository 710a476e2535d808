// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The counters of a server since its start, without names and content.
package struct ServerMetrics: Equatable, Sendable {
    package var sessions = 0
    package var logins = 0
    package var refusedLogins = 0
    /// Connections that the host closed because their address had too many.
    package var refusedConnections = 0
    package var limited = 0
    package var overLimit = 0
    package var frames = 0
    package var calls = 0
    package var failedCalls = 0
    package var messages = 0
    package var commits = 0
    package var deliveries = 0
    /// Stored objects that could not be read and are missing in an answer.
    package var unreadable = 0
    /// Frames that were not sent because no client could read them.
    package var oversized = 0
    /// The waits from the arrival of a message to its place on disk.
    package var waits = LatencyCounts()

    package init() {}

    /// The counters in the text format of Prometheus (0.0.4).
    package var text: String {
        let rows: [(name: String, kind: String, help: String, value: Int)] = [
            ("roost_sessions", "gauge", "Open sockets that are logged in.", sessions),
            ("roost_logins_total", "counter", "Logins that succeeded.", logins),
            ("roost_refused_logins_total", "counter", "Logins that failed.", refusedLogins),
            (
                "roost_refused_connections_total", "counter",
                "Connections refused because their address had too many.", refusedConnections
            ),
            ("roost_limited_total", "counter", "Requests refused by their rate.", limited),
            (
                "roost_over_limit_total", "counter",
                "Requests refused by a limit of a size or a number.", overLimit
            ),
            ("roost_frames_total", "counter", "Text frames taken from clients.", frames),
            ("roost_calls_total", "counter", "REST calls answered.", calls),
            (
                "roost_failed_calls_total", "counter", "REST calls answered with an error.",
                failedCalls
            ),
            ("roost_messages_total", "counter", "Messages stored.", messages),
            ("roost_commits_total", "counter", "Commits that stored messages.", commits),
            ("roost_deliveries_total", "counter", "Frames handed to sockets.", deliveries),
            (
                "roost_unreadable_total", "counter",
                "Unreadable stored objects that are missing in answers.", unreadable
            ),
            (
                "roost_oversized_total", "counter", "Frames too large for any client, not sent.",
                oversized
            ),
        ]
        return Self.text(of: rows)
    }

    /// Returns counters in the text format of Prometheus.
    package static func text(
        of rows: [(name: String, kind: String, help: String, value: Int)]
    ) -> String {
        rows.map { row in
            "# HELP \(row.name) \(row.help)\n# TYPE \(row.name) \(row.kind)\n"
                + "\(row.name) \(row.value)\n"
        }.joined()
    }
}

/// The owner of the counters; all parts add to them, and none reads them.
final class Telemetry {
    var metrics = ServerMetrics()
    /// The deliveries since the start.
    var work = DeliveryWork()

    /// Lets the sockets and other work have their turn once a row of deliveries is a portion.
    ///
    /// - Parameter start: The state at the beginning of the row.
    func pause(since start: inout DeliveryWork) async {
        guard work.isPortion(since: start) else { return }
        await Task.yield()
        start = work
    }

    /// Counts a refusal if a limit of a size or a number (`ServerLimits`) is its reason.
    func note(_ refusal: RoostError.Code?) {
        switch refusal?.rawValue {
        // Long texts and IDs, long lists, meta arrays and their values, large files, sockets of a
        // user, and participants.
        case 400_110, 400_203, 400_305, 400_500, 900_027, 900_028, 900_066, 900_400:
            metrics.overLimit += 1
        default: break
        }
    }
}
