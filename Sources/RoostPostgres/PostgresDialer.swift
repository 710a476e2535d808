// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors

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

/// The opening of sessions, on threads of its own: libpq waits for names and hosts.
final class PostgresDialer: Sendable {
    private struct State {
        var isClosed = false
        /// The attempts that have not ended.
        var attempts = 0
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// Several threads, so that sessions do not pass a silent host one after the other.
    private let threads = ThreadPool(name: "roost.dial", width: 4)
    private let configuration: PostgresConfiguration
    private let state = Guarded(State())

    init(_ configuration: PostgresConfiguration) { self.configuration = configuration }

    /// Refuses all attempts that have not begun, and waits for the others.
    func close() async {
        await withCheckedContinuation { closer in
            let hasAttempts = state.withLock { state in
                state.isClosed = true
                if state.attempts > 0 { state.closers.append(closer) }
                return state.attempts > 0
            }
            if !hasAttempts { closer.resume() }
        }
    }

    /// Opens a session at the first of the addresses that accepts writes.
    ///
    /// - Throws: `.library`, or `.unreachable` with the reason and the remedy, without the password;
    ///   `.closed`.
    func dial() async throws(PostgresError) -> OpenedSession {
        state.withLock { $0.attempts += 1 }
        let result = await withCheckedContinuation {
            (waiter: CheckedContinuation<Result<OpenedSession, PostgresError>, Never>) in
            let isAccepted = threads.run {
                let result = Result { () throws(PostgresError) in try self.open() }
                self.endAttempt()
                waiter.resume(returning: result)
            }
            guard !isAccepted else { return }
            endAttempt()
            waiter.resume(
                returning: .failure(
                    PostgresError(
                        .unreachable, "The system has no thread left; raise its limit.")))
        }
        return try result.get()
    }

    private func endAttempt() {
        let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.attempts -= 1
            guard state.attempts == 0 else { return [] }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    /// Opens a session; blocks the calling thread for seconds at a silent host.
    private func open() throws(PostgresError) -> OpenedSession {
        guard !state.withLock({ $0.isClosed }) else { throw .closed }
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
        let text = lines.prefix(4).joined(separator: "; ")
        // A host that is only away may be the one that takes the session.
        let isFinal = Dictionary(grouping: attempts(in: lines), by: place).values
            .allSatisfy { $0.contains { rejection($0) != nil } }
        let (kind, remedy): (Kind, String) =
            if let remedy = rejection(text) {
                (isFinal ? .rejected : .unreachable, remedy)
            } else if text.contains("read-only") || text.contains("hot standby") {
                (.unreachable, "None of the hosts is the primary now; it is tried again.")
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

    /// Returns the name and the port that a part of a report is about; a name has several
    /// addresses.
    private static func place(of attempt: String) -> String {
        let name = attempt.split(separator: "\"").dropFirst().first ?? ""
        let port = attempt.firstRange(of: ", port ").map { range in
            attempt[range.upperBound...].prefix { $0.isNumber }
        }
        return "\(name):\(port ?? "")"
    }

    /// Returns the part of a report about each attempt: one for each address of each host.
    private static func attempts(in lines: [Substring]) -> [String] {
        var attempts: [String] = []
        for line in lines {
            let isNext =
                line.hasPrefix("connection to server")
                || line.hasPrefix("could not translate host name")
            if isNext || attempts.isEmpty {
                attempts.append(String(line))
            } else {
                attempts[attempts.count - 1] += "; \(line)"
            }
        }
        return attempts
    }

    /// Returns the remedy for a refusal that only a change by a person ends; nil for any other
    /// report.
    private static func rejection(_ text: String) -> String? {
        if text.contains("password authentication failed")
            || text.contains("no password supplied")
        {
            "Check the user and the password in --database, or ~/.pgpass."
        } else if text.contains("no pg_hba.conf entry") {
            "Let this host in by a line in the server's pg_hba.conf."
        } else if text.contains("does not exist") {
            "Create it (createdb, createuser), or correct --database."
        } else if text.contains("read-only") || text.contains("hot standby") {
            nil
        } else if text.contains("invalid") || text.contains("missing \"=\"") {
            "Write --database as postgresql://user:password@host:port/name."
        } else {
            nil
        }
    }
}
