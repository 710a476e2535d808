// SPDX-License-Identifier: Apache-2.0

/// Channels that a member hides for good, and histories that begin anew.
extension MemberChecks {
    static func show(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await bo.call(
            "PUT", room.path + "/hide", [:], ["user_id": .text(bo.id), "allow_auto_unhide": false])
        try await ada.send("meanwhile", in: room)
        let path = bo.path + "/my_group_channels"
        try expect(
            try await bo.get(path)["channels"], is: [], "the list while the channel is hidden")
        try await bo.call("DELETE", room.path + "/hide", ["user_id": bo.id])
        _ = try await bo.hearEvent(13_001, in: room)
        let urls = try await bo.get(path)["channels"].each("channel_url")
        try expect(urls == [.text(room.url)], "the shown channel in the list", seen: urls)
        let behind = try await bo.send("behind", in: room)
        let heard = try await ada.line.hearAll(before: "MESG behind SYEV 13001") {
            $0.command == "MESG" && $0["msg_id"] == behind.idValue
        }
        try expect(
            !heard.contains { $0["cat"] == 13_001 }, "the other member receives nothing of it",
            seen: heard.map(\.command))
    }

    static func resetHistory(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        try await ada.send("before", in: room)
        let answer = try await bo.call(
            "PUT", room.path + "/reset_user_history", [:], ["user_id": .text(bo.id)])
        try expect(answer, has: ["ts_message_offset": .time], "the answer")
        _ = try await bo.hearEvent(11_000, in: room)
        let view = try await bo.view(room)
        try expect(
            view["ts_message_offset"], is: answer["ts_message_offset"],
            "ts_message_offset of the channel")
        try expect(view["last_message"], is: .null, "last_message without a visible message")
        try expect(view["unread_message_count"], is: 0, "unread_message_count")
        let after = try await ada.send("after", in: room)
        try await expectHistory(of: bo, in: room, is: [after])
        let whole = try await ada.newest(10, in: room).count
        try expect(whole == 2, "both messages for the other member", seen: whole)
    }

    static func resetAll(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo, room) = try await scene.pair()
        let before = try await ada.send("before", in: room)
        let path = room.path + "/reset_user_history"
        try await bo.expectRefusal(
            400_108, of: "PUT", path, [:], ["user_id": .text(bo.id), "reset_all": true])
        try await expectHistory(of: ada, in: room, is: [before])
        try await scene.call("PUT", path, [:], ["reset_all": true])
        let after = try await ada.send("after", in: room)
        for person in [ada, bo] { try await expectHistory(of: person, in: room, is: [after]) }
    }

    private static func expectHistory(
        of person: Person, in room: Room, is sent: [Sent]
    ) async throws(CheckFailure) {
        let ids = try await person.newest(10, in: room).map { $0["message_id"] }
        try expect(
            ids == sent.map(\.idValue), "the messages \(sent.map(\.id)) in the history", seen: ids)
    }
}
