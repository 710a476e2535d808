// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A process of this same program that communicates by lines.
///
/// Belongs to one thread; its owner must end it.
final class LineProcess {
    enum Event {
        case line(String)
        case ended
        case interrupted
        case timedOut
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let interruption: Int32
    private var splitter = LineSplitter()
    private var lines: [String] = []
    private var hasEnded = false

    /// Starts the program again with these arguments; its standard error is ours.
    ///
    /// - Parameters:
    ///   - words: The arguments.
    ///   - environment: Variables besides those of this process: secrets, which must not be
    ///     arguments.
    ///   - interruption: A descriptor that becomes readable when waiting must end.
    /// - Throws: The system's error.
    init(_ words: [String], environment: [String: String] = [:], interruption: Int32) throws {
        self.interruption = interruption
        process.executableURL = Self.program
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment) { _, new in new }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// The file of this program.
    private static var program: URL {
        Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    }

    /// Writes a line; the end of the child is reported by the next `next`.
    func write(_ line: String) {
        try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Waits for the next line until the deadline.
    func next(until deadline: Deadline) -> Event {
        while true {
            if !lines.isEmpty { return .line(lines.removeFirst()) }
            if hasEnded { return .ended }
            let descriptor = output.fileHandleForReading.fileDescriptor
            let readable = Descriptors.readable([interruption, descriptor], until: deadline)
            if readable.isEmpty { return .timedOut }
            if readable.contains(interruption) { return .interrupted }
            // A pipe that cannot be read has ended for this process.
            let bytes = (try? Descriptors.bytes(of: descriptor)) ?? []
            if bytes.isEmpty {
                hasEnded = true
                if isInterrupted(within: .milliseconds(200)) { return .interrupted }
            }
            for line in splitter.split(bytes) {
                if case .text(let text) = line {
                    lines.append(String(decoding: text, as: UTF8.self))
                }
            }
        }
    }

    /// Whether the demo is interrupted: Ctrl-C reaches every process of the terminal, the child
    /// perhaps first.
    private func isInterrupted(within patience: Duration) -> Bool {
        !Descriptors.readable([interruption], until: Deadline(in: patience)).isEmpty
    }

    /// Ends the process at once, as a crash would.
    func endAbruptly() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Asks the process to end, waits for a while, then ends it; nil if it had to be killed.
    @discardableResult
    func end(within patience: Duration = .seconds(3)) -> Int32? {
        // Already closed if the child has ended.
        try? input.fileHandleForWriting.close()
        if process.isRunning { process.terminate() }
        let deadline = Deadline(in: patience)
        while !hasEnded {
            switch next(until: deadline) {
            case .line: continue
            case .ended: break
            case .interrupted, .timedOut:
                endAbruptly()
                return nil
            }
        }
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }
}
