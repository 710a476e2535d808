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
        self.port = try port ?? Self.freePort()
        self.arguments = ["-a", "127.0.0.1", "-p", String(self.port)] + arguments
        folder = try TemporaryFolder()
        try await start()
    }

    deinit { end() }

    /// Starts servers that form a cluster; a client of one learns of all.
    package static func cluster(of count: Int) async throws -> [NATSServer] {
        let ports = try (0..<count).map { _ in try freePort() }
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
        let script = """
            exec 3<&0
            "$0" "$@" 2>&1 3<&- </dev/null & echo "id $!"
            read -r line <&3
            kill -9 $! 2>/dev/null; wait
            """
        let shell = try ChildProcess("/bin/sh", ["-c", script, program] + arguments, input: pipe)
        let text = await shell.text { $0.contains("Server is ready") }
        guard text.contains("Server is ready"),
            let id = text.split(separator: "\n").first(where: { $0.hasPrefix("id ") })
                .flatMap({ pid_t($0.dropFirst(3)) })
        else {
            close(lifeline)
            throw Failure(description: "nats-server did not start on port \(port): \(text)")
        }
        run.withLock { $0 = Run(shell: shell, lifeline: lifeline, id: id) }
        // A full pipe would stop the server at its next line.
        Task { _ = await shell.lines() }
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

    /// Returns a port on which nothing listens at the moment.
    package static func freePort() throws -> UInt16 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failure(description: "No socket for a free port.") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: the address is valid during both calls, which get its true size.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(socket, address, size) == 0
                    && getsockname(socket, address, &size) == 0
            }
        }
        guard isBound else { throw Failure(description: "No free port for the bus.") }
        return UInt16(bigEndian: address.sin_port)
    }
}
