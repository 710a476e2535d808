// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostWire

/// The parts of the demo: a server, the clients of two people, and the narration.
///
/// Belongs to one thread.
final class Demo {
    let isFast: Bool
    /// The servers that run already; none for one of the demo's own.
    let servers: [String]
    private let folder: String
    private let style: Style
    private let narration: Narration
    private let signals = SignalWatch()
    private let clock = StopWatch()
    private var server: LineProcess?
    private var stepCount = 0
    private(set) var people: [ScriptedClient] = []

    init(folder: String, servers: [String] = [], isFast: Bool, style: Style) {
        self.folder = folder
        self.servers = servers
        self.isFast = isFast
        self.style = style
        narration = Narration(style: style)
    }

    /// Plays the story and ends every process in any case; nil if all steps succeeded.
    func play() -> DemoFailure? {
        defer {
            for person in people { person.end() }
            server?.end()
        }
        do throws(DemoFailure) {
            let story = Story(stage: self)
            let messageCount = try story.tell()
            if servers.isEmpty {
                try step("the server ends on request") { () throws(DemoFailure) in
                    try endServer()
                }
            }
            try say(
                narration.summary(
                    [
                        (stepCount, "steps"), (messageCount, "messages on both sides"),
                        (people.reduce(0) { $0 + $1.requestCount }, "requests"),
                    ], took: clock.elapsed))
            return nil
        } catch {
            return error
        }
    }

    // MARK: Narration

    func chapter(_ title: String) throws(DemoFailure) {
        try say(narration.chapter(title))
        try pause(.milliseconds(700))
    }

    /// Performs a step and reports its success.
    @discardableResult
    func step<Value>(
        _ title: String, _ body: () throws(DemoFailure) -> Value
    ) throws(DemoFailure) -> Value {
        do throws(DemoFailure) {
            let value = try body()
            stepCount += 1
            try say(narration.held(title))
            try pause(.milliseconds(500))
            return value
        } catch {
            // The step's own end goes before that of the reader.
            StandardOutput.writeNow(narration.broke(title, error))
            throw error
        }
    }

    /// Shows both timelines, unless the demo is fast.
    func draw() throws(DemoFailure) {
        guard !isFast, people.count == 2 else { return }
        let sides = SideBySide(try side(of: people[0]), try side(of: people[1]), style: style)
        try say("")
        for line in sides.lines() { try say("    " + line) }
        try pause(.milliseconds(1500))
    }

    private func side(of person: ScriptedClient) throws(DemoFailure) -> SideBySide.Side {
        let shown = try person.snapshot()
        return SideBySide.Side(title: "\(person.user), \(person.connection)", shown)
    }

    /// Writes a line; without a reader the rest of the story would be in vain.
    private func say(_ line: String) throws(DemoFailure) {
        guard StandardOutput.writeNow(line) else { throw .unread }
    }

    /// Waits for the reader, or for an interruption of the demo.
    private func pause(_ duration: Duration) throws(DemoFailure) {
        let wait = Deadline(in: isFast ? .zero : duration)
        if !Descriptors.readable([signals.descriptor], until: wait).isEmpty { throw .interrupted }
    }

    // MARK: Processes

    /// Starts the server and returns its address.
    func startServer() throws(DemoFailure) -> String {
        let expected = "the line “listening on http://HOST:PORT and ws://HOST:PORT”"
        let server: LineProcess
        do {
            server = try LineProcess(
                [
                    "serve", "--data", "\(folder)/server", "--port", "0", "--app-id", "demo",
                    // Its warnings would stand among the lines of the story.
                    "--log", "none",
                ], environment: ["ROOST_API_TOKEN": TemporaryFolder.makeSecret()],
                interruption: signals.descriptor)
        } catch {
            throw .expected("a process for the server", seen: "\(error)")
        }
        self.server = server
        switch server.next(until: Deadline(in: ScriptedClient.patience)) {
        case .line(let line):
            let words = line.split(separator: " ")
            guard line.hasPrefix("listening on http://"), words.count == 5 else {
                throw .expected(expected, seen: line)
            }
            return String(words[2])
        case .ended: throw .expected(expected, seen: "the server ended")
        case .timedOut: throw .expected(expected, seen: "no line")
        case .interrupted: throw .interrupted
        }
    }

    private func endServer() throws(DemoFailure) {
        let status = server?.end(within: ScriptedClient.patience)
        server = nil
        guard status == 0 else {
            throw .expected("exit code 0", seen: status.map { "exit code \($0)" } ?? "no end")
        }
    }

    /// Starts a client process with a cache of its own for a user.
    func startClient(of user: String, server: String) throws(DemoFailure) -> ScriptedClient {
        let client = ScriptedClient(
            user: user,
            words: [
                "client", "--server", server, "--app-id", "demo", "--user", user, "--cache",
                "\(folder)/\(user)", "--page-size", "100",
                // The demo's words are no secret, and a cluster for trying has no certificates.
            ] + (servers.isEmpty ? [] : ["--allow-plain-transport"]),
            interruption: signals.descriptor)
        people.append(client)
        try client.start()
        return client
    }
}
