// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSockets
internal import RoostWire

/// A user's client: it sends, repeats what was not acknowledged, and comes back after a loss.
actor LoadClient {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe loop.asUnownedSerialExecutor()
    }

    /// A message that is not acknowledged yet.
    private struct Waiting {
        let mark: LoadMark
        let channel: Int
        let frame: String
    }

    /// The loss of a connection and the return.
    struct Return: Sendable {
        let lost: Double
        var online: Double?
        /// The time at which it had every message that was acknowledged before its login.
        var complete: Double?
    }

    private let loop: EventLoop
    private let world: LoadWorld
    private let number: Int
    private let channels: [Int]
    private let ports: [UInt16]
    private let tally: LoadTally
    private let http: HTTPClient
    private let token: String
    /// The beginning of its request IDs; the server takes an ID of an earlier load for a repeat.
    private let prefix: String

    private var host: Int
    private var socket: WebSocketConnection?
    private var waiting: [String: Waiting] = [:]
    private var sentCount = 0
    /// The number of messages that are sent at once, without the answer to the earlier ones.
    private let window: Int
    private var seen: Set<String> = []
    private var isLeaving = false
    private(set) var returns: [Return] = []

    init(
        _ number: Int, of world: LoadWorld, in channels: [Int], at ports: [UInt16], window: Int,
        tally: LoadTally, http: HTTPClient, token: String, prefix: String, on loop: EventLoop
    ) {
        (self.number, self.world, self.channels, self.ports) = (number, world, channels, ports)
        (self.window, self.tally, self.http, self.token) = (window, tally, http, token)
        (self.prefix, self.loop) = (prefix, loop)
        host = number % ports.count
    }

    var waitingCount: Int { waiting.count }

    /// The requests that it has seen in its channels, by frames or by pages.
    func lacks(_ requests: Set<String>) -> Int { requests.subtracting(seen).count }

    // MARK: The connection

    /// Is online until it leaves.
    func live() async {
        var attempt = 0
        while !isLeaving {
            if attempt > 0 {
                let entropy = UInt64(truncatingIfNeeded: number &* 7_919)
                await Tool.pause(
                    Backoff.standard.wait(beforeAttempt: attempt, entropy: entropy))
            }
            attempt += 1
            do {
                let socket = try await connect()
                tally.change { $0.online += 1 }
                defer { tally.change { $0.online -= 1 } }
                attempt = 0
                let reading = Task(executorPreference: loop) { await self.comeBack() }
                await refill()
                while let message = try await socket.receive() {
                    if case .text(let text) = message { await take(text) }
                }
                await reading.value
            } catch {
                // The next attempt is the remedy; `online` shows whether it helps.
            }
            socket = nil
            if !isLeaving { returns.append(Return(lost: Stopwatch.now)) }
            attempt = max(attempt, 1)
        }
    }

    /// Connects to the first host that answers, as through a proxy.
    private func connect() async throws -> WebSocketConnection {
        var failure: any Error = BenchError("There is no host.")
        for distance in ports.indices {
            let place = (host + distance) % ports.count
            do {
                let name = world.user(number)
                let socket = try await WebSocketClient.connect(
                    url: "ws://127.0.0.1:\(ports[place])/?ai=bench&user_id=\(name)", on: loop)
                guard case .text(let text) = try await socket.receive(), text.hasPrefix("LOGI")
                else { throw BenchError("A host refused a login.") }
                self.socket = socket
                host = place
                return socket
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Sends the unacknowledged messages again and reads what it missed.
    private func comeBack() async {
        guard let last = returns.indices.last, returns[last].complete == nil else { return }
        if returns[last].online == nil { returns[last].online = Stopwatch.now }
        let wanted = tally.requests(in: channels)
        for entry in waiting.values.sorted(by: { $0.mark.sentAt < $1.mark.sentAt }) {
            await post(entry.frame)
        }
        for channel in channels {
            for request in await page(of: channel) { seen.insert(request) }
        }
        if wanted.isSubset(of: seen) { returns[last].complete = Stopwatch.now }
    }

    /// Reads the newest messages of a channel; none if the host does not answer.
    private func page(of channel: Int) async -> [String] {
        let target =
            "/v3/group_channels/\(world.channel(channel))/messages"
            + "?message_ts=99999999999999&prev_limit=200&next_limit=0"
        let request = HTTPClientRequest(
            url: "http://127.0.0.1:\(ports[host])\(target)", headers: ["Api-Token": token],
            timeLimit: .seconds(10), answerBytes: 1 << 24)
        // An unread page leaves messages out, which the comparison shows.
        guard let answer = try? await http.send(request), answer.status == 200 else { return [] }
        return LoadMark.requests(in: answer.body)
    }

    func leave() async {
        isLeaving = true
        await socket?.close()
    }

    // MARK: Sending

    /// Sends messages until as many wait as the window has.
    private func refill() async {
        while waiting.count < window, !tally.stops, socket != nil { await say() }
    }

    /// Sends a message to the next channel; without a connection it waits for one.
    func say() async {
        let channel = channels[sentCount % channels.count]
        let mark = LoadMark(
            request: "\(prefix)-\(number)-\(sentCount)", sentAt: Stopwatch.now, host: host)
        sentCount += 1
        let command = MessageCommand(
            channelURL: ChannelURL(world.channel(channel)), requestID: RequestID(mark.request),
            content: .user(text: mark.text + String(repeating: ".", count: 60)))
        let frame = ClientCommand.message(command).encoded
        waiting[mark.request] = Waiting(mark: mark, channel: channel, frame: frame)
        tally.change { $0.sent += 1 }
        await post(frame)
    }

    private func post(_ frame: String) async {
        // A lost message stays among the waiting ones.
        try? await socket?.send(frame)
    }

    // MARK: Receiving

    private func take(_ text: String) async {
        if let request = LoadAnswer.acknowledged(by: text) {
            guard let entry = waiting.removeValue(forKey: request) else { return }
            seen.insert(request)
            tally.noteAnswer(entry.mark, in: entry.channel, at: Stopwatch.now)
            await refill()
        } else if text.hasPrefix("MESG") {
            guard tally.noteFrame(of: text.utf8.count), let mark = LoadMark(in: text) else {
                return
            }
            seen.insert(mark.request)
            tally.noteArrival(mark, at: host, Stopwatch.now)
        } else if let request = LoadAnswer.refused(by: text) {
            tally.change { counts in
                counts.refused += 1
                counts.lastRefusal = text
            }
            repeatLater(request)
        }
    }

    /// Sends a refused message again, as an outbox does.
    private func repeatLater(_ request: String) {
        guard waiting[request] != nil else { return }
        Task(executorPreference: loop) {
            await Tool.pause(.milliseconds(200))
            await self.sendAgain(request)
        }
    }

    private func sendAgain(_ request: String) async {
        if let entry = waiting[request] { await post(entry.frame) }
    }
}
