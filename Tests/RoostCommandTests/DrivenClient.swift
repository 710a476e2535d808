// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RoostTestSupport
import RoostWire

/// A `roost client` that a test drives request by request.
///
/// A named pipe is its input, which stays open between the requests.
final class DrivenClient {
    private let process: ChildProcess
    private let input: FileHandle
    private var lastID: Int64 = 0

    /// The process has ended, or its answer is a failure.
    struct Failure: Error {
        let request: String
        let text: String
    }

    /// Starts the client of a user, with a history in the folder of a test.
    ///
    /// - Parameters:
    ///   - program: The program with its folder.
    ///   - user: The user.
    ///   - server: The address of the server.
    ///   - cache: The name of the cache and of the history; nil for those of the user.
    ///   - options: Further arguments.
    /// - Throws: If the process cannot be started.
    init(
        _ program: Program, user: String, server: String, cache: String? = nil,
        options: [String] = []
    ) throws {
        let pipe = program.path(".\(user)-\(UUID().uuidString)")
        // SAFETY: the path is valid during each call.
        guard unsafe mkfifo(pipe, 0o600) == 0 else { throw Failure(request: "pipe", text: pipe) }
        // Open for both ends, so that neither side waits for the other one.
        let descriptor = unsafe open(pipe, O_RDWR | O_CLOEXEC)
        input = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        process = try ChildProcess(
            try ChildProcess.built("roost"),
            [
                "client", "--server", server, "--app-id", "demo", "--user", user,
                "--cache", program.path(cache ?? "cache-\(user)"),
                "--history", program.path("\(cache ?? user).jsonl"),
            ] + options, input: pipe)
    }

    /// Makes a request, and returns the result of its successful answer.
    @discardableResult
    func ask(_ request: String, _ fields: [String: JSONValue] = [:]) async throws -> JSONValue {
        try start(request, fields)
        let beginning = "{\"id\":\(lastID),"
        let text = await process.text { Self.line(beginning, in: $0) != nil }
        guard let answer = Self.line(beginning, in: text) else {
            throw Failure(request: request, text: String(text.suffix(400)))
        }
        let value = try JSONValue(parsing: String(answer))
        guard value["ok"] == true else { throw Failure(request: request, text: String(answer)) }
        return value["result"] ?? .null
    }

    /// Makes a request without waiting for its answer.
    func start(_ request: String, _ fields: [String: JSONValue] = [:]) throws {
        lastID += 1
        let line = JSONValue.object(
            [JSONValue.Field("id", .int(lastID)), JSONValue.Field("request", .string(request))]
                + fields.sorted { $0.key < $1.key }.map { JSONValue.Field($0.key, $0.value) })
        try input.write(contentsOf: Data((line.text + "\n").utf8))
    }

    /// Waits until the events so far fulfil a condition, and returns them.
    @discardableResult
    func events(
        until isSo: @escaping @Sendable ([JSONValue]) -> Bool
    ) async -> [JSONValue] {
        Self.events(in: await process.text { isSo(Self.events(in: $0)) })
    }

    private static func events(in text: String) -> [JSONValue] {
        guard let end = text.lastIndex(of: "\n") else { return [] }
        return text[..<end].split(separator: "\n").compactMap { line in
            guard let value = try? JSONValue(parsing: String(line)), value["event"] != nil else {
                return nil
            }
            return value
        }
    }

    /// Returns the complete line with a beginning.
    private static func line(_ beginning: String, in text: String) -> Substring? {
        guard let end = text.lastIndex(of: "\n") else { return nil }
        return text[..<end].split(separator: "\n").last { $0.hasPrefix(beginning) }
    }

    /// Reads the timeline until a number of messages is delivered, and nothing is left to do.
    func snapshot(of count: Int) async throws -> [JSONValue] {
        while true {
            let snapshot = try await ask("snapshot")
            let messages = snapshot["messages"]?.array ?? []
            if messages.count == count, snapshot["caught_up"] == true { return messages }
            try await ask("wait_idle")
        }
    }

    func kill() async {
        process.signal(SIGKILL)
        _ = await process.end()
    }

    func quit() async throws {
        try await ask("quit")
        _ = await process.end()
    }
}
