// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The contract of every storage for the users of one channel.
struct MemberContractTests {
    static let start = StorageContractTests.start

    private func at(_ offset: Int64) -> Timestamp { Self.start.advanced(by: offset) }

    private func make(_ kind: StorageKind, users: [UserID]) async throws -> any Storage {
        let storage = try await kind.make()
        for id in users { try await storage.addUser(User(id: id, nickname: "N\(id)")) }
        _ = try await storage.createChannel(
            StorageContractTests.channel("g", users), now: Self.start)
        return storage
    }

    // MARK: History

    @Test(arguments: StorageKind.allCases)
    func `one step hides the history from all members and moves no later beginning back`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind, users: ["plain", "muted", "early", "late", "gone"])
        try await storage.addUser(User(id: "guest"))
        _ = try await storage.addMembers(
            ["guest"], as: .invited, inviter: "plain", to: "g", now: Self.start)
        _ = try await storage.append(StorageContractTests.draft("x", from: "plain"), now: at(5))
        // The text of a note may look like a part of the traits.
        let mute = Restriction(startedAt: Self.start, note: "a\u{0}\"offset\":7}")
        _ = try await storage.updateMember("muted", of: "g", now: at(6)) { $0.traits.mute = mute }
        for (id, offset) in [("early", at(1)), ("late", at(50))] {
            _ = try await storage.updateMember(UserID(id), of: "g", now: at(7)) { member in
                member.traits.messageOffset = offset
                member.traits.pushTrigger = .off
                member.lastRead = offset
            }
        }
        _ = try await storage.removeMember("gone", from: "g", now: at(8))
        let before = try #require(try await storage.listings(of: "plain").first)
        #expect(try await storage.forgetHistory(of: "g", through: at(20), now: at(30)))
        let members = try await storage.memberRecords(of: "g")
        let offsets = members.map { "\($0.user.id) \($0.traits.messageOffset ?? Self.start)" }
        #expect(
            offsets == [
                "plain \(at(20))", "muted \(at(20))", "early \(at(20))", "late \(at(50))",
                "gone \(Self.start)", "guest \(at(20))",
            ])
        for member in members where member.state != .none {
            #expect(member.lastRead == (member.user.id == "late" ? at(50) : at(20)))
        }
        #expect(members[1].traits.mute == mute)
        #expect(members[2].traits.pushTrigger == .off && members[3].traits.pushTrigger == .off)
        #expect(members[5].traits.inviter == "plain" && members[5].state == .invited)
        #expect(try await storage.unreadTotal(of: "early") == 0)
        let audience = try await storage.audienceMembers(of: "g")
        #expect(audience.first { $0.id == "muted" }?.beginning == at(20))
        // The change logs of the members show the channel.
        let after = try #require(try await storage.listings(of: "plain").first)
        #expect(after.changeSequence > before.changeSequence)
        #expect(after.lastMessageAt == nil)
        // A second step replaces the offset, and the other traits stay.
        #expect(try await storage.forgetHistory(of: "g", through: at(60), now: at(61)))
        let again = try await storage.memberRecords(of: "g")
        #expect(again[1].traits.messageOffset == at(60) && again[1].traits.mute == mute)
        #expect(again[3].traits.messageOffset == at(60))
        #expect(try await !storage.forgetHistory(of: "none", through: at(60), now: at(61)))
    }

    @Test func `a reset for all members is one change of the storage and one event`() async throws {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        await scene.fixture.send("before", "1", to: "g", on: scene.bob)
        let sent = try #require(try await storage.log(of: "g").last).message
        _ = (storage.takeCounts(), try scene.takeFrames())
        let answer = try await scene.ask(
            "PUT", "group_channels/g/reset_user_history", #"{"reset_all":true}"#, as: scene.ann)
        #expect(answer["ts_message_offset"]?.int == sent.createdAt.milliseconds)
        let counts = storage.takeCounts()
        #expect(counts["forgetHistory"] == 1 && counts["updateMember"] == nil, "\(counts)")
        for device in [scene.ann, scene.bob] {
            #expect(try device.inbox.take().map(\.category) == [.propertiesChanged])
        }
        scene.fixture.world.advance(10)
        await scene.fixture.send("after", "2", to: "g", on: scene.bob)
        for device in [scene.ann, scene.bob] {
            let page = try await scene.ask(
                "GET",
                "group_channels/g/messages?message_ts=9999999999999&prev_limit=9&next_limit=0",
                as: device)
            #expect(page["messages"]?.array?.map { $0["message"] } == ["after"])
        }
    }

    // MARK: Operators and restrictions

    @Test(arguments: StorageKind.allCases)
    func `operators and named users are read without the other users of a channel`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind, users: ["a", "b", "c", "d"])
        _ = try await storage.createChannel(
            StorageContractTests.channel("h", ["d", "a"]), now: Self.start)
        _ = try await storage.createChannel(
            StorageContractTests.channel("empty", ["a"]), now: Self.start)
        for (id, url) in [("c", "g"), ("b", "g"), ("d", "h"), ("a", "h")] {
            _ = try await storage.updateMember(
                UserID(id), of: ChannelURL(url), now: at(1)
            ) { $0.role = .operator }
        }
        let operators = try await storage.operators(of: ["g", "none", "h", "empty"])
        // The order is that of the entries.
        #expect(operators.mapValues { $0.map(\.id) } == ["g": ["b", "c"], "h": ["d", "a"]])
        #expect(operators["g"]?.map(\.nickname) == ["Nb", "Nc"])
        _ = try await storage.removeMember("b", from: "g", now: at(2))
        #expect(try await storage.operators(of: ["g"]).mapValues { $0.map(\.id) } == ["g": ["c"]])
        let some = try await storage.memberRecords(of: "g", among: ["b", "d", "x", "d"])
        let all = try await storage.memberRecords(of: "g")
        #expect(
            some.sorted { $0.user.id < $1.user.id }
                == all.filter { ["b", "d"].contains($0.user.id) })
        #expect(some.contains { $0.user.id == "b" && $0.state == MembershipState.none })
        #expect(try await storage.memberRecords(of: "none", among: ["a"]).isEmpty)
        _ = try await storage.deleteUser("d", now: at(3))
        #expect(try await storage.memberRecords(of: "g", among: ["d"]).isEmpty)
        #expect(try await storage.operators(of: ["h"]).mapValues { $0.map(\.id) } == ["h": ["a"]])
    }

    @Test(arguments: StorageKind.allCases)
    func `restricted users are listed in pages while their restriction is active`(
        kind: StorageKind
    ) async throws {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"].map { UserID($0) }
        let storage = try await make(kind, users: names)
        // The text of a note may look like a restriction.
        let note = "\u{0}\"ban\":[1,2,\"mute\":[1,null,"
        for (id, kind, end) in [
            ("h", Restriction.Kind.ban, nil), ("b", .ban, at(10)), ("c", .mute, nil),
            ("d", .ban, at(20)), ("f", .ban, nil), ("g", .mute, at(20)),
        ] {
            let restriction = Restriction(startedAt: at(1), endsAt: end, note: note)
            _ = try await storage.updateMember(UserID(id), of: "g", now: at(1)) { member in
                member.traits[kind] = restriction
                member.traits.inviter = "\"ban\":[5"
            }
        }
        func page(
            _ kind: Restriction.Kind, _ now: Int64, after id: UserID? = nil, limit: Int = 9
        ) async throws -> [UserID] {
            try await storage.restrictedMembers(
                of: "g", by: kind, at: at(now), after: id, limit: limit
            ).map(\.user.id)
        }
        #expect(try await page(.ban, 5) == ["b", "d", "f", "h"])
        #expect(try await page(.ban, 10) == ["d", "f", "h"], "an end is no part of the time")
        #expect(try await page(.ban, 30) == ["f", "h"])
        #expect(try await page(.mute, 5) == ["c", "g"])
        #expect(try await page(.ban, 5, limit: 2) == ["b", "d"])
        #expect(try await page(.ban, 5, after: "d", limit: 1) == ["f"])
        // The user of a token may have no restriction any more, and may have left.
        _ = try await storage.updateMember("d", of: "g", now: at(6)) { $0.traits.ban = nil }
        _ = try await storage.removeMember("d", from: "g", now: at(6))
        #expect(try await page(.ban, 7, after: "d") == ["f", "h"])
        #expect(try await page(.ban, 7, after: "nobody").isEmpty)
        let first = try await storage.restrictedMembers(
            of: "g", by: .ban, at: at(7), after: nil, limit: 1)
        #expect(first.first?.traits.ban?.note == note)
        let other = try await storage.restrictedMembers(
            of: "none", by: .ban, at: at(7), after: nil, limit: 1)
        #expect(other.isEmpty)
    }

    @Test(arguments: StorageKind.allCases)
    func `restrictions that have ended are forgotten when a channel reaches its limit`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind, users: ["a", "b", "c", "d"])
        for (id, end) in [("a", nil), ("b", at(10)), ("c", nil)] as [(String, Timestamp?)] {
            _ = try await storage.updateMember(UserID(id), of: "g", now: at(1)) { member in
                member.traits.mute = Restriction(startedAt: self.at(1), endsAt: end)
                member.traits.pushTrigger = .off
            }
        }
        _ = try await storage.updateMember("c", of: "g", now: at(1)) { member in
            member.traits.ban = Restriction(startedAt: self.at(1), endsAt: self.at(5))
        }
        func count(_ limit: Int, _ now: Int64) async throws -> Int {
            try await storage.restrictedCount(of: "g", atMost: limit, now: at(now))
        }
        #expect(try await count(9, 20) == 3, "ended ones count below the limit")
        #expect(try await count(2, 2) == 2)
        #expect(try await count(3, 20) == 2)
        let members = try await storage.memberRecords(of: "g")
        #expect(members.map { $0.traits.mute != nil } == [true, false, true, false])
        #expect(members.allSatisfy { $0.traits.ban == nil })
        #expect(members[1].traits.pushTrigger == .off)
        #expect(try await storage.restrictedCount(of: "none", atMost: 1, now: at(1)) == 0)
    }

    @Test(arguments: StorageKind.allCases)
    func `a channel has a bounded number of restricted users, and ended ones make room`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make()) { $0.limits.restrictions = 2 }
        for name in ["c", "d", "e"] { _ = try await scene.fixture.connect(UserID(name)) }
        func restrict(_ what: String, _ id: String, _ seconds: Int) async throws -> Int? {
            try await scene.code(
                "POST", "group_channels/g/\(what)",
                #"{"user_id":"\#(id)","seconds":\#(seconds)}"#, as: scene.ann)
        }
        #expect(try await restrict("ban", "c", -1) == nil)
        #expect(try await restrict("mute", "bob", 60) == nil)
        #expect(try await restrict("ban", "d", -1) == 400_203)
        #expect(try await restrict("ban", "bob", 60) == nil, "a restricted user has a place")
        let banned = try await scene.ask("GET", "group_channels/g/ban?limit=1", as: scene.ann)
        #expect(banned["banned_list"]?.array?.map { $0["user_id"] } == ["bob"])
        let next = try #require(banned["next"]?.string)
        let rest = try await scene.ask(
            "GET", "group_channels/g/ban?limit=1&token=\(next)", as: scene.ann)
        #expect(rest["banned_list"]?.array?.map { $0["user_id"] } == ["c"])
        #expect(rest["next"] == "")
        scene.fixture.world.advance(61_000)
        #expect(try await restrict("ban", "d", -1) == nil)
        #expect(try await restrict("ban", "e", -1) == 400_203)
        #expect(
            try await scene.code("DELETE", "group_channels/g/ban/c", as: scene.ann) == nil)
        #expect(try await restrict("ban", "e", -1) == nil)
    }

    @Test func `a look-up of a mute and the lists of restrictions read no whole member list`()
        async throws
    {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        let mute = #"{"user_id":"bob","seconds":60,"description":"why"}"#
        try await scene.ask("POST", "group_channels/g/mute", mute, as: scene.ann)
        _ = storage.takeCounts()
        let state = try await scene.ask("GET", "group_channels/g/mute/bob", as: scene.bob)
        #expect(state["is_muted"] == true && state["description"] == "why")
        for path in ["mute", "ban", "operators"] {
            let list = try await scene.ask("GET", "group_channels/g/\(path)", as: scene.ann)
            #expect(list["error"] == nil, "\(path)")
        }
        try await scene.ask("DELETE", "group_channels/g/mute/bob", as: scene.ann)
        let free = try await scene.ask("GET", "group_channels/g/mute/bob", as: scene.bob)
        #expect(free["is_muted"] == false)
        let counts = storage.takeCounts()
        #expect(counts["memberRecords"] == nil, "\(counts)")
    }

    // MARK: Lists of members

    @Test(arguments: StorageKind.allCases)
    func `all joined and invited users are read in pages, and others are not`(
        kind: StorageKind
    ) async throws {
        let names = (0..<7).map { UserID("u\($0)") }
        let storage = try await make(kind, users: names)
        try await storage.addUser(User(id: "guest"))
        _ = try await storage.addMembers(
            ["guest"], as: .invited, inviter: "u0", to: "g", now: at(1))
        _ = try await storage.removeMember("u3", from: "g", now: at(2))
        _ = try await storage.createChannel(
            StorageContractTests.channel("h", ["guest"]), now: Self.start)
        let all = try await storage.memberRecords(of: "g").filter { $0.state != .none }
            .sorted { $0.user.id < $1.user.id }
        for limit in [1, 2, 3, 7, 20] {
            var found: [MemberRecord] = []
            var pages = 0
            while true {
                let page = try await storage.members(
                    of: "g", after: found.last?.user.id, limit: limit)
                #expect(page.count <= limit)
                found += page
                pages += 1
                if page.count < limit { break }
            }
            #expect(pages == 7 / limit + 1)
            found.sort { $0.user.id < $1.user.id }
            #expect(found == all)
        }
        #expect(try await storage.members(of: "g", after: "nobody", limit: 9).isEmpty)
        #expect(try await storage.members(of: "none", after: nil, limit: 9).isEmpty)
        let counts = try await storage.memberCounts(of: ["g", "none", "h"])
        #expect(counts["g"] == 7 && counts["h"] == 1 && counts["none"] ?? 0 == 0)
    }

    @Test func `a list of members is in the order of names and holds no slice longer than needed`()
        async throws
    {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        // More members than one slice, and names in an order of their own.
        let ids = (0..<2_500).map { UserID("m\($0)") }
        for (number, id) in ids.enumerated() {
            _ = try await storage.addUser(
                User(id: id, nickname: "\(number % 2 == 0 ? "N" : "n")\(9_999 - number)"))
        }
        _ = try await storage.addMembers(
            ids, as: .joined, inviter: nil, to: "g", now: scene.fixture.world.now)
        _ = storage.takeCounts()
        func page(_ query: String) async throws -> (ids: [String], next: String) {
            let answer = try await scene.ask(
                "GET", "group_channels/g/members?limit=3&\(query)", as: scene.bob)
            let ids = (answer["members"]?.array ?? []).compactMap { $0["user_id"]?.string }
            return (ids, answer["next"]?.string ?? "")
        }
        let first = try await page("")
        #expect(first.ids == ["ann", "bob", "m2499"], "users without a name come first")
        let counts = storage.takeCounts()
        #expect(counts["members"] == 2 && counts["memberRecordsAmong"] == 1, "\(counts)")
        #expect(counts["membersOfStates"] == nil && counts["memberRecords"] == nil, "\(counts)")
        #expect(try await page("token=\(first.next)").ids == ["m2498", "m2497", "m2496"])
        #expect(try await page("nickname_startswith=N99").ids == ["m99", "m98", "m97"])
        let operators = "order=operator_then_member_alphabetical&operator_filter=operator"
        #expect(try await page(operators).ids == ["ann"])
    }

    @Test func `a list of channels holds the members of few channels at a time`() async throws {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        let ids = (0..<1_500).map { UserID("m\($0)") }
        for id in ids { _ = try await storage.addUser(User(id: id)) }
        let now = scene.fixture.world.now
        for url in ["big1", "big2"] as [ChannelURL] {
            _ = try await storage.createChannel(
                StorageContractTests.channel(url, ["ann"] + ids), now: now)
        }
        for url in ["small1", "small2"] as [ChannelURL] {
            _ = try await storage.createChannel(
                StorageContractTests.channel(url, ["ann"]), now: now)
        }
        for (query, readings) in [("show_member=true", 2), ("show_member=false", 1)] {
            _ = storage.takeCounts()
            let list = try await scene.ask(
                "GET",
                "users/ann/my_group_channels?limit=10&show_empty=true&\(query)",
                as: scene.ann)
            #expect(list["channels"]?.array?.count == 5)
            #expect(storage.takeCounts()["channelStates"] == readings)
        }
    }
}
