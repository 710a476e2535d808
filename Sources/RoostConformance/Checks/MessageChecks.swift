// SPDX-License-Identifier: Apache-2.0

/// Messages: acknowledgement, broadcast, order, edits and deletions.
enum MessageChecks {
    static let group = CheckGroup(
        "messages", "Messages", isRequired: true,
        [
            Check(
                "messages.acknowledged", "2.3",
                "A message is acknowledged with its req_id and the whole result.", acknowledged),
            Check(
                "messages.broadcast", "2.3",
                "Other members receive the message without req_id, its name as request_id.",
                broadcast),
            Check(
                "messages.sender-once", "2.3",
                "The sending connection receives the acknowledgement and no broadcast.", senderOnce),
            Check(
                "messages.own-devices", "2.3",
                "The sender's other connections receive the broadcast.", ownDevices),
            Check(
                "messages.once", "2.3",
                "The same req_id twice is one message, acknowledged twice with one ID.", once),
            Check(
                "messages.once-scope", "2.3",
                "A req_id is known for its user and its channel only: others may use it, too.",
                onceScope),
            Check(
                "messages.once-reconnected", "2.3",
                "A req_id that is repeated over a new connection is the stored message.",
                onceReconnected),
            Check(
                "messages.once-rest", "2.3",
                "A req_id that is repeated by REST, or first sent by REST, is one message.",
                onceByREST),
            Check(
                "messages.order", "4.5",
                "Messages of a channel have growing IDs and times, and are pushed in this order.",
                order),
            Check(
                "messages.predecessor", "2.6",
                "previous_message_id is the ID of the message before in the channel.",
                predecessor),
            Check(
                "messages.rest", "3.7",
                "A message that is posted by REST is answered, broadcast and kept.", rest),
            Check(
                "messages.fields", "4.4",
                "A message by REST has its fields, a time in milliseconds, and no null.", fields),
            Check(
                "messages.details", "2.6",
                "Data, custom type, mentions and meta arrays are kept and passed on.", details),
            Check(
                "messages.file", "2.6", "FILE is acknowledged, broadcast and kept with its file.",
                file),
            Check(
                "messages.unchanged", "2.6",
                "extended_message and mentioned_message_template are passed on as they are.",
                unchanged),
            Check(
                "messages.admin", "2.6",
                "A message of an administrator is broadcast as ADMM, without a sender.", admin),
            Check(
                "messages.edit", "2.6",
                "MEDI is acknowledged with updated_at and old_values, sent to the others, and kept.",
                edit),
            Check(
                "messages.edit-file", "2.6",
                "FEDI edits a message with a file, whose file stays, as MEDI edits a text.",
                editFile),
            Check(
                "messages.edit-admin", "2.6",
                "The edit of an administrator's message reaches the members as AEDI.", editAdmin),
            Check(
                "messages.edit-once", "2.3",
                "An edit that is repeated with its req_id does not undo a later one.", editOnce),
            Check(
                "messages.edit-foreign", "5.2",
                "The edit of another user's message is refused with 900022, by REST as well.",
                editForeign),
            Check(
                "messages.delete-foreign", "5.2",
                "A member's deletion of another user's message is refused with 900022.",
                deleteForeign),
            Check(
                "messages.edit-rest", "3.7", "An edit by REST reaches the members as MEDI.",
                editByREST),
            Check(
                "messages.delete", "2.6",
                "A deletion reaches the members as DELM, and the message is gone.", delete),
            Check(
                "messages.long-text", "2.2",
                "A long text is stored whole in frames of at most 1 MiB, or refused with 400110.",
                longText),
            Check(
                "messages.count", "3.7", "total_count counts the messages of a channel.", count),
        ])

    private static func acknowledged(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let sent = try await ada.send("hello", in: room, ["data": "d"])
        try expect(
            sent.frame.fields,
            has: ["msg_id": .number, "ts": .time, "channel_url": .text], "the acknowledgement")
        try expect(sent.frame["message"], is: "hello", "the text")
        try expect(sent.frame["data"], is: "d", "data")
        try expect(sent.frame["channel_url"], is: .text(room.url), "the channel")
        try expect(sent.frame["channel_type"], is: "group", "channel_type")
        try expect(sent.frame["user"]["user_id"], is: .text(ada.id), "the sender")
    }

    private static func broadcast(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let name = scene.name("request")
        let sent = try await ada.send("hello", in: room, request: name)
        let heard = try await bo.hear("MESG", in: room)
        try expect(heard["msg_id"], is: sent.idValue, "the ID")
        try expect(heard["ts"], is: .int(sent.time), "the time")
        try expect(heard["message"], is: "hello", "the text")
        try expect(heard["user"]["user_id"], is: .text(ada.id), "the sender")
        try expect(heard["request_id"], is: .text(name), "request_id")
    }

    private static func senderOnce(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send("hello", in: room)
        // Messages of a channel come in their order, so a broadcast of the first would come before.
        let behind = try await bo.send("behind", in: room)
        let heard = try await ada.line.hearAll(before: "MESG of a later message") {
            $0.command == "MESG" && $0["msg_id"] == behind.idValue
        }
        try expect(
            !heard.contains { $0.command == "MESG" && $0["msg_id"] == sent.idValue },
            "one frame for the sending connection", seen: heard.map(\.command))
    }

    private static func ownDevices(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let second = try await ada.secondLine()
        let room = try await scene.channel([ada])
        let sent = try await ada.send("hello", in: room)
        let heard = try await second.hear("MESG at the sender's other connection") {
            $0.command == "MESG" && $0["msg_id"] == sent.idValue
        }
        try expect(
            (heard["req_id"].text ?? "").isEmpty, "a broadcast has no req_id", seen: heard.fields)
    }

    // MARK: Once and in order

    private static func once(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let name = scene.name("request")
        let first = try await ada.send("once", in: room, request: name)
        let second = try await ada.send("twice", in: room, request: name)
        try expect(second.idValue, is: first.idValue, "the ID of the repeat")
        try expect(second.frame["message"], is: "once", "the text of the repeat")
        let last = try await ada.send("behind", in: room)
        let page = try await ada.newest(10, in: room)
        let kept = page.map { $0["message_id"] }
        try expect(kept == [first.idValue, last.idValue], "the message stored once", seen: kept)
        let texts = page.map { $0["message"] }
        try expect(texts == ["once", "behind"], "the text as it was first sent", seen: texts)
        _ = try await bo.hear("MESG", in: room) { $0["msg_id"] == first.idValue }
        let next = try await bo.hear("MESG", in: room)
        try expect(next["msg_id"], is: last.idValue, "the ID of the next broadcast")
    }

    private static func onceScope(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let other = try await scene.channel([ada])
        let name = scene.name("request")
        let first = try await ada.send("of ada", in: room, request: name)
        let second = try await bo.send("of bo", in: room, request: name)
        try expect(second.frame["message"], is: "of bo", "the text of another user's message")
        try expect(
            second.id != first.id, "another user's message has an ID of its own", seen: second.id)
        let third = try await ada.send("elsewhere", in: other, request: name)
        try expect(third.frame["message"], is: "elsewhere", "the text in another channel")
        let kept = try await ada.newest(10, in: room).map { $0["message"] }
        try expect(kept == ["of ada", "of bo"], "the messages of both users", seen: kept)
        let elsewhere = try await ada.newest(10, in: other).map { $0["message"] }
        try expect(elsewhere == ["elsewhere"], "the message in another channel", seen: elsewhere)
    }

    private static func onceReconnected(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let name = scene.name("request")
        let first = try await ada.send("once", in: room, request: name)
        await ada.line.close()
        let again = try await ada.command(
            "MESG", ["message": "once"], in: room, request: name, over: try await ada.secondLine())
        try expect(try Sent(again).idValue, is: first.idValue, "the ID of the repeat")
        let kept = try await ada.newest(10, in: room).count
        try expect(kept == 1, "one stored message", seen: kept)
    }

    /// Repeats messages over the other way, as a client does that lost an acknowledgement.
    private static func onceByREST(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let cases: [(command: String, fields: JSON, posted: JSON)] = [
            ("MESG", ["message": "once"], ["message": "once"]),
            (
                "FILE",
                ["url": "https://files.example/a", "name": "a", "type": "text/plain", "size": 1],
                [
                    "url": "https://files.example/a", "file_name": "a", "file_type": "text/plain",
                    "file_size": 1,
                ]
            ),
        ]
        var stored: [JSON] = []
        for (command, fields, posted) in cases {
            for isPostedFirst in [false, true] {
                let name = scene.name("request")
                let body = posted.with("message_type", .text(command)).with("req_id", .text(name))
                    .with("user_id", .text(ada.id))
                var answers: [JSON] = []
                for isPosted in [isPostedFirst, !isPostedFirst] {
                    if isPosted {
                        let answer = try await ada.call("POST", room.path + "/messages", [:], body)
                        answers.append(answer["message_id"])
                    } else {
                        let answer = try await ada.command(
                            command, fields, in: room, request: name)
                        answers.append(try Sent(answer).idValue)
                    }
                }
                let way = isPostedFirst ? "over the socket" : "by REST"
                try expect(answers[1], is: answers[0], "the ID of \(command) repeated \(way)")
                stored.append(answers[0])
            }
        }
        let kept = try await ada.newest(10, in: room).map { $0["message_id"] }
        try expect(kept == stored, "each message stored once", seen: kept)
    }

    private static func order(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let names = (0..<20).map { "\(scene.prefix)-burst-\($0)" }
        var times: [Int64] = []
        var ids: [Int64] = []
        for (name, _) in try await ada.burst(names, in: room) {
            let heard = try await bo.hear("MESG", in: room)
            try expect(heard["message"], is: .text(name), "the next broadcast's text")
            let sent = try Sent(heard)
            times.append(sent.time)
            ids.append(sent.id)
        }
        for numbers in [times, ids] {
            try expect(
                zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 },
                "times and IDs that grow strictly", seen: numbers)
        }
        let page = try await bo.newest(20, in: room).map { $0["message_id"] }
        try expect(page == ids.map { .int($0) }, "the page in the same order", seen: page)
    }

    private static func predecessor(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        var last = try await ada.send("0", in: room)
        _ = try await bo.hear("MESG", in: room)
        for number in 1..<4 {
            let sender = number % 2 == 0 ? ada : bo
            let listener = number % 2 == 0 ? bo : ada
            let next = try await sender.send("\(number)", in: room)
            let heard = try await listener.hear("MESG", in: room)
            for frame in [next.frame, heard] {
                try expect(frame["previous_message_id"], is: last.idValue, "previous_message_id")
            }
            last = next
        }
    }

    // MARK: By REST

    private static func rest(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let answer = try await ada.call(
            "POST", room.path + "/messages", [:],
            ["message_type": "MESG", "user_id": .text(ada.id), "message": "by REST"])
        try expect(answer["message"], is: "by REST", "the answered text")
        let heard = try await bo.hear("MESG", in: room)
        try expect(heard["msg_id"], is: answer["message_id"], "the ID of the broadcast")
        let kept = try await bo.newest(1, in: room)
        try expect(kept.map { $0["message_id"] } == [answer["message_id"]], "kept", seen: kept)
    }

    private static func fields(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let name = scene.name("request")
        let sent = try await ada.send("plain", in: room, request: name)
        let kept = try await ada.get("\(room.path)/messages/\(sent.id)")
        try expect(
            kept,
            has: [
                "message_id": .number, "type": .text, "message": .text, "created_at": .time,
                "updated_at": .number, "channel_url": .text, "user": .object,
            ], "a message")
        try expect(kept["type"], is: "MESG", "the kind")
        try expect(kept["created_at"], is: .int(sent.time), "created_at")
        try expect(kept["updated_at"], is: 0, "updated_at of a message that was never edited")
        try expect(kept["req_id"], is: .text(name), "req_id")
        for (name, value) in kept.fields {
            try expect(value != .null, "an absent value is absent (4.0)", seen: "\(name): null")
        }
    }

    private static func count(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        for number in 0..<3 { try await ada.send("\(number)", in: room) }
        let total = try await scene.call("GET", room.path + "/messages/total_count")
        try expect(total["total"], is: 3, "total")
    }

    private static func longText(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let text = String(repeating: "0123456789", count: 50_000)
        let answer = try await scene.answer(
            "POST", room.path + "/messages", [:],
            .json(["message_type": "MESG", "user_id": .text(ada.id), "message": .text(text)]))
        if answer.isRefusal, answer.code == 400_110 { return }
        try expect(
            answer["message"] == .text(text), "the whole text, or 400110",
            seen: "\(answer.status), code \(answer["code"])")
        let heard = try await bo.hear("MESG", in: room)
        try expect(
            heard["message"] == .text(text), "the whole text in the broadcast",
            seen: "\(heard["message"].text?.count ?? 0) characters")
        let kept = try await bo.get("\(room.path)/messages/\(answer["message_id"])")
        try expect(
            kept["message"] == .text(text), "the whole text as it is kept",
            seen: "\(kept["message"].text?.count ?? 0) characters")
    }
}
