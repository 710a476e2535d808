// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostSockets

/// The address of a database and the settings of its sessions.
package struct PostgresConfiguration: Sendable {
    /// A URL or a list of `key=value`, as libpq reads them; several hosts are tried in turn.
    package var address: String
    /// The schema of all tables.
    package var schema = "roost"
    /// The most sessions at once.
    package var sessions = 8
    /// The time after which one address counts as unreachable.
    package var connectPatience: Duration = .seconds(3)
    /// The time that a call waits for a session, and that a batch waits for its answers.
    package var patience: Duration = .seconds(10)
    /// The time that a batch of a transaction waits for its answers; nil for `patience`.
    package var answerPatience: Duration?
    /// The name of this process in the server's list of sessions.
    package var name = "roost"

    package init(_ address: String) { self.address = address }
}

/// The opening of sessions, on a thread of its own: libpq waits for names and hosts.
actor PostgresDialer {
    private nonisolated let executor: ThreadExecutor
    private let configuration: PostgresConfiguration
    private let loop: EventLoop
    private nonisolated let isClosed = Guarded(false)

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(_ configuration: PostgresConfiguration, _ loop: EventLoop, on executor: ThreadExecutor) {
        self.configuration = configuration
        self.loop = loop
        self.executor = executor
    }

    /// Refuses all attempts that have not begun.
    nonisolated func close() { isClosed.withLock { $0 = true } }

    /// Opens a session at the first of the addresses that accepts writes.
    ///
    /// - Throws: `.library`, or `.unreachable` with the reason and the remedy, without the password;
    ///   `.closed`.
    func dial() throws(PostgresError) -> OpenedSession {
        guard !isClosed.withLock({ $0 }) else { throw .closed }
        let library = try LibPQ.shared.get()
        let seconds = max(2, configuration.connectPatience.components.seconds)
        // Of two values libpq takes the later, so the address may change those before it.
        let options: [(String, String)] = [
            ("target_session_attrs", "read-write"), ("connect_timeout", "\(seconds)"),
            ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "10000"), ("dbname", configuration.address),
            ("application_name", configuration.name), ("client_encoding", "UTF8"),
        ]
        let session = unsafe Self.withTexts(options.map(\.0)) { keys in
            unsafe Self.withTexts(options.map(\.1)) { values in
                // SAFETY: both lists end with a null pointer and live during the call.
                unsafe library.connect(keys, values, 1)
            }
        }
        guard let session = unsafe session else {
            throw PostgresError(.unreachable, "There is no memory for a database session.")
        }
        // SAFETY: the session is open or failed, and owned here until it is handed over.
        guard unsafe library.status(session) == 0 else {
            let text = unsafe library.errorMessage(session).map { unsafe String(cString: $0) } ?? ""
            unsafe library.finish(session)
            throw .unreachable(text, at: configuration.address)
        }
        guard unsafe library.serverVersion(session) >= 130_000 else {
            unsafe library.finish(session)
            throw PostgresError(
                .unreachable,
                "The database is older than PostgreSQL 13. Upgrade it, or name another one.")
        }
        return unsafe OpenedSession(session)
    }

    /// Lends a list of texts that ends with a null pointer.
    private static func withTexts(
        _ texts: [String], _ body: (LibPQ.Texts) -> OpaquePointer?
    ) -> OpaquePointer? {
        var pointers: [UnsafePointer<CChar>?] = unsafe []
        var copies: [UnsafeMutablePointer<CChar>] = unsafe []
        for text in texts {
            let bytes = Array(text.utf8CString)
            // SAFETY: the copy has the text's length and is freed below.
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            unsafe copy.initialize(from: bytes, count: bytes.count)
            unsafe copies.append(copy)
            unsafe pointers.append(UnsafePointer(copy))
        }
        unsafe pointers.append(nil)
        let count = unsafe copies.count
        defer { for index in 0..<count { unsafe copies[index].deallocate() } }
        return unsafe pointers.withUnsafeBufferPointer { list in
            guard let start = list.baseAddress else { return nil }
            return unsafe body(start)
        }
    }
}

/// A session on its way from the dialer to its connection.
///
/// - Invariant: One thread at a time uses it; it is handed over once.
@safe struct OpenedSession: @unchecked Sendable {
    let session: OpaquePointer

    init(_ session: OpaquePointer) { unsafe self.session = unsafe session }
}

extension PostgresError {
    /// Makes the error of a failed opening from libpq's report, without the password of the address.
    static func unreachable(_ report: String, at address: String) -> PostgresError {
        let lines = report.split(separator: "\n").map { line in
            line.drop { $0 == " " || $0 == "\t" }
        }
        // Several hosts have a line each; the last one says the most about the present.
        let text = lines.prefix(4).joined(separator: "; ")
        let (kind, remedy): (Kind, String) =
            if text.contains("password authentication failed")
                || text.contains("no password supplied")
            {
                (.rejected, "Check the user and the password in --database, or ~/.pgpass.")
            } else if text.contains("no pg_hba.conf entry") {
                (.rejected, "Let this host in by a line in the server's pg_hba.conf.")
            } else if text.contains("does not exist") {
                (.rejected, "Create it (createdb, createuser), or correct --database.")
            } else if text.contains("read-only") || text.contains("hot standby") {
                (.unreachable, "None of the hosts is the primary now; it is tried again.")
            } else if text.contains("invalid") || text.contains("missing \"=\"") {
                (.rejected, "Write --database as postgresql://user:password@host:port/name.")
            } else {
                (.unreachable, "Check that PostgreSQL runs there, and the address.")
            }
        guard !AddressSecret(address).isPart(of: text) else {
            return PostgresError(
                kind,
                "The database cannot be reached. \(remedy) The report is left out, because it may have "
                    + "a part of the password; in a URL its characters @ : / % are written %40 %3A "
                    + "%2F %25.")
        }
        return PostgresError(kind, "The database cannot be reached: \(text). \(remedy)")
    }
}
