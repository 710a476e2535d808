// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

struct OwnPollTests {
    @Test(arguments: StorageKind.allCases)
    func `a user's list of polls leaves out polls in channels that the user has left`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        var polls: [Int64] = []
        for title in ["in g", "unsent", "in h", "last"] {
            let poll = try await scene.ask(
                "POST", "polls", #"{"title":"\#(title)","options":["a"]}"#, as: scene.bob)
            polls.append(try #require(poll["id"]?.int))
        }
        try await scene.fixture.call(
            CreateChannel(channelURL: "h", userIDs: ["ann", "bob"]), as: scene.ann)
        for (channel, poll) in [("g", polls[0]), ("h", polls[2])] {
            let sent = try await scene.code(
                "POST", "group_channels/\(channel)/messages",
                #"{"message_type":"MESG","message":"x","poll_id":\#(poll)}"#, as: scene.bob)
            #expect(sent == nil)
        }
        func list(_ limit: Int, as device: ServerFixture.Device?) async throws -> [Int64] {
            var ids: [Int64] = []
            var token = ""
            repeat {
                let page = try await scene.ask(
                    "GET", "polls?limit=\(limit)&token=\(token)", as: device)
                let part = (page["polls"]?.array ?? []).compactMap { $0["id"]?.int }
                #expect(part.count <= limit)
                ids += part
                token = page["next"]?.string ?? ""
            } while !token.isEmpty
            return ids
        }
        #expect(try await list(2, as: scene.bob) == polls)
        try await scene.fixture.call(LeaveChannel(channelURL: "g"), as: scene.bob)
        let left = [polls[1], polls[2], polls[3]]
        for limit in [1, 2, 3, 100] {
            #expect(try await list(limit, as: scene.bob) == left, "limit \(limit)")
        }
        #expect(try await list(3, as: nil) == polls, "the platform sees all polls")
        #expect(
            try await scene.code("GET", "polls/\(polls[0])", as: scene.bob) != nil,
            "the list and the look-up agree")
    }

    @Test(arguments: StorageKind.allCases)
    func `a poll whose channel was deleted counts the votes of its next message`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"t","options":["a"]}"#, as: scene.ann)
        let id = try #require(poll["id"]?.int)
        func send(to url: String) async throws -> Int64 {
            let sent = try await scene.ask(
                "POST", "group_channels/\(url)/messages",
                #"{"message_type":"MESG","message":"x","poll_id":\#(id)}"#, as: scene.ann)
            return try #require(sent["message_id"]?.int, "\(sent)")
        }
        let first = try await send(to: "g")
        #expect(try await scene.code("DELETE", "group_channels/g", as: nil) == nil)
        try await scene.fixture.channel("h", of: ["ann", "bob"], by: scene.ann)
        let second = try await send(to: "h")
        #expect(first != second)
        #expect(
            try await scene.code(
                "PUT", "polls/\(id)/vote", #"{"option_ids":[1]}"#, as: scene.bob) == nil)
        let message = try await scene.ask(
            "GET", "group_channels/h/messages/\(second)", as: scene.bob)
        let carried = message["poll"] ?? message["_poll"]
        #expect(carried?["options"]?[0]?["vote_count"] == 1, "\(message)")
    }

    @Test(arguments: StorageKind.allCases)
    func `a removed poll is not sent`(kind: StorageKind) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"t","options":["a"]}"#, as: scene.ann)
        let id = try #require(poll["id"]?.int)
        #expect(try await scene.code("DELETE", "polls/\(id)", as: scene.ann) == nil)
        let code = try await scene.code(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","message":"x","poll_id":\#(id)}"#, as: scene.ann)
        #expect(code == RoostError.Code.notFound.rawValue)
        #expect(try await scene.fixture.server.log(of: "g").isEmpty)
    }
}
