// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport

/// The real program, with a folder for one test.
struct Program {
    struct Outcome {
        let status: Int32
        let output: [String]
        let errors: [String]
    }

    /// The folder of this test; the caller removes it.
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "roost-command-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Runs the program in the folder until it ends.
    ///
    /// Files are its streams, so no pipe can block.
    ///
    /// - Parameters:
    ///   - words: The arguments.
    ///   - input: The lines of its standard input.
    ///   - environment: The variables that differ from those of the tests.
    ///   - place: The file for its output, such as a full disk; nil for a file in the folder.
    /// - Returns: The exit status and the lines of output; without output if `place` is given.
    /// - Throws: An error if the program did not start or was killed.
    func run(
        _ words: [String], input: [String] = [], environment: [String: String] = [:],
        to place: String? = nil
    ) async throws -> Outcome {
        let (stdin, stdout, stderr) = (path(".in"), path(".out"), path(".err"))
        try Data(input.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: stdin))
        let roost = try ChildProcess.built("roost")
        let process = try ChildProcess(
            "/usr/bin/env", ["-C", folder.path, roost] + words, input: stdin,
            output: place ?? stdout, errors: stderr, environment: environment)
        guard case .exited(let status)? = await process.end() else { throw Killed() }
        return Outcome(
            status: status, output: place == nil ? try Self.lines(of: stdout) : [],
            errors: try Self.lines(of: stderr))
    }

    struct Killed: Error {}

    private static func lines(of path: String) throws -> [String] {
        try String(contentsOf: URL(filePath: path), encoding: .utf8)
            .split(separator: "\n").map { String($0) }
    }
}
