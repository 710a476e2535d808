// SPDX-License-Identifier: Apache-2.0

/// The content of messages beside their texts.
extension MessageChecks {
    static func details(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send(
            "hello @bo", in: room,
            [
                "data": "{\"a\":1}", "custom_type": "special", "mention_type": "users",
                "mentioned_user_ids": [.text(bo.id)],
                "metaarray": [["key": "color", "value": ["red", "blue"]]],
            ])
        let heard = try await bo.hear("MESG", in: room)
        let kept = try await bo.get(
            "\(room.path)/messages/\(sent.id)", ["with_sorted_meta_array": true])
        for message in [heard.fields, kept] {
            try expect(message["data"], is: "{\"a\":1}", "data")
            try expect(message["custom_type"], is: "special", "custom_type")
            try expect(
                message["mentioned_users"].each("user_id") == [.text(bo.id)], "the mentioned user",
                seen: message["mentioned_users"])
        }
        try expect(
            kept["sorted_metaarray"], is: [["key": "color", "value": ["red", "blue"]]],
            "sorted_metaarray")
    }

    static func file(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let file: [String: JSON] = [
            "url": "https://files.example/a.png", "name": "a.png", "type": "image/png", "size": 5,
        ]
        let sent = try Sent(try await ada.command("FILE", .object(file), in: room))
        let heard = try await bo.hear("FILE", in: room)
        let kept = try await bo.get("\(room.path)/messages/\(sent.id)")
        try expect(kept["type"], is: "FILE", "the kind")
        for (name, value) in file {
            try expect(heard[name], is: value, "\(name) of the broadcast")
            try expect(kept["file"][name], is: value, "file.\(name) by REST")
        }
    }

    static func unchanged(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let fields: [String: JSON] = [
            "extended_message": ["a": ["b": [1, "x", true]]],
            "mentioned_message_template": .text("hello @{\(bo.id)}"),
        ]
        let sent = try await ada.send("hello", in: room, .object(fields))
        let heard = try await bo.hear("MESG", in: room)
        let kept = try await bo.get("\(room.path)/messages/\(sent.id)")
        for (name, value) in fields {
            try expect(heard[name], is: value, "\(name) of the broadcast")
            try expect(kept[name], is: value, "\(name) by REST")
        }
    }

    static func admin(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let answer = try await scene.call(
            "POST", room.path + "/messages", [:], ["message_type": "ADMM", "message": "notice"])
        try expect(answer["type"], is: "ADMM", "the kind")
        let heard = try await ada.hear("ADMM", in: room)
        try expect(heard["message"], is: "notice", "the text")
        try expect(heard["user"].isMissing, "no user", seen: heard["user"])
    }
}
