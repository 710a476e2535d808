// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The events of pins in a channel whose members have histories of their own.
struct PinShareTests {
    @Test(arguments: StorageKind.allCases)
    func `the positions of messages are found together, deleted ones included`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let now = StorageContractTests.start
        try await storage.addUser(User(id: "a"))
        for url in ["g", "h"] as [ChannelURL] {
            _ = try await storage.createChannel(
                StorageContractTests.channel(url, ["a"]), now: now)
        }
        var sent: [Message] = []
        for url in ["g", "g", "g", "h"] as [ChannelURL] {
            let appended = try await storage.append(
                StorageContractTests.draft("x", to: url), now: now)
            sent.append(try #require(appended?.message))
        }
        let ids = try sent.map { try #require($0.messageID) }
        _ = try await storage.delete(ids[1], in: "g", now: now)
        let found = try await storage.positions(of: [ids[1], ids[0], ids[3], 99, ids[1]], in: "g")
        let places = try sent.map { try #require($0.position) }
        #expect(found == [ids[0]: places[0], ids[1]: places[1]])
        #expect(try await storage.positions(of: [], in: "g").isEmpty)
        #expect(try await storage.positions(of: ids, in: "none").isEmpty)
    }

    @Test func `a pin reads all positions once, for any number of different histories`()
        async throws
    {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        let cy = try await scene.fixture.connect("cy")
        let dan = try await scene.fixture.connect("dan")
        try await scene.ask(
            "POST", "group_channels/g/invite", #"{"user_ids":["cy","dan"]}"#, as: scene.ann)
        var ids: [Int64] = []
        for number in 0..<4 {
            scene.fixture.world.advance(10)
            await scene.fixture.send("\(number)", RequestID("\(number)"), to: "g", on: scene.ann)
            let last = try #require(try await storage.log(of: "g").last?.message.messageID)
            ids.append(last.rawValue)
            // Cy sees the messages 2 and 3, Dan sees message 3, and Ann and Bob see all.
            for (name, end) in [("cy", 1), ("dan", 2)] where number == end {
                try await scene.ask(
                    "PUT", "group_channels/g/reset_user_history", #"{"user_id":"\#(name)"}"#,
                    as: nil)
            }
        }
        for id in ids {
            for device in [scene.ann, scene.bob, cy, dan] { _ = device.inbox.takeText() }
            _ = storage.takeCounts()
            try await scene.ask("POST", "group_channels/g/messages/\(id)/pin", as: scene.ann)
        }
        let counts = storage.takeCounts()
        #expect(counts["positions"] == 1 && counts["position"] == nil, "\(counts)")
        let newest = try #require(ids.last)
        for (device, pins) in [
            (scene.ann, Array(ids.reversed())), (scene.bob, Array(ids.reversed())),
            (cy, [ids[3], ids[2]]), (dan, [ids[3]]),
        ] {
            let frames = device.inbox.takeText().filter { $0.contains(#""cat":11300"#) }
            #expect(frames.count == 1)
            let list = pins.map { "\($0)" }.joined(separator: ",")
            #expect(frames[0].contains(#""pinned_message_ids":[\#(list)]"#), "\(frames)")
            #expect(frames[0].contains(#""latest_pinned_message""#))
            #expect(frames[0].contains("\(newest)"))
        }
        try await scene.ask(
            "DELETE", "group_channels/g/messages/\(newest)/pin", as: scene.ann)
        let seen = dan.inbox.takeText().filter { $0.contains(#""cat":11300"#) }
        #expect(seen.count == 1 && !seen[0].contains("pinned_message_ids"), "\(seen)")
    }
}
