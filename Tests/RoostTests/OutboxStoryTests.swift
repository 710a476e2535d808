// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import Testing

/// Items written and changed without a connection, in virtual time.
struct OutboxStoryTests {
    @Test func `an edit of an unsent message becomes part of it`() throws {
        try OutboxPair.play(1) { world, pair in
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await pair.phone.network.cut()
            await world.pass()
            let sent = try await pair.alice.send("tpyo", to: pair.channel)
            let requestID = try #require(sent.requestID)
            let edit = try await pair.alice.edit(
                .unsent(requestID), in: pair.channel, MessageEdit(text: "typo"))
            #expect(edit == requestID)
            #expect(await timeline.snapshot.messages.map(\.text) == ["typo"])
            #expect(await pair.alice.pendingChanges(in: pair.channel).isEmpty)
            await pair.alice.close()
            let again = try await world.launch(pair.phone)
            try await pair.connect(world, again)
            let log = try await world.log(of: pair.channel)
            #expect(log.map(\.text) == ["typo"])
            #expect(log.map(\.updatedAt) == [nil])
            await again.close()
        }
    }

    @Test func `messages of one instant have different request IDs, failed ones too (scar 63)`()
        throws
    {
        try OutboxPair.play(63) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            await pair.phone.network.cut()
            await world.pass()
            let start = world.executor.now
            var sent: [Message] = []
            for number in 0..<100 { sent.append(try await alice.send("\(number)", to: channel)) }
            #expect(world.executor.now == start)
            #expect(Set(sent.map(\.createdAt)).count == 1)
            let ids = sent.map(\.requestID)
            #expect(Set(ids.compactMap { $0 }).count == 100)
            pair.phone.clockError.milliseconds += 4 * 86_400_000
            try await pair.connect(world, alice)
            #expect(await alice.failedMessages(in: channel).map(\.requestID) == ids)
            await alice.close()
            let again = try await world.launch(pair.phone)
            #expect(await again.failedMessages(in: channel).map(\.requestID) == ids)
            await again.close()
        }
    }

    @Test func `each channel lists its own failed and pending messages only (scar 60)`() throws {
        try OutboxPair.play(60) { world, pair in
            var urls = [pair.channel]
            for _ in 1..<5 {
                let params = ChannelCreateParams(memberIDs: ["bob"])
                urls.append(try await pair.alice.createChannel(params).url)
            }
            let channels = urls
            await pair.phone.network.cut()
            for (number, channel) in channels.enumerated() {
                try await pair.alice.send("failed \(number)", to: channel)
            }
            pair.phone.clockError.milliseconds += 4 * 86_400_000
            try await pair.connect(world, pair.alice)
            await pair.phone.network.cut()
            await world.pass()
            for (number, channel) in channels.enumerated() {
                try await pair.alice.send("pending \(number)", to: channel)
            }
            func check(_ client: ChatClient) async throws {
                for (number, channel) in channels.enumerated() {
                    let failed = await client.failedMessages(in: channel)
                    #expect(failed.map(\.text) == ["failed \(number)"])
                    let unsent = await client.unsentMessages(in: channel)
                    #expect(unsent.map(\.text) == ["failed \(number)", "pending \(number)"])
                    #expect(unsent.map(\.status) == [.failed, .pending])
                    let timeline = try await client.timeline(of: channel)
                    #expect(await timeline.snapshot.messages.map(\.text) == unsent.map(\.text))
                }
            }
            try await check(pair.alice)
            await pair.alice.close()
            let again = try await world.launch(pair.phone)
            try await check(again)
            await again.close()
        }
    }

    @Test func `a canceled task waits no longer, and its message is delivered all the same`() throws
    {
        try OutboxPair.play(102) { world, pair in
            await pair.phone.network.cut()
            await world.pass()
            let id = try #require(try await pair.alice.send("late", to: pair.channel).requestID)
            for startsCanceled in [false, true] {
                let end = await withTaskGroup(of: RoostError.Code?.self) { group in
                    if startsCanceled { group.cancelAll() }
                    group.addTask {
                        do throws(RoostError) {
                            try await pair.alice.outcome(of: id)
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                    await world.pass(.milliseconds(1))
                    group.cancelAll()
                    return await group.next() ?? nil
                }
                #expect(end == .requestCanceled)
            }
            try await pair.connect(world, pair.alice)
            #expect(try await world.log(of: pair.channel).map(\.text) == ["late"])
        }
    }

    @Test func `a deletion of an unsent message cancels it`() throws {
        try OutboxPair.play(2) { world, pair in
            await pair.phone.network.cut()
            await world.pass()
            let first = try await pair.alice.send("no", to: pair.channel)
            try await pair.alice.send("yes", to: pair.channel)
            let requestID = try #require(first.requestID)
            try await pair.alice.delete(.unsent(requestID), in: pair.channel)
            #expect(await pair.alice.unsentMessages(in: pair.channel).map(\.text) == ["yes"])
            try await pair.connect(world, pair.alice)
            #expect(try await world.log(of: pair.channel).map(\.text) == ["yes"])
            #expect(try await world.requestIDs(of: pair.channel).count == 1)
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `an edit of a message of unknown outcome follows it in any case (scars 10, 64)`(
        seed: UInt64
    ) throws {
        try OutboxPair.play(100 + seed) { world, pair in
            let sent = try await pair.alice.send("first", to: pair.channel)
            let requestID = try #require(sent.requestID)
            await world.pass(.milliseconds(Int64(seed) * 10))
            await pair.phone.network.cut()
            try await pair.alice.edit(
                .unsent(requestID), in: pair.channel, MessageEdit(text: "second"))
            await pair.alice.close()
            let again = try await world.launch(pair.phone)
            try await pair.connect(world, again)
            #expect(try await world.log(of: pair.channel).map(\.text) == ["second"])
            #expect(await again.pendingChanges(in: pair.channel).isEmpty)
            await again.close()
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `a deletion of a message of unknown outcome holds wherever it appears (scar 11)`(
        seed: UInt64
    ) throws {
        try OutboxPair.play(200 + seed) { world, pair in
            let timeline = try await pair.alice.timeline(of: pair.channel)
            let sent = try await pair.alice.send("gone", to: pair.channel)
            let requestID = try #require(sent.requestID)
            await world.pass(.milliseconds(Int64(seed) * 10))
            await pair.phone.network.cut()
            try await pair.alice.delete(.unsent(requestID), in: pair.channel)
            try await pair.connect(world, pair.alice)
            await world.pass(.seconds(30))
            #expect(try await world.log(of: pair.channel).isEmpty)
            #expect(await timeline.snapshot.messages.isEmpty)
        }
    }

    @Test func `changes written offline survive a relaunch and arrive (scar 15)`() throws {
        try OutboxPair.play(3) { world, pair in
            let first = try await pair.deliver("one", from: pair.alice)
            let second = try await pair.deliver("two", from: pair.alice)
            let third = try await pair.deliver("three", from: pair.bob)
            await world.pass()
            await pair.phone.network.cut()
            await world.pass()
            let channel = pair.channel
            let edit = try await pair.alice.edit(first, in: channel, text: "one!")
            try await pair.alice.addReaction("heart", to: .delivered(third), in: channel)
            // It becomes part of the pending edit.
            #expect(try await pair.alice.edit(first, in: channel, text: "one!!") == edit)
            try await pair.alice.delete(second, in: channel)
            #expect(await pair.alice.pendingChanges(in: channel).count == 3)
            let changes = await pair.alice.pendingChanges(in: channel)
            let timeline = try await pair.alice.timeline(of: channel)
            let shown = await timeline.snapshot.messages
            #expect(shown.map(\.text) == ["one!!", "three"])
            #expect(shown.last?.details.reactions?.map(\.key) == ["heart"])
            // An app that lays the changes over it once more sees the same.
            #expect(shown.compactMap { $0.applying(changes, by: "alice") } == shown)

            await pair.alice.close()
            let again = try await world.launch(pair.phone)
            #expect(await again.pendingChanges(in: channel) == changes)
            try await pair.connect(world, again)
            let log = try await world.log(of: channel)
            #expect(log.map(\.text) == ["one!!", "three"])
            #expect(log.last?.details.reactions?.first?.userIDs == ["alice"])
            #expect(await again.pendingChanges(in: channel).isEmpty)
            await again.close()
        }
    }

    @Test func `pending edits merge with the last value of each part; a sent edit stays separate`()
        throws
    {
        try OutboxPair.play(9) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let id = try await pair.deliver("one", from: alice)
            let target = MessageTarget.delivered(id)
            let lines = Guarded<[String]>([])
            pair.phone.network.observe { line in lines.withLock { $0.append(line) } }
            // This one is in flight, so a later edit cannot become part of it.
            let left = try await alice.edit(id, in: channel, text: "two")
            let first = try await alice.edit(
                target, in: channel, MessageEdit(text: "three", data: "data"))
            let second = try await alice.edit(target, in: channel, MessageEdit(text: "four"))
            #expect(left != first && first == second)
            try await alice.outcome(of: second)
            let log = try await world.log(of: channel)
            #expect(log.map(\.text) == ["four"] && log.map(\.data) == ["data"])
            #expect(lines.withLock { $0.filter { $0.hasPrefix(">> MEDI") } }.count == 2)
            // After a deletion an edit is a separate item, which is refused by itself.
            await pair.phone.network.cut()
            await world.pass()
            var names: Set<RequestID> = [try await alice.edit(id, in: channel, text: "five")]
            names.insert(try await alice.delete(id, in: channel))
            names.insert(try await alice.edit(id, in: channel, text: "six"))
            #expect(names.count == 3)
            let waiting = await alice.pendingChanges(in: channel).last
            await world.pass(.seconds(60))
            try await alice.edit(id, in: channel, text: "seven")
            let merged = try #require(await alice.pendingChanges(in: channel).last)
            #expect(merged.id == waiting?.id)
            #expect(merged.createdAt > waiting?.createdAt ?? .distantFuture)
        }
    }

    @Test func `a resent message goes behind the pending ones (scar 12)`() throws {
        try OutboxPair.play(13) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            await pair.phone.network.cut()
            let id = try #require(try await alice.send("first", to: channel).requestID)
            pair.phone.clockError.milliseconds += 4 * 86_400_000
            try await alice.send("second", to: channel)
            try await pair.connect(world, alice)
            await pair.phone.network.cut()
            await world.pass()
            try await alice.send("third", to: channel)
            #expect(await alice.unsentMessages(in: channel).map(\.text) == ["first", "third"])
            #expect(await alice.resend(id))
            #expect(await alice.unsentMessages(in: channel).map(\.text) == ["third", "first"])
            try await pair.connect(world, alice)
            let log = try await world.log(of: channel).map(\.text)
            #expect(log == ["second", "third", "first"])
        }
    }

    @Test func `a refused change is reported as data and stays until confirmed`() throws {
        try OutboxPair.play(4) { world, pair in
            let id = try await pair.deliver("mine", from: pair.bob)
            await world.pass()
            _ = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            let channel = pair.channel
            let change = try await pair.alice.edit(id, in: channel, text: "yours")
            let error = await #expect(throws: RoostError.self) {
                try await pair.alice.outcome(of: change)
            }
            #expect(error?.code == .notTheOwner)
            // The server's message, for later calls too.
            #expect(error?.message.hasPrefix("The server refused it") == false)
            let later = await #expect(throws: RoostError.self) {
                try await pair.alice.outcome(of: change)
            }
            #expect(later?.message == error?.message)
            let refusals = await pair.alice.refusals()
            #expect(refusals.map(\.reason) == [.notTheOwner])
            #expect(refusals.first?.change.id == change)
            #expect(refusals.first?.held?.text == "mine")
            #expect(await pair.alice.pendingChanges(in: channel).isEmpty)
            // The rest continues (scar 65).
            let reaction = try await pair.alice.addReaction("ok", to: .delivered(id), in: channel)
            try await pair.alice.outcome(of: reaction)
            await pair.alice.cancel(change)
            #expect(await pair.alice.refusals().isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `a message that the server refused does not exist, so no deletion waits for it (scar 65)`(
        isRelaunched: Bool
    ) throws {
        try OutboxPair.play(14) { world, pair in
            let (alice, bob) = (pair.alice, pair.bob)
            var params = ChannelCreateParams(memberIDs: ["alice"])
            params.operatorIDs = ["bob"]
            let channel = try await bob.createChannel(params).url
            try await bob.makeNow(.mute("alice", for: nil, reason: ""), in: channel)
            await world.pass()
            func refused(_ text: String, by client: ChatClient) async throws -> RequestID {
                let id = try #require(try await client.send(text, to: channel).requestID)
                let error = await #expect(throws: RoostError.self) {
                    try await client.outcome(of: id)
                }
                #expect(error?.code.isRefusal == true)
                return id
            }
            let id = try await refused("unheard", by: alice)
            var client = alice
            if isRelaunched {
                await alice.close()
                client = try await world.launch(pair.phone)
                try await pair.connect(world, client)
            }
            try await client.delete(.unsent(id), in: channel)
            #expect(await client.unsentMessages(in: channel).isEmpty)
            #expect(await client.failedMessages(in: channel).isEmpty)
            #expect(await client.pendingChanges(in: channel).isEmpty)
            // An edit of it becomes part of it.
            let other = try await refused("unhear", by: client)
            try await client.edit(.unsent(other), in: channel, MessageEdit(text: "heard"))
            try await bob.makeNow(.unmute("alice"), in: channel)
            await world.pass()
            #expect(await client.resend(other))
            await client.waitUntilIdle()
            #expect(try await world.log(of: channel).map(\.text) == ["heard"])
            await client.close()
        }
    }

    @Test func `a reaction to an unsent message follows it, and goes with its cancellation`() throws
    {
        try OutboxPair.play(5) { world, pair in
            let channel = pair.channel
            await pair.phone.network.cut()
            await world.pass()
            var reactions: [RequestID] = []
            var ids: [RequestID] = []
            for text in ["kept", "taken"] {
                let id = try #require(try await pair.alice.send(text, to: channel).requestID)
                ids.append(id)
                reactions.append(
                    try await pair.alice.addReaction("ok", to: .unsent(id), in: channel))
            }
            await pair.alice.cancel(ids[1])
            #expect(await pair.alice.pendingChanges(in: channel).map(\.id) == [reactions[0]])
            try await pair.connect(world, pair.alice)
            let log = try await world.log(of: channel)
            #expect(log.map(\.text) == ["kept"])
            #expect(log.first?.details.reactions?.map(\.key) == ["ok"])
        }
    }

    @Test func `after three days a message fails; resent it has another three (R151)`()
        throws
    {
        try OutboxPair.play(6) { world, pair in
            let channel = pair.channel
            await pair.phone.network.cut()
            let sent = try await pair.alice.send("late", to: channel)
            pair.phone.clockError.milliseconds += 4 * 86_400_000
            try await pair.connect(world, pair.alice)
            let failed = await pair.alice.failedMessages(in: channel)
            #expect(
                failed.map(\.delivery) == [.unsent(sent.requestID ?? "", .failed(.pendingError))])
            #expect(failed.first?.isResendable == true)
            await pair.phone.network.cut()
            await world.pass()
            await pair.alice.resend(sent.requestID ?? "")
            await pair.alice.close()
            let again = try await world.launch(pair.phone)
            try await pair.connect(world, again)
            #expect(try await world.log(of: channel).map(\.requestID) == [sent.requestID])
            await again.close()
        }
    }

    @Test func `one of two clients on one outbox sends the messages of both (scar 12)`()
        throws
    {
        try OutboxPair.play(7) { world, pair in
            let channel = pair.channel
            let share = try await world.launch(pair.phone)
            let sent = try await share.send("shared", to: channel)
            try await share.connect()
            await world.pass()
            // The first has the turn, and reads the disk when it connects.
            await pair.alice.disconnect()
            try await pair.alice.connect()
            await pair.alice.waitUntilIdle()
            await world.pass()
            #expect(try await world.log(of: channel).map(\.requestID) == [sent.requestID])
            // When it has gone, the other takes over and knows the sent items.
            await pair.alice.close()
            let last = try await share.send("after", to: channel)
            await world.pass(.seconds(20))
            let expected = [sent.requestID, last.requestID]
            #expect(try await world.log(of: channel).map(\.requestID) == expected)
            #expect(await share.unsentMessages(in: channel).isEmpty)
            await share.close()
        }
    }

    @Test func `a read mark is not sent for later messages`() throws {
        try OutboxPair.play(8) { world, pair in
            let channel = pair.channel
            _ = try await pair.deliver("seen", from: pair.bob)
            await world.pass()
            let seen = try await pair.alice.channel(channel).lastMessage?.createdAt
            let first = try await pair.alice.markAsRead(channel, through: try #require(seen))
            try await pair.alice.outcome(of: first)
            await world.pass()
            #expect(try await pair.alice.channel(channel).unreadMessageCount == 0)

            await pair.phone.network.cut()
            await world.pass()
            try await pair.alice.markAsRead(channel, through: try #require(seen))
            let mark = try await pair.alice.markAsRead(channel, through: try #require(seen))
            #expect(await pair.alice.pendingChanges(in: channel).count == 1)
            async let outcome = #expect(throws: RoostError.self) {
                try await pair.alice.outcome(of: mark)
            }
            await world.pass()
            _ = try await pair.deliver("unseen", from: pair.bob)
            _ = try await pair.alice.timeline(of: channel)
            try await pair.connect(world, pair.alice)
            #expect(await pair.alice.pendingChanges(in: channel).isEmpty)
            #expect(try await pair.alice.channel(channel).unreadMessageCount == 1)
            #expect(await outcome?.code == .requestCanceled)
        }
    }

    @Test func `two edits of a message in flight are one on the wire`() throws {
        try OutboxPair.play(9) { world, pair in
            let sent = try await pair.alice.send("one", to: pair.channel)
            let target = MessageTarget.unsent(try #require(sent.requestID))
            let first = try await pair.alice.edit(
                target, in: pair.channel, MessageEdit(text: "two"))
            let second = try await pair.alice.edit(
                target, in: pair.channel, MessageEdit(text: "three"))
            #expect(first == second)
            await world.pass()
            await pair.alice.waitUntilIdle()
            await world.pass()
            let log = try await world.log(of: pair.channel)
            #expect(log.map(\.text) == ["three"])
        }
    }
}
