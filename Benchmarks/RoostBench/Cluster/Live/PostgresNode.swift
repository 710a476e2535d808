// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One PostgreSQL of a primary with standbys, on loopback, with a superuser `roost`.
///
/// It waits for its disk, as in production: neither `fsync` nor `full_page_writes` is off.
final class PostgresNode {
    let name: String
    let port: UInt16
    private let programs: String
    private let folder: String
    private let user: [String]
    private(set) var process: BenchProcess?

    private static let settings = [
        "max_connections = 120", "shared_buffers = 256MB", "max_wal_size = 2GB",
        "wal_level = replica", "wal_log_hints = on", "hot_standby = on",
        "synchronous_commit = on", "wal_keep_size = 256MB", "wal_sender_timeout = 2s",
        "wal_receiver_timeout = 2s", "wal_retrieve_retry_interval = 200ms",
        "checkpoint_timeout = 15min",
    ]

    /// Makes the folder of a node.
    ///
    /// - Throws: A sentence if PostgreSQL is not installed.
    init(_ name: String, in parent: String) throws(BenchError) {
        guard let programs = Tool.postgresFolder else {
            throw BenchError("PostgreSQL is not installed: run scripts/setup --cluster.")
        }
        self.name = name
        self.programs = programs
        folder = "\(parent)/\(name)"
        port = try Tool.freePort()
        try Machine.makeFolder(folder)
        guard Tool.isAdministrator else {
            user = []
            return
        }
        // PostgreSQL refuses to run as root.
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        try Tool.run(["chown", "postgres", folder])
    }

    private var data: String { folder + "/data" }

    /// The words by which libpq finds this node.
    var address: String { "host=127.0.0.1 port=\(port) user=roost dbname=postgres" }

    private func tool(_ name: String, _ words: [String]) throws(BenchError) {
        try Tool.run(user + ["\(programs)/\(name)"] + words, in: folder)
    }

    /// Creates the data of the first primary.
    ///
    /// A commit waits for one of the standbys, and fails to end without any.
    func initialise(standbys: [String]) throws {
        try tool(
            "initdb", ["-D", data, "-A", "trust", "-U", "roost", "-E", "UTF8", "--locale=C"])
        let names = standbys.joined(separator: ", ")
        let lines = Self.settings + ["synchronous_standby_names = 'ANY 1 (\(names))'"]
        try append(lines, to: "postgresql.conf")
        try append(["host replication all 127.0.0.1/32 trust"], to: "pg_hba.conf")
    }

    private func append(_ lines: [String], to name: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(data)/\(name)"))
        try file.seekToEnd()
        try file.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        try file.close()
    }

    /// Becomes a copy of a primary that follows it from the next start on.
    func copy(_ primary: PostgresNode) throws {
        try tool(
            "pg_basebackup",
            ["-D", data, "-c", "fast", "-R", "-d", "\(connectionInfo(to: primary))"])
    }

    private func connectionInfo(to primary: PostgresNode) -> String {
        "host=127.0.0.1 port=\(primary.port) user=roost application_name=\(name) connect_timeout=2"
    }

    func start() async throws {
        let process = try BenchProcess(
            name,
            user + [
                "\(programs)/postgres", "-D", data, "-k", folder, "-p", "\(port)", "-c",
                "listen_addresses=127.0.0.1", "-c", "cluster_name=\(name)",
            ], log: folder + "/log", folder: folder, endedBy: "QUIT")
        self.process = process
        try await process.wait {
            (try? tool("pg_isready", ["-q", "-h", folder, "-p", "\(port)"])) != nil
        }
    }

    /// Returns the answer to a statement, its values separated by `|`.
    @discardableResult
    func ask(_ sql: String) throws(BenchError) -> String {
        try Tool.run(
            [
                "\(programs)/psql", "-h", folder, "-p", "\(port)", "-U", "roost", "-d", "postgres",
                "-XAtqc", sql,
            ]
        ).joined(separator: "\n")
    }

    /// The number of the last byte of the log that this standby has.
    var received: Int {
        get throws(BenchError) {
            let sql =
                "SELECT greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'"
            return Int(try ask(sql)) ?? 0
        }
    }

    /// Waits until standbys confirm commits.
    func waitForStandbys(_ count: Int) async throws {
        let sql = """
            SELECT count(*) FROM pg_stat_replication
            WHERE sync_state = 'quorum' AND state = 'streaming'
            """
        try await Tool.wait(for: "A standby of \(name)") { Int(try ask(sql)) ?? 0 >= count }
    }

    /// Becomes the primary.
    func promote() throws(BenchError) {
        guard try ask("SELECT pg_promote(true, 30)") == "t" else {
            throw BenchError("\(name) was not promoted.")
        }
    }

    /// Follows another primary at once.
    func follow(_ primary: PostgresNode) throws(BenchError) {
        try ask("ALTER SYSTEM SET primary_conninfo = '\(connectionInfo(to: primary))'")
        try ask("SELECT pg_reload_conf()")
    }
}
