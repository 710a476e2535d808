// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// The bounds of request IDs, which the storage keeps.
struct RequestNameTests {
    @Test(arguments: StorageKind.allCases)
    func `an edit with a request ID beyond the limit is refused and changes nothing`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        await scene.fixture.send("first", "first", to: "g", on: scene.ann)
        let sent = try scene.ann.inbox.take().compactMap { $0.message?.message }
        let id = try #require(sent.first?.messageID)
        func edit(_ bytes: Int) async throws -> [RoostError.Code?] {
            let name = RequestID(String(repeating: "x", count: bytes))
            let edit = EditCommand(
                channelURL: "g", messageID: id, requestID: name, text: "\(bytes)")
            await scene.fixture.say(.edit(edit), on: scene.ann)
            return try scene.ann.inbox.take().map { $0.error?.code }
        }
        #expect(try await edit(2_049) == [.valueLength])
        let log = try await scene.fixture.server.log(of: "g")
        #expect(log.map(\.message.text) == ["first"])
        #expect(log.first?.message.updatedAt == nil)
        #expect(try await edit(2_048) == [nil], "the answer")
        #expect(try await scene.fixture.server.log(of: "g").map(\.message.text) == ["2048"])
    }

    @Test func `no command or call stores a request ID beyond the limit`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("server.sqlite")
        let scene = try await BudgetScene(
            SQLiteStorage(.file(path), on: ThreadExecutor(name: "storage")))
        try await scene.ask("POST", "open_channels", #"{"channel_url":"o"}"#, as: scene.ann)
        await scene.fixture.send("first", "first", to: "g", on: scene.ann)
        let sent = try scene.ann.inbox.take().compactMap { $0.message?.message }
        let id = try #require(sent.first?.messageID)
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"t","options":["a","b"]}"#, as: scene.ann)
        let number = try #require(poll["id"]?.int)
        try await scene.ask(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","message":"x","poll_id":\#(number)}"#, as: scene.ann)
        let text = String(repeating: "z", count: 100_000)
        let name = RequestID(text)
        let commands: [ClientCommand] = [
            .message(MessageCommand(channelURL: "g", requestID: name, content: .user(text: "x"))),
            .edit(EditCommand(channelURL: "g", messageID: id, requestID: name, text: "y")),
            .read("g", name), .readThread("g", parentID: id, name), .enter("o", name),
            .exit("o", name),
            .vote(
                VoteCommand(
                    channelURL: "g", pollID: PollID(number), optionIDs: [1], requestID: name)),
            .refreshSession(SessionRefresh(requestID: name, token: nil, isExpiring: false)),
        ]
        for command in commands { await scene.fixture.say(command, on: scene.ann) }
        let later = scene.fixture.world.now.milliseconds + 60_000
        for call in ["messages", "scheduled_messages"] {
            let body = #"{"message_type":"MESG","message":"x","req_id":"\#(text)""#
            try await scene.ask(
                "POST", "group_channels/g/" + call, body + #","scheduled_at":\#(later)}"#,
                as: scene.ann)
        }
        for file in [path, path + "-wal"] {
            let bytes = try #require(FileManager.default.contents(atPath: file))
            let found = bytes.range(of: Data(repeating: UInt8(ascii: "z"), count: 2_100))
            #expect(found == nil, "\(file)")
        }
    }

    @Test func `a message keeps the request IDs of its last edits within 16 KiB`() throws {
        let message = Message(
            delivery: .delivered(MessageID(1), nil), channelURL: "g", createdAt: .distantPast,
            sender: nil, content: .user(text: "x"))
        func edit(_ name: String) -> EditCommand {
            EditCommand(channelURL: "g", messageID: MessageID(1), requestID: RequestID(name))
        }
        let control = String(repeating: "\u{1}", count: 2_040)
        var (ordinary, heavy) = (MadeEdits(), MadeEdits())
        for number in 0..<20 {
            ordinary = ordinary.noting(edit("edit-\(number)"))
            heavy = heavy.noting(edit("\(number)" + control))
        }
        #expect((0..<20).map { ordinary.contains(edit("edit-\($0)")) }.count(where: { $0 }) == 16)
        #expect(heavy.contains(edit("19" + control)), "the newest one")
        let weight = message.storedBody(heavy).utf8.count - message.storedBody().utf8.count
        #expect(weight <= MadeEdits.byteLimit + 256)
    }
}
