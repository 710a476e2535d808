// SPDX-License-Identifier: Apache-2.0

/// Pages of messages around a time or an ID.
enum PageChecks {
    static let group = CheckGroup(
        "pages", "Pages of messages", isRequired: true,
        [
            Check(
                "pages.time", "3.6",
                "A page around a time has the limits' messages before and behind, oldest first.",
                aroundTime),
            Check("pages.id", "3.6", "A page around an ID is that around its time.", aroundID),
            Check(
                "pages.include", "3.6",
                "include adds the message at the anchor, beside the limits.", include),
            Check("pages.reverse", "3.6", "reverse answers the newest first.", reverse),
            Check(
                "pages.newest", "3.6",
                "The largest numbers mean the newest message and are clamped.", newest),
            Check(
                "pages.backwards", "3.6",
                "A walk back by times finds each message once, whatever the pages' size.",
                { scene throws(CheckFailure) in try await walk(scene, back: true) }),
            Check(
                "pages.forwards", "3.6", "A walk forward by times finds each message once.",
                { scene throws(CheckFailure) in try await walk(scene, back: false) }),
            Check(
                "pages.has-next", "3.6",
                "has_next says whether there is a newer message than the page's.", hasNext),
            Check(
                "pages.filters", "3.6",
                "message_type, custom_types and sender_ids choose the messages; * is any type.",
                filters),
            Check(
                "pages.continuous", "3.6",
                "is_continuous_messages is false where the filter left out a message.", continuous),
            Check(
                "pages.members-only", "3.6",
                "Pages, messages, members and the change log of a channel are refused to strangers "
                    + "with 900020.", membersOnly),
            Check(
                "pages.hidden-history", "3.6",
                "Messages up to ts_message_offset are in no single answer, change log or total.",
                hiddenHistory),
            Check(
                "pages.unknown-channel", "3.6", "A page of an unknown channel is 400201.",
                unknownChannel),
        ])

    /// Makes a channel with some messages; texts are their numbers.
    private static func filled(
        _ count: Int, _ scene: Scene
    ) async throws(CheckFailure) -> (ada: Person, room: Room, sent: [Sent]) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        var sent: [Sent] = []
        for number in 0..<count { sent.append(try await ada.send("\(number)", in: room)) }
        return (ada, room, sent)
    }

    private static func expectPage(
        _ page: [JSON], is numbers: [Int], _ query: Query
    ) throws(CheckFailure) {
        let texts = page.map { $0["message"] }
        try expect(
            texts == numbers.map { .text(String($0)) },
            "the messages \(numbers) of 0 to 9 for \(query.encoded)", seen: texts)
    }

    private static func aroundTime(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, sent) = try await filled(10, scene)
        let time = sent[5].time
        let pages: [(Query, [Int])] = [
            (["message_ts": time, "prev_limit": 3, "next_limit": 2], [2, 3, 4, 6, 7]),
            (["message_ts": time, "prev_limit": 3, "next_limit": 0], [2, 3, 4]),
            (["message_ts": time, "prev_limit": 0, "next_limit": 3], [6, 7, 8]),
            (["message_ts": 0, "prev_limit": 0, "next_limit": 2], [0, 1]),
        ]
        for (query, numbers) in pages {
            try expectPage(try await ada.page(room, query), is: numbers, query)
        }
    }

    private static func aroundID(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, sent) = try await filled(10, scene)
        let query: Query = ["message_id": sent[5].id, "prev_limit": 2, "next_limit": 2]
        try expectPage(try await ada.page(room, query), is: [3, 4, 6, 7], query)
        let both = query + ["message_ts": sent[1].time]
        try expectPage(try await ada.page(room, both), is: [3, 4, 6, 7], both)
        let none: Query = [
            "message_id": 0, "message_ts": sent[5].time, "prev_limit": 1, "next_limit": 1,
        ]
        try expectPage(try await ada.page(room, none), is: [4, 6], none)
    }

    private static func include(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, sent) = try await filled(10, scene)
        for anchor: Query in [["message_ts": sent[5].time], ["message_id": sent[5].id]] {
            let query = anchor + ["prev_limit": 1, "next_limit": 1, "include": true]
            try expectPage(try await ada.page(room, query), is: [4, 5, 6], query)
        }
    }

    private static func reverse(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, sent) = try await filled(10, scene)
        let query: Query = [
            "message_ts": sent[5].time, "prev_limit": 2, "next_limit": 1, "include": true,
            "reverse": true,
        ]
        try expectPage(try await ada.page(room, query), is: [6, 5, 4, 3], query)
    }

    private static func newest(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, _) = try await filled(10, scene)
        for time: Int64 in [Moment.latest, .max] {
            let query: Query = ["message_ts": time, "prev_limit": 2, "next_limit": 0]
            try expectPage(try await ada.page(room, query), is: [8, 9], query)
        }
    }

    private static func walk(_ scene: Scene, back: Bool) async throws(CheckFailure) {
        let (ada, room, sent) = try await filled(10, scene)
        for size in [1, 3, 10] {
            var found: [JSON] = []
            var time: Int64 = back ? Moment.latest : 0
            for _ in 0..<12 {
                let page = try await ada.page(
                    room,
                    [
                        "message_ts": time, "prev_limit": back ? size : 0,
                        "next_limit": back ? 0 : size,
                    ])
                guard let border = back ? page.first : page.last,
                    let next = border["created_at"].int
                else { break }
                found = back ? page + found : found + page
                time = next
            }
            let ids = found.map { $0["message_id"] }
            try expect(
                ids == sent.map(\.idValue), "the ten messages once each, by pages of \(size)",
                seen: ids)
        }
    }

    private static func hasNext(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, sent) = try await filled(4, scene)
        // The page's end is the anchor, or lies behind it: a client reads on until there is no next.
        for (anchor, count, expected) in [
            (1, 0, true), (3, 0, false), (1, 1, true), (1, 2, false), (1, 3, false),
        ] {
            let query: Query = [
                "message_ts": sent[anchor].time, "prev_limit": 1, "next_limit": count,
                "include": true, "checking_has_next": true,
            ]
            let page = try await ada.get(room.path + "/messages", query)
            try expect(
                page["has_next"], is: .bool(expected),
                "has_next of a page up to \(min(anchor + count, 3)) of 0 to 3")
        }
    }

    private static func filters(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let plain = try await ada.send("plain", in: room)
        let typed = try await bo.send("typed", in: room, ["custom_type": "x"])
        let file = try Sent(
            try await ada.command(
                "FILE",
                ["url": "https://files.example/a", "name": "a", "type": "text/plain", "size": 1],
                in: room))
        let all = [plain, typed, file]
        let expected: [(Query, [Sent])] = [
            (["message_type": "MESG"], [plain, typed]), (["message_type": "FILE"], [file]),
            (["custom_types": "x"], [typed]), (["custom_types": "*"], all),
            (["sender_ids": bo.id], [typed]), (["sender_ids": ada.id], [plain, file]),
        ]
        for (filter, sent) in expected {
            let ids = try await ada.page(
                room, filter + ["message_ts": Moment.latest, "prev_limit": 10]
            ).map { $0["message_id"] }
            try expect(
                ids == sent.map(\.idValue), "the messages of \(filter.encoded)", seen: ids)
        }
    }

    private static func continuous(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        for type in ["x", "y", "x"] {
            try await ada.send("t", in: room, ["custom_type": .text(type)])
        }
        let filters: [(Query, JSON)] = [
            (["custom_types": "x"], false), (["custom_types": "*"], true),
        ]
        for (filter, expected) in filters {
            let page = try await ada.get(
                room.path + "/messages",
                filter + [
                    "message_ts": Moment.latest, "prev_limit": 10,
                    "checking_continuous_messages": true,
                ])
            try expect(
                page["is_continuous_messages"], is: expected,
                "is_continuous_messages for \(filter.encoded)")
        }
    }

    private static func membersOnly(_ scene: Scene) async throws(CheckFailure) {
        let (ada, eve) = (try await scene.person("ada"), try await scene.person("eve"))
        let room = try await scene.channel([ada])
        let sent = try await ada.send("secret", in: room)
        let calls: [(String, Query)] = [
            ("messages", ["message_ts": 0, "next_limit": 1]), ("messages/\(sent.id)", [:]),
            ("messages/changelogs", ["change_ts": 0]), ("members", [:]),
        ]
        for (name, query) in calls {
            try await eve.expectRefusal(900_020, of: "GET", "\(room.path)/\(name)", query)
        }
    }

    private static func hiddenHistory(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let before = try await ada.send("before", in: room)
        try await bo.call(
            "PUT", room.path + "/hide", [:],
            ["user_id": .text(bo.id), "hide_previous_messages": true])
        let after = try await ada.send("after", in: room)
        let path = room.path + "/messages"
        try await scene.expectRefusal(
            400_201, 900_300, of: "GET", "\(path)/\(before.id)", as: .session(bo.key))
        let log = try await bo.get(path + "/changelogs", ["change_ts": before.time &- 1])
        try expect(
            log["updated"].each("message_id") == [after.idValue],
            "the visible message in the change log", seen: log)
        try expect(try await bo.get(path + "/total_count")["total"], is: 1, "total")
    }

    private static func unknownChannel(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        try await ada.expectRefusal(
            400_201, of: "GET", "/group_channels/\(scene.name("none"))/messages",
            ["message_ts": 0, "next_limit": 1])
    }
}
