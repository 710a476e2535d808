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
        /// Requests refused by their rate, or by a limit of a size or a number.
        package var limited: Int
        package var refusedLogins: Int
        /// The wait from a message's arrival to its place on disk, in milliseconds.
        package var p50: Int64?
        package var p99: Int64?
        package var disk: Disk

        package init(
            at: Timestamp, seconds: Double, sockets: Int = 0, messages: Int = 0,
            deliveries: Int = 0, calls: Int = 0, failedCalls: Int = 0, limited: Int = 0,
            refusedLogins: Int = 0, p50: Int64? = nil, p99: Int64? = nil, disk: Disk = Disk()
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
            self.disk = disk
        }
    }

    /// The bytes of a server's files; nil where they are unknown.
    package struct Disk: Equatable, Sendable {
        /// The database with its write-ahead log.
        package var database: Int64?
        /// The uploaded files.
        package var files: Int64?
        /// The free bytes of the volume with the database.
        package var free: Int64?

        package init(database: Int64? = nil, files: Int64? = nil, free: Int64? = nil) {
            self.database = database
            self.files = files
            self.free = free
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
    /// The words for a value that no period has.
    var absence = "nothing yet"

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
        disk("disk", "Database on disk") { $0.database },
        disk("files", "Uploaded files on disk") { $0.files },
        disk("free", "Free on the volume") { $0.free },
        ServerLine(id: "limits", title: "Limits hit", unit: "in 10 s") { Double($0.limited) },
        ServerLine(id: "logins", title: "Refused logins", unit: "in 10 s") {
            Double($0.refusedLogins)
        },
        ServerLine(id: "failed", title: "Failed REST calls", unit: "in 10 s") {
            Double($0.failedCalls)
        },
    ]

    /// Returns a line of sizes, which a server with a shared database does not know.
    private static func disk(
        _ id: String, _ title: String, _ bytes: @escaping @Sendable (ServerPage.Disk) -> Int64?
    ) -> ServerLine {
        ServerLine(
            id: id, title: title, unit: "", value: { bytes($0.disk).map(Double.init) },
            write: { Measures.size(Int64(exactly: $0.rounded()) ?? 0) },
            absence: "unknown with --database")
    }

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
