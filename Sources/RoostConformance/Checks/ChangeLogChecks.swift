// SPDX-License-Identifier: Apache-2.0

/// The change logs of messages and channels.
enum ChangeLogChecks {
    static let group = CheckGroup(
        "changes", "Change logs", isRequired: true,
        [
            Check(
                "changes.form", "3.8",
                "A change log has updated, deleted, has_more and next, which is always there.",
                form),
            Check(
                "changes.new", "3.8", "A new message comes in updated behind the token before it.",
                new),
            Check("changes.edited", "3.8", "An edited message comes as it is now.", edited),
            Check(
                "changes.deleted", "3.8",
                "A deleted message stands in deleted only, with its ID and deleted_at.", deleted),
            Check(
                "changes.token-twice", "3.8", "A token may be used twice.", tokenTwice),
            Check(
                "changes.complete", "3.8",
                "A walk to the end finds all changes; has_more is true until there.", complete),
            Check(
                "changes.order", "3.8", "The oldest change comes first.", order),
            Check(
                "changes.wrong-token", "3.8", "An invalid token is 400111.", wrongToken),
            Check(
                "changes.channels", "3.10",
                "A changed channel comes in updated of the change log of channels.", channels),
            Check(
                "changes.left", "3.10",
                "A channel that was left or deleted comes in deleted.", left),
            Check(
                "changes.channels-wrong-token", "3.10",
                "An invalid token of the change log of channels is 400111.", channelsWrongToken),
        ])

    private struct Log {
        let updated: [JSON]
        let deleted: [JSON]
        let hasMore: Bool
        let next: String
        let whole: JSON
    }

    private static func read(
        _ path: String, _ query: Query, by person: Person
    ) async throws(CheckFailure) -> Log {
        let answer = try await person.get(path, query)
        guard answer["updated"].isList, answer["deleted"].isList,
            let hasMore = answer["has_more"].bool, let next = answer["next"].text, !next.isEmpty
        else {
            throw CheckFailure(
                expected: "updated, deleted, has_more and a text next (3.8)", seen: "\(answer)")
        }
        return Log(
            updated: answer["updated"].elements, deleted: answer["deleted"].elements,
            hasMore: hasMore, next: next, whole: answer)
    }

    /// Reads a log to its end.
    private static func readAll(
        _ path: String, _ query: Query, by person: Person
    ) async throws(CheckFailure) -> Log {
        var (updated, deleted): ([JSON], [JSON]) = ([], [])
        var query = query
        for _ in 0..<50 {
            let log = try await read(path, query, by: person)
            updated += log.updated
            deleted += log.deleted
            guard log.hasMore else {
                return Log(
                    updated: updated, deleted: deleted, hasMore: false, next: log.next,
                    whole: log.whole)
            }
            query = ["token": log.next]
        }
        throw CheckFailure(expected: "an end of the change log", seen: "50 pages with has_more")
    }

    private static func scene(
        _ scene: Scene
    ) async throws(CheckFailure) -> (ada: Person, room: Room, path: String, start: Log) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let path = room.path + "/messages/changelogs"
        let start = try await readAll(
            path, ["change_ts": ada.login["login_ts"].int ?? 0], by: ada)
        return (ada, room, path, start)
    }

    private static func form(_ scene: Scene) async throws(CheckFailure) {
        let (_, _, _, start) = try await self.scene(scene)
        try expect(
            start.updated.isEmpty && start.deleted.isEmpty, "no changes in a new channel",
            seen: start.whole)
    }

    private static func new(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, path, start) = try await self.scene(scene)
        let sent = try await ada.send("new", in: room)
        let log = try await read(path, ["token": start.next], by: ada)
        try expect(
            log.updated.map { $0["message_id"] } == [sent.idValue], "the new message",
            seen: log.whole)
        let end = try await read(path, ["token": log.next], by: ada)
        try expect(
            end.updated.isEmpty && end.deleted.isEmpty && !end.hasMore, "nothing behind the end",
            seen: end.whole)
        let byTime = try await readAll(path, ["change_ts": sent.time &- 1], by: ada)
        try expect(
            byTime.updated.map { $0["message_id"] } == [sent.idValue],
            "the new message since the time before it", seen: byTime.whole)
    }

    private static func edited(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, path, _) = try await self.scene(scene)
        let sent = try await ada.send("before", in: room)
        let start = try await readAll(path, ["change_ts": sent.time &- 1], by: ada)
        _ = try await ada.command("MEDI", ["msg_id": sent.idValue, "message": "after"], in: room)
        let log = try await read(path, ["token": start.next], by: ada)
        try expect(
            log.updated.map { $0["message"] } == ["after"], "the message as it is now",
            seen: log.whole)
    }

    private static func deleted(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, path, _) = try await self.scene(scene)
        let (gone, kept) = (try await ada.send("a", in: room), try await ada.send("b", in: room))
        let start = try await readAll(path, ["change_ts": gone.time &- 1], by: ada)
        try await ada.call("DELETE", "\(room.path)/messages/\(gone.id)")
        let log = try await readAll(path, ["token": start.next], by: ada)
        try expect(
            log.deleted.map { $0["message_id"] } == [gone.idValue]
                && !log.updated.contains { $0["message_id"] == gone.idValue },
            "the message in deleted only", seen: log.whole)
        try expect(log.deleted[0], has: ["deleted_at": .time], "a deletion")
        let whole = try await readAll(path, ["change_ts": gone.time &- 1], by: ada)
        try expect(
            whole.updated.map { $0["message_id"] } == [kept.idValue]
                && whole.deleted.map { $0["message_id"] } == [gone.idValue],
            "one message in updated, one in deleted", seen: whole.whole)
    }

    private static func tokenTwice(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, path, start) = try await self.scene(scene)
        try await ada.send("x", in: room)
        let first = try await read(path, ["token": start.next], by: ada)
        let second = try await read(path, ["token": start.next], by: ada)
        try expect(
            first.updated.map { $0["message_id"] } == second.updated.map { $0["message_id"] }
                && first.updated.count == 1, "the same change twice", seen: second.whole)
    }

    private static func complete(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, path, start) = try await self.scene(scene)
        let names = (0..<120).map { "\(scene.prefix)-\($0)" }
        let ids = try await ada.burst(names, in: room).map { $0.sent.idValue }
        let log = try await readAll(path, ["token": start.next], by: ada)
        let found = log.updated.map { $0["message_id"] }
        try expect(
            found.isAlike(ids), "all 120 messages",
            seen: "\(ids.count { found.contains($0) }) of them, \(found.count) in all")
    }

    private static func order(_ scene: Scene) async throws(CheckFailure) {
        let (ada, room, path, start) = try await self.scene(scene)
        let (one, two) = (try await ada.send("1", in: room), try await ada.send("2", in: room))
        _ = try await ada.command("MEDI", ["msg_id": one.idValue, "message": "1b"], in: room)
        let log = try await readAll(path, ["token": start.next], by: ada)
        // A message that changed twice may come once or twice; its last place is the newest.
        let ids = log.updated.map { $0["message_id"] }
        try expect(
            ids.last == one.idValue && ids.contains(two.idValue),
            "the message that was edited last behind the other one", seen: ids)
    }

    private static func wrongToken(_ scene: Scene) async throws(CheckFailure) {
        let (ada, _, path, _) = try await self.scene(scene)
        try await ada.expectRefusal(400_111, of: "GET", path, ["token": "no token"])
    }

    // MARK: Channels

    private static func channels(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        let room = try await scene.channel([ada])
        let path = ada.path + "/my_group_channels/changelogs"
        let start = try await readAll(
            path, ["change_ts": ada.login["login_ts"].int ?? 0], by: ada)
        try expect(
            start.updated.map { $0["channel_url"] } == [.text(room.url)], "the new channel",
            seen: start.whole)
        try await scene.call("PUT", room.path, [:], ["name": "Renamed"])
        let log = try await readAll(path, ["token": start.next], by: ada)
        try expect(
            log.updated.map { $0["name"] } == ["Renamed"], "the changed channel as it is now",
            seen: log.whole)
        try expect(log.whole, has: ["ts": .time], "the change log of channels")
    }

    private static func left(_ scene: Scene) async throws(CheckFailure) {
        let (ada, bo) = (try await scene.person("ada"), try await scene.person("bo"))
        let (one, two) = (
            try await scene.channel([ada, bo]), try await scene.channel([ada, bo])
        )
        let path = ada.path + "/my_group_channels/changelogs"
        let start = try await readAll(
            path, ["change_ts": ada.login["login_ts"].int ?? 0], by: ada)
        try await ada.call("PUT", one.path + "/leave", [:], ["user_id": .text(ada.id)])
        try await scene.call("DELETE", two.path)
        let log = try await readAll(path, ["token": start.next], by: ada)
        try expect(
            log.deleted.isAlike([.text(one.url), .text(two.url)]), "both URLs in deleted",
            seen: log.whole)
    }

    private static func channelsWrongToken(_ scene: Scene) async throws(CheckFailure) {
        let ada = try await scene.person("ada")
        try await ada.expectRefusal(
            400_111, of: "GET", ada.path + "/my_group_channels/changelogs", ["token": "no token"])
    }
}
