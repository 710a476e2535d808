// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSockets
import RoostTestSupport
import RoostWire

/// The real program as a server with faults, with a channel of ann and bob.
///
/// It ends with its last reference.
final class ChaosServer: Sendable {
    static let channel = "chaos"
    static let users = ["ann", "bob"]

    let port: Int
    /// The lines of its standard output up to the end of the welcome.
    let welcome: [String]
    private let process: ChildProcess
    private let errors: String
    private let loop: EventLoop
    private let client: HTTPClient

    init(_ program: Program, chaos: String, name: String = "server") async throws {
        errors = program.path("\(name).err")
        process = try ChildProcess(
            try ChildProcess.built("roost"),
            [
                "serve", "--data", program.path(name), "--port", "0", "--app-id", "demo",
                "--api-token", "secret", "--chaos", chaos,
            ], errors: errors)
        let text = await process.text { $0.contains("end with Ctrl-C\n") }
        guard let address = text.firstMatch(of: /127\.0\.0\.1:(\d+)/),
            let port = Int(address.output.1)
        else { throw NotListening(output: text) }
        self.port = port
        welcome = text.split(separator: "\n").map(String.init)
        loop = try EventLoop.start()
        client = HTTPClient(on: loop)
        for user in Self.users {
            try await platform(
                "POST", "/v3/users", ["user_id": .string(user), "nickname": "", "profile_url": ""])
        }
        try await platform(
            "POST", "/v3/group_channels",
            ["channel_url": .string(Self.channel), "user_ids": ["ann", "bob"]])
    }

    deinit { process.signal(SIGKILL) }

    private struct NotListening: Error { let output: String }
    private struct Refused: Error { let body: JSONValue }

    /// Stops the server; returns the lines of its faults without their times.
    func stop() async throws -> [JSONValue] {
        process.signal(SIGTERM)
        _ = await process.end()
        await loop.shutdown()
        return try String(contentsOfFile: errors, encoding: .utf8).split(separator: "\n")
            .map { try JSONValue(parsing: String($0)) }
            .filter { $0["event"] == "chaos" }
            .map { line in
                var line = line
                line["at"] = nil
                return line
            }
    }

    /// Makes a call of the platform, which has no faults.
    @discardableResult
    func platform(
        _ method: String, _ target: String, _ body: JSONValue? = nil
    ) async throws -> JSONValue {
        let answer = try await send(
            method, target, ["Api-Token": "secret", "Content-Type": "application/json"], body)
        let object = try JSONValue(parsing: answer.body)
        guard answer.status == 200 else { throw Refused(body: object) }
        return object
    }

    /// Makes a call of a client and returns its status.
    func ask(_ target: String) async throws -> Int {
        try await send("GET", target, [:], nil).status
    }

    private func send(
        _ method: String, _ target: String, _ headers: HTTPHeaders, _ body: JSONValue?
    ) async throws -> HTTPClientResponse {
        try await client.send(
            HTTPClientRequest(
                method: method, url: "http://127.0.0.1:\(port)\(target)", headers: headers,
                body: body.map { .bytes(Array($0.text.utf8)) } ?? .none,
                timeLimit: .seconds(600), answerBytes: 32_000_000))
    }

    /// Returns the texts of the channel's log, oldest first.
    func log() async throws -> [String] {
        let page = try await platform(
            "GET",
            "/v3/group_channels/\(Self.channel)/messages?message_ts=9007199254740991&prev_limit=200"
        )
        return (page["messages"]?.array ?? []).compactMap { $0["message"]?.string }
    }
}
