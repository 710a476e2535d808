// SPDX-License-Identifier: Apache-2.0

/// Addresses, credentials and the renewal of sessions.
enum ConnectionChecks {
    static let group = CheckGroup(
        "connection", "Connections and sessions", isRequired: true,
        [
            Check(
                "connection.root", "1.1", "GET / is answered with 200 and an object.", root),
            Check(
                "connection.sdk-paths", "1.1",
                "A channel below /v3/sdk/ is answered as without sdk, any other path there with {}.",
                sdkPaths),
            Check(
                "connection.token-query", "1.2", "A login may show its token in the query.",
                { scene throws(CheckFailure) in
                    try await logsIn(scene) { ["access_token": $0] }
                }),
            Check(
                "connection.token-header", "1.2",
                "A login may show its token in the header SENDBIRD-WS-TOKEN.",
                { scene throws(CheckFailure) in
                    try await logsIn(scene, header: "SENDBIRD-WS-TOKEN") { _ in [:] }
                }),
            Check(
                "connection.token-subprotocol", "1.2",
                "A login may show its token as a subprotocol, which is echoed byte for byte.",
                tokenSubprotocol),
            Check(
                "connection.key-query", "1.2", "A reconnect may show its key in the query.",
                { scene throws(CheckFailure) in try await resumes(scene, query: "key") }),
            Check(
                "connection.key-header", "1.2",
                "A reconnect may show its key in the header SENDBIRD-WS-AUTH.",
                { scene throws(CheckFailure) in try await resumes(scene, header: "SENDBIRD-WS-AUTH")
                }),
            Check(
                "connection.key-subprotocol", "1.2",
                "A reconnect may show its key as a subprotocol, which is echoed byte for byte.",
                keySubprotocol),
            Check(
                "connection.no-token-words", "1.2",
                "The texts null, undefined and the empty text stand for no token.", noTokenWords),
            Check(
                "connection.new-user", "1.2",
                "A user that the server does not know is made at login, unless tokens are required.",
                newUser),
            Check(
                "connection.wrong-token", "2.4",
                "A wrong token is refused by LOGI with 400302, and the socket ends.", wrongToken),
            Check(
                "connection.wrong-key", "2.4",
                "An unknown session key is refused by LOGI with 400303, and the socket ends.",
                { scene throws(CheckFailure) in
                    try await isRefused(scene, ["key": scene.name("key")], 400_303)
                }),
            Check(
                "connection.wrong-application", "2.4",
                "Another application is refused by LOGI with 400304, and the socket ends.",
                wrongApplication),
            Check(
                "connection.caller", "1.2",
                "The caller is the user of the session key, whatever user_id the body names.",
                caller),
            Check(
                "connection.unknown-session", "1.3",
                "A call with an unknown session key is refused with 400303.", unknownSession),
            Check(
                "connection.wrong-api-token", "1.3",
                "A call with a wrong API token is refused with 400401.", wrongAPIToken),
            Check(
                "connection.renewal-rest", "1.4",
                "A token is changed into a session key by REST, and the key before goes on.",
                renewalByREST),
            Check(
                "connection.renewal-socket", "1.4",
                "LOGI over an open socket is acknowledged with new_key and ekey.",
                renewalBySocket),
            Check(
                "connection.file-key", "1.4", "The file key is no session key.", fileKey),
            Check(
                "connection.token-deletion", "3.1",
                "The deletion of a user's tokens ends its sessions.", tokenDeletion),
            Check(
                "connection.deactivated", "5.1",
                "The sessions of a deactivated user end, and logins are refused with 400300.",
                deactivated),
            Check(
                "connection.expiry", "1.4",
                "A session ends with the token that opened it: 400309 asks for a renewal.", expiry),
        ])

    private static func root(_ scene: Scene) async throws(CheckFailure) {
        let answer = try await scene.plainAnswer("/")
        try expect(
            answer.status == 200 && answer.body.isObject, "GET / is answered with 200 and {}",
            seen: answer.excerpt)
    }

    private static func sdkPaths(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let plain = try await ada.view(room)
        let sdk = try await ada.get("/sdk" + room.path)
        try expect(
            sdk["channel_url"] == plain["channel_url"] && sdk["created_at"] == plain["created_at"],
            "the channel below /v3/sdk/ is the same", seen: sdk)
        let other = try await ada.get("/sdk/\(scene.name())")
        try expect(other, is: [:], "the answer below /v3/sdk/")
    }

    // MARK: Logins

    private static func logsIn(
        _ scene: Scene, header: String? = nil, _ query: (String) -> Query
    ) async throws(CheckFailure) {
        let user = try await scene.user()
        let (_, login) = try await scene.logIn(
            ["user_id": user.id] + query(user.token),
            headers: header.map { [($0, user.token)] } ?? [])
        try expectLogin(of: user.id, login)
    }

    private static func tokenSubprotocol(_ scene: Scene) async throws(CheckFailure) {
        let user = try await scene.user()
        let offer = Query.encode(JSON.object(["token": .text(user.token)]).description)
        let (line, login) = try await scene.logIn(["user_id": user.id], subprotocol: offer)
        try expectLogin(of: user.id, login)
        try expectEcho(of: offer, on: line)
    }

    private static func resumes(
        _ scene: Scene, query: String? = nil, header: String? = nil
    ) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        var items: Query = [:]
        if let query { items = items + Query(dictionaryLiteral: (query, ada.key)) }
        let (_, login) = try await scene.logIn(
            items, headers: header.map { [($0, ada.key)] } ?? [])
        try expectLogin(of: ada.id, login)
    }

    private static func keySubprotocol(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let offer = Query.encode(JSON.object(["auth": .text(ada.key)]).description)
        let (line, login) = try await scene.logIn([:], subprotocol: offer)
        try expectLogin(of: ada.id, login)
        try expectEcho(of: offer, on: line)
    }

    private static func expectLogin(of id: String, _ login: Frame) throws(CheckFailure) {
        try expect(
            login.command == "LOGI" && login["user_id"] == .text(id) && login["key"].text != nil,
            "LOGI with the user and a session key", seen: "\(login.command)\(login.fields)")
    }

    private static func expectEcho(of offer: String, on line: ChatLine) throws(CheckFailure) {
        try expect(
            line.subprotocol == offer, "the handshake echoes the subprotocol byte for byte",
            seen: line.subprotocol == nil ? "no subprotocol" : "another subprotocol")
    }

    private static func noTokenWords(_ scene: Scene) async throws(CheckFailure) {
        var seen: [JSON] = []
        for word in ["null", "undefined", ""] {
            let id = scene.name("user")
            scene.remember("/users/\(id)")
            let (_, login) = try await scene.logIn(["user_id": id, "access_token": word])
            let isRefused = login.command == "LOGI" && login["error"] == true
            if !isRefused { try expectLogin(of: id, login) }
            seen.append(isRefused ? login["code"] : "a session")
        }
        try expect(
            seen.allSatisfy { $0 == "a session" } || seen.allSatisfy { $0 == 400_302 },
            "three sessions, or three refusals with 400302 where tokens are required",
            seen: JSON.list(seen))
    }

    private static func newUser(_ scene: Scene) async throws(CheckFailure) {
        let id = scene.name("user")
        scene.remember("/users/\(id)")
        let (_, login) = try await scene.logIn(["user_id": id, "nickname": "New"])
        if login["code"] == 400_302 {
            throw CheckFailure(
                .notApplicable, expected: "a login without a token", seen: "tokens are required")
        }
        try expect(login["user_id"], is: .text(id), "the user of LOGI")
        let user = try await scene.call("GET", "/users/\(id)")
        try expect(user["nickname"], is: "New", "the nickname of the new user")
    }

    // MARK: Refusals

    private static func isRefused(
        _ scene: Scene, _ query: Query, _ code: Int64, application: String? = nil
    ) async throws(CheckFailure) {
        let (line, login) = try await scene.logIn(query, application: application)
        try expect(
            login.command == "LOGI" && login["error"] == true && login["code"] == .int(code)
                && login["message"].text != nil && login["key"].isMissing,
            "LOGI with error, message and the code \(code)",
            seen: "\(login.command)\(login.fields)")
        let rest = try await line.end()
        try expect(rest.isEmpty, "nothing but the end of the socket behind a refusal", seen: rest)
    }

    private static func wrongToken(_ scene: Scene) async throws(CheckFailure) {
        let user = try await scene.user()
        let query: Query = [
            "user_id": user.id, "access_token": scene.name("token"),
        ]
        try await isRefused(scene, query, 400_302)
    }

    private static func wrongApplication(_ scene: Scene) async throws(CheckFailure) {
        let id = scene.name("user")
        try await isRefused(scene, ["user_id": id], 400_304, application: scene.name("app"))
    }

    private static func unknownSession(_ scene: Scene) async throws(CheckFailure) {
        try await scene.expectRefusal(
            400_303, of: "GET", "/users", as: .session(scene.name("key")))
    }

    private static func wrongAPIToken(_ scene: Scene) async throws(CheckFailure) {
        try await scene.expectRefusal(
            400_401, of: "GET", "/users", as: .headers([("Api-Token", scene.name("token"))]))
    }

    private static func caller(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let answer = try await scene.answer(
            "POST", room.path + "/messages", [:],
            .json(["message_type": "MESG", "user_id": .text(bo.id), "message": "mine"]),
            as: .session(ada.key))
        // A refusal makes nobody another one, too.
        if answer.isRefusal { return }
        try expect(answer["user"]["user_id"], is: .text(ada.id), "the sender")
    }

    // MARK: Renewal and end

    private static func renewalByREST(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let answer = try await scene.answer(
            "POST", ada.path + "/session_key", [:], .json(["expiring_session": false]),
            as: .headers([
                ("App-Id", scene.target.applicationID), ("Access-Token", ada.user.token),
            ]))
        guard answer.status == 200, let key = answer["key"].text else {
            throw CheckFailure(expected: "200 with a key", seen: answer.excerpt)
        }
        for key in [key, ada.key] {
            try await scene.call("GET", ada.path, as: .session(key))
        }
    }

    private static func renewalBySocket(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let answer = try await ada.command(
            "LOGI", ["token": .text(ada.user.token), "expiring_session": 1])
        try expect(
            answer.fields, has: ["new_key": .text, "ekey": .text], "the acknowledgement of LOGI")
        for key in [answer["new_key"].text ?? "", ada.key] {
            try await scene.call("GET", ada.path, as: .session(key))
        }
    }

    private static func fileKey(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        guard let fileKey = ada.login["ekey"].text else {
            throw CheckFailure(expected: "LOGI with ekey", seen: "\(ada.login.fields)")
        }
        try await scene.expectRefusal(400_303, of: "GET", ada.path, as: .session(fileKey))
        try await isRefused(scene, ["key": fileKey], 400_303)
    }

    private static func tokenDeletion(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        try await scene.call("DELETE", ada.path + "/token")
        _ = try await ada.line.end()
        try await isKeyRefused(scene, ada, 400_303, 400_309, 400_310)
    }

    private static func deactivated(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        try await scene.call("PUT", ada.path, [:], ["is_active": false])
        for frame in try await ada.line.end() where frame.command == "EXPR" {
            try expect(
                (frame["expires_in"].int ?? 0) < 0 || frame["reason"] == 400_310,
                "EXPR that ends the session (2.10)", seen: frame.fields)
        }
        try await isRefused(scene, ada.user.credentials, 400_300)
        try await isKeyRefused(scene, ada, 400_300, 400_303, 400_309, 400_310)
    }

    private static func isKeyRefused(
        _ scene: Scene, _ person: Person, _ codes: Int64...
    ) async throws(CheckFailure) {
        try await scene.eventually("the session key is refused") { () throws(CheckFailure) in
            try await scene.answer("GET", person.path, as: .session(person.key)).body
        } _: {
            $0["code"].int.map(codes.contains) == true
        }
    }

    private static func expiry(_ scene: Scene) async throws(CheckFailure) {
        let user = try await scene.user("ada")
        let id = user.id
        // The server's clock counts: its own time is the beginning.
        let (_, first) = try await scene.logIn(user.credentials)
        guard let now = first["login_ts"].int else {
            throw CheckFailure(expected: "LOGI with login_ts", seen: "\(first.fields)")
        }
        let made = try await scene.call(
            "POST", "/users/\(id)/token", [:], ["expires_at": .int(now &+ 2_000)])
        let (_, login) = try await scene.logIn([
            "user_id": id, "access_token": made["token"].text ?? "", "expiring_session": 1,
        ])
        guard let key = login["key"].text else {
            throw CheckFailure(
                expected: "a login before the end of its token", seen: "\(login.fields)")
        }
        // The wait for the refusal begins with the end of the token.
        await scene.countdown.pause(.seconds(2))
        try await scene.eventually("400309 after the end of the token") { () throws(CheckFailure) in
            try await scene.answer("GET", "/users/\(id)", as: .session(key)).body
        } _: {
            $0["code"] == 400_309
        }
    }
}
