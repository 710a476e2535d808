// SPDX-License-Identifier: Apache-2.0

/// Group channels and the lists of a user's channels.
enum ChannelChecks {
    static let group = CheckGroup(
        "channels", "Channels", isRequired: true,
        [
            Check(
                "channels.create", "4.2",
                "A new channel is answered with its fields, its times in seconds.", create),
            Check(
                "channels.own", "3.3",
                "A user makes a channel, and is a joined member of it with the named users.", own),
            Check(
                "channels.distinct", "3.3",
                "A distinct channel of the same users is made once, and is_created says so.",
                distinct),
            Check("channels.unknown", "3.6", "An unknown channel is 400201.", unknown),
            Check(
                "channels.members", "4.2",
                "show_member adds the members, each with state, role and joined_ts in seconds.",
                members),
            Check(
                "channels.last-message", "4.2",
                "last_message is there as an object or null, and is the newest message.",
                lastMessage),
            Check(
                "channels.update", "2.8",
                "A change of a channel is announced to its members by SYEV 11000, and kept.", update
            ),
            Check(
                "channels.delete", "2.8",
                "SYEV 12000 announces the deletion of a channel, which is unknown then.",
                delete),
            Check(
                "channels.list", "3.2",
                "A user's list has next, ts and the user's channels; empty ones where asked for.",
                list),
            Check(
                "channels.pages", "3.2",
                "A walk over channels of one second finds each once, the youngest first.", pages),
            Check(
                "channels.order", "3.2",
                "latest_last_message puts the channel with the newest message first.", order),
            Check(
                "channels.filters", "3.2",
                "custom_types, name_contains and channel_urls choose among a user's channels.",
                filters),
            Check(
                "channels.states", "3.2",
                "hidden_mode, unread_filter and member_state_filter choose among a user's channels.",
                states),
            Check(
                "channels.public", "3.2",
                "The list of all channels shows users the public ones, and the platform all.",
                publicOnes),
            Check(
                "channels.foreign-list", "5.1", "Another user's list is refused with 400108.",
                foreignList),
        ])

    private static func create(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel(
            [ada], ["name": "Tea", "data": "d", "custom_type": "c"])
        let channel = try await ada.view(room)
        try expect(
            channel,
            has: [
                "name": .text, "cover_url": .text, "data": .text, "custom_type": .text,
                "created_at": .seconds, "freeze": .boolean, "is_distinct": .boolean,
                "is_super": .boolean, "is_broadcast": .boolean, "is_public": .boolean,
                "member_count": .number, "joined_member_count": .number,
                "unread_message_count": .number, "unread_mention_count": .number,
            ], "a channel")
        try expect(channel["channel_url"], is: .text(room.url), "the URL")
        try expect(channel["name"], is: "Tea", "the name")
        try expect(channel["custom_type"], is: "c", "the custom type")
        try expect(channel["member_state"], is: "joined", "member_state of a member")
        try expect(
            channel["participant_count"].isMissing, "no participant_count in a group channel",
            seen: channel["participant_count"])
    }

    private static func own(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let url = scene.name("channel")
        let room = Room(url: url, type: "group_channels")
        scene.remember(room.path)
        let made = try await ada.call(
            "POST", "/group_channels", [:],
            ["channel_url": .text(url), "user_ids": [.text(ada.id), .text(bo.id)]])
        try expect(made["channel_url"], is: .text(url), "the URL")
        try expect(made["member_count"], is: 2, "member_count")
        try expect(made["member_state"], is: "joined", "the state of the maker")
        try expect(
            try await bo.view(room)["channel_url"], is: .text(url), "the URL for the other member")
    }

    private static func distinct(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let url = scene.name("channel")
        scene.remember("/group_channels/\(url)")
        let body: JSON = ["user_ids": [.text(ada.id), .text(bo.id)], "is_distinct": true]
        let first = try await ada.call(
            "POST", "/group_channels", [:], body.with("channel_url", .text(url)))
        try expect(first["channel_url"], is: .text(url), "the URL of the first call")
        let second = try await bo.call("POST", "/group_channels", [:], body)
        if let other = second["channel_url"].text, other != url {
            scene.remember("/group_channels/\(Query.encode(other))")
        }
        try expect(second["channel_url"], is: first["channel_url"], "the URL of the second call")
        try expect(
            first["is_created"] == true && second["is_created"] == false,
            "is_created is true, then false", seen: [first["is_created"], second["is_created"]])
    }

    private static func unknown(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        try await ada.expectRefusal(400_201, of: "GET", "/group_channels/\(scene.name("none"))")
    }

    private static func members(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let members = try await ada.view(room, ["show_member": true])["members"]
        let ids = members.each("user_id")
        try expect(
            ids.count == 2 && ids.isAlike([.text(ada.id), .text(bo.id)]),
            "both members, each once", seen: members)
        for member in members.elements {
            try expect(
                member, has: ["state": .text, "role": .text, "joined_ts": .seconds], "a member")
        }
    }

    private static func lastMessage(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        try expect(
            try await ada.view(room)["last_message"], is: .null, "last_message without a message")
        try await ada.send("first", in: room)
        let last = try await ada.send("last", in: room)
        let shown = try await ada.view(room)["last_message"]
        try expect(shown["message_id"], is: last.idValue, "the ID of last_message")
    }

    private static func update(_ scene: Scene) async throws(CheckFailure) {
        let (_, bo, room) = try await scene.pair()
        try await scene.call("PUT", room.path, [:], ["name": "New name"])
        _ = try await bo.hearEvent(11_000, in: room)
        try expect(try await bo.view(room)["name"], is: "New name", "the name")
    }

    private static func delete(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        try await scene.call("DELETE", room.path)
        _ = try await ada.hearEvent(12_000, in: room)
        try await ada.expectRefusal(400_201, of: "GET", room.path)
    }

    // MARK: Lists

    private static func list(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let (full, empty) = (try await scene.channel([ada]), try await scene.channel([ada]))
        try await ada.send("one", in: full)
        let path = ada.path + "/my_group_channels"
        let plain = try await ada.get(path)
        try expect(plain, has: ["channels": .list, "next": .text, "ts": .time], "the list")
        try expect(
            plain["channels"].each("channel_url") == [.text(full.url)],
            "only the channel with a message", seen: plain["channels"].each("channel_url"))
        let whole = try await ada.get(path, ["show_empty": "True"])["channels"].each("channel_url")
        try expect(
            whole == [.text(full.url), .text(empty.url)]
                || whole == [.text(empty.url), .text(full.url)],
            "both channels with show_empty", seen: whole)
    }

    private static func pages(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        var made: [JSON] = []
        for _ in 0..<7 { made.append(.text(try await scene.channel([ada]).url)) }
        for order in ["chronological", "latest_last_message", "channel_name_alphabetical"] {
            let walk = try await scene.walk(
                ada.path + "/my_group_channels",
                ["show_empty": true, "limit": 2, "order": order], "channels", as: .session(ada.key))
            let urls = walk.map { $0["channel_url"] }
            try expect(
                urls.count == 7 && urls.isAlike(made), "seven channels, each once, by \(order)",
                seen: urls)
            let times = walk.compactMap { $0["created_at"].int }
            try expect(
                order != "chronological" || times == times.sorted(by: >),
                "the youngest channel first", seen: times)
        }
    }

    private static func order(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let (one, two) = (try await scene.channel([ada]), try await scene.channel([ada]))
        for (last, other) in [(two, one), (one, two)] {
            try await ada.send("x", in: last)
            let urls = try await ada.get(
                ada.path + "/my_group_channels",
                ["order": "latest_last_message", "show_empty": true])["channels"].each(
                    "channel_url")
            try expect(
                urls == [.text(last.url), .text(other.url)],
                "the channel of the newest message first", seen: urls)
        }
    }

    private static func filters(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let type = scene.name("type")
        let wanted = try await scene.channel(
            [ada], ["custom_type": .text(type), "name": "Blue tea"])
        _ = try await scene.channel([ada], ["name": "Red wine"])
        let filters: [Query] = [
            ["custom_types": type], ["name_contains": "Blue"], ["channel_urls": wanted.url],
        ]
        for filter in filters {
            let urls = try await ada.get(
                ada.path + "/my_group_channels", filter + ["show_empty": true])["channels"]
                .each("channel_url")
            try expect(
                urls == [.text(wanted.url)], "the one channel of \(filter.encoded)", seen: urls)
        }
    }

    private static func states(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, quiet) = try await scene.pair()
        let unread = try await scene.channel([ada, bo])
        try await ada.send("x", in: unread)
        let hidden = try await scene.channel([ada, bo])
        try await bo.call(
            "PUT", hidden.path + "/hide", [:],
            ["user_id": .text(bo.id), "allow_auto_unhide": false])
        try await bo.call(
            "PUT", bo.path + "/channel_invitation_preference", [:], ["auto_accept": false])
        let invited = try await scene.channel([ada])
        try await ada.call("POST", invited.path + "/invite", [:], ["user_ids": [.text(bo.id)]])
        let choices: [(Query, [Room])] = [
            ([:], [quiet, unread, invited]),
            (["hidden_mode": "all"], [quiet, unread, hidden, invited]),
            (["hidden_mode": "hidden_only"], [hidden]),
            (["hidden_mode": "hidden_prevent_auto_unhide"], [hidden]),
            (["hidden_mode": "hidden_allow_auto_unhide"], []),
            (["unread_filter": "unread_message"], [unread]),
            (["member_state_filter": "joined_only"], [quiet, unread]),
            (["member_state_filter": "invited_only"], [invited]),
        ]
        for (choice, rooms) in choices {
            let urls = try await scene.walk(
                bo.path + "/my_group_channels", choice + ["show_empty": true], "channels",
                as: .session(bo.key)
            ).map { $0["channel_url"] }
            try expect(
                urls.count == rooms.count && urls.isAlike(rooms.map { .text($0.url) }),
                "the channels \(rooms.map(\.url)) for “\(choice.encoded)”", seen: urls)
        }
    }

    private static func publicOnes(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let open = try await scene.channel([ada], ["is_public": true])
        let closed = try await scene.channel([ada])
        let query: Query = ["channel_urls": "\(open.url),\(closed.url)", "show_empty": true]
        for person in [ada, bo] {
            let urls = try await scene.walk(
                "/group_channels", query, "channels", as: .session(person.key)
            ).map { $0["channel_url"] }
            try expect(urls == [.text(open.url)], "the public channel only", seen: urls)
        }
        let urls = try await scene.walk("/group_channels", query, "channels")
            .map { $0["channel_url"] }
        try expect(
            urls.count == 2 && urls.isAlike([.text(open.url), .text(closed.url)]),
            "both channels for the platform", seen: urls)
    }

    private static func foreignList(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        try await ada.expectRefusal(400_108, of: "GET", bo.path + "/my_group_channels")
    }
}
