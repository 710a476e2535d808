// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that is run to its end.
enum ChildProcess {
    /// Runs a program and returns the lines of its output.
    ///
    /// - Throws: An error if the program cannot be started or ends with another status than 0.
    static func lines(of program: String, _ arguments: [String]) throws(BenchError) -> [String] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        let text: String
        do {
            try process.run()
            let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
            text = String(decoding: bytes, as: UTF8.self)
        } catch {
            throw BenchError("\(program) cannot be started: \(error)")
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchError("\(program) \(arguments.joined(separator: " ")) has failed.")
        }
        return text.split(separator: "\n").map { String($0) }
    }
}
