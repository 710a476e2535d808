// SPDX-License-Identifier: Apache-2.0

/// Operators, mutes, bans, frozen channels and blocks.
enum ModerationChecks {
    static let group = CheckGroup(
        "moderation", "Moderation", isRequired: false,
        [
            Check(
                "moderation.mute", "3.4",
                "A muted member is refused with 900041 until unmuted; SYEV 10201 and 10200 tell it.",
                mute),
            Check(
                "moderation.mute-info", "3.4", "mute/{uid} answers the state and the end.",
                muteInfo),
            Check(
                "moderation.ban", "3.4",
                "A banned member is out and cannot be invited: 400750; SYEV 10601 announces it.",
                ban),
            Check(
                "moderation.lists", "3.4",
                "The muted and the banned users are listed, in muted_list and banned_list.", lists),
            Check(
                "moderation.freeze", "2.8",
                "A frozen channel refuses messages with 900050; SYEV 10701 and 10700 tell it.",
                freeze),
            Check(
                "moderation.operators", "2.8",
                "New operators are announced by SYEV 10002, and my_role shows the role.", operators),
            Check(
                "moderation.access-code", "3.3",
                "A public channel with an access code is joined with this code only.", accessCode),
            Check(
                "moderation.rights", "5.1", "A plain member moderates nobody: 400108.", rights),
            Check(
                "moderation.block", "2.9",
                "USEV 20001 announces a block, which is listed; USEV 20000 announces its end.",
                block),
        ])

    private static func restriction(_ person: Person) -> JSON {
        ["user_id": .text(person.id), "seconds": -1, "description": "enough"]
    }

    private static func mute(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await scene.call("POST", room.path + "/mute", [:], restriction(bo))
        let event = try await ada.hearEvent(10_201, in: room)["data"]
        try expect(event["user_id"], is: .text(bo.id), "the muted user")
        try await bo.expectRefusal(900_041, ofCommand: "MESG", ["message": "x"], in: room)
        try await scene.call("DELETE", "\(room.path)/mute/\(bo.id)")
        _ = try await ada.hearEvent(10_200, in: room)
        try await bo.send("x", in: room)
    }

    private static func muteInfo(_ scene: Scene) async throws(CheckFailure) {
        let (_, bo, room) = try await scene.pair()
        let path = "\(room.path)/mute/\(bo.id)"
        try expect(try await scene.call("GET", path)["is_muted"], is: false, "is_muted")
        try await scene.call("POST", room.path + "/mute", [:], restriction(bo))
        let info = try await scene.call("GET", path)
        try expect(info["is_muted"], is: true, "is_muted")
        try expect(info["end_at"], is: -1, "end_at")
        try expect(info["description"], is: "enough", "description")
    }

    private static func ban(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await scene.call("POST", room.path + "/ban", [:], restriction(bo))
        let event = try await ada.hearEvent(10_601, in: room)["data"]
        try expect(event["user_id"], is: .text(bo.id), "the banned user")
        let invite: JSON = ["user_ids": [.text(bo.id)]]
        try await scene.expectRefusal(
            400_750, of: "POST", room.path + "/invite", [:], .json(invite))
        let state = try await ada.get("\(room.path)/members/\(bo.id)")
        try expect(state["is_member"], is: false, "is_member of the banned user")
        try await scene.call("DELETE", "\(room.path)/ban/\(bo.id)")
        _ = try await ada.hearEvent(10_600, in: room)
        try await scene.call("POST", room.path + "/invite", [:], invite)
    }

    private static func lists(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        for (path, person, list) in [
            ("/mute", ada, "muted_list"), ("/ban", bo, "banned_list"),
        ] {
            try await scene.call("POST", room.path + path, [:], restriction(person))
            let found = try await scene.walk(room.path + path, ["limit": 1], list)
            try expect(
                found.map { $0["user_id"] } == [.text(person.id)], "one user in \(list)",
                seen: found)
        }
    }

    private static func freeze(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        for (freeze, category) in [(true, 10_701 as Int64), (false, 10_700)] {
            let answer = try await scene.call(
                "PUT", room.path + "/freeze", [:], ["freeze": .bool(freeze)])
            try expect(answer["freeze"], is: .bool(freeze), "freeze of the answer")
            let event = try await bo.hearEvent(category, in: room)
            try expect(event["data"]["freeze"], is: .bool(freeze), "freeze of the event")
            if freeze {
                try await ada.expectRefusal(900_050, ofCommand: "MESG", ["message": "x"], in: room)
            } else {
                try await ada.send("x", in: room)
            }
        }
    }

    private static func operators(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let path = room.path + "/operators"
        let body: JSON = ["operator_ids": [.text(bo.id)]]
        try await scene.call("POST", path, [:], body)
        let event = try await ada.hearEvent(10_002, in: room)["data"]
        try expect(
            event["operators"].each("user_id").contains(.text(bo.id)), "the operator in the event",
            seen: event)
        try expect(try await bo.view(room)["my_role"], is: "operator", "my_role")
        try expect(
            try await scene.walk(path, [:], "operators").contains { $0["user_id"] == .text(bo.id) },
            "the operator in the list", seen: "it lacks \(bo.id)")
        try await scene.call("DELETE", path, ["operator_ids": bo.id])
        try expect(try await bo.view(room)["my_role"], is: "none", "my_role")
    }

    private static func accessCode(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let room = try await scene.channel([ada], ["is_public": true])
        // By a change: a server that offers no codes refuses it, and the check is skipped.
        try await scene.call("PUT", room.path, [:], ["access_code": "sesame"])
        let view = try await ada.view(room)
        try expect(view["is_access_code_required"], is: true, "is_access_code_required")
        let path = room.path + "/join"
        let body: JSON = ["user_id": .text(bo.id)]
        for body in [body, body.with("access_code", "wrong")] {
            let answer = try await scene.answer(
                "PUT", path, [:], .json(body), as: .session(bo.key))
            try expect(answer.isRefusal, "a refusal without the code", seen: answer.excerpt)
        }
        try await bo.call("PUT", path, [:], body.with("access_code", "sesame"))
        try expect(try await bo.view(room)["member_state"], is: "joined", "the state")
    }

    private static func rights(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let cy = try await scene.person("cy")
        let room = try await scene.channel([ada, bo, cy])
        // The end of a restriction that does not exist could be refused for that.
        try await scene.call("POST", room.path + "/mute", [:], restriction(ada))
        try await scene.call("POST", room.path + "/ban", [:], restriction(cy))
        let calls: [(method: String, path: String, body: JSON)] = [
            ("POST", "/mute", restriction(ada)), ("DELETE", "/mute/\(ada.id)", .missing),
            ("POST", "/ban", restriction(ada)), ("DELETE", "/ban/\(cy.id)", .missing),
            ("PUT", "/freeze", ["freeze": true]),
            ("POST", "/operators", ["operator_ids": [.text(bo.id)]]),
        ]
        for call in calls {
            try await bo.expectRefusal(
                400_108, of: call.method, room.path + call.path, [:], call.body)
        }
    }

    private static func block(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, _) = try await scene.pair()
        let path = ada.path + "/block"
        try await ada.call("POST", path, [:], ["target_id": .text(bo.id)])
        let list = try await scene.walk(path, [:], "users", as: .session(ada.key))
        try expect(list.map { $0["user_id"] } == [.text(bo.id)], "the blocked user", seen: list)
        try await ada.call("DELETE", "\(path)/\(bo.id)")
        for category in [20_001 as Int64, 20_000] {
            let event = try await ada.line.hear("USEV \(category)") {
                $0.command == "USEV" && $0["cat"] == .int(category)
            }
            try expect(event["data"]["blocker"]["user_id"], is: .text(ada.id), "the blocker")
            try expect(event["data"]["blockee"]["user_id"], is: .text(bo.id), "the blockee")
        }
    }
}
