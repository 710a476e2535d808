// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// The collection of delivery receipts.
struct DeliveryMarkTests {
    /// A channel with many members, who are all connected.
    private struct Crowd {
        let storage: HookedStorage
        let fixture: ServerFixture
        let ann: ServerFixture.Device
        private(set) var others: [ServerFixture.Device] = []

        init(
            _ count: Int, on storage: any Storage, isSuper: Bool = false, isBroadcast: Bool = false
        ) async throws {
            self.storage = HookedStorage(storage)
            fixture = await ServerFixture(storage: self.storage) { $0.collectsReceipts = true }
            ann = try await fixture.connect("ann")
            let ids = (0..<count).map { UserID("u\($0)") }
            for id in ids { others.append(try await fixture.connect(id)) }
            var call = CreateChannel(
                channelURL: "g", userIDs: ["ann"] + ids, operatorIDs: ["ann"], isSuper: isSuper)
            call.options.isBroadcast = isBroadcast ? true : nil
            try await fixture.call(call, as: ann)
            drain()
        }

        func drain() {
            for device in others + [ann] { _ = device.inbox.takeText() }
            _ = storage.takeCounts()
        }

        /// Sends a message of ann, which all others acknowledge.
        func exchange(_ request: RequestID) async throws -> MessageID {
            await fixture.send("text", request, to: "g", on: ann)
            let id = try #require(try ann.inbox.take().first?.message?.message.messageID)
            drain()
            for device in others { await fixture.say(.messageAcknowledgement("g", id), on: device) }
            return id
        }

        /// Returns the receipts that each device has received since the last call.
        func receipts() throws -> [[[UserID: Timestamp]]] {
            try (others + [ann]).map { device in
                try device.inbox.take().compactMap { event in
                    if case .delivered("g", let moments) = event { moments } else { nil }
                }
            }
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `the receipts of a message come together, by one step of the storage`(
        kind: StorageKind
    ) async throws {
        let crowd = try await Crowd(50, on: try await kind.make())
        for number in 0..<2 {
            _ = try await crowd.exchange(RequestID("r\(number)"))
            #expect(crowd.storage.takeCounts()["markDelivered"] == nil)
            #expect(try crowd.receipts().allSatisfy(\.isEmpty))
            crowd.fixture.world.advance(1_000)
            await crowd.fixture.server.publishReceipts()
            let counts = crowd.storage.takeCounts()
            #expect(counts["markDelivered"] == 1 && counts["audienceMembers"] == 1, "\(counts)")
            for receipts in try crowd.receipts() {
                #expect(receipts.map(\.count) == [50])
            }
            await crowd.fixture.server.publishReceipts()
            #expect(try crowd.receipts().allSatisfy(\.isEmpty))
            #expect(crowd.storage.takeCounts().isEmpty)
        }
        let channel = try await crowd.fixture.call(GetChannel(channelURL: "g"), as: crowd.ann)
        #expect(channel.deliveryReceipts?.count { $0.value.milliseconds > 0 } == 50)
    }

    @Test(arguments: [(true, false), (false, true)])
    func `acknowledgements change nothing in super and broadcast channels`(
        isSuper: Bool, isBroadcast: Bool
    ) async throws {
        let crowd = try await Crowd(
            2, on: try await StorageKind.memory.make(), isSuper: isSuper, isBroadcast: isBroadcast)
        let id = try await crowd.exchange("r")
        await crowd.fixture.server.publishReceipts()
        let counts = crowd.storage.takeCounts()
        #expect(counts["position"] == nil && counts["markDelivered"] == nil, "\(counts)")
        #expect(try crowd.receipts().allSatisfy(\.isEmpty))
        let answer = await crowd.fixture.server.respond(
            to: try APIRequest(
                method: "PUT", target: "/v3/group_channels/g/messages/mark_as_delivered",
                body: Array("{}".utf8)),
            headers: RequestHeaders(sessionKey: crowd.others[0].key))
        #expect(try JSONValue(parsing: answer.body)["ts"]?.int ?? 0 > 0, "message \(id)")
        await crowd.fixture.server.publishReceipts()
        #expect(crowd.storage.takeCounts()["markDelivered"] == nil)
    }

    @Test func `a login asks for no acknowledgements in super channels`() async throws {
        let inbox = Inbox()
        let fixture = await ServerFixture()
        let handshake = Handshake(
            query: [QueryItem("ai", "APP"), QueryItem("user_id", "ann")])
        _ = await fixture.server.connect(handshake, inbox)
        #expect(inbox.takeText().first?.contains(#""disable_supergroup_mack":true"#) == true)
    }

    @Test func `receipts that the storage refuses are stored by a later call`() async throws {
        let crowd = try await Crowd(3, on: try await StorageKind.memory.make())
        crowd.storage.refuse("markDelivered")
        _ = try await crowd.exchange("r")
        await crowd.fixture.server.publishReceipts()
        #expect(try crowd.receipts().allSatisfy(\.isEmpty))
        await crowd.fixture.server.publishReceipts()
        for receipts in try crowd.receipts() { #expect(receipts.map(\.count) == [3]) }
    }

    @Test func `a receipt at one server reaches members at the other, and is stored for all`()
        async throws
    {
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob { $0.collectsReceipts = true }
        await scene.servers[0].send("x", "r", to: "g", on: ann)
        let id = try #require(try bob.inbox.take().first?.message?.message.messageID)
        _ = ann.inbox.takeText()
        await scene.servers[1].say(.messageAcknowledgement("g", id), on: bob)
        await scene.servers[0].server.publishReceipts()
        #expect(ann.inbox.takeText().isEmpty)
        await scene.servers[1].server.publishReceipts()
        let receipts = try ann.inbox.take().compactMap { event in
            if case .delivered("g", let moments) = event { moments } else { nil }
        }
        #expect(receipts.map { Array($0.keys) } == [["bob"]])
        let channel = try await scene.servers[0].call(GetChannel(channelURL: "g"), as: ann)
        #expect(channel.deliveryReceipts?["bob"] == receipts.first?["bob"])
    }
}
