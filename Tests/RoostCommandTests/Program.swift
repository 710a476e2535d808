// SPDX-License-Identifier: Apache-2.0

import Foundation

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

    /// The program lies beside the tests, where one build puts both.
    private static var program: URL {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: own).deletingLastPathComponent().appending(path: "roost")
        }
    }

    /// Runs it in the folder until it ends by itself; files stand for its streams, so nothing can block.
    func run(_ words: [String], input: [String] = []) async throws -> Outcome {
        let (stdin, stdout, stderr) = (path(".in"), path(".out"), path(".err"))
        try Data(input.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: stdin))
        let process = Process()
        process.executableURL = try Self.program
        process.arguments = words
        process.currentDirectoryURL = folder
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: stdin))
        process.standardOutput = try Self.writing(to: stdout)
        process.standardError = try Self.writing(to: stderr)
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                ended.resume(throwing: error)
            }
        }
        return Outcome(
            status: process.terminationStatus, output: try Self.lines(of: stdout),
            errors: try Self.lines(of: stderr))
    }

    private static func writing(to path: String) throws -> FileHandle {
        try Data().write(to: URL(filePath: path))
        return try FileHandle(forWritingTo: URL(filePath: path))
    }

    private static func lines(of path: String) throws -> [String] {
        try String(contentsOf: URL(filePath: path), encoding: .utf8)
            .split(separator: "\n").map { String($0) }
    }
}
