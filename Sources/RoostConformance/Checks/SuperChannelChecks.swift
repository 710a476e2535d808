// SPDX-License-Identifier: Apache-2.0

/// Channels that tell numbers in place of entries and exits.
enum SuperChannelChecks {
    static let group = CheckGroup(
        "super", "Super channels", isRequired: false,
        [
            Check(
                "super.counts", "2.8",
                "A super channel tells entries and exits by MCNT, in place of SYEV 10000 and 10001.",
                counts)
        ])

    private static func counts(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let cy = try await scene.person("cy")
        let room = Room(url: scene.name("channel"), type: "group_channels")
        scene.remember(room.path)
        // No server must offer super channels, so a refusal skips the check.
        try await scene.call(
            "POST", "/group_channels", [:],
            [
                "channel_url": .text(room.url), "user_ids": [.text(ada.id), .text(bo.id)],
                "is_super": true, "is_public": true,
            ])
        for (person, call, count) in [
            (bo, "/leave", 1), (bo, "/join", 2), (cy, "/join", 3),
        ] as [(Person, String, Int64)] {
            try await person.call("PUT", room.path + call, [:], ["user_id": .text(person.id)])
            let heard = try await ada.line.hear("MCNT with \(count) members (2.7)") {
                $0.command == "MCNT" && numbers(in: $0, of: room).contains(.int(count))
            }
            try expect(
                heard.fields, has: ["group_channels": .list, "open_channels": .list], "MCNT")
        }
        try await ada.send("behind", in: room)
        let rest = try await ada.line.hearAll()
        let entered = rest.filter { $0["cat"] == 10_000 }.flatMap {
            $0["data"]["users"].each("user_id")
        }
        try expect(
            !entered.contains(.text(cy.id)) && !rest.contains { $0["cat"] == 10_001 },
            "no SYEV 10000 and 10001 for the other members", seen: rest.map(\.fields))
    }

    /// Returns the numbers of members that a frame tells of a channel, with their time.
    private static func numbers(in frame: Frame, of room: Room) -> [JSON] {
        frame["group_channels"].elements
            .filter { $0["channel_url"] == .text(room.url) && FieldType.time.fits($0["ts"]) }
            .filter { $0["member_count"] == $0["joined_member_count"] }
            .map { $0["member_count"] }
    }
}
