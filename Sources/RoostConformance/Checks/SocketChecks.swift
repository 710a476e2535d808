// SPDX-License-Identifier: Apache-2.0

/// Frames, the login's answer and the life of a socket.
enum SocketChecks {
    static let group = CheckGroup(
        "socket", "Frames", isRequired: true,
        [
            Check(
                "socket.login-fields", "2.4", "LOGI has all required fields with their types.",
                loginFields),
            Check(
                "socket.login-unread", "2.3",
                "unread_cnt of LOGI, where it is sent, has all, custom_types and ts.", loginUnread),
            Check(
                "socket.ping", "2.5", "PING is answered by PONG, with a line feed or without.",
                ping),
            Check(
                "socket.several-frames", "2.2", "A text message may hold several frames.",
                severalFrames),
            Check(
                "socket.unknown-command", "2.2",
                "An unknown command is refused by EROR, and the socket goes on.", unknownCommand),
            Check(
                "socket.malformed", "2.10",
                "Commands that no one can read end no socket and cause no EROR without req_id.",
                malformed),
            Check(
                "socket.line-feed", "2.2", "JSON in frames has no raw line feed.", lineFeed),
            Check(
                "socket.escapes", "2.2",
                "Quotes, control characters and characters beyond 16 bits arrive unchanged.",
                escapes),
            Check(
                "socket.empty-request", "2.3", "The empty req_id asks for no acknowledgement.",
                emptyRequest),
            Check(
                "socket.unknown-channel", "2.3",
                "A message to a channel that does not exist is refused by EROR with 900500.",
                unknownChannel),
            Check(
                "socket.not-a-member", "2.3",
                "A message of a user who is no member is refused by EROR with 900020.", notAMember),
        ])

    static let loginFieldTypes: KeyValuePairs<String, FieldType> = [
        "user_id": .text, "nickname": .text, "key": .text, "ekey": .text, "login_ts": .time,
        "ping_interval": .number, "pong_timeout": .number, "reconnect": .object,
        "max_unread_cnt_on_super_group": .number, "max_unread_count_on_super_group": .number,
        "file_upload_size_limit": .number, "premium_feature_list": .list, "emoji_hash": .text,
        "application_attributes": .list, "use_reaction": .boolean,
    ]

    private static func loginFields(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        try expect(ada.login.fields, has: loginFieldTypes, "LOGI")
        let reconnect = ada.login["reconnect"]
        for name in ["interval", "max_interval", "mul", "retry_cnt"] {
            try expect(!reconnect[name].isMissing, "reconnect has \(name)", seen: reconnect)
        }
        try expect(
            ada.login["req_id"].isMissing, "LOGI after the upgrade has no req_id",
            seen: ada.login["req_id"])
        try expect(
            ada.login["key"] != ada.login["ekey"], "the file key differs from the session key",
            seen: "equal keys")
    }

    private static func loginUnread(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let unread = ada.login["unread_cnt"]
        if unread.isMissing {
            throw CheckFailure(.notApplicable, expected: "unread_cnt", seen: "it is not sent")
        }
        try expect(
            unread, has: ["all": .number, "custom_types": .object, "ts": .time], "unread_cnt")
    }

    private static func ping(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        for text in [#"PING{"id":1,"active":1,"req_id":""}"#, "PING{\"id\":2}\n", "PING{}"] {
            try await ada.line.say(text: text)
            _ = try await ada.line.hear("PONG") { $0.command == "PONG" }
        }
    }

    private static func severalFrames(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        try await ada.line.say(text: "PING{\"id\":1}\n\nPING{\"id\":2}\n")
        for _ in 0..<2 { _ = try await ada.line.hear("PONG") { $0.command == "PONG" } }
    }

    private static func unknownCommand(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        try await ada.line.say("XQZT", ["req_id": "strange"])
        let refusal = try await ada.line.hear("EROR") { $0["req_id"] == "strange" }
        try expect(
            refusal.command == "EROR" && refusal["code"].int != nil, "EROR with a code",
            seen: "\(refusal.command)\(refusal.fields)")
        _ = try await ada.line.hearAll()
    }

    private static func malformed(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        for text in ["MESG{broken\n", "MESG[1]\n", "XQZT{}\n", "me\n"] {
            try await ada.line.say(text: text)
        }
        let heard = try await ada.line.hearAll()
        try expect(
            !heard.contains { $0.command == "EROR" && ($0["req_id"].text ?? "").isEmpty },
            "no EROR without req_id", seen: heard.map(\.command))
    }

    private static func lineFeed(_ scene: Scene) async throws(CheckFailure) {
        try await arrivesUnchanged("two\nlines\r\nand a\ttab", scene)
    }

    private static func escapes(_ scene: Scene) async throws(CheckFailure) {
        try await arrivesUnchanged(
            "\"quoted\" \\ / \u{1} \u{7F} \u{E9} e\u{301} 漢 👩‍👩‍👧 \u{2028}", scene)
    }

    private static func arrivesUnchanged(
        _ text: String, _ scene: Scene
    ) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send(text, in: room)
        try expectBytes(of: text, in: sent.frame.fields, "the acknowledged text")
        let heard = try await bo.hear("MESG", in: room)
        try expectBytes(of: text, in: heard.fields, "the broadcast text")
        let kept = try await bo.get("\(room.path)/messages/\(sent.id)")
        try expectBytes(of: text, in: kept, "the text by REST")
    }

    /// Ends a check unless a message has the bytes of a text: equal strings may differ in them.
    private static func expectBytes(
        of text: String, in message: JSON, _ name: String
    ) throws(CheckFailure) {
        let bytes = message["message"].text.map { Array($0.utf8) }
        try expect(
            bytes == Array(text.utf8),
            "\(name) is \(JSON.text(text)), the same \(text.utf8.count) bytes",
            seen: "\(message["message"]), \(bytes?.count ?? 0) bytes")
    }

    private static func emptyRequest(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        try await ada.line.say("READ", ["channel_url": .text(room.url), "req_id": ""])
        // Without an acknowledgement the broadcast may come to this connection, once.
        let marks = try await ada.line.hearAll().filter { $0.command == "READ" }
        try expect(
            marks.count < 2 && marks.allSatisfy { $0["req_id"].isMissing },
            "no acknowledgement, and one READ without req_id at most",
            seen: marks.map { "\($0.command)\($0.fields)" })
    }

    private static func unknownChannel(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = Room(url: scene.name("none"), type: "group_channels")
        try await ada.expectRefusal(900_500, ofCommand: "MESG", ["message": "x"], in: room)
    }

    private static func notAMember(_ scene: Scene) async throws(CheckFailure) {
        let (ada, eve) = (try await scene.person("ada"), try await scene.person("eve"))
        let room = try await scene.channel([ada])
        try await eve.expectRefusal(900_020, ofCommand: "MESG", ["message": "x"], in: room)
    }
}
