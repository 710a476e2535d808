// SPDX-License-Identifier: Apache-2.0

/// Open channels: everybody who has entered is in.
enum OpenChannelChecks {
    static let group = CheckGroup(
        "open", "Open channels", isRequired: false,
        [
            Check(
                "open.create", "4.3", "An open channel is made, shown and listed with its fields.",
                create),
            Check(
                "open.enter", "2.7",
                "ENTR is acknowledged with participant_count; SYEV 10102 and a new count follow.",
                enter),
            Check(
                "open.messages", "2.6",
                "A message reaches those who are inside, and nobody who has left.", messages),
            Check(
                "open.outside", "2.7", "A user who has not entered sends nothing.", outside),
            Check(
                "open.exit", "2.7",
                "EXIT is acknowledged; SYEV 10103 and a new count follow.",
                exit),
            Check(
                "open.participants", "3.5", "The participants are listed soon, with is_muted.",
                participants),
            Check(
                "open.reading", "3.6", "A page of messages is read without entering.", reading),
        ])

    private static func make(
        _ scene: Scene, _ fields: JSON = [:]
    ) async throws(CheckFailure) -> (answer: JSON, room: Room) {
        let url = scene.name("open")
        var body = fields.fields
        body["channel_url"] = .text(url)
        let room = Room(url: url, type: "open_channels")
        scene.remember(room.path)
        do throws(CheckFailure) {
            return (try await scene.call("POST", "/open_channels", [:], .object(body)), room)
        } catch {
            // A server without open channels may refuse their removal, too.
            if error.kind == .notOffered { scene.forget(room.path) }
            throw error
        }
    }

    /// Makes an open channel with two users inside.
    private static func entered(
        _ scene: Scene
    ) async throws(CheckFailure) -> (ada: Person, bo: Person, room: Room) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let (_, room) = try await make(scene)
        for person in [ada, bo] { _ = try await person.command("ENTR", [:], in: room) }
        return (ada, bo, room)
    }

    private static func create(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let name = scene.name("Square")
        let (made, room) = try await make(scene, ["name": .text(name), "custom_type": "c"])
        for channel in [made, try await ada.view(room)] {
            try expect(
                channel,
                has: [
                    "created_at": .seconds, "participant_count": .number, "freeze": .boolean,
                    "operators": .list,
                ], "an open channel")
            try expect(channel["channel_url"], is: .text(room.url), "the URL")
            try expect(channel["custom_type"], is: "c", "the custom type")
        }
        let list = try await scene.walk(
            "/open_channels", ["name_contains": name], "channels", as: .session(ada.key))
        try expect(
            list.map { $0["channel_url"] } == [.text(room.url)], "the channel in the list",
            seen: list)
    }

    private static func enter(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let (_, room) = try await make(scene)
        for person in [ada, bo] {
            let answer = try await person.command("ENTR", [:], in: room)
            try expect(
                (answer["participant_count"].int ?? 0) >= 1, "the own entry in participant_count",
                seen: answer.fields)
        }
        let event = try await ada.line.hear("SYEV 10102 of the second") {
            $0["cat"] == 10_102 && $0["data"]["user_id"] == .text(bo.id)
        }
        try expect(event["channel_type"], is: "open", "channel_type")
        try expect(
            event["data"], has: ["participant_count": .number], "the data of the event")
        try await expectCount(2, in: room, for: ada)
    }

    /// Waits for the number of participants, which may be a moment old (3.5).
    private static func expectCount(
        _ count: Int64, in room: Room, for person: Person
    ) async throws(CheckFailure) {
        try await person.scene.eventually(
            "participant_count \(count)"
        ) { () throws(CheckFailure) in
            try await person.view(room)["participant_count"]
        } _: {
            $0 == .int(count)
        }
    }

    private static func messages(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await entered(scene)
        let sent = try await ada.send("inside", in: room)
        try expect(sent.frame["channel_type"], is: "open", "channel_type")
        let heard = try await bo.hear("MESG", in: room)
        try expect(heard["msg_id"], is: sent.idValue, "the ID")
        _ = try await bo.command("EXIT", [:], in: room)
        try await ada.send("later", in: room)
        _ = try await bo.command("ENTR", [:], in: room)
        // Messages of a channel come in their order, so the one before the entry would come before.
        let last = try await ada.send("behind", in: room)
        let rest = try await bo.line.hearAll(before: "MESG behind the second entry") {
            $0.command == "MESG" && $0["msg_id"] == last.idValue
        }
        try expect(
            !rest.contains { $0.command == "MESG" }, "no message after the exit",
            seen: rest.map(\.command))
    }

    private static func outside(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let (_, room) = try await make(scene)
        try await ada.line.say(
            "MESG", ["channel_url": .text(room.url), "message": "x", "req_id": "out"])
        let answer = try await ada.line.hear("an answer to MESG") { $0["req_id"] == "out" }
        try expect(
            answer.command == "EROR" && answer["code"].int != nil, "EROR with a code",
            seen: "\(answer.command)\(answer.fields)")
    }

    private static func exit(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await entered(scene)
        let answer = try await bo.command("EXIT", [:], in: room)
        try expect(answer.fields, has: ["participant_count": .number], "the acknowledgement")
        let event = try await ada.hearEvent(10_103, in: room)["data"]
        try expect(event["user_id"], is: .text(bo.id), "the user who left")
        try await expectCount(1, in: room, for: ada)
    }

    private static func participants(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await entered(scene)
        let wanted: [JSON] = [.text(ada.id), .text(bo.id)]
        try await scene.eventually("two participants, with is_muted") { () throws(CheckFailure) in
            .list(
                try await scene.walk(
                    room.path + "/participants", [:], "participants", as: .session(ada.key)))
        } _: { list in
            list.each("user_id").isAlike(wanted) && list.elements.count == 2
                && list.elements.allSatisfy { $0["is_muted"].bool != nil }
        }
    }

    private static func reading(_ scene: Scene) async throws(CheckFailure) {
        let (ada, _, room) = try await entered(scene)
        let sent = try await ada.send("hello", in: room)
        let eve = try await scene.person("eve")
        let ids = try await eve.newest(5, in: room).map { $0["message_id"] }
        try expect(ids == [sent.idValue], "the message", seen: ids)
    }
}
