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
}
