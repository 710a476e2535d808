// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A program that runs until it is ended.
///
/// It runs under a small shell that waits for the end of a pipe. This process holds the other end,
/// so the program ends with it, however it ends.
final class BenchProcess {
    private let shell = Process()
    private let lifeline = Pipe()
    private let log: String
    private let name: String
    /// The number of the program's process.
    let id: Int32

    /// Starts a program; its output and its errors go to a file.
    ///
    /// - Parameters:
    ///   - name: The name for error messages.
    ///   - words: The program and its arguments.
    ///   - log: The file.
    ///   - folder: The folder in which it runs.
    ///   - signal: The signal that ends it.
    ///   - environment: Variables besides those of this process: secrets, which must not be
    ///     arguments.
    /// - Throws: A sentence if it cannot be started.
    init(
        _ name: String, _ words: [String], log: String, folder: String, endedBy signal: String,
        environment: [String: String] = [:]
    ) throws(BenchError) {
        (self.name, self.log) = (name, log)
        let script = """
            exec 3<&0
            signal=$1 log=$2; shift 2
            "$@" 3<&- </dev/null >>"$log" 2>&1 & id=$!
            echo "$id"
            { read -r line <&3; kill -$signal $id; sleep 8; kill -9 $id; } >/dev/null 2>&1 &
            guard=$!
            wait $id
            kill $guard 2>/dev/null
            """
        let output = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", script, "sh", signal, log] + words
        shell.environment = ProcessInfo.processInfo.environment
            .merging(environment) { _, new in new }
        shell.currentDirectoryURL = URL(fileURLWithPath: folder)
        shell.standardInput = lifeline
        shell.standardOutput = output
        do {
            try Tool.start(shell)
        } catch {
            throw BenchError("\(name) cannot be started: \(error)")
        }
        var text = ""
        while !text.hasSuffix("\n") {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { break }
            text += String(decoding: bytes, as: UTF8.self)
        }
        guard let id = Int32(text.dropLast()) else {
            throw BenchError("\(name) cannot be started: no shell answered.")
        }
        self.id = id
    }

    deinit { end() }

    var isRunning: Bool { shell.isRunning }

    /// The text that the program has written.
    var output: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Waits until the program is ready.
    ///
    /// - Throws: Its last words, if it ends first.
    func wait(until isReady: () -> Bool) async throws {
        try await Tool.wait(for: "The start of \(name)") {
            guard isRunning else {
                let words = output.split(separator: "\n").suffix(3).joined(separator: " ")
                throw BenchError("\(name) did not start: \(words)")
            }
            return isReady()
        }
    }

    /// Kills the program and its children at once, as a machine without power would.
    func kill() {
        guard isRunning else { return }
        let children = Tool.processTimes().filter { $0.value.parent == id }.keys
        for id in [id] + children { _ = sendSignal(id, SIGKILL) }
        shell.waitUntilExit()
    }

    /// Asks the program to end, and waits for it.
    func end() {
        // Closed already if it was ended before.
        try? lifeline.fileHandleForWriting.close()
        shell.waitUntilExit()
    }
}

/// Sends a signal to a process.
private func sendSignal(_ id: Int32, _ number: Int32) -> Int32 { kill(id, number) }
