// SPDX-License-Identifier: Apache-2.0

/// Membership: invitations, joining, leaving, hiding, and the events that tell them.
enum MemberChecks {
    static let group = CheckGroup(
        "members", "Membership", isRequired: true,
        [
            Check(
                "members.invite", "2.8",
                "SYEV 10020 announces an invitation with inviter and invitees; the counts grow.",
                invite),
            Check(
                "members.accept", "2.8",
                "An invited user who accepts is joined; members receive SYEV 10000.", accept),
            Check(
                "members.decline", "2.8",
                "An invited user who declines is no member; members receive SYEV 10022.", decline),
            Check(
                "members.guest", "5.2",
                "An invited user who has not accepted reads no messages: 900020 or 900023.", guest),
            Check(
                "members.leave", "2.8",
                "A member who leaves is announced by SYEV 10001, and loses list and channel.", leave
            ),
            Check(
                "members.join", "3.3", "A user joins a public channel; members receive SYEV 10000.",
                join),
            Check(
                "members.pages", "3.3", "A walk over the members finds each once.", pages),
            Check(
                "members.filters", "3.3",
                "operator_filter, member_state_filter and nickname_startswith choose the members.",
                filters),
            Check(
                "members.state", "3.3",
                "members/{uid} answers whether a user is a member, and the state.", state),
            Check(
                "members.hide", "2.8",
                "A hidden channel leaves the list, for this user only, until the next message.",
                hide),
            Check(
                "members.show", "2.8",
                "A channel hidden without allow_auto_unhide stays so until shown; SYEV 13001 tells it.",
                show),
            Check(
                "members.hide-history", "3.3",
                "Hiding with hide_previous_messages ends the history that the user may read.",
                hideHistory),
            Check(
                "members.reset-history", "3.3",
                "reset_user_history ends the history of the user alone, whose devices get SYEV 11000.",
                resetHistory),
            Check(
                "members.reset-all", "3.3",
                "reset_all ends the history of each member; a plain member is refused with 400108.",
                resetAll),
            Check(
                "members.typing", "2.7",
                "TPST and TPEN reach the other members as SYEV 10900 and 10901.", typing),
        ])

    /// Makes a channel with an invited user who has not accepted.
    private static func invited(
        _ scene: Scene
    ) async throws(CheckFailure) -> (ada: Person, bo: Person, room: Room) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        try await bo.call(
            "PUT", bo.path + "/channel_invitation_preference", [:], ["auto_accept": false])
        let room = try await scene.channel([ada])
        try await ada.call("POST", room.path + "/invite", [:], ["user_ids": [.text(bo.id)]])
        return (ada, bo, room)
    }

    private static func invite(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await invited(scene)
        for person in [ada, bo] {
            let event = try await person.hearEvent(10_020, in: room)["data"]
            try expect(event["inviter"]["user_id"], is: .text(ada.id), "the inviter")
            try expect(
                event["invitees"].each("user_id") == [.text(bo.id)], "the invitee",
                seen: event["invitees"])
        }
        let view = try await bo.view(room)
        try expect(view["member_state"], is: "invited", "the state of the invited user")
        try expect(view["member_count"], is: 2, "member_count")
        try expect(view["joined_member_count"], is: 1, "joined_member_count")
    }

    private static func accept(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await invited(scene)
        try await bo.call("PUT", room.path + "/accept", [:], ["user_id": .text(bo.id)])
        // The same event announces the channel's own beginning.
        let event = try await ada.hearEvent(10_000, in: room) {
            $0["data"]["users"].each("user_id") == [.text(bo.id)]
        }["data"]
        try expect(event["joined_member_count"], is: 2, "joined_member_count of the event")
        try expect(try await bo.view(room)["member_state"], is: "joined", "the state")
    }

    private static func decline(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await invited(scene)
        try await bo.call("PUT", room.path + "/decline", [:], ["user_id": .text(bo.id)])
        let event = try await ada.hearEvent(10_022, in: room)["data"]
        try expect(event["invitee"]["user_id"], is: .text(bo.id), "the invitee")
        let state = try await ada.get("\(room.path)/members/\(bo.id)")
        try expect(state["is_member"], is: false, "is_member")
    }

    private static func guest(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await invited(scene)
        let sent = try await ada.send("secret", in: room)
        let calls: [(String, Query)] = [
            ("messages", ["message_ts": 0, "next_limit": 1]), ("messages/\(sent.id)", [:]),
            ("messages/changelogs", ["change_ts": 0]),
        ]
        for (name, query) in calls {
            try await scene.expectRefusal(
                900_020, 900_023, of: "GET", "\(room.path)/\(name)", query, as: .session(bo.key))
        }
        try await bo.call("PUT", room.path + "/accept", [:], ["user_id": .text(bo.id)])
        // Messages of a channel come in their order, so the secret one would come before.
        let behind = try await ada.send("behind", in: room)
        let heard = try await bo.line.hearAll(before: "MESG behind the entry") {
            $0.command == "MESG" && $0["msg_id"] == behind.idValue
        }
        try expect(
            !heard.contains { $0.command == "MESG" }, "no message before the entry",
            seen: heard.map(\.command))
    }

    private static func leave(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await bo.call("PUT", room.path + "/leave", [:], ["user_id": .text(bo.id)])
        let event = try await ada.hearEvent(10_001, in: room)["data"]
        try expect(event["user_id"], is: .text(bo.id), "the user of the event")
        try expect(event["member_count"], is: 1, "member_count of the event")
        let list = try await bo.get(bo.path + "/my_group_channels", ["show_empty": true])
        try expect(list["channels"], is: [], "the list of the user who left")
        try await bo.expectRefusal(
            900_020, of: "GET", room.path + "/messages", ["message_ts": 0, "next_limit": 1])
    }

    private static func join(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let room = try await scene.channel([ada], ["is_public": true])
        try await bo.call("PUT", room.path + "/join", [:], ["user_id": .text(bo.id)])
        _ = try await ada.hearEvent(10_000, in: room) {
            $0["data"]["users"].each("user_id") == [.text(bo.id)]
        }
        try expect(try await bo.view(room)["member_state"], is: "joined", "the state")
    }

    private static func pages(_ scene: Scene) async throws(CheckFailure) {
        var people: [Person] = []
        for word in ["ada", "bo", "cy"] { people.append(try await scene.person(word)) }
        let room = try await scene.channel(people)
        let walk = try await scene.walk(
            room.path + "/members", ["limit": 1], "members", as: .session(people[0].key))
        let ids = walk.map { $0["user_id"] }
        try expect(
            ids.count == 3 && ids.isAlike(people.map { .text($0.id) }),
            "three members, each once", seen: ids)
    }

    private static func filters(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let cy = try await scene.person("cy")
        try await cy.call(
            "PUT", cy.path + "/channel_invitation_preference", [:], ["auto_accept": false])
        let room = try await scene.channel([ada, bo], ["operator_ids": [.text(ada.id)]])
        try await ada.call("POST", room.path + "/invite", [:], ["user_ids": [.text(cy.id)]])
        let choices: [(Query, [Person])] = [
            (["operator_filter": "operator"], [ada]),
            (["operator_filter": "nonoperator"], [bo, cy]),
            (["member_state_filter": "joined_only"], [ada, bo]),
            (["member_state_filter": "invited_only"], [cy]),
            (["nickname_startswith": "b"], [bo]),
        ]
        for (choice, people) in choices {
            let ids = try await scene.walk(
                room.path + "/members", choice, "members", as: .session(ada.key)
            ).map { $0["user_id"] }
            try expect(
                ids.count == people.count && ids.isAlike(people.map { .text($0.id) }),
                "the members \(people.map(\.id)) for \(choice.encoded)", seen: ids)
        }
    }

    private static func state(_ scene: Scene) async throws(CheckFailure) {
        let (ada, eve) = (try await scene.person("ada"), try await scene.person("eve"))
        let room = try await scene.channel([ada])
        let own = try await ada.get("\(room.path)/members/\(ada.id)")
        try expect(own["is_member"], is: true, "is_member of a member")
        try expect(own["state"], is: "joined", "the state of a member")
        let other = try await ada.get("\(room.path)/members/\(eve.id)")
        try expect(other["is_member"], is: false, "is_member of a stranger")
    }

    private static func hide(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await ada.send("before", in: room)
        let body: JSON = ["user_id": .text(bo.id), "allow_auto_unhide": true]
        try await bo.call("PUT", room.path + "/hide", [:], body)
        _ = try await bo.hearEvent(13_000, in: room)
        let heard = try await ada.line.hearAll()
        try expect(
            !heard.contains { $0["cat"] == 13_000 }, "the other member receives nothing of it",
            seen: heard.map(\.command))
        let path = bo.path + "/my_group_channels"
        try expect(try await bo.get(path)["channels"], is: [], "the list of the hiding user")
        let others = try await ada.get(ada.path + "/my_group_channels")["channels"]
        try expect(
            others.each("channel_url") == [.text(room.url)],
            "the channel in the list of the other member", seen: others)
        try await ada.send("after", in: room)
        let urls = try await bo.get(path)["channels"].each("channel_url")
        try expect(
            urls == [.text(room.url)], "the channel in the list after the next message", seen: urls)
    }

    private static func hideHistory(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await ada.send("before", in: room)
        let answer = try await bo.call(
            "PUT", room.path + "/hide", [:],
            ["user_id": .text(bo.id), "hide_previous_messages": true])
        try expect(answer, has: ["ts_message_offset": .time], "the answer")
        let after = try await ada.send("after", in: room)
        let seen = try await bo.newest(10, in: room).map { $0["message_id"] }
        try expect(seen == [after.idValue], "only the message after the hiding", seen: seen)
        let whole = try await ada.newest(10, in: room).count
        try expect(whole == 2, "both messages for the other member", seen: whole)
    }

    private static func typing(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        for (command, category) in [("TPST", 10_900 as Int64), ("TPEN", 10_901)] {
            try await ada.line.say(
                command, ["channel_url": .text(room.url), "time": 1, "req_id": ""])
            let event = try await bo.hearEvent(category, in: room)
            try expect(event["data"]["user_id"], is: .text(ada.id), "the typing user")
        }
    }
}
