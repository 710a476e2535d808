// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A real `nats-server` on a free port of this machine.
///
/// It runs under a small shell that waits for the end of a pipe. The test process holds the other end,
/// so the server dies with it, however it ends.
package final class NATSServer: Sendable {
    /// The sentence for a machine on which the server cannot start.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// A start of the program.
    private struct Run {
        let shell: ChildProcess
        /// The writing end of the shell's input.
        let lifeline: Int32
        let id: pid_t
    }

    package let port: UInt16
    private let arguments: [String]
    private let folder: TemporaryFolder
    private let run = Mutex<Run?>(nil)

    /// The address for clients.
    package var address: String { "nats://127.0.0.1:\(port)" }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port; nil for a free one.
    ///   - arguments: Further arguments of the program.
    /// - Throws: A sentence, such as for a machine without the program.
    package init(port: UInt16? = nil, _ arguments: [String] = []) async throws {
        self.port = try port ?? FreePort.next()
        self.arguments = ["-a", "127.0.0.1", "-p", String(self.port)] + arguments
        folder = try TemporaryFolder()
        try await start()
    }

    deinit { end() }

    /// Starts servers that form a cluster; a client of one learns of all.
    package static func cluster(of count: Int) async throws -> [NATSServer] {
        let ports = try (0..<count).map { _ in try FreePort.next() }
        let routes = ports.map { "nats://127.0.0.1:\($0)" }.joined(separator: ",")
        var servers: [NATSServer] = []
        for port in ports {
            servers.append(
                try await NATSServer([
                    "--cluster_name", "roost", "--cluster", "nats://127.0.0.1:\(port)", "--routes",
                    routes,
                ]))
        }
        return servers
    }

    /// Starts the server again, on the same port, after `kill`.
    package func start() async throws {
        guard let program = Self.program else {
            throw Failure(description: "nats-server is not installed: run scripts/setup --cluster.")
        }
        let pipe = folder.file("lifeline-\(UUID().uuidString)")
        // Opened for both directions, so that neither this process nor the shell waits for the other.
        // SAFETY: the name is a C string during the calls.
        let lifeline =
            unsafe mkfifo(pipe, 0o600) == 0 ? unsafe open(pipe, O_RDWR | O_CLOEXEC) : -1
        guard lifeline >= 0 else { throw Failure(description: "No pipe for the bus.") }
        // The output ends with the server, so a failed start is noticed.
        let script = """
            exec 3<&0
            "$0" "$@" 2>&1 3<&- </dev/null & id=$!
            echo "id $id"
            { read -r line <&3; kill -9 $id; } >/dev/null 2>&1 & guard=$!
            wait $id; kill $guard 2>/dev/null
            """
        let shell = try ChildProcess("/bin/sh", ["-c", script, program] + arguments, input: pipe)
        // The two lines come from two processes, in any order.
        let text = await shell.text { Self.id(in: $0) != nil && $0.contains("Server is ready") }
        guard text.contains("Server is ready"), let id = Self.id(in: text) else {
            close(lifeline)
            throw Failure(description: "nats-server did not start on port \(port): \(text)")
        }
        run.withLock { $0 = Run(shell: shell, lifeline: lifeline, id: id) }
        // A full pipe would stop the server at its next line.
        Task { _ = await shell.lines() }
    }

    /// Returns the number of the server's process, once its whole line is there.
    private static func id(in text: String) -> pid_t? {
        guard let end = text.lastIndex(of: "\n") else { return nil }
        let line = text[..<end].split(separator: "\n").first { $0.hasPrefix("id ") }
        return line.flatMap { pid_t($0.dropFirst(3)) }
    }

    /// Kills the server, as a machine without power would, and waits for its end.
    package func kill() async {
        let shell = run.withLock { $0?.shell }
        end()
        _ = await shell?.end()
    }

    /// Stops the server, which keeps its sockets and does nothing.
    package func freeze() { signal(SIGSTOP) }

    package func thaw() { signal(SIGCONT) }

    private func signal(_ number: Int32) {
        run.withLock { run in
            // The shell has not waited for the server yet, so the number is still its own.
            if let run { Glibc.kill(run.id, number) }
        }
    }

    private func end() {
        run.withLock { run in
            if let run { close(run.lifeline) }
            run = nil
        }
    }

    /// The place of the program; nil if it is not installed.
    package static var program: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return (folders.map(String.init) + ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin"])
            .map { $0 + "/nats-server" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
