// SPDX-License-Identifier: Apache-2.0

/// The gap question of clients that keep messages.
enum GapChecks {
    static let group = CheckGroup(
        "gap", "Gaps", isRequired: false,
        [
            Check(
                "gap.form", "3.9", "The answer has all its keys, spelt both ways.", form),
            Check(
                "gap.complete", "3.9", "A side that misses no message answers none.", complete),
            Check(
                "gap.missing", "3.9",
                "A side that misses messages answers its whole stretch, the edges included.",
                missing),
            Check(
                "gap.sides", "3.9", "The two sides are answered each by itself.", sides),
            Check(
                "gap.edges", "3.9",
                "A message at an end of a stretch belongs to it, to both stretches if it ends both.",
                edges),
            Check(
                "gap.huge", "3.9",
                "More than 300 missing messages, both sides together, are a huge gap with empty lists.",
                huge),
            Check(
                "gap.hidden-history", "3.9",
                "Messages up to ts_message_offset are neither counted nor answered.", hiddenHistory),
            Check(
                "gap.members-only", "3.9", "The gap question is refused to strangers with 900020.",
                membersOnly),
        ])

    private static func filled(
        _ scene: Scene
    ) async throws(CheckFailure) -> (ada: Person, path: String, sent: [Sent]) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        var sent: [Sent] = []
        for number in 0..<6 { sent.append(try await ada.send("\(number)", in: room)) }
        return (ada, room.path + "/messages_gap", sent)
    }

    private static func side(_ name: String, _ sent: [Sent], count: Int) -> Query {
        Query(
            dictionaryLiteral: ("\(name)_start_ts", sent.first?.time ?? 0),
            ("\(name)_end_ts", sent.last?.time ?? 0), ("\(name)_cache_count", count))
    }

    private static func form(_ scene: Scene) async throws(CheckFailure) {
        let (ada, path, sent) = try await filled(scene)
        let answer = try await ada.get(path, side("prev", sent, count: 6))
        for name in [
            "is_huge_gap", "prev_hasmore", "prev_has_more", "is_continuous_prev_messages",
            "next_hasmore", "next_has_more", "is_continuous_next_messages",
        ] {
            try expect(answer[name].bool != nil, "\(name) is true or false", seen: answer)
        }
        for name in ["prev_messages", "next_messages"] {
            try expect(answer[name].isList, "\(name) is a list", seen: answer)
        }
    }

    private static func expectSide(
        _ name: String, of answer: JSON, is sent: [Sent]
    ) throws(CheckFailure) {
        let ids = answer["\(name)_messages"].each("message_id")
        try expect(
            answer["is_huge_gap"] == false && answer["\(name)_has_more"] == false
                && ids.count == sent.count && ids.isAlike(sent.map(\.idValue)),
            "\(sent.count) messages on the side \(name), and no more", seen: answer)
    }

    private static func complete(_ scene: Scene) async throws(CheckFailure) {
        let (ada, path, sent) = try await filled(scene)
        for name in ["prev", "next"] {
            let answer = try await ada.get(path, side(name, sent, count: 6))
            try expectSide(name, of: answer, is: [])
        }
    }

    private static func missing(_ scene: Scene) async throws(CheckFailure) {
        let (ada, path, sent) = try await filled(scene)
        for name in ["prev", "next"] {
            let answer = try await ada.get(path, side(name, sent, count: 4))
            try expectSide(name, of: answer, is: sent)
        }
    }

    private static func sides(_ scene: Scene) async throws(CheckFailure) {
        let (ada, path, sent) = try await filled(scene)
        let (older, newer) = (Array(sent[..<3]), Array(sent[3...]))
        let answer = try await ada.get(
            path, side("prev", older, count: 3) + side("next", newer, count: 1))
        try expectSide("prev", of: answer, is: [])
        try expectSide("next", of: answer, is: newer)
    }

    private static func edges(_ scene: Scene) async throws(CheckFailure) {
        let (ada, path, sent) = try await filled(scene)
        let (older, newer) = (Array(sent[...3]), Array(sent[3...]))
        for (olderCount, newerCount) in [(4, 3), (4, 2), (3, 3)] {
            let answer = try await ada.get(
                path,
                side("prev", older, count: olderCount) + side("next", newer, count: newerCount))
            try expectSide("prev", of: answer, is: olderCount < 4 ? older : [])
            try expectSide("next", of: answer, is: newerCount < 3 ? newer : [])
        }
    }

    private static func expectHuge(_ answer: JSON, _ missing: String) throws(CheckFailure) {
        try expect(
            answer["is_huge_gap"] == true && answer["prev_messages"] == []
                && answer["next_messages"] == [],
            "a huge gap with two empty lists for \(missing)", seen: answer)
    }

    private static func huge(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        var sent: [Sent] = []
        // In parts, because a server may limit the commands that wait for it.
        for part in 0..<7 {
            let texts = (0..<43).map { "\(scene.prefix)-\(part)-\($0)" }
            sent += try await ada.burst(texts, in: room).map { $0.sent }
        }
        let path = room.path + "/messages_gap"
        for name in ["prev", "next"] {
            let answer = try await ada.get(path, side(name, sent, count: 0))
            try expectHuge(answer, "301 missing messages on the side \(name)")
            let whole = try await ada.get(path, side(name, sent, count: 1))
            try expectSide(name, of: whole, is: sent)
        }
        let (older, newer) = (Array(sent[..<150]), Array(sent[150...]))
        let next = side("next", newer, count: 0)
        let answer = try await ada.get(path, side("prev", older, count: 0) + next)
        try expectHuge(answer, "150 and 151 missing messages on the two sides")
        let whole = try await ada.get(path, side("prev", older, count: 1) + next)
        try expectSide("prev", of: whole, is: older)
        try expectSide("next", of: whole, is: newer)
    }

    private static func hiddenHistory(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let before = try await ada.send("before", in: room)
        try await ada.call(
            "PUT", room.path + "/hide", [:],
            ["user_id": .text(ada.id), "hide_previous_messages": true])
        let after = try await ada.send("after", in: room)
        for (count, missing) in [(1, []), (0, [after])] as [(Int, [Sent])] {
            let answer = try await ada.get(
                room.path + "/messages_gap", side("prev", [before, after], count: count))
            try expectSide("prev", of: answer, is: missing)
        }
    }

    private static func membersOnly(_ scene: Scene) async throws(CheckFailure) {
        let (_, path, sent) = try await filled(scene)
        let eve = try await scene.person("eve")
        try await eve.expectRefusal(900_020, of: "GET", path, side("prev", sent, count: 4))
    }
}
