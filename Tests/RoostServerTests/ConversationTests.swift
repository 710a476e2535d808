// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostWire
import Testing

struct ConversationTests {
    private struct Party {
        let fixture: ServerFixture
        let alice: ServerFixture.Device
        let tablet: ServerFixture.Device
        let bob: ServerFixture.Device
        let eve: ServerFixture.Device

        init() async throws {
            fixture = await ServerFixture()
            alice = try await fixture.connect("alice")
            tablet = try await fixture.connect("alice")
            bob = try await fixture.connect("bob")
            eve = try await fixture.connect("eve")
            try await fixture.channel(of: ["alice", "bob"], by: alice)
            try drain()
        }

        func drain() throws {
            for device in [alice, tablet, bob, eve] { _ = try device.inbox.take() }
        }
    }

    @Test
    func `the sender's socket gets the answer, every other socket the event (R193)`()
        async throws
    {
        let party = try await Party()
        await party.fixture.send("one", "r0", to: "g", on: party.bob)
        try party.drain()
        await party.fixture.send("hi", "r1", to: "g", on: party.alice)
        let answers = try party.alice.inbox.take()
        #expect(answers.count == 1)
        let answer = try #require(answers.first?.message)
        #expect(answer.acknowledges == "r1")
        #expect(answer.message.requestID == "r1")
        let log = try await party.fixture.server.log(of: "g")
        #expect(answer.previousMessageID == log.first?.message.messageID)
        for device in [party.tablet, party.bob] {
            let frames = device.inbox.takeText()
            #expect(frames.count == 1)
            #expect(!frames[0].contains(#""req_id""#))
            #expect(frames[0].contains(#""request_id":"r1""#))
            let event = try ServerEvent.decodeAll(frames[0]).map { try $0.get() }.first?.message
            #expect(event?.acknowledges == nil)
            #expect(event?.message == answer.message)
            #expect(event?.previousMessageID == answer.previousMessageID)
        }
        #expect(try party.eve.inbox.take().isEmpty)
    }

    @Test(arguments: [0, 3, 30] as [Int64])
    func `a message repeated over another session is a duplicate (scars 10, 11, R201)`(
        days: Int64
    ) async throws {
        let party = try await Party()
        await party.fixture.send("hi", "r1", to: "g", on: party.alice)
        let first = try #require(try party.alice.inbox.take().first?.message?.message)
        await party.fixture.server.disconnect(party.alice.session)
        try party.drain()
        // A message waits in an outbox for three days at most, so the ledger lasts longer.
        party.fixture.world.advance(days * 86_400_000)
        let again = try await party.fixture.connect("alice")
        _ = try again.inbox.take()
        for _ in 0..<10 { await party.fixture.send("hi", "r1", to: "g", on: again) }
        let answers = try again.inbox.take()
        #expect(answers.count == 10)
        #expect(answers.allSatisfy { $0.message?.message == first })
        #expect(answers.allSatisfy { $0.message?.acknowledges == "r1" })
        #expect(try party.bob.inbox.take().isEmpty)
        #expect(try await party.fixture.server.log(of: "g").count == 1)
    }

    @Test(arguments: ["its parent is gone", "its sender has left"])
    func `a stored message is acknowledged again even if it would be refused now (scar 10)`(
        because reason: String
    ) async throws {
        let party = try await Party()
        await party.fixture.send("parent", "r0", to: "g", on: party.bob)
        let parent = try #require(try party.bob.inbox.take().first?.message?.message.messageID)
        let reply = ClientCommand.message(
            MessageCommand(
                channelURL: "g", requestID: "r1", content: .user(text: "reply"), parentID: parent))
        await party.fixture.say(reply, on: party.alice)
        let first = try #require(
            try party.alice.inbox.take().compactMap { $0.message }.last?.message)
        if reason == "its sender has left" {
            try await party.fixture.call(LeaveChannel(channelURL: "g"), as: party.alice)
        } else {
            try await party.fixture.call(
                DeleteMessage(channelURL: "g", messageID: parent), as: party.bob)
        }
        try party.drain()
        await party.fixture.say(reply, on: party.alice)
        let answers = try party.alice.inbox.take()
        #expect(answers.compactMap { $0.message?.acknowledges } == ["r1"])
        #expect(answers.first?.message?.message.messageID == first.messageID)
        #expect(try party.bob.inbox.take().isEmpty)
        // A new message is refused.
        await party.fixture.say(
            .message(
                MessageCommand(
                    channelURL: "g", requestID: "r2", content: .user(text: "x"), parentID: parent)),
            on: party.alice)
        guard case .error(_, "r2")? = try party.alice.inbox.take().first else {
            Issue.record("What is not there was not refused.")
            return
        }
    }

    @Test
    func `a repeat of a deleted message is answered and then deleted`() async throws {
        let party = try await Party()
        await party.fixture.send("hi", "r1", to: "g", on: party.alice)
        let id = try #require(try party.alice.inbox.take().first?.message?.message.messageID)
        try await party.fixture.call(
            DeleteMessage(channelURL: "g", messageID: id), as: party.alice)
        try party.drain()
        await party.fixture.send("hi", "r1", to: "g", on: party.alice)
        let events = try party.alice.inbox.take()
        #expect(events.first?.message?.message.messageID == id)
        guard events.count == 2, case .deleted(let event) = events[1] else {
            Issue.record("The deletion was not told.")
            return
        }
        #expect(event.messageID == id)
    }

    @Test
    func `errors answer requests only`() async throws {
        let party = try await Party()
        let server = party.fixture.server
        let session = party.eve.session
        await server.receive(#"MESG{"channel_url":"g","message":"x","req_id":"1"}"#, from: session)
        await server.receive(#"MESG{"channel_url":"no","message":"x","req_id":"2"}"#, from: session)
        await server.receive(#"MESG{"message":"x","req_id":"3"}"#, from: session)
        await server.receive(#"NEWC{"req_id":"4"}"#, from: session)
        await server.receive(#"MEDI{"channel_url":"g","msg_id":1,"req_id":"5"}"#, from: session)
        await server.receive(#"READ{"channel_url":"g","req_id":"6"}"#, from: session)
        let codes = try party.eve.inbox.take().map { $0.error?.code }
        #expect(
            codes == [
                .notAMember, .channelNotFound, .parameterMissing, .featureUnavailable, .notAMember,
                .notAMember,
            ])
        for text in [
            "rubbish", "MESG{", #"MESG{"req_id":""}"#, "VOTE{}", "XXXX", "", "\n\n",
            #"TPST{"channel_url":"g"}"#, #"MACK{"channel_url":"g","msg_id":1,"req_id":""}"#,
        ] { await server.receive(text, from: session) }
        #expect(try party.eve.inbox.take().isEmpty)
        #expect(try party.bob.inbox.take().isEmpty)
    }

    @Test
    func `several commands in one frame are answered in order`() async throws {
        let party = try await Party()
        await party.fixture.server.receive(
            "PING{\"id\":1,\"req_id\":\"\"}\nbad\n"
                + #"MESG{"channel_url":"g","message":"a","req_id":"1"}"# + "\n"
                + #"MESG{"channel_url":"g","message":"b","req_id":"2"}"#, from: party.alice.session)
        let events = try party.alice.inbox.take()
        #expect(events.first == .pong)
        #expect(events.dropFirst().map { $0.message?.message.text } == ["a", "b"])
    }

    @Test
    func `an edit is answered, published and stored`() async throws {
        let party = try await Party()
        await party.fixture.send("hi", "r1", to: "g", on: party.alice)
        let id = try #require(try party.alice.inbox.take().first?.message?.message.messageID)
        try party.drain()
        party.fixture.world.advance(5)
        let edit = EditCommand(
            channelURL: "g", messageID: id, requestID: "r2", text: "hi!", mentionKind: .users,
            mentionedUserIDs: ["bob"])
        await party.fixture.say(.edit(edit), on: party.alice)
        guard case .edited(let answer) = try party.alice.inbox.take().first else {
            Issue.record("The edit was not answered.")
            return
        }
        #expect(answer.acknowledges == "r2")
        #expect(answer.message.text == "hi!")
        #expect(answer.message.updatedAt == party.fixture.world.now)
        #expect(answer.oldMention == Mention())
        guard case .edited(let news) = try party.bob.inbox.take().first else {
            Issue.record("The edit was not told.")
            return
        }
        #expect(news.acknowledges == nil)
        #expect(news.message.requestID == "r1")
        #expect(news.message.details.mentionedUsers.map(\.id) == ["bob"])
        await party.fixture.say(.edit(edit), on: party.bob)
        #expect(try party.bob.inbox.take().first?.error?.code == .notTheOwner)
    }

    @Test
    func `a read mark is answered, published, and resets the reader's counts`() async throws {
        let party = try await Party()
        await party.fixture.send("hi", "r1", to: "g", on: party.alice)
        try party.drain()
        await party.fixture.say(.read("g", "r2"), on: party.bob)
        let events = try party.bob.inbox.take()
        guard case .read(let answer) = events.first else {
            Issue.record("The reading was not answered.")
            return
        }
        #expect(answer.acknowledges == "r2")
        #expect(answer.user.id == "bob")
        #expect(events.dropFirst().map(\.category) == [.propertiesChanged])
        guard case .channel(let counts) = events.last else { return }
        #expect(counts.unread?.all == 0)
        for device in [party.alice, party.tablet] {
            guard case .read(let news) = try device.inbox.take().first else {
                Issue.record("The reading was not told.")
                return
            }
            #expect(news.acknowledges == nil)
            #expect(news.timestamp == answer.timestamp)
        }
    }

    @Test
    func `typing and delivery are published to the other members`() async throws {
        let party = try await Party()
        await party.fixture.send("hi", "r1", to: "g", on: party.alice)
        let id = try #require(try party.alice.inbox.take().first?.message?.message.messageID)
        try party.drain()
        await party.fixture.say(.typingStart("g", time: Timestamp(milliseconds: 1)), on: party.bob)
        await party.fixture.say(.typingEnd("g", time: Timestamp(milliseconds: 1)), on: party.bob)
        await party.fixture.say(.messageAcknowledgement("g", id), on: party.bob)
        let events = try party.tablet.inbox.take()
        #expect(events.map(\.category) == [.typingStart, .typingEnd, nil])
        guard case .delivered("g", let moments) = events.last else {
            Issue.record("The delivery was not told.")
            return
        }
        #expect(Array(moments.keys) == ["bob"])
        let channel = try await party.fixture.call(GetChannel(channelURL: "g"), as: party.alice)
        #expect(channel.deliveryReceipts?["bob"] == moments["bob"])
    }

    @Test
    func `concurrent messages reach all members in the order of the log`() async throws {
        let party = try await Party()
        let devices = [party.alice, party.tablet, party.bob]
        await withTaskGroup { group in
            for (number, device) in devices.enumerated() {
                group.addTask {
                    for index in 0..<50 {
                        await party.fixture.send(
                            "\(number)-\(index)", RequestID("\(number)-\(index)"), to: "g",
                            on: device)
                    }
                }
            }
        }
        let log = try await party.fixture.server.log(of: "g").map(\.message)
        #expect(log.count == 150)
        for device in devices {
            let events = try device.inbox.take().compactMap { $0.message }
            #expect(events.map(\.message.messageID) == log.map(\.messageID))
            #expect(
                events.dropFirst().map(\.previousMessageID) == log.dropLast().map(\.messageID))
        }
        for number in devices.indices {
            let own = log.map(\.text).filter { $0.hasPrefix("\(number)-") }
            #expect(own == (0..<50).map { "\(number)-\($0)" })
        }
    }

    @Test
    func `two servers on one storage and one fan-out act as one`() async throws {
        let executor = ThreadExecutor(name: "shared")
        let storage = MemoryStorage(on: executor)
        let fanOut = InProcessFanOut(on: executor)
        let left = await ServerFixture(storage: storage, fanOut: fanOut)
        let right = await ServerFixture(storage: storage, fanOut: fanOut, seed: 8)
        let alice = try await left.connect("alice")
        let bob = try await right.connect("bob")
        try await left.channel(of: ["alice", "bob"], by: alice)
        #expect(try bob.inbox.take().map(\.category) == [.invited, .joined])
        await right.send("hi", "r", to: "g", on: bob)
        #expect(try alice.inbox.take().last?.message?.message.text == "hi")
        #expect(try bob.inbox.take().map { $0.message?.acknowledges } == ["r"])
    }
}
