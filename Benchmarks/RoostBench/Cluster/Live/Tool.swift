// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A program that is run to its end, and waits with a bound.
enum Tool {
    /// Runs a program and returns the lines of its output and its errors.
    ///
    /// - Throws: The program's last words, if it does not end with 0.
    @discardableResult
    static func run(_ words: [String], in folder: String? = nil) throws(BenchError) -> [String] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        let name = URL(fileURLWithPath: words.first { $0.hasPrefix("/") } ?? words[0])
            .lastPathComponent
        let text: String
        do {
            try start(process)
            let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
            text = String(decoding: bytes, as: UTF8.self)
        } catch {
            throw BenchError("\(name) cannot be started: \(error)")
        }
        process.waitUntilExit()
        let lines = text.split(separator: "\n").map { String($0) }
        guard process.terminationStatus == 0 else {
            throw BenchError("\(name) failed: \(lines.suffix(3).joined(separator: " "))")
        }
        return lines
    }

    /// Starts a process that may receive every signal.
    ///
    /// Threads of the pool block signals, and a child inherits that: a shell would then wait for
    /// its own children for ever.
    static func start(_ process: Process) throws {
        var (none, old) = (sigset_t(), sigset_t())
        // SAFETY: both sets are lent for each call, and the first is empty before it is used.
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &old)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
        try process.run()
    }

    /// Waits until a condition holds.
    ///
    /// - Throws: A sentence if it does not come about in time, or the task was cancelled.
    static func wait(
        for what: String, atMost seconds: Double = 60, until condition: () async throws -> Bool
    ) async throws {
        let watch = Stopwatch()
        while try await !condition() {
            guard watch.microseconds < seconds * 1e6 else {
                throw BenchError("\(what) did not come about within \(Int(seconds)) s.")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    static func pause(_ duration: Duration) async {
        // A cancelled task need not wait.
        try? await Task.sleep(for: duration)
    }

    /// Whether this process may become another user.
    static var isAdministrator: Bool { getuid() == 0 }

    /// Returns the newest of the folders with PostgreSQL's programs; nil without any.
    static var postgresFolder: String? {
        let parent = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        let newest = versions.compactMap { Int($0) }.max().map { "\(parent)/\($0)/bin" }
        let candidates = [newest, "/opt/homebrew/opt/postgresql/bin", "/usr/local/bin"]
        return candidates.compactMap { $0 }.first {
            FileManager.default.isExecutableFile(atPath: $0 + "/initdb")
        }
    }

    /// Returns the place of a program of `PATH`, or of the usual folders besides; nil without it.
    static func place(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return (folders.map { String($0) } + ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin"])
            .map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns a port of loopback on which nothing listens.
    static func freePort() throws(BenchError) -> UInt16 {
        for _ in 0..<100 {
            // Below the ports that the system gives to connections.
            let port = UInt16.random(in: 15_000...32_000)
            // A connection that is refused shows that nothing listens.
            if (try? RawSocket(port: port)) == nil { return port }
        }
        throw BenchError("No port is free: end other programs that listen.")
    }

    /// Returns the times of all processes by their numbers; empty if the system does not tell.
    static func processTimes() -> [Int32: ProcessTimes] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var times: [Int32: ProcessTimes] = [:]
        for id in names.compactMap({ Int32($0) }) {
            // A process may end between the two readings.
            guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                let found = ProcessTimes(stat: text, ticks: Double(sysconf(CInt(_SC_CLK_TCK))))
            else { continue }
            times[id] = found
        }
        return times
    }

    /// The number of this process.
    static var ownProcess: Int32 { ProcessInfo.processInfo.processIdentifier }
}
