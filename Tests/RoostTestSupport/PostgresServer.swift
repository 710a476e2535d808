// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A database server of the tests, in memory, which ends with the process.
package final class PostgresServer: Sendable {
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    private let process: ChildProcess
    private let folder: TemporaryFolder
    /// The port on loopback; nil if the server listens on a socket in its folder only.
    package let port: UInt16?

    /// Creates a data folder and starts the server.
    ///
    /// - Parameters:
    ///   - port: A port on loopback; nil for a socket in the server's folder.
    ///   - settings: The settings that differ from the server's own, such as `fsync=off`.
    /// - Throws: The server's own words if it does not start.
    package init(
        port: UInt16? = nil,
        settings: [String] = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        self.folder = folder
        self.port = port
        let address =
            port.map { ["-c", "listen_addresses=127.0.0.1", "-p", "\($0)"] }
            ?? ["-c", "listen_addresses="]
        process = try ChildProcess(
            "/bin/sh",
            ["-c", Self.script, "sh", folder.path, "\(getpid())"] + address
                + ["-c", "max_connections=400"] + settings.flatMap { ["-c", $0] },
            errors: folder.file("log"))
        let text = await process.text { $0.contains("\n") }
        guard text.hasPrefix("ready") else {
            let log = (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? ""
            throw Missing(
                description: "PostgreSQL did not start; run scripts/setup --cluster. \(text)\(log)")
        }
    }

    /// The one that the tests share; each takes a schema of its own.
    package static func shared() async throws -> PostgresServer { try await common.value }

    private static let common = Task { try await PostgresServer() }

    /// The address for a client.
    package var address: String {
        port.map { "host=127.0.0.1 port=\($0) user=roost dbname=postgres" }
            ?? "host=\(folder.path) user=roost dbname=postgres"
    }

    /// Returns a name that no other schema has.
    package static func schemaName() -> String {
        "s" + UUID().uuidString.lowercased().replacing("-", with: "")
    }

    /// Changes a setting of the running server, which reads it a moment later.
    package func set(_ name: String, to value: String) throws {
        let file = folder.file("data/postgresql.conf")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try (text + "\n\(name) = '\(value)'\n").write(
            toFile: file, atomically: false, encoding: .utf8)
        try signal(SIGHUP)
    }

    /// Sends a signal to the server's first process.
    package func signal(_ number: Int32) throws {
        let text = try String(contentsOfFile: folder.file("data/postmaster.pid"), encoding: .utf8)
        if let first = text.split(separator: "\n").first, let id = pid_t(first) {
            kill(id, number)
        }
    }

    /// Stops the server at once, without an orderly end, and waits for it.
    package func end() async {
        try? signal(SIGQUIT)
        _ = await process.end()
    }

    /// Starts the server, says so, and ends it after the test process.
    ///
    /// PostgreSQL refuses to run as root.
    private static let script = """
        folder=$1 owner=$2; shift 2
        # A signal for all processes of an interrupted run must not keep this one from tidying up.
        trap : INT TERM HUP
        for dir in /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin; do
            [ -x "$dir/initdb" ] && bin=$dir
        done
        [ -n "$bin" ] || { echo "No initdb was found."; exit 1; }
        as=
        if [ "$(id -u)" = 0 ]; then
            as="setpriv --reuid=postgres --regid=postgres --clear-groups"
            chown postgres "$folder"
        fi
        cd "$folder" || exit 1
        $as "$bin/initdb" -D "$folder/data" -A trust -U roost --no-sync -E UTF8 --locale=C >&2 ||
            { echo "initdb failed."; exit 1; }
        $as "$bin/postgres" -D "$folder/data" -k "$folder" "$@" >&2 &
        server=$!
        tries=0
        until "$bin/pg_isready" -q -h "$folder" ||
            "$bin/pg_isready" -q -h 127.0.0.1 -p "$(sed -n 4p "$folder/data/postmaster.pid")"; do
            tries=$((tries + 1))
            [ $tries -gt 300 ] && { echo "It did not answer."; exit 1; }
            sleep 0.1
        done
        echo ready
        while kill -0 "$owner" 2>/dev/null && kill -0 $server 2>/dev/null; do sleep 1; done
        kill -QUIT $server 2>/dev/null
        wait $server
        kill -0 "$owner" 2>/dev/null || rm -rf "$folder"
        """
}
