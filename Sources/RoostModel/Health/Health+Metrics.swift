// SPDX-License-Identifier: Apache-2.0

extension Health {
    /// One figure of a client's health, for a monitoring system.
    public struct Metric: Hashable, Sendable {
        /// The name, which later releases keep; it ends with the unit unless it is a count.
        public let name: String
        /// The value: a count, seconds or bytes by the name; 1 for true and 0 for false.
        public let value: Double
    }

    /// Returns the health as figures with stable names, without names of channels or users.
    ///
    /// A figure that is unknown or has no meaning now is left out, such as the age of the oldest
    /// message in an empty outbox. `docs/features.md` lists all names.
    ///
    /// - Parameter now: The current moment by the device's clock, from which ages count.
    /// - Returns: The figures, in a fixed order.
    public func metrics(at now: Timestamp) -> [Metric] {
        connectionMetrics(at: now) + catchUpMetrics(at: now) + outboxMetrics(at: now)
            + cacheMetrics
    }

    private func connectionMetrics(at now: Timestamp) -> [Metric] {
        let isUp = connection.state == .connected
        return Self.known([
            ("connection_up", Self.number(isUp)),
            ("connection_attempt", Double(connection.attempt)),
            (
                "connection_next_attempt_seconds",
                connection.nextAttempt.map { Self.seconds(from: now, to: $0) }
            ),
            (
                "connection_down_seconds",
                isUp ? 0 : connection.since.map { Self.seconds(from: $0, to: now) }
            ),
        ])
    }

    private func catchUpMetrics(at now: Timestamp) -> [Metric] {
        Self.known([
            ("channel_list_current", Self.number(catchUp.channelList == .current)),
            ("channel_list_fetched", Double(catchUp.fetchedChannels)),
            ("catch_up_running", Double(catchUp.running)),
            ("catch_up_waiting", Double(catchUp.waiting)),
            ("catch_up_finished", Double(catchUp.finished)),
            (
                "catch_up_next_attempt_seconds",
                catchUp.nextAttempt.map { Self.seconds(from: now, to: $0) }
            ),
            ("look_ups", Double(catchUp.lookUps)),
            ("downloads", Double(catchUp.downloads)),
        ])
    }

    private func outboxMetrics(at now: Timestamp) -> [Metric] {
        Self.known([
            ("outbox_pending", Double(outbox.pending)),
            ("outbox_failed", Double(outbox.failed)),
            (
                "outbox_oldest_seconds",
                outbox.oldest.map { Self.seconds(from: $0.createdAt, to: now) }
            ),
        ])
    }

    private var cacheMetrics: [Metric] {
        Self.known([
            ("cache_bytes", cache.size.map { Double($0.bytes) }),
            ("cache_limit_bytes", cache.limit.map { Double($0.bytes) }),
            ("cache_channels_with_holes", cache.channelsWithHoles.map { Double($0) }),
            ("cache_pages_from_disk_total", Double(cache.pagesFromDisk)),
            ("cache_pages_from_server_total", Double(cache.pagesFromServer)),
            ("disk_refuses", Self.number(cache.refusal != nil)),
            ("repairing", Self.number(damage.isBeingRepaired)),
            ("repairs_total", Double(damage.repairs)),
            ("lost_messages_total", Double(damage.lostMessages)),
            ("suspended", Self.number(isSuspended)),
        ])
    }

    private static func known(_ figures: [(String, Double?)]) -> [Metric] {
        figures.compactMap { name, value in
            value.map { Metric(name: "roost_client_" + name, value: $0) }
        }
    }

    private static func number(_ flag: Bool) -> Double { flag ? 1 : 0 }

    /// Returns the seconds between two moments; zero if the clock was set back meanwhile.
    private static func seconds(from start: Timestamp, to end: Timestamp) -> Double {
        Double(max(end.milliseconds(since: start), 0)) / 1_000
    }
}
