// SPDX-License-Identifier: Apache-2.0

/// Read marks, unread counts and delivery receipts.
enum ReceiptChecks {
    static let group = CheckGroup(
        "receipts", "Receipts and counts", isRequired: true,
        [
            Check(
                "receipts.unread", "6.6",
                "Messages of others count as unread, own ones do not.", unread),
            Check(
                "receipts.silent", "6.6", "A silent message does not count as unread.", silent),
            Check(
                "receipts.mentions", "6.6",
                "A message that mentions the user or the channel counts as a mention.", mentions),
            Check(
                "receipts.read", "2.7",
                "READ is acknowledged, sent to the members with user and ts, and ends the count.",
                read),
            Check(
                "receipts.read-rest", "3.11",
                "mark_as_read answers channel, time and counts, and is announced by READ.",
                readByREST),
            Check(
                "receipts.own-devices", "2.3",
                "The reader's other connections receive READ without req_id.", ownDevices),
            Check(
                "receipts.sending-reads", "3.11", "Sending marks as read up to the message.",
                sendingReads),
            Check(
                "receipts.marks", "4.2",
                "read_receipt and user_last_read hold the time of the reading.", marks),
            Check(
                "receipts.mark-unread", "3.11",
                "Marking as unread counts the message and the later ones again, until they are read.",
                markUnread),
            Check(
                "receipts.mark-unread-own", "2.7",
                "READ with is_excluded tells marking as unread to the user's own connections alone.",
                markUnreadOwn),
            Check(
                "receipts.totals", "3.11",
                "The totals count messages and channels of all of the user's channels.", totals),
            Check(
                "receipts.totals-hidden", "3.11", "The totals leave out hidden channels.",
                totalsHidden),
            Check(
                "receipts.read-all", "3.11", "mark_as_read_all ends all counts.", readAll),
            Check(
                "receipts.delivered", "2.7", "MACK reaches the sender as DLVR.", delivered),
            Check(
                "receipts.delivered-rest", "3.11",
                "mark_as_delivered answers the time, and reaches the sender as DLVR.",
                deliveredByREST),
        ])

    private static func expectUnread(
        _ count: Int64, for person: Person, in room: Room
    ) async throws(CheckFailure) {
        let seen = try await person.view(room)["unread_message_count"]
        try expect(seen, is: .int(count), "unread_message_count")
    }

    private static func unread(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        for count in 1...3 as ClosedRange<Int64> {
            try await ada.send("x", in: room)
            try await expectUnread(count, for: bo, in: room)
        }
        try await expectUnread(0, for: ada, in: room)
    }

    private static func silent(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await ada.send("loud", in: room)
        try await ada.send("silent", in: room, ["silent": true])
        try await expectUnread(1, for: bo, in: room)
    }

    private static func mentions(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await ada.send(
            "@bo", in: room, ["mention_type": "users", "mentioned_user_ids": [.text(bo.id)]])
        try await ada.send("@channel", in: room, ["mention_type": "channel"])
        try await ada.send("nobody", in: room)
        let view = try await bo.view(room)
        try expect(view["unread_mention_count"], is: 2, "unread_mention_count")
        try expect(view["unread_message_count"], is: 3, "unread_message_count")
    }

    private static func read(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send("x", in: room)
        let answer = try await bo.command("READ", [:], in: room)
        let heard = try await ada.hear("READ", in: room) { $0["user"]["user_id"] == .text(bo.id) }
        for frame in [answer, heard] {
            try expect(frame.fields, has: ["ts": .time, "channel_url": .text], "READ")
            try expect(
                (frame["ts"].int ?? 0) >= sent.time, "a mark not before the message",
                seen: frame.fields)
        }
        try await expectUnread(0, for: bo, in: room)
    }

    private static func readByREST(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await ada.send("x", in: room)
        let answer = try await bo.call(
            "PUT", room.path + "/messages/mark_as_read", [:], ["user_id": .text(bo.id)])
        try expect(
            answer, has: ["ts": .time, "total_unread_count": .number], "the answer")
        try expect(answer["unread_message_count"], is: 0, "unread_message_count of the answer")
        _ = try await ada.hear("READ", in: room) { $0["user"]["user_id"] == .text(bo.id) }
        try await expectUnread(0, for: bo, in: room)
    }

    private static func ownDevices(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let second = try await bo.secondLine()
        try await ada.send("x", in: room)
        _ = try await bo.command("READ", [:], in: room)
        let heard = try await second.hear("READ at the reader's other connection") {
            $0.command == "READ" && $0["channel_url"] == .text(room.url)
        }
        try expect((heard["req_id"].text ?? "").isEmpty, "no req_id", seen: heard.fields)
    }

    private static func sendingReads(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await ada.send("question", in: room)
        try await bo.send("answer", in: room)
        try await expectUnread(0, for: bo, in: room)
        try await expectUnread(1, for: ada, in: room)
    }

    private static func marks(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await ada.send("x", in: room)
        let mark = try await bo.command("READ", [:], in: room)["ts"]
        let view = try await bo.view(room, ["show_read_receipt": true])
        try expect(view["read_receipt"][bo.id], is: mark, "the time in read_receipt")
        try expect(view["user_last_read"], is: mark, "user_last_read")
        let seen = try await ada.view(room, ["show_read_receipt": true])["read_receipt"][bo.id]
        try expect(seen, is: mark, "the time in read_receipt for the other member")
    }

    // MARK: Marking as unread

    /// Makes a channel with three messages that the second user has read, and the time of the mark.
    private static func whollyRead(
        _ scene: Scene
    ) async throws(CheckFailure) -> (ada: Person, bo: Person, room: Room, sent: [Sent], mark: Int64)
    {
        let (ada, bo, room) = try await scene.pair()
        var sent: [Sent] = []
        for text in ["1", "2", "3"] { sent.append(try await ada.send(text, in: room)) }
        let mark = try await bo.command("READ", [:], in: room)["ts"].int ?? 0
        return (ada, bo, room, sent, mark)
    }

    private static func markAsUnread(
        from first: Sent, by person: Person, in room: Room, as name: String
    ) async throws(CheckFailure) -> JSON {
        try await person.call(
            "PUT", room.path + "/messages/mark_as_read", [:],
            [
                "user_id": .text(person.id), "message_id": first.idValue, "is_excluded": true,
                "unique_id": .text(name),
            ])
    }

    private static func markUnread(_ scene: Scene) async throws(CheckFailure) {
        let (_, bo, room, sent, _) = try await whollyRead(scene)
        let answer = try await markAsUnread(from: sent[1], by: bo, in: room, as: scene.name())
        try expect(answer, has: ["ts": .time, "total_unread_count": .number], "the answer")
        try expect(
            (answer["ts"].int ?? 0) < sent[1].time, "a mark before the message", seen: answer)
        try expect(answer["channel_url"], is: .text(room.url), "channel_url of the answer")
        try expect(answer["unread_message_count"], is: 2, "unread_message_count of the answer")
        let view = try await bo.view(room)
        try expect(view["unread_message_count"], is: 2, "unread_message_count of the channel")
        try expect(view["user_last_read"], is: answer["ts"], "user_last_read")
        let total = try await bo.get(bo.path + "/unread_message_count")["unread_count"]
        try expect(total, is: 2, "the unread messages")
        _ = try await bo.command("READ", [:], in: room)
        try await expectUnread(0, for: bo, in: room)
    }

    private static func markUnreadOwn(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room, sent, mark) = try await whollyRead(scene)
        let second = try await bo.secondLine()
        let name = scene.name()
        let answer = try await markAsUnread(from: sent[1], by: bo, in: room, as: name)
        let heard = try await second.hear("READ with is_excluded at the user's connection") {
            $0.command == "READ" && $0["channel_url"] == .text(room.url)
                && $0["is_excluded"] == true
        }
        try expect((heard["req_id"].text ?? "").isEmpty, "no req_id", seen: heard.fields)
        try expect(heard["user"]["user_id"], is: .text(bo.id), "the user of READ")
        try expect(heard["ts"], is: answer["ts"], "ts of READ")
        try expect(heard["unique_id"], is: .text(name), "unique_id of READ")
        let behind = try await bo.send("behind", in: room)
        let others = try await ada.line.hearAll(before: "MESG behind the marking") {
            $0.command == "MESG" && $0["msg_id"] == behind.idValue
        }
        // A later mark, by the sending, is none of it.
        let marks = others.filter { $0.command == "READ" }
        try expect(
            marks.allSatisfy { $0["is_excluded"].isMissing && ($0["ts"].int ?? 0) >= mark },
            "the other member receives nothing of it", seen: marks.map(\.fields))
    }

    // MARK: Totals and deliveries

    private static func totals(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let other = try await scene.channel([ada, bo])
        for room in [room, other, other] { try await ada.send("x", in: room) }
        let messages = try await bo.get(bo.path + "/unread_message_count")["unread_count"]
        try expect(messages, is: 3, "the unread messages")
        let channels = try await bo.get(bo.path + "/unread_channel_count")["unread_count"]
        try expect(channels, is: 2, "the channels with unread messages")
    }

    private static func totalsHidden(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let other = try await scene.channel([ada, bo])
        for room in [room, other] { try await ada.send("x", in: room) }
        try await bo.call("PUT", other.path + "/hide", [:], ["user_id": .text(bo.id)])
        for name in ["unread_message_count", "unread_channel_count"] {
            let count = try await bo.get("\(bo.path)/\(name)")["unread_count"]
            try expect(count, is: 1, "unread_count of \(name)")
        }
    }

    private static func readAll(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let other = try await scene.channel([ada, bo])
        for room in [room, other] {
            try await ada.send("@channel", in: room, ["mention_type": "channel"])
        }
        try await bo.call("PUT", bo.path + "/mark_as_read_all")
        for name in ["unread_message_count", "unread_channel_count"] {
            let count = try await bo.get("\(bo.path)/\(name)")["unread_count"]
            try expect(count, is: 0, "unread_count of \(name)")
        }
        for room in [room, other] {
            let view = try await bo.view(room)
            for name in ["unread_message_count", "unread_mention_count"] {
                try expect(view[name], is: 0, "\(name) of each channel")
            }
        }
    }

    private static func delivered(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send("x", in: room)
        _ = try await bo.hear("MESG", in: room)
        try await bo.line.say("MACK", ["channel_url": .text(room.url), "msg_id": sent.idValue])
        let heard = try await ada.hear("DLVR", in: room)
        let time = heard["updated"][bo.id].int ?? 0
        try expect(time >= sent.time, "the receiver's time in updated", seen: heard.fields)
    }
    private static func deliveredByREST(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let sent = try await ada.send("x", in: room)
        let answer = try await bo.call(
            "PUT", room.path + "/messages/mark_as_delivered", [:], ["user_id": .text(bo.id)])
        try expect(answer, has: ["ts": .time], "the answer")
        let heard = try await ada.hear("DLVR", in: room) { !$0["updated"][bo.id].isMissing }
        let view = try await ada.view(room, ["show_delivery_receipt": true])
        for time in [heard["updated"][bo.id], view["delivery_receipt"][bo.id]] {
            try expect(
                (time.int ?? 0) >= sent.time, "a receipt not before the message", seen: time)
        }
    }
}
