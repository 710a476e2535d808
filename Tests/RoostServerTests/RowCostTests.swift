// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import RoostWire
import Testing

/// Lists that read many rows end early, with a token, and count as several requests.
struct RowCostTests {
    private let storage = HookedStorage(MemoryStorage(on: ThreadExecutor(name: "storage")))
    private let start = StorageContractTests.start

    private func makeScene(
        configure: (inout ChatServer.Configuration) -> Void = { _ in }
    ) async throws -> BudgetScene {
        try await BudgetScene(storage) { configuration in
            configuration.userRate = Rate(burst: 20, perSecond: 1)
            configure(&configuration)
        }
    }

    /// Returns the number of requests that a call of Ann counts as.
    private func cost(of path: String, in scene: BudgetScene) async throws -> Int {
        scene.fixture.world.advance(60_000)
        #expect(try await scene.code("GET", path, as: scene.ann) == nil, "\(path)")
        var allowed = 0
        while try await scene.code("GET", "users/ann", as: scene.ann) == nil {
            allowed += 1
        }
        return 20 - allowed
    }

    /// Walks over the pages of a list.
    private func pages(
        _ path: String, _ name: String, _ key: String, in scene: BudgetScene
    ) async throws -> [[String]] {
        var (pages, token): ([[String]], String) = ([], "")
        repeat {
            scene.fixture.world.advance(60_000)
            let place = PercentEncoding.encode(token)
            let answer = try await scene.ask("GET", path + "&token=\(place)", as: scene.ann)
            let rows = answer[name]?.array ?? []
            pages.append(rows.compactMap { row in row[key].map { $0.string ?? $0.text } })
            token = answer["next"]?.string ?? ""
        } while !token.isEmpty && pages.count < 100
        return pages
    }

    @Test func `a page of members and an entry cost one request more for each 2,000 members`()
        async throws
    {
        let scene = try await makeScene()
        let path = "group_channels/g/members?limit=1"
        #expect(try await cost(of: path, in: scene) == 1)
        let ids = (0..<4_000).map { UserID("m\($0)") }
        for id in ids { _ = try await storage.addUser(User(id: id)) }
        _ = try await storage.addMembers(ids, as: .joined, inviter: nil, to: "g", now: start)
        #expect(try await cost(of: path, in: scene) == 3)
        scene.fixture.world.advance(60_000)
        let invitation = try await scene.code(
            "POST", "group_channels/g/invite", #"{"user_ids":["bob"]}"#, as: scene.ann)
        #expect(invitation == nil)
        for _ in 0..<17 { #expect(try await scene.code("GET", "users/ann", as: scene.ann) == nil) }
        #expect(try await scene.code("GET", "users/ann", as: scene.ann) != nil)
    }

    @Test func `a search over many channels costs more than one over few`() async throws {
        let scene = try await makeScene()
        #expect(try await cost(of: "search/messages?query=x", in: scene) == 1)
        for number in 0..<2_000 {
            let url = ChannelURL("c\(number)")
            _ = try await storage.createChannel(
                StorageContractTests.channel(url, ["ann"]), now: start)
            _ = try await storage.append(
                StorageContractTests.draft("\(number)", from: "ann", to: url), now: start)
        }
        #expect(try await cost(of: "search/messages?query=x", in: scene) == 2)
        scene.fixture.world.advance(60_000)
        let found = try await scene.ask("GET", "search/messages?query=1777", as: scene.ann)
        #expect(found["results"]?.array?.count == 1)
    }

    @Test func `an entry reads the members for its answer only, and an exit reads none`()
        async throws
    {
        let scene = try await makeScene { $0.limits.members = 3 }
        let cyd = try await scene.fixture.connect("cyd")
        let dan = try await scene.fixture.connect("dan")
        for url in ["open", "full"] as [ChannelURL] {
            var new = CreateChannel(channelURL: url, userIDs: ["ann", "bob"])
            new.isPublic = true
            try await scene.fixture.call(new, as: scene.ann)
        }
        _ = (scene.ann.inbox.takeText(), storage.takeCounts())
        try await scene.fixture.call(JoinChannel(channelURL: "open"), as: cyd)
        let entry = storage.takeCounts()
        #expect(entry["membersOfStates"] == 1, "\(entry)")
        try await scene.fixture.call(LeaveChannel(channelURL: "open"), as: cyd)
        let departure = storage.takeCounts()
        #expect(departure["membersOfStates"] == nil, "\(departure)")
        let events = try scene.ann.inbox.take()
        #expect(events.compactMap(\.category) == [.joined, .left])
        try await scene.fixture.call(JoinChannel(channelURL: "full"), as: cyd)
        let code = await refusal { () async throws(APIFailure) in
            try await scene.fixture.call(JoinChannel(channelURL: "full"), as: dan)
        }
        #expect(code == .tooManyItems)
        // A member who is invited again takes no other place.
        let invitation = try await scene.code(
            "POST", "group_channels/full/invite", #"{"user_ids":["bob"]}"#, as: scene.ann)
        #expect(invitation == nil)
    }

    @Test func `a list of channels by their members ends after many members, with a token`()
        async throws
    {
        let scene = try await makeScene { $0.limits.listedMembers = 40 }
        _ = try await storage.addUser(User(id: "zoe", nickname: "Zoe"))
        for number in 0..<60 {
            let users: [UserID] = number % 20 == 19 ? ["ann", "zoe"] : ["ann", "bob"]
            _ = try await storage.createChannel(
                StorageContractTests.channel(ChannelURL("c\(number)"), users), now: start)
        }
        let path = "users/ann/my_group_channels?show_empty=true&members_nickname_contains=zoe"
        for limit in [1, 2, 10] {
            let found = try await pages(
                path + "&limit=\(limit)", "channels", "channel_url", in: scene)
            #expect(Set(found.joined()) == ["c19", "c39", "c59"], "limit \(limit)")
            #expect(found.joined().count == 3 && (3...6).contains(found.count), "\(found)")
        }
    }

    @Test func `a list of public channels by metadata ends after many bytes, with a token`()
        async throws
    {
        let scene = try await makeScene { $0.limits.listedBytes = 2_200_000 }
        for number in 0..<450 {
            var record = ChannelRecord(
                url: ChannelURL("c\(1_000 + number)"), createdAt: start, isPublic: true)
            let isLast = number == 449
            record.traits.metadata = [
                isLast ? "color" : "size": String(repeating: "x", count: 10_000)
            ]
            _ = try await storage.createChannel(
                NewChannel(record: record, members: ["ann"]), now: start)
        }
        let path = "group_channels?metadata_key=color&metadata_value_startswith=x"
        // Two of 200 channels each are 4 MB.
        #expect(try await cost(of: path, in: scene) == 4)
        let found = try await pages(path, "channels", "channel_url", in: scene)
        #expect(found == [[], ["c1449"]])
    }

    @Test func `a list of polls reads a bounded number of polls in former channels`() async throws {
        let scene = try await makeScene()
        for _ in 0..<510 {
            _ = try await storage.addDocument(Document(.poll, of: "ann", in: "left", body: [:]))
        }
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"t","options":["a"]}"#, as: scene.ann)
        let found = try await pages("polls?limit=100", "polls", "id", in: scene)
        #expect(found == [[], [poll["id"]?.text ?? ""]])
    }
}
