// SPDX-License-Identifier: Apache-2.0

import RoostSockets

/// The world of one check: its calls and sockets, and the objects that it makes and removes.
///
/// Names begin with a text that no other check and no other run has.
final class Scene {
    let target: Target
    /// The beginning of all names.
    let prefix: String
    let countdown: Countdown
    let transcript: Transcript
    private let budget = ReadBudget()
    private let loop: EventLoop
    private let calls: ServerCalls
    private let waitLimit: Duration
    private var lastNumber = 0
    private var lines: [ChatLine] = []
    /// The paths of the objects that the check has made, oldest first.
    private var made: [String] = []

    /// - Parameters:
    ///   - target: The server.
    ///   - prefix: The beginning of all names.
    ///   - wait: The limit of each wait.
    ///   - whole: The limit of the whole check.
    ///   - client: The connections of the calls.
    ///   - loop: The loop of the sockets.
    init(
        _ target: Target, prefix: String, wait: Duration, whole: Duration, _ client: HTTPClient,
        on loop: EventLoop
    ) {
        self.target = target
        self.prefix = prefix
        self.loop = loop
        waitLimit = wait
        countdown = Countdown(whole)
        transcript = Transcript(secret: target.apiToken)
        calls = ServerCalls(target, client, transcript, budget, countdown, waitLimit: wait)
    }

    /// Returns a name that nothing else has.
    @inline(never) func name(_ word: String = "x") -> String {
        lastNumber += 1
        return "\(prefix)-\(lastNumber)-\(word)"
    }

    // MARK: Calls

    /// Makes a call and returns its answer, whatever it is.
    ///
    /// - Throws: `.notOffered` for the codes that say so, `.unanswered` without an answer.
    @inline(never) func answer(
        _ method: String, _ path: String, _ query: Query = [:], _ body: CallBody = .none,
        as credential: Credential = .platform
    ) async throws(CheckFailure) -> Answer {
        let answer = try await calls.call(method, "/v3" + path, query, body, as: credential)
        try Self.expectOffered(answer.body, "\(method) \(path)")
        return answer
    }

    /// Makes a call outside `/v3`.
    @inline(never) func plainAnswer(_ path: String) async throws(CheckFailure) -> Answer {
        try await calls.call("GET", path, as: .headers([]))
    }

    /// Makes a call that must succeed: with 200 and an object (1.3).
    @discardableResult
    @inline(never) func call(
        _ method: String, _ path: String, _ query: Query = [:], _ body: JSON = .missing,
        as credential: Credential = .platform
    ) async throws(CheckFailure) -> JSON {
        let answer = try await answer(
            method, path, query, body.isMissing ? .none : .json(body), as: credential)
        try expect(
            answer.status == 200 && answer.body.isObject,
            "\(method) \(path) is answered with 200 and a JSON object", seen: answer.excerpt)
        return answer.body
    }

    /// Makes a call of the platform that must succeed and that every server must offer.
    @discardableResult
    @inline(never) func requiredCall(
        _ method: String, _ path: String, _ body: JSON
    ) async throws(CheckFailure) -> JSON {
        do throws(CheckFailure) {
            return try await call(method, path, [:], body)
        } catch {
            throw error.asRequired
        }
    }

    /// Makes a call that must be refused with one of some codes, in the form of 1.3.
    @inline(never) func expectRefusal(
        _ codes: Int64..., of method: String, _ path: String, _ query: Query = [:],
        _ body: CallBody = .none, as credential: Credential = .platform
    ) async throws(CheckFailure) {
        let answer = try await answer(method, path, query, body, as: credential)
        let list = codes.map(String.init).joined(separator: " or ")
        try expect(
            answer.isRefusal && answer.code.map(codes.contains) == true,
            "\(method) \(path) is refused with 400, error, message and the code \(list)",
            seen: answer.excerpt)
    }

    /// Ends a check of a feature that the server says it does not offer (5.1).
    static func expectOffered(_ answer: JSON, _ name: String) throws(CheckFailure) {
        guard let code = answer["code"].int, [400_920, 400_930].contains(code) else { return }
        throw CheckFailure(
            .notOffered, expected: "\(name) is offered", seen: "the code \(code), not offered")
    }

    /// Walks over the pages of a list by their tokens (3.0).
    ///
    /// - Throws: A failure for a list without `next`, and for one that does not end in time or
    ///   comes back to a page.
    @inline(never) func walk(
        _ path: String, _ query: Query, _ name: String, as credential: Credential = .platform
    ) async throws(CheckFailure) -> [JSON] {
        var found: [JSON] = []
        var tokens: Set<String> = []
        var token = ""
        while true {
            let page = try await call(
                "GET", path, query + (token.isEmpty ? [:] : ["token": token]), as: credential)
            guard page[name].isList, let next = page["next"].text else {
                throw CheckFailure(
                    expected: "a page with the list \(name) and the text next (3.0)",
                    seen: page.description)
            }
            found += page[name].elements
            if next.isEmpty { return found }
            let isNew = tokens.insert(next).inserted
            guard isNew, !countdown.isOver else {
                throw CheckFailure(
                    expected: "an empty next at the end of the list",
                    seen: isNew
                        ? "\(tokens.count) pages without an end" : "the token “\(next)” twice")
            }
            token = next
        }
    }

    /// Asks again until an answer fits, for effects that may take a moment.
    @inline(never) func eventually(
        _ expected: String, _ ask: () async throws(CheckFailure) -> JSON, _ fits: (JSON) -> Bool
    ) async throws(CheckFailure) {
        let limit = Countdown(min(waitLimit, countdown.remaining))
        while true {
            let seen = try await ask()
            if fits(seen) { return }
            guard !limit.isOver else { throw CheckFailure(expected: expected, seen: "\(seen)") }
            await limit.pause(.milliseconds(50))
        }
    }

    // MARK: Sockets

    /// Opens a socket of the application.
    private func open(
        _ query: Query, headers: [(name: String, value: String)], subprotocol: String?,
        application: String?
    ) async throws(CheckFailure) -> ChatLine {
        let whole: Query = ["ai": application ?? target.applicationID, "p": "conform", "sv": "1"]
        let line = try await ChatLine.open(
            target.socketURL(whole + query), headers: headers, subprotocol: subprotocol, on: loop,
            transcript, budget, countdown, waitLimit: waitLimit)
        lines.append(line)
        return line
    }

    /// Opens a socket and waits for the answer to its login; comes back as often as the server is
    /// busy (2.4).
    @inline(never) func logIn(
        _ query: Query, headers: [(name: String, value: String)] = [], subprotocol: String? = nil,
        application: String? = nil
    ) async throws(CheckFailure) -> (line: ChatLine, login: Frame) {
        for _ in 0..<4 {
            let line = try await open(
                query, headers: headers, subprotocol: subprotocol, application: application)
            let first = try await line.hear("LOGI (2.4)") { _ in true }
            guard first.command == "BUSY" else { return (line, first) }
            await line.close()
            let seconds = min(max(first["retry_after"].int ?? 1, 1), 60)
            await countdown.pause(.seconds(seconds))
        }
        throw CheckFailure(.unanswered, expected: "a login", seen: "a server that stays busy")
    }

    // MARK: Objects

    /// Registers an object by the path of the call that removes it.
    ///
    /// A check registers an object before the call that makes it: a late answer, or one of another
    /// form, ends the check after the object is made.
    @inline(never) func remember(_ path: String) { made.append(path) }

    /// Takes back a registration, for an object that the check has removed.
    @inline(never) func forget(_ path: String) { made.removeAll { $0 == path } }

    /// Makes a user with an access token, so that servers with and without tokens let it in.
    @inline(never) func user(_ word: String = "user", nickname: String? = nil)
        async throws(CheckFailure) -> User
    {
        let id = name(word)
        remember("/users/\(id)")
        let answer = try await requiredCall(
            "POST", "/users",
            [
                "user_id": .text(id), "nickname": .text(nickname ?? word), "profile_url": "",
                "issue_access_token": true,
            ])
        return User(id: id, token: answer["access_token"].text ?? "null", answer: answer)
    }

    /// Makes a user and logs it in.
    @inline(never) func person(_ word: String) async throws(CheckFailure) -> Person {
        let user = try await user(word)
        let (line, login) = try await logIn(user.credentials)
        guard login.command == "LOGI", let key = login["key"].text else {
            throw CheckFailure(
                expected: "LOGI with a session key for a new user (2.4)",
                seen: "\(login.command)\(login.fields)")
        }
        return Person(user: user, key: key, login: login, line: line, scene: self)
    }

    /// Makes a group channel of some users as the platform, and returns its URL.
    @inline(never) func channel(
        _ members: [Person], _ fields: JSON = [:]
    ) async throws(CheckFailure) -> Room {
        let url = name("channel")
        var body = fields.fields
        body["channel_url"] = .text(url)
        body["user_ids"] = .list(members.map { .text($0.id) })
        let room = Room(url: url, type: "group_channels")
        remember(room.path)
        try await requiredCall("POST", "/group_channels", .object(body))
        return room
    }

    /// Makes a channel of two users.
    @inline(never) func pair() async throws(CheckFailure) -> (ada: Person, bo: Person, room: Room) {
        let (ada, bo) = (try await person("ada"), try await person("bo"))
        return (ada, bo, try await channel([ada, bo]))
    }

    /// Closes the sockets and removes the objects of the check, in a time of its own.
    ///
    /// - Returns: The paths of objects that may be left.
    @inline(never) func end(limit: Duration) async -> [String] {
        for line in lines.prefix(64) { await line.close() }
        let countdown = Countdown(limit)
        let ending = calls.ending(countdown)
        var left: [String] = []
        // Channels before their users.
        for path in made.reversed() {
            let answer =
                countdown.isOver
                ? nil
                : try? await ending.call(
                    "DELETE", "/v3" + path, as: .platform)
            // An object that the check has removed itself, or never made, is unknown.
            if answer?.status != 200, answer?.code != 400_201 { left.append(path) }
        }
        return left
    }
}

/// A channel of a check.
struct Room {
    let url: String
    /// `group_channels` or `open_channels`.
    let type: String

    var path: String { "/\(type)/\(Query.encode(url))" }
}
