// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSockets
internal import RoostWire

/// Clients of a world at some hosts, and the messages that they send.
struct Load {
    let world: LoadWorld
    let ports: [UInt16]
    let tally = LoadTally()
    let clients: [LoadClient]
    private let loop: EventLoop

    /// Makes clients, which connect in `run`.
    ///
    /// - Parameters:
    ///   - world: The users and channels, which `make` has made.
    ///   - ports: The hosts.
    ///   - window: The number of messages that each client has under way; 0 for those of a rate
    ///     only.
    ///   - users: The number of the users that are online; nil for all.
    ///   - token: The secret of administrators' calls.
    ///   - loop: The thread of all clients.
    init(
        _ world: LoadWorld, at ports: [UInt16], window: Int, users: Int? = nil, token: String,
        on loop: EventLoop
    ) {
        (self.world, self.ports, self.loop) = (world, ports, loop)
        let channels = world.channelsOfUsers()
        let http = HTTPClient(on: loop)
        let prefix = "r\(Int64(Stopwatch.now))"
        clients = (0..<min(users ?? world.users, world.users)).map { [tally] number in
            LoadClient(
                number, of: world, in: channels[number], at: ports, window: window, tally: tally,
                http: http, token: token, prefix: prefix, on: loop)
        }
    }

    /// Does something while all clients are online, and waits until every message is acknowledged
    /// and, as far as all members are online, delivered.
    ///
    /// - Parameters:
    ///   - rate: The messages a second that are sent besides those of the windows.
    ///   - body: The work, such as a measurement.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work, or a sentence if clients do not get online or messages are
    ///   not acknowledged.
    func run<T>(rate: Int? = nil, _ body: () async throws -> T) async throws -> T {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                group.addTask(executorPreference: loop) { await client.live() }
            }
            let outcome: Result<T, any Error>
            do {
                try await Tool.wait(for: "The login of all clients") {
                    tally.counts.online == clients.count
                }
                if let rate {
                    group.addTask(executorPreference: loop) { [clients, tally] in
                        try await Self.pace(rate, clients, tally)
                    }
                }
                let result = try await body()
                tally.stops = true
                try await settle()
                outcome = .success(result)
            } catch {
                outcome = .failure(error)
            }
            tally.stops = true
            for client in clients { await client.leave() }
            try await group.waitForAll()
            return try outcome.get()
        }
    }

    /// Sends messages at a rate, the clients by turns.
    private static func pace(_ rate: Int, _ clients: [LoadClient], _ tally: LoadTally) async throws
    {
        let watch = Stopwatch()
        var number = 0
        while !tally.stops {
            try await watch.wait(until: Double(number) * 1e6 / Double(rate))
            // Neighbours are at different hosts.
            await clients[number % clients.count].say()
            number += 1
        }
    }

    private func settle() async throws {
        do {
            try await Tool.wait(for: "The acknowledgement", atMost: 30) {
                let counts = tally.counts
                return counts.acknowledged == counts.sent
            }
        } catch {
            let counts = tally.counts
            throw BenchError(
                "\(counts.sent - counts.acknowledged) of \(counts.sent) messages were not "
                    + "acknowledged; \(counts.online) clients are online, \(counts.refused) "
                    + "messages were refused. \(counts.lastRefusal)")
        }
        guard clients.count == world.users else { return }
        // Members who came back read pages instead, so fewer frames may come.
        try? await Tool.wait(for: "The delivery", atMost: 3) { isDelivered }
    }

    /// Whether each message has reached as many members as its channel has.
    var isDelivered: Bool {
        let counts = tally.counts
        return counts.delivered >= counts.acknowledged * min(world.members, world.users)
    }
}

extension LoadWorld {
    /// Makes the users and channels at a server.
    func make(at port: UInt16, token: String, on loop: EventLoop) async throws {
        let http = HTTPClient(on: loop)
        for number in 0..<users {
            try await call(CreateUser(userID: UserID(user(number))).encode(), port, token, http)
        }
        for number in 0..<channels {
            let members = members(of: number).map { UserID(user($0)) }
            let channel = ChannelURL(self.channel(number))
            try await call(
                CreateChannel(channelURL: channel, userIDs: members).encode(), port, token, http)
        }
    }

    private func call(
        _ request: APIRequest, _ port: UInt16, _ token: String, _ http: HTTPClient
    ) async throws {
        let answer = try await http.send(
            HTTPClientRequest(
                method: request.method.rawValue, url: "http://127.0.0.1:\(port)\(request.target)",
                headers: ["Api-Token": token, "Content-Type": "application/json"],
                body: .bytes(request.body), timeLimit: .seconds(20), answerBytes: 1 << 22))
        guard answer.status == 200 else {
            throw BenchError(
                "A server refused a call: \(String(decoding: answer.body, as: UTF8.self))")
        }
    }
}
