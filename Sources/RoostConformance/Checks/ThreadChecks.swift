// SPDX-License-Identifier: Apache-2.0

/// Threads, reactions and pins.
enum ThreadChecks {
    static let threads = CheckGroup(
        "threads", "Threads", isRequired: false,
        [
            Check(
                "threads.reply", "2.7",
                "MTHD announces a reply with its parent, named twice, and the count of replies.",
                reply),
            Check(
                "threads.info", "4.7",
                "The parent carries thread_info where asked for, the reply parent_message_info.",
                info),
            Check(
                "threads.page", "3.6",
                "A page of a thread has the parent and its replies, a plain page no replies.", page),
            Check(
                "threads.types", "3.6",
                "include_reply_type chooses replies: none, all, or those that the channel shows.",
                types),
        ])

    static let reactions = CheckGroup(
        "reactions", "Reactions and pins", isRequired: false,
        [
            Check(
                "reactions.add", "2.7",
                "A reaction is answered, announced by MRCT with ADD, and stands at the message.",
                add),
            Check(
                "reactions.remove", "2.7",
                "A reaction that is taken back is announced by MRCT with DELETE, and goes.", remove),
            Check(
                "reactions.remove-query", "3.0",
                "A DELETE takes its parameters in the query as well as in a body.", removeByQuery),
            Check(
                "reactions.users", "4.6", "A key names each of its users once.", users),
            Check(
                "reactions.pin", "2.8",
                "A pin is announced by SYEV 11300 and stands at the channel; the end of it, too.",
                pin),
            Check(
                "reactions.pin-message", "2.6", "A message with pin_message is sent and pinned.",
                pinMessage),
        ])

    private static func scene(
        _ scene: Scene
    ) async throws(CheckFailure) -> (ada: Person, bo: Person, room: Room, parent: Sent) {
        let (ada, bo, room) = try await scene.pair()
        return (ada, bo, room, try await ada.send("parent", in: room))
    }

    private static func answer(
        _ parent: Sent, by person: Person, in room: Room, toChannel: Bool = false
    ) async throws(CheckFailure) -> Sent {
        let sent = try Sent(
            try await person.command(
                "MESG",
                [
                    "message": "reply", "parent_message_id": parent.idValue,
                    "root_message_id": parent.idValue, "reply_to_channel": .bool(toChannel),
                ], in: room))
        try expect(
            sent.frame["parent_message_id"], is: parent.idValue, "parent_message_id of a reply")
        return sent
    }

    private static func reply(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room, parent) = try await self.scene(scene)
        for count in 1...2 as ClosedRange<Int64> {
            _ = try await answer(parent, by: bo, in: room)
            let heard = try await ada.hear("MTHD", in: room)
            try expect(heard["parent_message_id"], is: parent.idValue, "parent_message_id")
            try expect(heard["root_message_id"], is: parent.idValue, "root_message_id")
            try expect(heard["thread_info"]["reply_count"], is: .int(count), "reply_count")
            try expect(
                heard["thread_info"]["most_replies"].each("user_id") == [.text(bo.id)],
                "the replying user in most_replies", seen: heard["thread_info"])
        }
    }

    private static func info(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room, parent) = try await self.scene(scene)
        let reply = try await answer(parent, by: bo, in: room)
        let path = room.path + "/messages/"
        let shown = try await ada.get(path + "\(parent.id)", ["include_thread_info": true])
        try expect(
            shown["thread_info"], has: ["reply_count": .number, "last_replied_at": .time],
            "thread_info")
        try expect(shown["thread_info"]["reply_count"], is: 1, "reply_count")
        let answer = try await ada.get(
            path + "\(reply.id)", ["include_parent_message_info": true])
        try expect(
            answer["parent_message_info"]["message"], is: "parent", "the parent's text at the reply"
        )
    }

    private static func expectPage(
        _ query: Query, by person: Person, in room: Room, is sent: [Sent]
    ) async throws(CheckFailure) {
        let ids = try await person.page(room, query).map { $0["message_id"] }
        try expect(
            ids == sent.map(\.idValue), "\(sent.count) messages for \(query.encoded)", seen: ids)
    }

    private static func page(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room, parent) = try await self.scene(scene)
        let other = try await ada.send("other", in: room)
        let replies = [
            try await answer(parent, by: bo, in: room), try await answer(parent, by: ada, in: room),
        ]
        let thread: Query = [
            "parent_message_id": parent.id, "message_ts": 0, "next_limit": 10, "include": true,
            "include_reply_type": "all",
        ]
        try await expectPage(thread, by: bo, in: room, is: [parent] + replies)
        try await expectPage(
            ["message_ts": 0, "next_limit": 10], by: bo, in: room, is: [parent, other])
    }

    private static func types(_ scene: Scene) async throws(CheckFailure) {
        let (_, bo, room, parent) = try await self.scene(scene)
        let quiet = try await answer(parent, by: bo, in: room)
        let shown = try await answer(parent, by: bo, in: room, toChannel: true)
        let types = [
            ("none", [parent]), ("all", [parent, quiet, shown]),
            ("only_reply_to_channel", [parent, shown]),
        ]
        for (type, sent) in types {
            try await expectPage(
                ["message_ts": 0, "next_limit": 10, "include_reply_type": type], by: bo, in: room,
                is: sent)
        }
    }

    // MARK: Reactions

    private static func react(
        _ method: String, _ person: Person, _ sent: Sent, in room: Room
    ) async throws(CheckFailure) -> JSON {
        try await person.call(
            method, "\(room.path)/messages/\(sent.id)/reactions", [:],
            ["reaction": "heart", "user_id": .text(person.id)])
    }

    private static func shown(
        _ sent: Sent, for person: Person, in room: Room
    ) async throws(CheckFailure) -> [JSON] {
        try await person.get("\(room.path)/messages/\(sent.id)", ["include_reactions": true])[
            "reactions"
        ].elements
    }

    private static func add(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room, sent) = try await self.scene(scene)
        let answer = try await react("POST", bo, sent, in: room)
        let heard = try await ada.hear("MRCT", in: room)
        for change in [answer, heard.fields] {
            try expect(change["msg_id"], is: sent.idValue, "msg_id")
            try expect(change["reaction"], is: "heart", "reaction")
            try expect(change["user_id"], is: .text(bo.id), "user_id")
            try expect(change["operation"], is: "ADD", "operation")
            try expect(change, has: ["updated_at": .time], "a change of reactions")
        }
        let reactions = try await shown(sent, for: ada, in: room)
        try expect(
            reactions.map { $0["key"] } == ["heart"] && reactions[0]["user_ids"] == [.text(bo.id)],
            "the reaction at the message", seen: reactions)
    }

    private static func remove(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room, sent) = try await self.scene(scene)
        _ = try await react("POST", bo, sent, in: room)
        _ = try await react("DELETE", bo, sent, in: room)
        let heard = try await ada.hear("MRCT", in: room) { $0["operation"] == "DELETE" }
        try expect(heard["user_id"], is: .text(bo.id), "user_id")
        let reactions = try await shown(sent, for: ada, in: room)
        try expect(reactions.isEmpty, "no reaction", seen: reactions)
    }

    private static func removeByQuery(_ scene: Scene) async throws(CheckFailure) {
        let (_, bo, room, sent) = try await self.scene(scene)
        _ = try await react("POST", bo, sent, in: room)
        try await bo.call(
            "DELETE", "\(room.path)/messages/\(sent.id)/reactions",
            ["reaction": "heart", "user_id": bo.id])
        let reactions = try await shown(sent, for: bo, in: room)
        try expect(reactions.isEmpty, "no reaction", seen: reactions)
    }

    private static func users(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room, sent) = try await self.scene(scene)
        for person in [ada, bo, ada] { _ = try await react("POST", person, sent, in: room) }
        let reactions = try await shown(sent, for: ada, in: room)
        let ids = reactions.first?["user_ids"] ?? .missing
        try expect(
            reactions.count == 1 && ids.elements.count == 2
                && ids.elements.isAlike([.text(ada.id), .text(bo.id)]),
            "one key with two users", seen: reactions)
    }

    private static func pin(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room, sent) = try await self.scene(scene)
        let path = "\(room.path)/messages/\(sent.id)/pin"
        try await scene.call("POST", path)
        let data = try await bo.hearEvent(11_300, in: room)["data"]
        try expect(data["pinned_message_ids"], is: [sent.idValue], "pinned_message_ids")
        let view = try await ada.view(room)
        try expect(
            view["pinned_message_ids"], is: [sent.idValue], "pinned_message_ids of the channel")
        try await scene.call("DELETE", path)
        let end = try await bo.hearEvent(11_300, in: room)["data"]["pinned_message_ids"]
        try expect(end.isMissing, "no pinned_message_ids in the last event (2.8)", seen: end)
        let none = try await ada.view(room)["pinned_message_ids"]
        try expect(none.isMissing, "no pinned_message_ids (4.2)", seen: none)
    }
    private static func pinMessage(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send("pinned", in: room, ["pin_message": true])
        let data = try await bo.hearEvent(11_300, in: room)["data"]
        try expect(data["pinned_message_ids"], is: [sent.idValue], "pinned_message_ids")
        let ids = try await ada.view(room)["pinned_message_ids"]
        try expect(ids, is: [sent.idValue], "pinned_message_ids of the channel")
    }
}
