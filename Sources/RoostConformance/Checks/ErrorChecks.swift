// SPDX-License-Identifier: Apache-2.0

/// Refusals, and the limits of what a caller may do.
enum ErrorChecks {
    static let group = CheckGroup(
        "errors", "Refusals", isRequired: true,
        [
            Check(
                "errors.malformed", "5.1", "A body that is no JSON object is refused.", malformed),
            Check(
                "errors.missing", "5.1", "A call without a required parameter is 400105.", missing),
            Check(
                "errors.wrong-type", "5.1",
                "A parameter of the wrong type is refused in the form of 1.3.", wrongType),
            Check(
                "errors.unknown-message", "5.1",
                "A message that does not exist is 400201 or 900300.", unknownMessage),
            Check(
                "errors.platform-only", "5.1",
                "A client makes no call of the platform: 400108.", platformOnly),
            Check(
                "errors.no-credentials", "1.3",
                "A call without credentials is refused in the form of 1.3.", noCredentials),
            Check(
                "errors.large-numbers", "3.6",
                "Numbers beyond every range are clamped or refused, and the server goes on.",
                largeNumbers),
            Check(
                "errors.trailing-slash", "3.0", "A trailing slash is tolerated.", trailingSlash),
            Check(
                "errors.strange-paths", "3.0",
                "Names with reserved characters are read percent-encoded.", strangePaths),
        ])

    private static func expectRefused(
        _ answer: Answer, _ name: String
    ) throws(CheckFailure) {
        try expect(
            answer.isRefusal, "\(name) is refused with 400, error, code and message (1.3)",
            seen: answer.excerpt)
    }

    private static func malformed(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        for text in ["{", "[]", "{\"message_type\":", "\u{0}", "nonsense"] {
            let answer = try await scene.answer(
                "POST", room.path + "/messages", [:],
                .bytes(Array(text.utf8), type: "application/json"), as: .session(ada.key))
            try expectRefused(answer, "the body \(text.debugDescription)")
        }
    }

    private static func missing(_ scene: Scene) async throws(CheckFailure) {
        try await scene.expectRefusal(400_105, of: "POST", "/users", [:], .json([:]))
    }

    private static func wrongType(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let page = try await scene.answer(
            "GET", room.path + "/messages", ["message_ts": "x", "prev_limit": 1],
            as: .session(ada.key))
        try expectRefused(page, "message_ts=x")
        let body = try await scene.answer(
            "POST", room.path + "/messages", [:],
            .json(["message_type": "MESG", "user_id": .text(ada.id), "message": ["a": 1]]),
            as: .session(ada.key))
        try expectRefused(body, "an object as message")
    }

    private static func unknownMessage(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        for method in ["GET", "DELETE"] {
            try await scene.expectRefusal(
                400_201, 900_300, of: method, room.path + "/messages/123456789",
                as: .session(ada.key))
        }
    }

    private static func platformOnly(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        try await ada.expectRefusal(400_108, of: "DELETE", bo.path)
        try await ada.expectRefusal(400_108, of: "PUT", bo.path, [:], ["nickname": "stolen"])
    }

    private static func noCredentials(_ scene: Scene) async throws(CheckFailure) {
        let answer = try await scene.answer("GET", "/users", as: .headers([]))
        try expectRefused(answer, "a call without credentials")
    }

    private static func largeNumbers(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        for number in [
            "9223372036854775807", "-9223372036854775808", "1e308", "99999999999999999999",
        ] {
            for name in ["message_ts", "message_id", "prev_limit"] {
                let answer = try await scene.answer(
                    "GET", room.path + "/messages", [name: number], as: .session(ada.key))
                guard answer.status == 200 && answer["messages"].isList || answer.isRefusal else {
                    throw CheckFailure(
                        expected: "a page or a refusal for \(name)=\(number)", seen: answer.excerpt)
                }
            }
        }
        try await ada.send("still here", in: room)
    }

    private static func trailingSlash(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let channel = try await ada.get(room.path + "/")
        try expect(channel["channel_url"], is: .text(room.url), "the URL")
    }

    private static func strangePaths(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        for name in ["a b", "a/b", "a?b", "a%2Fb", "ä漢"] {
            let user = scene.name(name)
            let path = "/users/\(Query.encode(user))"
            scene.remember(path)
            // A server may refuse such names as a whole, also for the removal.
            let answer = try await scene.answer(
                "POST", "/users", [:],
                .json(["user_id": .text(user), "nickname": "n", "profile_url": ""]))
            guard !answer.isRefusal else {
                scene.forget(path)
                continue
            }
            let found = try await ada.get(path)
            try expect(found["user_id"], is: .text(user), "the user at \(path)")
        }
    }
}
