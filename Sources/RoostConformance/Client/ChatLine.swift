// SPDX-License-Identifier: Apache-2.0

import RoostSockets

/// An open socket of a check, with the frames that no one has asked for yet.
final class ChatLine {
    /// The largest frame that a server may send (2.2).
    static let frameBytes = 1 << 20
    /// The frames that are kept; a check of a few users gets far fewer.
    private static let keptFrames = 4_096
    /// The frames that one wait reads.
    private static let readFrames = 16_384
    /// The longest wait: a server may end a socket that is silent for two pings and a pong (2.5).
    private static let longestSilence = Duration.seconds(30)

    /// The subprotocol that the server has chosen.
    var subprotocol: String? { connection.subprotocol }
    private let connection: WebSocketConnection
    private let transcript: Transcript
    private let budget: ReadBudget
    private let countdown: Countdown
    private let waitLimit: Duration
    private var frames: [Frame] = []
    private var hasHeard = false
    /// A socket that has brought a frame shows that the server answers.
    private var silence: CheckFailure.Kind { hasHeard ? .unheard : .unanswered }

    private init(
        _ connection: WebSocketConnection, _ transcript: Transcript, _ budget: ReadBudget,
        _ countdown: Countdown, _ waitLimit: Duration
    ) {
        self.connection = connection
        self.transcript = transcript
        self.budget = budget
        self.countdown = countdown
        self.waitLimit = min(waitLimit, Self.longestSilence)
    }

    /// Opens a socket; the login's answer is its first frame.
    static func open(
        _ url: String, headers: [(name: String, value: String)] = [], subprotocol: String? = nil,
        on loop: EventLoop, _ transcript: Transcript, _ budget: ReadBudget,
        _ countdown: Countdown, waitLimit: Duration
    ) async throws(CheckFailure) -> ChatLine {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.append(name, value) }
        var limits = WebSocketLimits()
        limits.messageBytes = frameBytes
        limits.incomingBytes = frameBytes
        // A hostile peer answers no close frame.
        limits.closeTime = .seconds(1)
        do throws(SocketError) {
            let connection = try await WebSocketClient.connect(
                url: url, headers: fields, subprotocols: subprotocol.map { [$0] } ?? [],
                timeLimit: min(waitLimit, countdown.remaining), limits: limits, on: loop)
            return ChatLine(connection, transcript, budget, countdown, waitLimit)
        } catch {
            transcript.add("socket -> \(error.message)")
            let isWrong: Bool
            if case .upgradeRefused = error.kind { isWrong = true } else { isWrong = false }
            throw CheckFailure(
                isWrong ? .broken : .unanswered,
                expected: "an upgrade to a WebSocket (1.5)", seen: error.message)
        }
    }

    /// Sends a command.
    func say(_ command: String, _ fields: JSON) async throws(CheckFailure) {
        try await say(text: "\(command)\(fields)\n")
    }

    /// Sends a text message as it stands.
    func say(text: String) async throws(CheckFailure) {
        transcript.add("> \(text)")
        do throws(SocketError) {
            try await connection.send(text)
        } catch {
            throw CheckFailure(silence, expected: "an open socket", seen: error.message)
        }
    }

    /// Returns the first frame that fits, and keeps the others for later calls.
    ///
    /// - Parameters:
    ///   - name: The frame in the sentence of a failure.
    ///   - fits: The choice among the frames.
    /// - Returns: The frame, which later calls do not see.
    /// - Throws: `.unheard` when the time is over or the socket ends; `.unanswered` if the socket
    ///   has brought no frame at all.
    func hear(
        _ name: String, where fits: (Frame) -> Bool
    ) async throws(CheckFailure) -> Frame {
        let limit = Countdown(min(waitLimit, countdown.remaining))
        for _ in 0..<Self.readFrames {
            if let index = frames.firstIndex(where: fits) { return frames.remove(at: index) }
            guard try await read(limit, name) else {
                throw CheckFailure(silence, expected: name, seen: "the end of the socket")
            }
        }
        throw CheckFailure(silence, expected: name, seen: "\(Self.readFrames) other frames")
    }

    /// Waits for the end of the socket, and returns the frames before it.
    func end() async throws(CheckFailure) -> [Frame] {
        let limit = Countdown(min(waitLimit, countdown.remaining))
        for _ in 0..<Self.readFrames {
            guard try await read(limit, "the end of the socket") else { break }
        }
        defer { frames = [] }
        return frames
    }

    /// Returns all frames up to the answer to a ping, which comes behind them (2.5).
    func hearAll() async throws(CheckFailure) -> [Frame] {
        try await say("PING", ["id": 1, "req_id": ""])
        var heard: [Frame] = []
        while heard.count < Self.keptFrames {
            let frame = try await hear("PONG (2.5)") { _ in true }
            if frame.command == "PONG" { return heard }
            heard.append(frame)
        }
        return heard
    }

    /// Waits for a frame, and returns all frames before it.
    func hearAll(
        before name: String, _ fits: (Frame) -> Bool
    ) async throws(CheckFailure) -> [Frame] {
        _ = try await hear(name, where: fits)
        defer { frames = [] }
        return frames
    }

    func close() async {
        await connection.close()
    }

    /// Reads one message; returns false at the end of the socket.
    private func read(_ limit: Countdown, _ name: String) async throws(CheckFailure) -> Bool {
        let connection = connection
        let received = await limit.bound { () -> Result<WebSocketMessage?, SocketError> in
            do throws(SocketError) {
                return .success(try await connection.receive())
            } catch {
                return .failure(error)
            }
        }
        switch received {
        case nil:
            throw CheckFailure(silence, expected: name, seen: "nothing in time")
        case .failure(let error):
            if case .connectionLost = error.kind { return false }
            throw CheckFailure(silence, expected: name, seen: error.message)
        case .success(nil): return false
        case .success(.binary(let bytes)):
            throw CheckFailure(
                expected: "text messages (2.2)", seen: "a binary message of \(bytes.count) bytes")
        case .success(.text(let text)):
            try budget.take(text.utf8.count)
            // By bytes, because CR and LF together are one character.
            for bytes in text.utf8.split(separator: UInt8(ascii: "\n"))
            where !bytes.allSatisfy({ $0 <= 0x20 }) {
                let line = Substring(bytes)
                // One message may have frames for longer than the limit.
                guard !limit.isOver else {
                    throw CheckFailure(silence, expected: name, seen: "other frames to the limit")
                }
                let frame = try Frame(line)
                hasHeard = true
                transcript.learn(frame.fields)
                transcript.add("< \(line)")
                if frames.count == Self.keptFrames { frames.removeFirst() }
                frames.append(frame)
            }
            return true
        }
    }
}
