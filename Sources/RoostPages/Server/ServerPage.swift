// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The state of a server as a page shows it: its figures of the last hour.
package struct ServerPage: Equatable, Sendable {
    /// The figures of one period.
    package struct Sample: Equatable, Sendable {
        /// The end of the period.
        package var at: Timestamp
        package var seconds: Double
        /// The open sockets at the end.
        package var sockets: Int
        package var messages: Int
        package var deliveries: Int
        package var calls: Int
        package var failedCalls: Int
        /// Requests refused by their rate, and refused logins.
        package var limited: Int
        package var refusedLogins: Int
        /// The wait from a message's arrival to its place on disk, in milliseconds.
        package var p50: Int64?
        package var p99: Int64?
        /// Nil if the server has no database of its own.
        package var diskBytes: Int64?

        package init(
            at: Timestamp, seconds: Double, sockets: Int = 0, messages: Int = 0,
            deliveries: Int = 0, calls: Int = 0, failedCalls: Int = 0, limited: Int = 0,
            refusedLogins: Int = 0, p50: Int64? = nil, p99: Int64? = nil, diskBytes: Int64? = nil
        ) {
            self.at = at
            self.seconds = seconds
            self.sockets = sockets
            self.messages = messages
            self.deliveries = deliveries
            self.calls = calls
            self.failedCalls = failedCalls
            self.limited = limited
            self.refusedLogins = refusedLogins
            self.p50 = p50
            self.p99 = p99
            self.diskBytes = diskBytes
        }
    }

    package var applicationID: String
    /// Sentences that the operator has to know, such as the faults of `--chaos`.
    package var warnings: [String]
    /// The figures of the last hour, oldest first.
    package var samples: [Sample]
    /// Counters since the start, by name.
    package var totals: [(name: String, value: Int)]
    package var now: Timestamp

    package init(
        applicationID: String, warnings: [String] = [], samples: [Sample],
        totals: [(name: String, value: Int)] = [], now: Timestamp
    ) {
        self.applicationID = applicationID
        self.warnings = warnings
        self.samples = samples
        self.totals = totals
        self.now = now
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.applicationID == right.applicationID && left.warnings == right.warnings
            && left.samples == right.samples && left.now == right.now
            && left.totals.elementsEqual(right.totals, by: ==)
    }
}

/// One line over the last hour.
struct ServerLine {
    let id: String
    let title: String
    let unit: String
    let value: @Sendable (ServerPage.Sample) -> Double?
    /// A second value, drawn behind the first one.
    var peak: (@Sendable (ServerPage.Sample) -> Double?)?
    var write: @Sendable (Double) -> String = { ServerLine.number($0) }

    static let all = [
        ServerLine(id: "sockets", title: "Open sockets", unit: "") { Double($0.sockets) },
        ServerLine(id: "messages", title: "Messages stored", unit: "a second") {
            $0.rate($0.messages)
        },
        ServerLine(
            id: "waits", title: "Wait until stored, p50 and p99", unit: "ms",
            value: { $0.p50.map(Double.init) }, peak: { $0.p99.map(Double.init) }),
        ServerLine(id: "deliveries", title: "Frames delivered", unit: "a second") {
            $0.rate($0.deliveries)
        },
        ServerLine(id: "calls", title: "REST calls", unit: "a second") { $0.rate($0.calls) },
        ServerLine(
            id: "disk", title: "Database on disk", unit: "",
            value: { $0.diskBytes.map(Double.init) },
            write: { Measures.size(Int64(exactly: $0.rounded()) ?? 0) }),
        ServerLine(id: "limits", title: "Limits hit, and refused logins", unit: "in 10 s") {
            Double($0.limited + $0.refusedLogins)
        },
        ServerLine(id: "failed", title: "Failed REST calls", unit: "in 10 s") {
            Double($0.failedCalls)
        },
    ]

    static func number(_ value: Double) -> String {
        guard value.isFinite, value < 1e15 else { return "–" }
        let whole = Int64(exactly: value.rounded()) ?? 0
        if value >= 10 || value == Double(whole) { return String(whole) }
        let tenths = Int64(exactly: (value * 10).rounded()) ?? 0
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension ServerPage.Sample {
    fileprivate func rate(_ count: Int) -> Double { seconds > 0 ? Double(count) / seconds : 0 }
}
