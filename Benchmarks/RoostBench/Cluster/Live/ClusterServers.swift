// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A `nats-server` on loopback.
final class BusServer {
    private let program: String
    private let port: UInt16
    private let folder: String
    private(set) var process: BenchProcess?

    /// Prepares a server.
    ///
    /// - Throws: A sentence if the program is not installed.
    init(in folder: String) throws(BenchError) {
        guard let program = Tool.place(of: "nats-server") else {
            throw BenchError("nats-server is not installed: run scripts/setup --cluster.")
        }
        self.program = program
        self.folder = folder
        port = try Tool.freePort()
    }

    var address: String { "nats://127.0.0.1:\(port)" }

    func start() async throws {
        let process = try BenchProcess(
            "nats-server", [program, "-a", "127.0.0.1", "-p", "\(port)"], log: folder + "/bus.log",
            folder: folder, endedBy: "KILL")
        self.process = process
        try await process.wait { (try? RawSocket(port: port)) != nil }
    }
}

/// One `roost serve`.
final class HostServer {
    let process: BenchProcess
    let port: UInt16

    /// Starts a server and waits until it listens.
    ///
    /// - Parameters:
    ///   - roost: The program.
    ///   - name: The server's name.
    ///   - words: The options of its storage.
    ///   - token: The secret of administrators' calls.
    ///   - folder: The folder of its output.
    /// - Throws: Its last words, if it does not start.
    init(
        _ roost: String, _ name: String, _ words: [String], token: String, in folder: String
    ) async throws {
        let process = try BenchProcess(
            name,
            [roost, "serve"] + words + [
                "--port", "0", "--app-id", "bench", "--user-rate", "0", "--address-rate", "0",
                "--max-per-address", "0", "--drain", "0",
            ], log: "\(folder)/\(name).log", folder: folder, endedBy: "TERM",
            environment: ["ROOST_API_TOKEN": token])
        self.process = process
        try await process.wait { Self.port(in: process.output) != nil }
        guard let port = Self.port(in: process.output) else {
            throw BenchError("\(name) does not say where it listens.")
        }
        self.port = port
    }

    /// Returns the port of the line with which a server begins.
    static func port(in output: String) -> UInt16? {
        guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("listening") }),
            line.count < output.count,
            let address = line.split(separator: " ").dropFirst(2).first
        else { return nil }
        return address.split(separator: ":").last.flatMap { UInt16($0) }
    }
}
