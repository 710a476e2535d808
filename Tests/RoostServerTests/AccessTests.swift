// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// Walks every endpoint as somebody else each time.
struct AccessTests {
    private enum Who: CaseIterable {
        case stranger
        case member
        case `operator`
        case platform
    }

    /// The codes that mean "not you": everything else is about what was asked.
    private static let refusals: Set<RoostError.Code> = [
        .notAuthorized, .notAMember, .notTheOwner, .apiTokenInvalid, .sessionKeyNotFound,
    ]

    /// A call, with who must get through.
    ///
    /// "CHANNEL", "MEMBER", "MESSAGE" and "OTHER" stand for the scene's.
    private struct Call {
        let method: APIRequest.Method
        let path: String
        let body: String
        let admitted: Set<Who>
    }

    /// What a stranger may reach of the routes: lists of what is public, and what is their own affair.
    private static let open: Set<String> = [
        "GET users/*", "GET users/*/metadata", "GET users/*/metadata/*", "GET group_channels",
        "PUT group_channels/*/decline", "GET search/messages", "GET emoji_categories",
        "POST storage/file",
        // Whoever is logged in may enter an open channel; who is banned is told so by the call.
        "GET open_channels", "POST open_channels", "GET open_channels/*", "GET sdk/open_channels/*",
        "GET open_channels/*/participants", "GET open_channels/*/polls/changelogs",
        "POST report/open_channels/*", "POST report/open_channels/*/messages/*",
        "POST report/users/*",
        // Whose a poll is, and where it is, is the poll's to say.
        "POST polls", "GET polls", "GET polls/*", "PUT polls/*", "DELETE polls/*",
        "PUT polls/*/close", "PUT polls/*/vote", "POST polls/*/options",
        "GET polls/*/options/*", "PUT polls/*/options/*", "DELETE polls/*/options/*",
        "GET polls/*/options/*/voters", "GET scheduled_messages", "GET scheduled_messages/count",
    ]

    private static let typed: [Call] = [
        Call(
            method: .post, path: "group_channels", body: #"{"user_ids":["OTHER"]}"#, admitted: all),
        Call(method: .get, path: "group_channels/CHANNEL", body: "", admitted: members),
        Call(method: .get, path: "sdk/group_channels/CHANNEL", body: "", admitted: members),
        Call(
            method: .put, path: "group_channels/CHANNEL", body: #"{"name":"n"}"#, admitted: members),
        Call(
            method: .put, path: "group_channels/CHANNEL", body: #"{"is_public":true}"#,
            admitted: [.operator, .platform]),
        Call(
            method: .put, path: "group_channels/CHANNEL", body: #"{"operator_ids":["MEMBER"]}"#,
            admitted: [.operator, .platform]),
        Call(
            method: .post, path: "group_channels/CHANNEL/invite", body: #"{"user_ids":["OTHER"]}"#,
            admitted: members),
        Call(
            method: .put, path: "group_channels/CHANNEL/join", body: #"{"user_id":"MEMBER"}"#,
            admitted: members),
        Call(
            method: .put, path: "group_channels/CHANNEL/leave", body: #"{"user_ids":["MEMBER"]}"#,
            admitted: members),
        Call(
            method: .get, path: "group_channels/CHANNEL/messages?message_ts=0", body: "",
            admitted: members),
        Call(
            method: .get, path: "group_channels/CHANNEL/messages/changelogs?change_ts=0", body: "",
            admitted: members),
        Call(
            method: .get, path: "group_channels/CHANNEL/messages_gap", body: "", admitted: members),
        Call(
            method: .post, path: "group_channels/CHANNEL/messages",
            body: #"{"message_type":"MESG","message":"x","user_id":"MEMBER"}"#, admitted: members),
        Call(
            method: .post, path: "group_channels/CHANNEL/messages",
            body: #"{"message_type":"ADMM","message":"x"}"#, admitted: [.platform]),
        Call(
            method: .get, path: "group_channels/CHANNEL/messages/MESSAGE", body: "",
            admitted: members),
        Call(
            method: .put, path: "group_channels/CHANNEL/messages/MESSAGE",
            body: #"{"message":"y"}"#, admitted: [.member, .platform]),
        Call(
            method: .delete, path: "group_channels/CHANNEL/messages/MESSAGE", body: "",
            admitted: members),
        Call(
            method: .put, path: "group_channels/CHANNEL/messages/mark_as_read",
            body: #"{"user_id":"MEMBER"}"#, admitted: members),
        Call(
            method: .get, path: "users/MEMBER/my_group_channels", body: "",
            admitted: [.member, .platform]),
        Call(
            method: .get, path: "users/MEMBER/my_group_channels/changelogs?change_ts=0", body: "",
            admitted: [.member, .platform]),
        Call(method: .post, path: "users", body: #"{"user_id":"new"}"#, admitted: [.platform]),
        Call(method: .get, path: "users", body: "", admitted: all),
    ]
    private static let all = Set(Who.allCases)
    private static let members: Set<Who> = [.member, .operator, .platform]

    private struct Scene {
        let fixture: ServerFixture
        let number: Int
        let devices: [Who: ServerFixture.Device]
        let message: MessageID

        init(_ fixture: ServerFixture, _ number: Int) async throws {
            self.fixture = fixture
            self.number = number
            let member = try await fixture.connect(UserID("m\(number)"))
            let chief = try await fixture.connect(UserID("o\(number)"))
            let stranger = try await fixture.connect(UserID("s\(number)"))
            devices = [.member: member, .operator: chief, .stranger: stranger]
            try await fixture.call(
                CreateChannel(
                    channelURL: ChannelURL("g\(number)"),
                    userIDs: [UserID("o\(number)"), UserID("m\(number)")],
                    operatorIDs: [UserID("o\(number)")]), as: chief)
            let request = try APIRequest(
                method: "POST", target: "/v3/open_channels",
                body: Array(#"{"channel_url":"open\#(number)","operators":["o\#(number)"]}"#.utf8))
            let made = await fixture.server.respond(
                to: request, headers: RequestHeaders(apiToken: ServerFixture.apiToken))
            #expect(made.status == 200)
            await fixture.send("words", "r", to: ChannelURL("g\(number)"), on: member)
            let log = try await fixture.server.log(of: ChannelURL("g\(number)"))
            message = try #require(log.first?.message.messageID)
        }

        /// Asks as raw text, and says whether the caller got through.
        func isAdmitted(
            _ who: Who, _ method: APIRequest.Method, _ path: String, _ body: String
        ) async throws -> Bool {
            func fill(_ text: String) -> String {
                text.replacing("CHANNEL", with: "g\(number)")
                    .replacing("ROOM", with: "open\(number)")
                    .replacing("MEMBER", with: "m\(number)")
                    .replacing("MESSAGE", with: "\(message.rawValue)")
                    .replacing("OTHER", with: "s\(number)")
            }
            var headers = RequestHeaders(sessionKey: devices[who]?.key)
            if who == .platform { headers.apiToken = ServerFixture.apiToken }
            let request = try APIRequest(
                method: method.rawValue, target: "/v3/" + fill(path), body: Array(fill(body).utf8))
            let answer = await fixture.server.respond(to: request, headers: headers)
            guard answer.status != 200 else { return true }
            let code = try JSONValue(parsing: answer.body)["code"]?.int
            return !AccessTests.refusals.contains(RoostError.Code(Int(code ?? 0)))
        }
    }

    private func path(_ route: Route) -> String {
        var number = 0
        let isUser = route.pattern.text.hasPrefix("users/")
        return route.pattern.text.split(separator: "/").map { segment in
            guard segment == "*" else { return String(segment) }
            number += 1
            if number == 1, isOpen(route) { return "ROOM" }
            if number == 1 { return isUser ? "MEMBER" : "CHANNEL" }
            return route.pattern.text.contains("messages/*") ? "MESSAGE" : "OTHER"
        }.joined(separator: "/")
    }

    private func isOpen(_ route: Route) -> Bool {
        route.pattern.text.contains("open_channels/")
    }

    private func admitted(_ route: Route) -> Set<Who> {
        switch route.access {
        case .member where isOpen(route): Self.all
        case .platform: [.platform]
        case .oneself: [.member, .platform]
        case .user: Self.all
        case .member: Self.members
        case .channelOperator: [.operator, .platform]
        }
    }

    @Test
    func `every endpoint lets in whom it should and nobody else (R200)`() async throws {
        let fixture = await ServerFixture()
        let routes = Route.all.map { route in
            Call(
                method: route.method, path: path(route), body: "{}",
                admitted: admitted(route))
        }
        var number = 0
        for call in routes + Self.typed {
            for who in Who.allCases {
                number += 1
                let scene = try await Scene(fixture, number)
                let isAdmitted = try await scene.isAdmitted(who, call.method, call.path, call.body)
                // To decline, one must be invited: that is for the call itself to say.
                let isOwnRefusal = call.path.hasSuffix("/decline")
                #expect(
                    isAdmitted == call.admitted.contains(who) || isOwnRefusal,
                    "\(who): \(call.method.rawValue) \(call.path)")
            }
        }
        let reachable = Set(
            Route.all.filter { $0.access == .user }.map {
                "\($0.method.rawValue) \($0.pattern.text)"
            })
        #expect(reachable == Self.open)
    }

    @Test
    func `no endpoint answers without a key, or with a wrong one (R193)`() async throws {
        let fixture = await ServerFixture()
        let scene = try await Scene(fixture, 0)
        let calls =
            Route.all.map { ($0.method, path($0)) } + Self.typed.map { ($0.method, $0.path) }
        for (method, path) in calls {
            for headers in [
                RequestHeaders(), RequestHeaders(sessionKey: "guess"),
                RequestHeaders(apiToken: "guess"),
            ] {
                let target =
                    "/v3/"
                    + path.replacing("CHANNEL", with: "g\(scene.number)")
                    .replacing("ROOM", with: "open\(scene.number)")
                let request = try APIRequest(
                    method: method.rawValue, target: target, body: Array("{}".utf8))
                let answer = await fixture.server.respond(to: request, headers: headers)
                #expect(answer.status == 401, "\(method.rawValue) \(path)")
            }
        }
    }

    @Test
    func `what is said in a channel is found by its members only (R200)`() async throws {
        let fixture = await ServerFixture()
        let scene = try await Scene(fixture, 0)
        let path = "/v3/search/messages?query=words"
        for (who, count) in [(Who.member, 1), (.operator, 1), (.stranger, 0)] {
            let request = try APIRequest(method: "GET", target: path, body: [])
            let headers = RequestHeaders(sessionKey: scene.devices[who]?.key)
            let answer = await fixture.server.respond(to: request, headers: headers)
            let results = try JSONValue(parsing: answer.body)["results"]?.array
            #expect(results?.count == count)
        }
        #expect(
            try await !scene.isAdmitted(
                .stranger, .get, "search/messages?query=words&channel_url=CHANNEL", ""))
    }
}
