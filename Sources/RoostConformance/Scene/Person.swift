// SPDX-License-Identifier: Apache-2.0

/// A user of a check.
struct User {
    /// The name that the check has chosen, whatever the server answers.
    let id: String
    /// The access token; `null` of a server that issues none, which stands for no token (1.2).
    let token: String
    /// The answer to the call that made the user.
    let answer: JSON

    var path: String { "/users/\(id)" }
    /// The query of a login.
    var credentials: Query { ["user_id": id, "access_token": token] }
}

/// A logged-in user of a check.
struct Person {
    let user: User
    /// The session key.
    let key: String
    let login: Frame
    let line: ChatLine
    let scene: Scene

    var id: String { user.id }
    var path: String { user.path }

    // MARK: Calls

    @discardableResult
    @inline(never) func call(
        _ method: String, _ path: String, _ query: Query = [:], _ body: JSON = .missing
    ) async throws(CheckFailure) -> JSON {
        try await scene.call(method, path, query, body, as: .session(key))
    }

    @inline(never) func get(_ path: String, _ query: Query = [:]) async throws(CheckFailure) -> JSON
    {
        try await call("GET", path, query)
    }

    @inline(never) func expectRefusal(
        _ code: Int64, of method: String, _ path: String, _ query: Query = [:],
        _ body: JSON = .missing
    ) async throws(CheckFailure) {
        try await scene.expectRefusal(
            code, of: method, path, query, body.isMissing ? .none : .json(body),
            as: .session(key))
    }

    // MARK: Commands

    /// Logs the user in once more, with its token.
    @inline(never) func secondLine() async throws(CheckFailure) -> ChatLine {
        let (line, login) = try await scene.logIn(user.credentials)
        try expect(
            login.command == "LOGI" && login["key"].text != nil, "a second login succeeds (2.4)",
            seen: "\(login.command)\(login.fields)")
        return line
    }

    /// Sends a command and returns its acknowledgement.
    @inline(never) func command(
        _ command: String, _ fields: JSON, in room: Room? = nil, request: String? = nil,
        over line: ChatLine? = nil
    ) async throws(CheckFailure) -> Frame {
        let answer = try await commandAnswer(
            command, fields, in: room, request: request, over: line)
        try expect(
            answer.command == command, "\(command) is acknowledged (2.3)",
            seen: "\(answer.command)\(answer.fields)")
        return answer
    }

    /// Sends a command that must be refused with a code.
    @inline(never) func expectRefusal(
        _ codes: Int64..., ofCommand command: String, _ fields: JSON, in room: Room
    ) async throws(CheckFailure) {
        let answer = try await commandAnswer(command, fields, in: room)
        let list = codes.map(String.init).joined(separator: " or ")
        try expect(
            answer.command == "EROR" && answer["code"].int.map(codes.contains) == true
                && answer["message"].text?.isEmpty == false,
            "\(command) is refused by EROR with a message and the code \(list) (2.3)",
            seen: "\(answer.command)\(answer.fields)")
    }

    /// Sends a command and returns the frame that names its request ID.
    private func commandAnswer(
        _ command: String, _ fields: JSON, in room: Room?, request: String? = nil,
        over line: ChatLine? = nil
    ) async throws(CheckFailure) -> Frame {
        let line = line ?? self.line
        let request = request ?? scene.name("request")
        var body = fields.fields
        body["req_id"] = .text(request)
        if let room { body["channel_url"] = .text(room.url) }
        // A server may limit the rate of commands (5.1), and a repeat is harmless (2.3).
        while true {
            try await line.say(command, .object(body))
            let answer = try await line.hear("an answer to \(command) with its req_id (2.3)") {
                $0["req_id"] == .text(request)
            }
            guard answer.isOverRate, !scene.countdown.isOver else {
                try Scene.expectOffered(answer.fields, command)
                return answer
            }
            await scene.countdown.pause(.seconds(1))
        }
    }

    /// Sends texts all at once, with the texts as request IDs; sends those again that are over the
    /// server's rate.
    ///
    /// - Returns: The texts with their messages, in the order in which the server has taken them.
    @inline(never) func burst(
        _ texts: [String], in room: Room
    ) async throws(CheckFailure) -> [(text: String, sent: Sent)] {
        for text in texts {
            try await line.say(
                "MESG",
                ["channel_url": .text(room.url), "message": .text(text), "req_id": .text(text)])
        }
        var taken: [(text: String, sent: Sent)] = []
        var refused: [String] = []
        for text in texts {
            let answer = try await line.hear("an acknowledgement") { $0["req_id"] == .text(text) }
            if answer.isOverRate {
                refused.append(text)
            } else {
                taken.append((text, try Sent(answer)))
            }
        }
        for text in refused {
            taken.append((text, try await send(text, in: room, request: text)))
        }
        return taken
    }

    /// Sends a text and returns the message's ID with its acknowledgement.
    ///
    /// Every server must offer a message without further fields.
    @discardableResult
    @inline(never) func send(
        _ text: String, in room: Room, _ fields: JSON = [:], request: String? = nil
    ) async throws(CheckFailure) -> Sent {
        var body = fields.fields
        let isPlain = body.isEmpty && room.type == "group_channels"
        body["message"] = .text(text)
        do throws(CheckFailure) {
            return try Sent(try await command("MESG", .object(body), in: room, request: request))
        } catch {
            throw isPlain ? error.asRequired : error
        }
    }

    /// Returns the frame of a command in a channel, without a request ID as all broadcasts (2.3).
    @inline(never) func hear(
        _ command: String, in room: Room, where fits: (Frame) -> Bool = { _ in true }
    ) async throws(CheckFailure) -> Frame {
        let frame = try await line.hear("\(command) at a member's socket") {
            $0.command == command && $0["channel_url"] == .text(room.url) && fits($0)
        }
        try expect(
            (frame["req_id"].text ?? "").isEmpty, "a broadcast has no req_id (2.3)",
            seen: "\(frame.command)\(frame.fields)")
        return frame
    }

    /// Returns the event of a category in a channel (2.8).
    @inline(never) func hearEvent(
        _ category: Int64, in room: Room, where fits: (Frame) -> Bool = { _ in true }
    ) async throws(CheckFailure) -> Frame {
        let event = try await line.hear("SYEV \(category) at a member's socket (2.8)") {
            $0.command == "SYEV" && $0["cat"] == .int(category)
                && $0["channel_url"] == .text(room.url) && fits($0)
        }
        try expect(
            event.fields,
            has: ["channel_type": .text, "ts": .time], "SYEV \(category)")
        return event
    }

    // MARK: Objects

    /// Returns a channel as this user sees it.
    @inline(never) func view(_ room: Room, _ query: Query = [:]) async throws(CheckFailure) -> JSON
    {
        try await get(room.path, query)
    }

    /// Returns a page of messages.
    @inline(never) func page(_ room: Room, _ query: Query) async throws(CheckFailure) -> [JSON] {
        let page = try await get(room.path + "/messages", query)
        try expect(page["messages"].isList, "a page has messages (3.6)", seen: page)
        return page["messages"].elements
    }

    /// Returns the newest messages of a channel, oldest first.
    @inline(never) func newest(_ count: Int, in room: Room) async throws(CheckFailure) -> [JSON] {
        try await page(room, ["message_ts": Moment.latest, "prev_limit": count, "next_limit": 0])
    }
}

/// A stored message, as its acknowledgement names it.
struct Sent {
    let id: Int64
    let time: Int64
    let frame: Frame

    init(_ frame: Frame) throws(CheckFailure) {
        let time = frame["ts"].int ?? frame["created_at"].int
        guard let id = frame["msg_id"].int ?? frame["message_id"].int, let time else {
            throw CheckFailure(
                expected: "an acknowledgement with msg_id and ts (4.4)", seen: "\(frame.fields)")
        }
        self.id = id
        self.time = time
        self.frame = frame
    }

    var idValue: JSON { .int(id) }
}

/// Numbers of the protocol.
enum Moment {
    /// The largest time that clients send; it means the newest message (3.6).
    static let latest: Int64 = 9_007_199_254_740_991
}
