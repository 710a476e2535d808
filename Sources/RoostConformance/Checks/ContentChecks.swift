// SPDX-License-Identifier: Apache-2.0

/// Search, files, reports and emoji.
enum ContentChecks {
    static let search = CheckGroup(
        "search", "Search", isRequired: false,
        [
            Check(
                "search.word", "3.7", "A word finds its messages in a channel, the newest first.",
                word),
            Check(
                "search.pages", "3.7", "A walk by end_cursor finds each message once.", pages),
            Check(
                "search.own-channels", "3.7", "A search finds nothing in channels of others.",
                ownChannels),
        ])

    static let files = CheckGroup(
        "files", "Files", isRequired: false,
        [
            Check(
                "files.upload", "3.12",
                "An upload is answered with url, file_size, require_auth and thumbnails.", upload),
            Check("files.form", "3.12", "A broken form is refused.", brokenForm),
        ])

    static let rest = CheckGroup(
        "rest", "The rest", isRequired: false,
        [
            Check("rest.emoji", "3.14", "The emoji for reactions are listed.", emoji),
            Check("rest.report", "3.7", "A message is reported.", report),
            Check(
                "rest.preferences", "3.4",
                "A user's push and count preferences of a channel are kept.", preferences),
            Check(
                "rest.count-preference", "3.11",
                "The totals leave out a channel whose count preference is off.", countPreference),
            Check(
                "rest.import", "3.7",
                "Imported messages of one millisecond come into the log with growing times.",
                imported),
        ])

    private static func word(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let old = try await ada.send("a zebra", in: room)
        try await ada.send("a horse", in: room)
        let new = try await ada.send("Zebra again", in: room)
        try await scene.eventually("both messages, the newest first") { () throws(CheckFailure) in
            let answer = try await ada.get(
                "/search/messages", ["query": "zebra", "channel_url": room.url])
            try expect(
                answer, has: ["results": .list, "has_next": .boolean, "total_count": .number],
                "a search")
            return .list(answer["results"].each("message_id"))
        } _: {
            $0 == [new.idValue, old.idValue]
        }
    }

    private static func pages(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        var sent: [JSON] = []
        for number in 0..<3 { sent.append(try await ada.send("zebra \(number)", in: room).idValue) }
        let query: Query = ["query": "zebra", "channel_url": room.url]
        try await scene.eventually("three messages") { () throws(CheckFailure) in
            try await ada.get("/search/messages", query)["results"]
        } _: {
            $0.elements.count == 3
        }
        var found: [JSON] = []
        var next: Query = ["limit": 1]
        for _ in 0..<10 {
            let page = try await ada.get("/search/messages", query + next)
            found += page["results"].each("message_id")
            guard page["has_next"] == true, let token = page["end_cursor"].text, !token.isEmpty
            else { break }
            next = ["limit": 1, "token": token]
        }
        try expect(
            found == Array(sent.reversed()), "three messages, each once, the newest first",
            seen: found)
    }

    private static func ownChannels(_ scene: Scene) async throws(CheckFailure) {
        let (ada, eve) = (try await scene.person("ada"), try await scene.person("eve"))
        let room = try await scene.channel([ada])
        let word = "zebra" + scene.prefix.filter { $0.isLetter || $0.isNumber }
        let sent = try await ada.send(word, in: room)
        // Nothing found says nothing before a member finds it by the same query.
        for query: Query in [["query": word], ["query": word, "channel_url": room.url]] {
            try await scene.eventually("a member finds the message") { () throws(CheckFailure) in
                try await ada.get("/search/messages", query)["results"]
            } _: {
                $0.each("message_id") == [sent.idValue]
            }
            let answer = try await scene.answer(
                "GET", "/search/messages", query, as: .session(eve.key))
            try expect(
                answer.isRefusal || answer["results"] == [], "nothing for a stranger",
                seen: answer.excerpt)
        }
    }

    // MARK: Files

    private static let boundary = "conformance-boundary"

    private static func form(_ room: Room, _ content: String, isWhole: Bool = true) -> CallBody {
        let edge = "--\(boundary)\r\nContent-Disposition: form-data; name="
        let text =
            "\(edge)\"channel_url\"\r\n\r\n\(room.url)\r\n"
            + "\(edge)\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n\(content)\r\n"
            + (isWhole ? "--\(boundary)--\r\n" : "")
        return .bytes(Array(text.utf8), type: "multipart/form-data; boundary=\(boundary)")
    }

    private static func upload(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let answer = try await scene.answer(
            "POST", "/storage/file", [:], form(room, "hello world"), as: .session(ada.key))
        try expect(answer.status == 200, "200", seen: answer.excerpt)
        try expect(
            answer.body,
            has: [
                "url": .text, "file_size": .number, "require_auth": .boolean, "thumbnails": .list,
            ],
            "an upload")
        try expect(answer["file_size"], is: 11, "file_size")
    }

    private static func brokenForm(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let answer = try await scene.answer(
            "POST", "/storage/file", [:], form(room, "hello", isWhole: false),
            as: .session(ada.key))
        try expect(answer.isRefusal, "a refusal in the form of 1.3", seen: answer.excerpt)
    }

    // MARK: The rest

    private static func emoji(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let answer = try await ada.get("/emoji_categories")
        let emoji = answer["emoji_categories"][0]["emojis"][0]
        try expect(emoji, has: ["key": .text, "url": .text], "an emoji of the first category")
        let one = try await ada.get("/emojis/\(Query.encode(emoji["key"].text ?? ""))")
        try expect(one["url"], is: emoji["url"], "the URL of one emoji")
    }

    private static func report(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let sent = try await ada.send("bad", in: room)
        let answer = try await ada.call(
            "POST", "/report\(room.path)/messages/\(sent.id)", [:],
            [
                "report_category": "spam", "report_description": "d",
                "reporting_user_id": .text(ada.id),
            ])
        try expect(answer.isObject, "an object", seen: answer)
    }

    private static func preferences(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        for (call, field, value) in [
            ("push_preference", "push_trigger_option", "off"),
            ("count_preference", "count_preference", "unread_message_count_only"),
        ] {
            let path = "\(ada.path)/\(call)/\(room.url)"
            try await ada.call("PUT", path, [:], .object([field: .text(value)]))
            try expect(try await ada.get(path)[field], is: .text(value), field)
            try expect(try await ada.view(room)[field], is: .text(value), "\(field) of the channel")
        }
    }

    private static func countPreference(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let other = try await scene.channel([ada, bo])
        for room in [room, other] { try await ada.send("x", in: room) }
        try await bo.call(
            "PUT", "\(bo.path)/count_preference/\(other.url)", [:], ["count_preference": "off"])
        for name in ["unread_message_count", "unread_channel_count"] {
            let count = try await bo.get("\(bo.path)/\(name)")["unread_count"]
            try expect(count, is: 1, "unread_count of \(name)")
        }
    }

    private static func imported(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let time = (ada.login["login_ts"].int ?? 0) &- 60_000
        let messages: [JSON] = (0..<3).map { number in
            [
                "message_type": "MESG", "user_id": .text(ada.id), "message": .text("\(number)"),
                "timestamp": .int(time),
            ]
        }
        try await scene.call(
            "POST", "/migration/\(room.url)", [:], ["messages": .list(messages)])
        let page = try await ada.newest(5, in: room)
        let times = page.compactMap { $0["created_at"].int }
        try expect(
            page.map { $0["message"] } == ["0", "1", "2"]
                && times == [time, time &+ 1, time &+ 2],
            "three messages in their order, a millisecond apart", seen: page)
    }
}
