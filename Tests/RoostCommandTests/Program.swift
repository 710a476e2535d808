// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport

/// Runs the real program.
struct Program {
    struct Outcome {
        let status: Int32
        let output: [String]
        let errors: [String]
    }

    /// A folder of this run's own; the caller removes it.
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "roost-command-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Runs it in the folder until it ends by itself; files stand for its streams, so nothing can block.
    ///
    /// - Parameters:
    ///   - words: What follows the program's name.
    ///   - input: The lines it reads.
    ///   - place: Where its output goes instead of a file of this run, such as a full disk.
    /// - Returns: How it ended, and what it said; none of the output when it went to another place.
    /// - Throws: When it could not be started, or was killed.
    func run(
        _ words: [String], input: [String] = [], to place: String? = nil
    ) async throws -> Outcome {
        let (stdin, stdout, stderr) = (path(".in"), path(".out"), path(".err"))
        try Data(input.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: stdin))
        let roost = try ChildProcess.built("roost")
        let process = try ChildProcess(
            "/usr/bin/env", ["-C", folder.path, roost] + words, input: stdin,
            output: place ?? stdout, errors: stderr)
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
