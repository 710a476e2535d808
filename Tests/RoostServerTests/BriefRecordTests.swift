// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// Lists of channels, which read no heavy part of a channel that they do not show.
struct BriefRecordTests {
    /// Returns a channel with everything that is heavy, or with some parts of it.
    private static func record(
        _ url: ChannelURL, metadata: [String: String] = [:], counters: [String: Int64] = [:],
        pins: [MessageID] = [], isBare: Bool = false
    ) -> ChannelRecord {
        var traits = ChannelTraits()
        (traits.metadata, traits.counters, traits.pins) = (metadata, counters, pins)
        if !isBare {
            (traits.isFrozen, traits.isExclusive, traits.isDiscoverable) = (true, true, false)
            traits.accessCode = KeptSecret(salt: "salt", hash: "hash")
            traits.survivalSeconds = 7
        }
        return ChannelRecord(
            url: url, name: "name", coverURL: isBare ? "" : "picture", data: isBare ? "" : "data",
            customType: "type", createdAt: Timestamp(seconds: 1_000), createdBy: "a",
            isPublic: true, traits: traits)
    }

    private static let records: [ChannelRecord] = {
        // Names of traits within other names and values.
        let odd = [
            #""metadata":"#: #"{"counters":{}}"#, "counters": #"\"#, "pins": "\u{0}é",
            #"\"counters\":"#: "",
        ]
        return [
            Self.record("c0", isBare: true), Self.record("c1"),
            Self.record("c2", metadata: odd),
            Self.record("c3", counters: [#""metadata":"#: 1, #"\"metadata\":"#: 2]),
            Self.record("c4", pins: [1, 2]),
            Self.record("c5", metadata: odd, counters: ["counters": 1], pins: [3]),
            Self.record("c6", metadata: odd, counters: ["x": 1], isBare: true),
            Self.record("c7", counters: ["x": 1], pins: [4], isBare: true),
        ]
    }()

    @Test(arguments: StorageKind.allCases)
    func `lists of channels read no data, metadata, counters and pins`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        try await storage.addUser(User(id: "a"))
        for record in Self.records {
            _ = try await storage.createChannel(
                NewChannel(record: record, members: ["a"]), now: Timestamp(seconds: 1_000))
        }
        let brief = Self.records.map(\.brief)
        #expect(brief.allSatisfy { $0.data.isEmpty && $0.traits.metadata.isEmpty })
        #expect(try await storage.listings(of: "a").map(\.record) == brief)
        #expect(try await storage.channels(after: nil, limit: 99) == brief)
        #expect(try await storage.channels(after: "c2", limit: 2) == Array(brief[3...4]))
        let urls: [ChannelURL] = ["c5", "none", "c2", "c3"]
        let records = Self.records
        #expect(
            try await storage.channelRecords(urls) == [records[5], records[2], records[3]])
    }

    @Test(arguments: StorageKind.allCases)
    func `a list by metadata reads a few whole channels at a time, any other list none`(
        kind: StorageKind
    ) async throws {
        let storage = HookedStorage(try await kind.make())
        let fixture = await ServerFixture(storage: storage)
        let ann = try await fixture.connect("ann")
        for number in 10..<55 {
            _ = try await fixture.platform(
                .post, "group_channels",
                #"{"channel_url":"c\#(number)","user_ids":["ann"],"is_public":true}"#)
            _ = try await fixture.platform(
                .post, "group_channels/c\(number)/metadata",
                #"{"metadata":{"k":"v\#(99 - number)"}}"#)
        }
        func list(_ target: String) async throws -> [String?] {
            _ = storage.takeCounts()
            let request = try APIRequest(method: "GET", target: "/v3/" + target, body: [])
            let answer = await fixture.server.respond(
                to: request, headers: RequestHeaders(sessionKey: ann.key))
            let channels = try JSONValue(parsing: answer.body)["channels"]?.array ?? []
            return channels.map { $0["channel_url"]?.string }
        }
        let mine = "users/ann/my_group_channels?show_empty=true&limit=3"
        for target in [mine, "group_channels?limit=3"] {
            #expect(try await list(target).count == 3)
            #expect(storage.takeCounts()["channelRecords"] == nil, "\(target)")
            let filter = "&metadata_key=k&metadata_values=v50,v60"
            #expect(try await Set(list(target + filter)) == ["c49", "c39"], "\(target)")
            #expect(storage.takeCounts()["channelRecords"] == 3, "\(target)")
        }
        let order = "&order=metadata_value_alphabetical&metadata_order_key=k"
        #expect(try await list(mine + order) == ["c54", "c53", "c52"])
        #expect(storage.takeCounts()["channelRecords"] == 3)
    }

    @Test(arguments: StorageKind.allCases)
    func `the list of open channels shows the data and metadata of its rows`(
        kind: StorageKind
    ) async throws {
        let storage = HookedStorage(try await kind.make())
        let scene = try await BudgetScene(storage)
        for number in 10..<40 {
            try await scene.ask(
                "POST", "open_channels",
                #"{"channel_url":"o\#(number)","data":"d\#(number)"}"#, as: scene.ann)
            try await scene.ask(
                "POST", "open_channels/o\(number)/metadata",
                #"{"metadata":{"k":"v\#(number)"}}"#, as: scene.ann)
        }
        _ = storage.takeCounts()
        let list = try await scene.ask("GET", "open_channels?limit=25", as: scene.bob)
        let rows = try #require(list["channels"]?.array)
        #expect(rows.map { $0["data"]?.string } == (10..<35).map { "d\($0)" })
        #expect(rows.map { $0["metadata"]?["k"]?.string } == (10..<35).map { "v\($0)" })
        #expect(storage.takeCounts()["channelRecords"] == 2)
        let found = try await scene.ask(
            "GET", "open_channels?limit=25&url_contains=3", as: scene.bob)
        #expect(found["channels"]?.array?.count == 12)
    }
}
