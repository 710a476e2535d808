// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// A sample app in a process of its own, which gets commands while it runs.
final class RunningApp {
    private let process: ChildProcess
    private let input: FileHandle
    private let name: String
    /// The number of lines that earlier calls have read.
    private var seen = 0

    /// The limit of the wait for a line; far above any busy machine's time.
    private static let patience = Duration.seconds(300)

    /// The beginnings of other answers than a command's first choice.
    private static let outcomes = [
        "error ", "no ", "not ", "nothing ", "outside", "offline", "sent", "waiting", "failed",
    ]

    init(_ app: String, _ user: String, in folder: TemporaryFolder, port: Int) throws {
        name = user
        let pipe = folder.file("\(user).commands")
        // SAFETY: here and below: the path is valid during the call.
        let code = unsafe mkfifo(pipe, 0o600)
        try #require(code == 0)
        // Open for both directions, a named pipe waits for no other process.
        let descriptor = unsafe open(pipe, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        input = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        process = try ChildProcess(
            try ChildProcess.built(app),
            ["http://127.0.0.1:\(port)", user, folder.file("cache-\(user)")], input: pipe)
    }

    deinit { process.signal(SIGKILL) }

    /// Gives a command, and returns the lines up to its answer, which must begin like this.
    ///
    /// The first word alone tells that a line is the answer.
    @discardableResult
    func tell(
        _ command: String, _ answer: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let lines = try await ask(command, answer)
        // Without the answer the rest of the day would wait in vain.
        try #require(
            lines.last?.hasPrefix(answer) == true, "\(name): \(command): \(lines)",
            sourceLocation: sourceLocation)
        return lines
    }

    /// Gives a command, and returns the lines up to its answer: one with the first word of this, or
    /// another outcome.
    func ask(_ command: String, _ answer: String) async throws -> [String] {
        try input.write(contentsOf: Data("\(command)\n".utf8))
        let beginnings = Self.outcomes + answer.split(separator: " ").prefix(1).map(String.init)
        return await read { line in beginnings.contains { line.hasPrefix($0) } }
    }

    /// Waits for a line with this beginning.
    func sees(
        _ beginning: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let lines = await read { $0.hasPrefix(beginning) }
        try #require(
            lines.last?.hasPrefix(beginning) == true, "\(name): \(lines)",
            sourceLocation: sourceLocation)
    }

    /// Waits for a line, and returns the lines up to it; ends an app that does not write it.
    private func read(until isLast: @escaping @Sendable (String) -> Bool) async -> [String] {
        let seen = seen
        let end = Self.killing(process, after: Self.patience)
        defer { end.cancel() }
        let text = await process.text { text in
            Self.lines(text).dropFirst(seen).contains(where: isLast)
        }
        let rest = Self.lines(text).dropFirst(seen)
        let last = rest.firstIndex(where: isLast).map { $0 + 1 } ?? rest.endIndex
        self.seen = last
        return Array(rest[..<last])
    }

    /// Ends a process after a time, unless the task is canceled before.
    ///
    /// The sleep synchronises nothing: it bounds a wait for a line that may never come.
    private static func killing(
        _ process: ChildProcess, after time: Duration
    ) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(for: time)
            process.signal(SIGKILL)
        }
    }

    /// Returns the complete lines of a text.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    func quit() async throws {
        try input.write(contentsOf: Data("quit\n".utf8))
        #expect(await process.end() == .exited(0))
    }
}
