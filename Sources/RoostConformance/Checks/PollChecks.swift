// SPDX-License-Identifier: Apache-2.0

/// Polls and scheduled messages.
enum PollChecks {
    static let polls = CheckGroup(
        "polls", "Polls", isRequired: false,
        [
            Check(
                "polls.create", "4.8", "A poll is made with its options, its times in seconds.",
                create),
            Check(
                "polls.vote", "2.7",
                "VOTE is acknowledged with the voter's options, and sent to the others without.",
                vote),
            Check(
                "polls.voters", "3.7", "The voters of an option are listed and counted.", voters),
            Check(
                "polls.close", "2.7", "A closed poll is announced by PEDI and takes no vote.", close
            ),
            Check(
                "polls.delete", "2.7",
                "A poll is deleted, closed or not: PEDI has the status removed.", delete),
            Check(
                "polls.changes", "3.7", "The change log of polls has the changed poll.", changes),
        ])

    static let schedule = CheckGroup(
        "schedule", "Scheduled messages", isRequired: false,
        [
            Check(
                "schedule.create", "3.7",
                "A scheduled message is answered with its ID, time and status, and is listed.",
                schedule),
            Check(
                "schedule.once", "3.7",
                "A repeated call with one req_id schedules one message.", scheduleOnce),
            Check("schedule.cancel", "3.7", "A canceled message is not sent.", cancel),
            Check(
                "schedule.send-now", "3.7", "A scheduled message is sent at once on demand.",
                sendNow),
        ])

    /// Makes a poll, sends it into a channel of two, and returns both.
    private static func sent(
        _ scene: Scene
    ) async throws(CheckFailure) -> (ada: Person, bo: Person, room: Room, poll: JSON) {
        let (ada, bo, room) = try await scene.pair()
        let poll = try await make(ada)
        _ = try await ada.send("vote", in: room, ["poll_id": poll["id"]])
        _ = try await bo.hear("MESG", in: room)
        return (ada, bo, room, poll)
    }

    private static func make(_ person: Person) async throws(CheckFailure) -> JSON {
        let poll = try await person.call(
            "POST", "/polls", [:], ["title": "Tea?", "options": ["Yes", "No"]])
        let id = poll["id"].int
        if let id { person.scene.remember("/polls/\(id)") }
        guard id != nil, poll["options"].elements.count == 2,
            poll["created_by"] == .text(person.id)
                || poll["created_by"]["user_id"] == .text(person.id)
        else {
            throw CheckFailure(
                expected: "a poll with two options, made by the caller", seen: poll.description)
        }
        return poll
    }

    private static func path(_ poll: JSON) -> String { "/polls/\(poll["id"].int ?? 0)" }

    private static func create(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let made = try await make(ada)
        for poll in [made, try await ada.get(path(made))] {
            try expect(
                poll,
                has: ["created_at": .seconds, "close_at": .number, "voter_count": .number],
                "a poll")
            try expect(poll["title"], is: "Tea?", "the title")
            try expect(poll["status"], is: "open", "the status")
            try expect(poll["close_at"], is: -1, "close_at without an end")
            try expect(
                poll["options"].each("text") == ["Yes", "No"], "the options in their order",
                seen: poll["options"])
        }
    }

    private static func vote(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room, poll) = try await sent(scene)
        let option = poll["options"][0]["id"]
        let answer = try await bo.command(
            "VOTE",
            ["poll_id": poll["id"], "option_ids": [option], "channel_type": "group"], in: room)
        try expect(answer["voted_option_ids"], is: [option], "voted_option_ids")
        let heard = try await ada.hear("VOTE", in: room)
        try expect(heard["voted_option_ids"].isMissing, "no voted_option_ids", seen: heard.fields)
        for frame in [answer, heard] {
            try expect(frame["poll_id"], is: poll["id"], "poll_id")
            let counts = frame["updated_vote_counts"].elements
            try expect(
                counts.contains {
                    ($0["option_id"] == option || $0["id"] == option) && $0["vote_count"] == 1
                },
                "one vote in updated_vote_counts", seen: frame.fields)
        }
        try expect(try await bo.get(path(poll))["voter_count"], is: 1, "voter_count")
    }

    private static func voters(_ scene: Scene) async throws(CheckFailure) {
        let (_, bo, room, poll) = try await sent(scene)
        let option = poll["options"][0]["id"]
        _ = try await bo.command(
            "VOTE", ["poll_id": poll["id"], "option_ids": [option], "channel_type": "group"],
            in: room)
        let answer = try await bo.get(
            "\(path(poll))/options/\(option.int ?? 0)/voters")
        try expect(
            answer["voters"].each("user_id") == [.text(bo.id)], "the voter", seen: answer)
        try expect(answer["vote_count"], is: 1, "vote_count")
    }

    private static func close(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room, poll) = try await sent(scene)
        let closed = try await ada.call("PUT", path(poll) + "/close")
        try expect(closed["status"], is: "closed", "the status")
        let heard = try await bo.line.hear("PEDI (2.7)") {
            $0.command == "PEDI" && $0["poll"]["id"] == poll["id"]
        }
        try expect(heard["poll"]["status"], is: "closed", "the status in PEDI")
        try await bo.line.say(
            "VOTE",
            [
                "poll_id": poll["id"], "option_ids": [poll["options"][0]["id"]],
                "channel_url": .text(room.url), "channel_type": "group", "req_id": "late",
            ])
        let late = try await bo.line.hear("an answer to VOTE") { $0["req_id"] == "late" }
        try expect(late.command == "EROR", "a late vote is refused", seen: late.command)
    }

    private static func delete(_ scene: Scene) async throws(CheckFailure) {
        for closes in [false, true] {
            let (ada, bo, _, poll) = try await sent(scene)
            if closes { try await ada.call("PUT", path(poll) + "/close") }
            try await ada.call("DELETE", path(poll))
            scene.forget(path(poll))
            _ = try await bo.line.hear("PEDI with the status removed (2.7)") {
                $0.command == "PEDI" && $0["poll"]["id"] == poll["id"]
                    && ($0["status"] == "removed" || $0["poll"]["status"] == "removed")
            }
        }
    }

    private static func changes(_ scene: Scene) async throws(CheckFailure) {
        let (ada, _, room, poll) = try await sent(scene)
        let log = room.path + "/polls/changelogs"
        let start = try await ada.get(log, ["change_ts": ada.login["login_ts"].int ?? 0])
        _ = try await ada.call("PUT", path(poll) + "/close")
        guard let token = start["next"].text ?? start["token"].text else {
            throw CheckFailure(expected: "a text next (3.7)", seen: start.description)
        }
        let changes = try await ada.get(log, ["token": token])
        try expect(
            changes["updated"].elements.contains {
                $0["id"] == poll["id"] && $0["status"] == "closed"
            }, "the closed poll in updated", seen: changes)
    }

    // MARK: Scheduled messages

    private static func plan(
        _ scene: Scene, request: String? = nil
    ) async throws(CheckFailure) -> (
        ada: Person, room: Room, message: JSON, again: () async throws(CheckFailure) -> JSON
    ) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let time = (ada.login["login_ts"].int ?? 0) &+ 3_600_000
        var body: [String: JSON] = [
            "message_type": "MESG", "message": "later", "scheduled_at": .int(time),
            "user_id": .text(ada.id),
        ]
        if let request { body["req_id"] = .text(request) }
        let fields = JSON.object(body)
        func call() async throws(CheckFailure) -> JSON {
            try await ada.call("POST", room.path + "/scheduled_messages", [:], fields)
        }
        let message = try await call()
        try expect(
            message, has: ["scheduled_message_id": .number, "scheduled_status": .text],
            "a scheduled message")
        try expect(message["scheduled_at"], is: .int(time), "scheduled_at")
        return (ada, room, message, call)
    }

    private static func path(_ message: JSON, in room: Room) -> String {
        "\(room.path)/scheduled_messages/\(message["scheduled_message_id"].int ?? 0)"
    }

    private static func listed(_ ada: Person, in room: Room) async throws(CheckFailure) -> [JSON] {
        try await ada.scene.walk(
            "/scheduled_messages", ["channel_url": room.url], "scheduled_messages",
            as: .session(ada.key)
        ).filter { $0["scheduled_status"] == "pending" }.map { $0["scheduled_message_id"] }
    }

    private static func schedule(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, message, _) = try await plan(scene)
        let list = try await listed(ada, in: room)
        try expect(
            list == [message["scheduled_message_id"]], "the message in the list", seen: list)
        let kept = try await ada.get(path(message, in: room))
        try expect(kept["message"], is: "later", "the text")
        let page = try await ada.newest(5, in: room)
        try expect(page.isEmpty, "nothing in the channel before the time", seen: page)
        try await ada.call("DELETE", path(message, in: room))
    }

    private static func scheduleOnce(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, message, again) = try await plan(scene, request: scene.name("request"))
        let second = try await again()
        try expect(
            second["scheduled_message_id"], is: message["scheduled_message_id"], "the second ID")
        let list = try await listed(ada, in: room)
        try expect(list.count == 1, "one message in the list", seen: list)
        try await ada.call("DELETE", path(message, in: room))
    }

    private static func cancel(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, message, _) = try await plan(scene)
        try await ada.call("DELETE", path(message, in: room))
        let list = try await listed(ada, in: room)
        try expect(list.isEmpty, "no waiting message", seen: list)
        let answer = try await scene.answer(
            "POST", path(message, in: room) + "/send_now", as: .session(ada.key))
        try expect(answer.isRefusal, "a canceled message is not sent", seen: answer.excerpt)
    }

    private static func sendNow(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, message, _) = try await plan(scene)
        try await ada.call("POST", path(message, in: room) + "/send_now")
        try await scene.eventually("the message in the channel") { () throws(CheckFailure) in
            .list(try await ada.newest(5, in: room))
        } _: {
            $0.each("message") == ["later"]
        }
    }
}
