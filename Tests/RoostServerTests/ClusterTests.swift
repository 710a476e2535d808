// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostServer
import RoostTestSupport
import RoostWire
import Synchronization
import Testing

struct ClusterTests {
    @Test func `a message sent at one server arrives at the other`() async throws {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        for number in 0..<5 {
            await scene.servers[0].send(
                "\(number)", RequestID("a\(number)"), to: "g", on: ann)
            await scene.servers[1].send(
                "\(number)'", RequestID("b\(number)"), to: "g", on: bob)
        }
        #expect(
            try ClusterScene.texts(bob) == ["0", "0'", "1", "1'", "2", "2'", "3", "3'", "4", "4'"])
        #expect(
            try ClusterScene.texts(ann) == ["0", "0'", "1", "1'", "2", "2'", "3", "3'", "4", "4'"])
        #expect(await scene.fanOuts[1].counts.readings == 0)
    }

    @Test func `counters that two servers increase at once lose nothing`() async throws {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        let body = #"{"metacounter":{"a":1},"mode":"increase","upsert":true}"#
        let call = try APIRequest(
            method: "PUT", target: "/v3/group_channels/g/metacounter", body: Array(body.utf8))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                for (server, device) in zip(scene.servers, [ann, bob]) {
                    group.addTask {
                        let headers = RequestHeaders(sessionKey: device.key)
                        let answer = await server.server.respond(to: call, headers: headers)
                        #expect(answer.status == 200)
                    }
                }
            }
        }
        let question = try APIRequest(
            method: "GET", target: "/v3/group_channels/g/metacounter", body: [])
        let answer = await scene.servers[0].server.respond(
            to: question, headers: RequestHeaders(sessionKey: ann.key))
        #expect(try JSONValue(parsing: answer.body)["a"]?.int == 40)
    }

    @Test func `without the bus, a sweep brings messages, edits and deletions`() async throws {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        scene.bus.connect(false)
        await scene.servers[0].send("one", "r1", to: "g", on: ann)
        await scene.servers[0].send("two", "r2", to: "g", on: ann)
        #expect(try ClusterScene.texts(bob).isEmpty)
        await scene.settle()
        #expect(try ClusterScene.texts(bob) == ["one", "two"])
        let log = try await scene.servers[0].server.log(of: "g").map(\.message)
        let ids = log.compactMap(\.messageID)
        await scene.servers[0].say(
            .edit(
                EditCommand(channelURL: "g", messageID: ids[0], requestID: "e", text: "ONE")),
            on: ann)
        try await scene.servers[0].call(
            DeleteMessage(channelURL: "g", messageID: ids[1]), as: ann)
        await scene.settle()
        let events = try bob.inbox.take()
        let edits = events.compactMap { event in
            if case .edited(let edit) = event { edit.message.text } else { nil }
        }
        let deletions = events.compactMap { event in
            if case .deleted(let deletion) = event { deletion.messageID } else { nil }
        }
        #expect(edits == ["ONE"])
        #expect(deletions == [ids[1]])
        await scene.settle()
        #expect(try bob.inbox.take().isEmpty)
    }

    @Test func `a message that was made and edited unseen comes at the place where it was made`()
        async throws
    {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        await scene.servers[0].send("zero", "r0", to: "g", on: ann)
        scene.bus.connect(false)
        await scene.servers[0].send("one", "r1", to: "g", on: ann)
        await scene.servers[0].send("two", "r2", to: "g", on: ann)
        let log = try await scene.servers[0].server.log(of: "g").map(\.message)
        let ids = log.compactMap(\.messageID)
        for (number, id) in ids.enumerated().prefix(2) {
            await scene.servers[0].say(
                .edit(
                    EditCommand(
                        channelURL: "g", messageID: id, requestID: RequestID("e\(number)"),
                        text: "edited \(number)")), on: ann)
        }
        await scene.servers[0].send("three", "r3", to: "g", on: ann)
        _ = try ClusterScene.texts(bob)
        await scene.settle()
        let events = try bob.inbox.take()
        // The first one was there before, so its edit is one.
        #expect(events.compactMap { $0.message?.message.text } == ["edited 1", "two", "three"])
        let edits = events.compactMap { event in
            if case .edited(let edit) = event { edit.message.text } else { nil }
        }
        #expect(edits == ["edited 0"])
    }

    @Test
    func `a long part of the log has the messages that were edited behind it in their places`()
        async throws
    {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        scene.bus.connect(false)
        let count = PostgresStorage.newsLimit + 20
        for number in 0..<count {
            await scene.servers[0].send("\(number)", RequestID("r\(number)"), to: "g", on: ann)
        }
        let ids = try await scene.servers[0].server.log(of: "g").compactMap(\.message.messageID)
        for number in [0, 500] {
            await scene.servers[0].say(
                .edit(
                    EditCommand(
                        channelURL: "g", messageID: ids[number], requestID: RequestID("e\(number)"),
                        text: "edited \(number)")), on: ann)
        }
        for _ in 0..<3 { await scene.settle() }
        var wanted = (0..<count).map { "\($0)" }
        (wanted[0], wanted[500]) = ("edited 0", "edited 500")
        #expect(try ClusterScene.texts(bob) == wanted)
    }

    @Test func `a lost notice is read from the database before later ones are delivered`()
        async throws
    {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        await scene.servers[0].send("zero", "r0", to: "g", on: ann)
        scene.bus.setFate { $0.frame.contains("lost") ? .isLost : .arrives }
        await scene.servers[0].send("lost", "r1", to: "g", on: ann)
        await scene.servers[0].send("later", "r2", to: "g", on: ann)
        #expect(try ClusterScene.texts(bob) == ["zero"])
        scene.advance(.milliseconds(51))
        await scene.fanOuts[1].tick()
        #expect(try ClusterScene.texts(bob) == ["lost", "later"])
        await scene.settle()
        #expect(try bob.inbox.take().isEmpty)
    }

    @Test func `notices that overtake each other are delivered in order, each once`() async throws {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        await scene.servers[0].send("zero", "r0", to: "g", on: ann)
        scene.bus.setFate { _ in .waits }
        for number in 1...4 {
            await scene.servers[0].send("\(number)", RequestID("r\(number)"), to: "g", on: ann)
        }
        await scene.bus.releaseBackwards()
        #expect(try ClusterScene.texts(bob) == ["zero", "1", "2", "3", "4"])
        await scene.settle()
        #expect(try bob.inbox.take().isEmpty)
    }

    @Test func `a notice that comes after the database gave its change is dropped`() async throws {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        scene.bus.setFate { _ in .waits }
        await scene.servers[0].send("slow", "r1", to: "g", on: ann)
        await scene.settle()
        #expect(try ClusterScene.texts(bob) == ["slow"])
        await scene.bus.releaseBackwards()
        #expect(try ClusterScene.texts(bob).isEmpty)
    }

    @Test func `a request is stored once, whichever server gets its repeat (scar 10)`() async throws
    {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        let other = try await scene.servers[1].connect("ann")
        _ = try other.inbox.take()
        await scene.servers[0].send("once", "r", to: "g", on: ann)
        await scene.servers[1].send("once", "r", to: "g", on: other)
        #expect(try await scene.servers[1].server.log(of: "g").count == 1)
        #expect(try ClusterScene.texts(bob) == ["once"])
    }

    @Test func `a user who is ended at one server is ended at all`() async throws {
        let (scene, _, bob) = try await ClusterScene.withAnnAndBob()
        try await ask("PUT", "users/bob", #"{"is_active":false}"#, at: scene.servers[0])
        #expect(bob.inbox.isClosed)
    }

    @Test func `a socket whose session ended elsewhere ends, also if the order is lost`()
        async throws
    {
        let (scene, _, bob) = try await ClusterScene.withAnnAndBob()
        scene.bus.connect(false)
        try await ask("PUT", "users/bob", #"{"is_active":false}"#, at: scene.servers[0])
        #expect(!bob.inbox.isClosed)
        await scene.settle()
        #expect(bob.inbox.isClosed)
    }

    /// A server whose session keys are asked for, and whose audience is known when a gate opens.
    private actor SlowAudience: LogAudience {
        private(set) var questions = 0
        nonisolated let isAsked = Gate()
        nonisolated let answers = Gate()

        var openKeys: [Int64] {
            questions += 1
            return []
        }
        func hasAudience(in url: ChannelURL) -> Bool { false }
        func notices(
            of changes: [LoggedChange], in url: ChannelURL
        ) -> [(sequence: Int64, notices: [Notice])] { [] }
        func noticeOfChange(in url: ChannelURL, and others: [UserID]) async -> Notice? {
            isAsked.open()
            await answers.wait()
            return nil
        }
        func end(keys: Set<Int64>) {}
    }

    @Test func `session keys are checked every five seconds without a bus`() async throws {
        let moment = Mutex(ContinuousClock.now)
        let fanOut = try await ClusterFanOut(
            try await PostgresStorage.forTest(), bus: nil, on: try PostgresStorage.testLoop(),
            now: { moment.withLock { $0 } })
        let keys = SlowAudience()
        await fanOut.serve(keys)
        for _ in 0..<40 {
            await fanOut.sweep()
            await fanOut.report()
            moment.withLock { $0 += .milliseconds(250) }
        }
        #expect(await keys.questions == 2)
    }

    @Test func `a sweep passes over the changes that an earlier one has seen`() async throws {
        let storage = try await PostgresStorage.forTest()
        let now = Timestamp(milliseconds: 1_000_000)
        try await storage.addUser(User(id: "a"))
        // Sweeps begin here as long as an older transaction is open.
        let start = try await storage.beginning().settled
        _ = try await storage.createChannel(StorageContractTests.channel("g", ["a"]), now: now)
        let first = try await storage.news(after: start)
        #expect(first.channels.map(\.url) == ["g"])
        _ = try await storage.createChannel(StorageContractTests.channel("h", ["a"]), now: now)
        let next = try await storage.news(after: start, unseenIn: first.snapshot)
        #expect(next.channels.map(\.url) == ["h"])
        _ = try await storage.append(
            StorageContractTests.draft("new", from: "a", to: "g"), now: now)
        let last = try await storage.news(after: start, unseenIn: next.snapshot)
        #expect(last.channels.map(\.url) == ["g"])
    }

    @Test func `sweeps go on while channels are reported`() async throws {
        let storage = try await PostgresStorage.forTest()
        try await storage.addUser(User(id: "a"))
        let fanOut = try await ClusterFanOut(
            storage, bus: nil, on: try PostgresStorage.testLoop(), now: { ContinuousClock.now })
        let audience = SlowAudience()
        await fanOut.serve(audience)
        _ = try await storage.createChannel(
            StorageContractTests.channel("g", ["a"]), now: Timestamp(milliseconds: 1_000_000))
        await fanOut.sweep()
        async let reporting: Void = fanOut.report()
        await audience.isAsked.wait()
        await fanOut.sweep()
        #expect(await fanOut.counts.sweeps == 2)
        audience.answers.open()
        await reporting
    }

    @Test func `a change of a channel reaches clients also if its notice is lost`() async throws {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        scene.bus.setFate { _ in .isLost }
        try await ask("PUT", "group_channels/g", #"{"name":"new"}"#, at: scene.servers[0], as: ann)
        #expect(try bob.inbox.take().isEmpty)
        await scene.fanOuts[1].noteLoss()
        await scene.settle()
        #expect(try bob.inbox.take().contains { $0.category == .propertiesChanged })
    }

    @Test func `the last changes of a server that leaves reach clients`() async throws {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        await scene.fanOuts[1].noteLoss(mistrustingFor: Loss(.departure).mistrust)
        await scene.settle()
        _ = try bob.inbox.take()
        // Its bus has ended, and a call that waited for a lock ends later.
        scene.bus.setFate { _ in .isLost }
        try await ask("PUT", "group_channels/g", #"{"name":"new"}"#, at: scene.servers[0], as: ann)
        try await scene.passTransactions()
        await scene.settle()
        scene.advance(NoticeLosses.pause)
        await scene.settle()
        #expect(try bob.inbox.take().contains { $0.category == .propertiesChanged })
    }

    @Test func `the sockets of sessions that a leaving server ends last are closed`() async throws {
        let (scene, _, bob) = try await ClusterScene.withAnnAndBob()
        await scene.fanOuts[1].noteLoss(mistrustingFor: Loss(.departure).mistrust)
        await scene.settle()
        scene.bus.setFate { _ in .isLost }
        scene.bus.obeysNobody()
        try await ask("PUT", "users/bob", #"{"is_active":false}"#, at: scene.servers[0])
        scene.advance(NoticeLosses.sessionPause)
        await scene.settle()
        #expect(bob.inbox.isClosed)
    }

    @Test func `changes reach clients while a part of the bus is cut off, however long`()
        async throws
    {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        try await scene.flush()
        // Connected, and deaf to each other.
        scene.bus.setFate { _ in .isLost }
        scene.bus.obeysNobody()
        for _ in 0..<3 {
            scene.advance(NoticeLosses.mistrustTime)
            #expect(try await scene.presences[0].flush() == 2)
            let alive = try #require(try await scene.presences[1].flush())
            await scene.fanOuts[1].compareHosts(alive: alive, heard: 1)
            await scene.settle()
        }
        _ = try bob.inbox.take()
        try await ask("PUT", "group_channels/g", #"{"name":"new"}"#, at: scene.servers[0], as: ann)
        try await scene.passTransactions()
        await scene.settle()
        #expect(try bob.inbox.take().contains { $0.category == .propertiesChanged })
        try await ask("PUT", "users/bob", #"{"is_active":false}"#, at: scene.servers[0])
        await scene.settle()
        // While notices are missing, session keys are checked with pauses.
        #expect(!bob.inbox.isClosed)
        scene.advance(NoticeLosses.sessionPause)
        await scene.settle()
        #expect(bob.inbox.isClosed)
    }

    @Test func `read marks are no changes of the channel some time after the death of a server`()
        async throws
    {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        await scene.fanOuts[1].noteLoss(mistrustingFor: NoticeLosses.mistrustTime)
        await scene.settle()
        for _ in 0..<2 { await scene.fanOuts[1].compareHosts(alive: 2, heard: 2) }
        scene.advance(.seconds(30))
        _ = try bob.inbox.take()
        await scene.servers[0].say(.read("g", nil), on: ann)
        await scene.settle()
        let events = try bob.inbox.take()
        #expect(events.contains { if case .read = $0 { true } else { false } })
        #expect(!events.contains { $0.category == .propertiesChanged })
    }

    @Test
    func `a server is told of a busy channel once in ten seconds while notices may be missing`()
        async throws
    {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        await scene.fanOuts[1].noteLoss(mistrustingFor: NoticeLosses.mistrustTime)
        for _ in 0..<10 {
            await scene.servers[0].say(.read("g", nil), on: ann)
            await scene.settle()
        }
        #expect(try bob.inbox.take().count { $0.category == .propertiesChanged } == 1)
        scene.advance(NoticeLosses.pause)
        for _ in 0..<3 { await scene.settle() }
        #expect(try bob.inbox.take().count { $0.category == .propertiesChanged } == 1)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `whatever the bus does, every reader gets every message once and in the log's order`(
        seed: UInt64
    ) async throws {
        let scene = try await ClusterScene(servers: 3)
        var devices: [ServerFixture.Device] = []
        for (number, server) in scene.servers.enumerated() {
            devices.append(try await server.connect(UserID("u\(number)")))
        }
        let urls: [ChannelURL] = ["g", "h"]
        for url in urls {
            try await scene.servers[0].channel(url, of: ["u0", "u1", "u2"], by: devices[0])
        }
        await scene.settle()
        for device in devices { _ = try device.inbox.take() }
        let dice = Mutex(SplitMix64(seed: seed))
        scene.bus.setFate { _ in
            switch dice.withLock({ Int.random(in: 0..<10, using: &$0) }) {
            case 0..<2: .isLost
            case 2..<5: .waits
            default: .arrives
            }
        }
        for step in 0..<60 {
            let (at, to) = dice.withLock {
                (Int.random(in: 0..<3, using: &$0), Int.random(in: 0..<2, using: &$0))
            }
            await scene.servers[at].send(
                "\(step)", RequestID("r\(step)"), to: urls[to], on: devices[at])
            if step % 7 == 0 { await scene.bus.releaseBackwards() }
            if step % 11 == 0 { scene.bus.connect(step % 22 != 0) }
            if step % 5 == 0 { await scene.settle() }
        }
        scene.bus.connect(true)
        await scene.settle()
        await scene.bus.releaseBackwards()
        await scene.settle()
        for (number, device) in devices.enumerated() {
            // The answer to a sender is not in the order of the log.
            let seen = try device.inbox.take().compactMap(\.message)
                .filter { $0.acknowledges == nil }.map(\.message)
            for url in urls {
                let log = try await scene.servers[0].server.log(of: url).map(\.message)
                #expect(log.count > 10)
                let others = log.filter { $0.sender?.user.id != UserID("u\(number)") }
                #expect(
                    seen.filter { $0.channelURL == url }.map(\.text) == others.map(\.text),
                    "seed \(seed), client \(number)")
            }
        }
    }

    @Test func `a ban at one server in the moment of an entry at another keeps the user out`()
        async throws
    {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        let here = scene.servers[0]
        try await ask("POST", "open_channels", #"{"channel_url":"o"}"#, at: here, as: ann)
        await here.say(.enter("o", "e"), on: ann)
        let hook = scene.storages[1]
        // The entry looks the user up after its admission, and the ban comes between the two.
        hook.before("access") {
            hook.before("user") {
                do {
                    try await ask(
                        "POST", "open_channels/o/ban", #"{"user_id":"bob"}"#, at: here, as: ann)
                } catch {
                    Issue.record(error)
                }
            }
        }
        await scene.servers[1].say(.enter("o", "e"), on: bob)
        let answers = try bob.inbox.take()
        #expect(answers.compactMap(\.error).map(\.code) == [RoostError.Code.banned])
        await here.send("words", "r", to: "o", on: ann)
        await scene.settle()
        #expect(try ClusterScene.texts(bob).isEmpty)
    }

    @Test(arguments: [false, true])
    func `a user banned at one server gets no message that another server is storing`(
        isReadRefused: Bool
    ) async throws {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob()
        let (here, there) = (scene.servers[0], scene.servers[1])
        let cid = try await there.connect("cid")
        try await ask(
            "POST", "group_channels/g/invite", #"{"user_ids":["cid"]}"#, at: here, as: ann)
        await scene.settle()
        _ = try (bob.inbox.take(), cid.inbox.take())
        // The message's audience has been read, and its commit comes behind the ban.
        let storage = scene.storages[0]
        storage.before("append") {
            do {
                try await ask("POST", "group_channels/g/ban", #"{"user_id":"bob"}"#, at: there)
            } catch {
                Issue.record(error)
            }
            if isReadRefused { storage.refuse("audienceMembers") }
        }
        await here.send("secret", "r", to: "g", on: ann)
        await scene.settle()
        #expect(try ClusterScene.texts(bob).isEmpty)
        #expect(try ClusterScene.texts(cid) == ["secret"])
    }
}

/// Makes a call that must succeed; nil is the platform.
private func ask(
    _ method: String, _ path: String, _ body: String, at server: ServerFixture,
    as device: ServerFixture.Device? = nil
) async throws {
    var headers = RequestHeaders(sessionKey: device?.key)
    if device == nil { headers.apiToken = ServerFixture.apiToken }
    let request = try APIRequest(
        method: method, target: "/v3/" + path, body: Array(body.utf8))
    let answer = await server.server.respond(to: request, headers: headers)
    #expect(answer.status == 200, "\(method) \(path)")
}
