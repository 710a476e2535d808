// SPDX-License-Identifier: Apache-2.0

/// Users by REST.
enum UserChecks {
    static let group = CheckGroup(
        "users", "Users", isRequired: true,
        [
            Check(
                "users.create", "3.1", "A new user is answered with the fields of 4.1.", create),
            Check(
                "users.once", "5.1", "A user ID is used once: the second one is 400202.", once),
            Check("users.unknown", "5.1", "An unknown user is 400201.", unknown),
            Check(
                "users.update", "3.1", "A change of a user is answered and kept.", update),
            Check("users.delete", "3.1", "A deleted user is unknown.", delete),
            Check(
                "users.set", "3.0",
                "A list of user IDs is repeated or joined by commas, and a repeated name counts once.",
                set),
            Check(
                "users.pages", "3.0",
                "A walk over a list by its tokens finds each user once and ends with an empty next.",
                pages),
            Check(
                "users.wrong-page", "3.0", "A token that the server cannot read is 400111.",
                wrongPage),
            Check(
                "users.rest-login", "3.1",
                "A login by REST answers the object of LOGI, whose key opens calls.", restLogin),
        ])

    private static func create(_ scene: Scene) async throws(CheckFailure) {
        let user = try await scene.user(nickname: "Ada").answer
        try expect(
            user, has: ["user_id": .text, "nickname": .text, "profile_url": .text], "a user")
        try expect(user["nickname"], is: "Ada", "the nickname")
        try expect(
            user["access_token"].text?.isEmpty == false, "access_token where it was asked for",
            seen: user["access_token"])
        for name in ["state", "role", "is_muted", "end_at"] {
            try expect(user[name].isMissing, "a plain user has no \(name) (4.1)", seen: user[name])
        }
    }

    private static func once(_ scene: Scene) async throws(CheckFailure) {
        let user = try await scene.user()
        try await scene.expectRefusal(
            400_202, of: "POST", "/users", [:],
            .json(["user_id": .text(user.id), "nickname": "", "profile_url": ""]))
    }

    private static func unknown(_ scene: Scene) async throws(CheckFailure) {
        try await scene.expectRefusal(400_201, of: "GET", "/users/\(scene.name("none"))")
    }

    private static func update(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let changed = try await ada.call("PUT", ada.path, [:], ["nickname": "Countess"])
        try expect(changed["nickname"], is: "Countess", "the answered nickname")
        let kept = try await scene.call("GET", ada.path)
        try expect(kept["nickname"], is: "Countess", "the kept nickname")
    }

    private static func delete(_ scene: Scene) async throws(CheckFailure) {
        let user = try await scene.user()
        let path = user.path
        try await scene.call("DELETE", path)
        try await scene.expectRefusal(400_201, of: "GET", path)
    }

    private static func set(_ scene: Scene) async throws(CheckFailure) {
        let one = try await scene.user().id
        let two = try await scene.user().id
        let queries: [Query] = [
            ["user_ids": "\(one),\(two)"], ["user_ids": one, "user_ids": two],
            ["user_ids": "\(one),\(two),\(one)"],
        ]
        for query in queries {
            let found = try await scene.walk("/users", query, "users").map { $0["user_id"] }
            try expect(
                found.isAlike([.text(one), .text(two)]) && found.count == 2, "the two users once",
                seen: JSON.list(found))
        }
    }

    private static func pages(_ scene: Scene) async throws(CheckFailure) {
        let nickname = scene.name("nick")
        var made: [JSON] = []
        for _ in 0..<5 { made.append(.text(try await scene.user(nickname: nickname).id)) }
        let walk = try await scene.walk(
            "/users", ["nickname_startswith": nickname, "limit": 2], "users")
        try expect(
            walk.count == 5 && walk.map { $0["user_id"] }.isAlike(made), "five users, each once",
            seen: walk.map { $0["user_id"] })
    }

    private static func wrongPage(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        try await ada.expectRefusal(
            400_111, of: "GET", "/users/\(ada.id)/my_group_channels", ["token": "no token"])
    }

    private static func restLogin(_ scene: Scene) async throws(CheckFailure) {
        let user = try await scene.user()
        let path = user.path
        let answer = try await scene.answer(
            "POST", path + "/login", [:], .json(["app_id": .text(scene.target.applicationID)]),
            as: .headers([("Access-Token", user.token)]))
        try expect(answer.status == 200, "200", seen: answer.excerpt)
        try expect(answer.body, has: SocketChecks.loginFieldTypes, "the answer")
        try await scene.call("GET", path, as: .session(answer["key"].text ?? ""))
    }
}
