// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostRequests
import RoostWire

/// A `roost client` process and the demo's requests to it.
final class ScriptedClient {
    /// The time limit of each step; enough for a slow machine.
    static let patience = Duration.seconds(20)

    let user: String
    private let words: [String]
    private let interruption: Int32
    private var child: LineProcess?
    private var lastID: Int64 = 0
    /// The events since the last `forgetEvents`.
    private(set) var events: [JSONValue] = []
    private(set) var requestCount = 0
    /// The state in the last event.
    private(set) var connection = "not running"

    init(user: String, words: [String], interruption: Int32) {
        self.user = user
        self.words = words
        self.interruption = interruption
    }

    // MARK: Process

    /// Starts the process and waits until it is ready.
    func start() throws(DemoFailure) {
        forgetEvents()
        do {
            child = try LineProcess(words, interruption: interruption)
        } catch {
            throw .expected("a process for \(user)", seen: "\(error)")
        }
        let deadline = Deadline(in: Self.patience)
        repeat {
            try readLine("\(user)'s process to be ready", until: deadline)
        } while !hasEvent("ready")
    }

    /// Ends the process without a warning.
    func kill() {
        child?.endAbruptly()
        child = nil
    }

    func end() {
        child?.end()
        child = nil
    }

    // MARK: Requests

    /// Makes a request and returns the result of its successful answer.
    @discardableResult
    func ask(
        _ request: Request.Name, _ fields: [(String, JSONValue)] = []
    ) throws(DemoFailure) -> JSONValue {
        lastID += 1
        requestCount += 1
        let line = JSONValue.object(
            [
                JSONValue.Field("id", .int(lastID)),
                JSONValue.Field("request", .string(request.rawValue)),
            ] + fields.map { JSONValue.Field($0.0, $0.1) })
        let what = "an answer to \(user)'s \(request.rawValue)"
        child?.write(line.text)
        let deadline = Deadline(in: Self.patience)
        while true {
            guard let answer = try readLine(what, until: deadline), answer["id"] == .int(lastID)
            else { continue }
            if answer["ok"] == true { return answer["result"] ?? .null }
            throw .expected(what, seen: answer["error"]?["message"]?.string ?? answer.text)
        }
    }

    func snapshot() throws(DemoFailure) -> ShownTimeline { ShownTimeline(try ask(.snapshot)) }

    /// Reads the timeline, and again after every event, until `holds` is true.
    @discardableResult
    func awaitSnapshot(
        _ expected: String, where holds: (ShownTimeline) -> Bool
    ) throws(DemoFailure) -> ShownTimeline {
        let deadline = Deadline(in: Self.patience)
        while true {
            let count = events.count
            let seen = try snapshot()
            if holds(seen) { return seen }
            let tail = seen.texts.suffix(3).map { "“\($0)”" }.joined(separator: ", ")
            let shown =
                "\(seen.messages.count) messages, \(seen.messages.filter(\.isPending).count) pending, "
                + "ending with \(tail)"
            // Events that came while the answer was on its way are not in it.
            guard events.count == count else { continue }
            try readLine(expected, seen: shown, until: deadline)
        }
    }

    // MARK: Events

    func forgetEvents() { events = [] }

    func hasEvent(_ name: String) -> Bool { events.contains { $0["event"]?.string == name } }

    func awaitEvent(_ name: String) throws(DemoFailure) {
        let deadline = Deadline(in: Self.patience)
        while !hasEvent(name) {
            try readLine("the event \(name) for \(user)", until: deadline)
        }
    }

    /// Reads a line; keeps an event, and returns an answer.
    @discardableResult
    private func readLine(
        _ expected: String, seen: String = "no line", until deadline: Deadline
    ) throws(DemoFailure) -> JSONValue? {
        guard let child else { throw .expected(expected, seen: "no process") }
        switch child.next(until: deadline) {
        case .line(let line):
            let value: JSONValue
            do { value = try JSONValue(parsing: line) } catch {
                throw .expected("a line of JSON from \(user)", seen: line)
            }
            guard value["event"] != nil else { return value }
            events.append(value)
            if value["event"] == "connection" { connection = value["state"]?.string ?? "" }
            return nil
        case .ended: throw .expected(expected, seen: "the process of \(user) ended")
        case .interrupted: throw .interrupted
        case .timedOut: throw .expected(expected, seen: "\(seen), after \(Self.patience)")
        }
    }
}
