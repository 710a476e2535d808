// SPDX-License-Identifier: Apache-2.0

/// Edits and deletions of messages.
extension MessageChecks {
    static func edit(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send("before", in: room)
        let edited = try await ada.command(
            "MEDI", ["msg_id": sent.idValue, "message": "after"], in: room)
        try expect(edited.fields, has: ["updated_at": .time, "old_values": .object], "MEDI")
        try expect(edited["message"], is: "after", "the acknowledged text")
        let heard = try await bo.hear("MEDI", in: room)
        try expect(heard["msg_id"], is: sent.idValue, "the ID of the broadcast")
        try expect(heard["message"], is: "after", "the text of the broadcast")
        let kept = try await bo.get("\(room.path)/messages/\(sent.id)")
        try expect(kept["message"], is: "after", "the kept text")
        try expect(kept["updated_at"], is: edited["updated_at"], "the kept updated_at")
        try expect(kept["created_at"], is: .int(sent.time), "created_at, which never changes,")
    }

    static func editFile(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let file: [String: JSON] = [
            "url": "https://files.example/a.png", "name": "a.png", "type": "image/png", "size": 5,
        ]
        let sent = try Sent(try await ada.command("FILE", .object(file), in: room))
        let edited = try await ada.command(
            "FEDI", ["msg_id": sent.idValue, "data": "after", "custom_type": "special"], in: room)
        try expect(edited.fields, has: ["updated_at": .time, "old_values": .object], "FEDI")
        let heard = try await bo.hear("FEDI", in: room)
        try expect(heard["msg_id"], is: sent.idValue, "the ID of the broadcast")
        for frame in [edited, heard] {
            try expect(frame["data"], is: "after", "data of FEDI")
            try expect(frame["custom_type"], is: "special", "custom_type of FEDI")
            for (name, value) in file { try expect(frame[name], is: value, "\(name) of FEDI") }
        }
        let kept = try await bo.get("\(room.path)/messages/\(sent.id)")
        try expect(kept["type"], is: "FILE", "the kind")
        try expect(kept["data"], is: "after", "the kept data")
        try expect(kept["updated_at"], is: edited["updated_at"], "the kept updated_at")
        for (name, value) in file {
            try expect(kept["file"][name], is: value, "file.\(name) by REST")
        }
    }

    static func editAdmin(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let made = try await scene.call(
            "POST", room.path + "/messages", [:], ["message_type": "ADMM", "message": "before"])
        let path = "\(room.path)/messages/\(made["message_id"])"
        try await scene.call("PUT", path, [:], ["message_type": "ADMM", "message": "after"])
        let heard = try await ada.hear("AEDI", in: room)
        try expect(heard["msg_id"], is: made["message_id"], "the ID of AEDI")
        try expect(heard["message"], is: "after", "the text of AEDI")
        let kept = try await ada.get(path)
        try expect(kept["type"], is: "ADMM", "the kind")
        try expect(kept["message"], is: "after", "the kept text")
    }

    static func editOnce(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let sent = try await ada.send("before", in: room)
        let name = scene.name("request")
        let first: JSON = ["msg_id": sent.idValue, "message": "first"]
        _ = try await ada.command("MEDI", first, in: room, request: name)
        let later = try await ada.command(
            "MEDI", ["msg_id": sent.idValue, "message": "later"], in: room)
        let again = try await ada.command("MEDI", first, in: room, request: name)
        try expect(again["message"], is: "later", "the acknowledged text of the repeat")
        let kept = try await ada.get("\(room.path)/messages/\(sent.id)")
        try expect(kept["message"], is: "later", "the kept text")
        try expect(kept["updated_at"], is: later["updated_at"], "the kept updated_at")
    }

    static func editForeign(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send("mine", in: room)
        try await bo.expectRefusal(
            900_022, ofCommand: "MEDI", ["msg_id": sent.idValue, "message": "yours"], in: room)
        let kept = try await bo.get("\(room.path)/messages/\(sent.id)")
        try expect(kept["message"], is: "mine", "the kept text")
        try await bo.expectRefusal(
            900_022, of: "PUT", "\(room.path)/messages/\(sent.id)", [:],
            ["message_type": "MESG", "user_id": .text(bo.id), "message": "yours"])
        let after = try await bo.get("\(room.path)/messages/\(sent.id)")
        try expect(after["message"], is: "mine", "the kept text after PUT")
    }

    static func deleteForeign(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send("mine", in: room)
        let path = "\(room.path)/messages/\(sent.id)"
        try await bo.expectRefusal(900_022, of: "DELETE", path)
        try expect(try await bo.get(path)["message"], is: "mine", "the kept text")
    }

    static func editByREST(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send("before", in: room)
        let answer = try await ada.call(
            "PUT", "\(room.path)/messages/\(sent.id)", [:],
            ["message_type": "MESG", "user_id": .text(ada.id), "message": "after"])
        try expect(answer["message"], is: "after", "the answered text")
        let heard = try await bo.hear("MEDI", in: room)
        try expect(heard["msg_id"], is: sent.idValue, "the ID of the broadcast")
        try expect(heard["message"], is: "after", "the text of the broadcast")
        let kept = try await bo.get("\(room.path)/messages/\(sent.id)")
        try expect(kept["message"], is: "after", "the kept text")
    }

    static func delete(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let kept = try await ada.send("kept", in: room)
        let gone = try await ada.send("gone", in: room)
        let path = "\(room.path)/messages/\(gone.id)"
        try await ada.call("DELETE", path)
        let heard = try await bo.hear("DELM", in: room)
        try expect(heard["msg_id"], is: gone.idValue, "the ID of DELM")
        try expect(heard["channel_type"], is: "group", "channel_type of DELM")
        let page = try await bo.newest(10, in: room).map { $0["message_id"] }
        try expect(page == [kept.idValue], "the page without it", seen: page)
        let answer = try await scene.answer("GET", path, as: .session(bo.key))
        try expect(
            answer.isRefusal && [400_201, 900_300].contains(answer.code ?? 0),
            "no such message", seen: answer.excerpt)
    }
}
