// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import Testing

/// Changes of channels that wait in the outbox, in virtual time.
struct ChannelChangeTests {
    private static func urls(_ list: ChannelList) async -> [ChannelURL] {
        await list.snapshot.channels.map(\.url)
    }

    @Test func `a hidden channel vanishes without a connection, and stays hidden (scar 15)`() throws
    {
        try OutboxPair.play(31) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let list = try await alice.channelList()
            #expect(await Self.urls(list) == [channel])
            await pair.phone.network.cut()
            await world.pass()
            let id = try await alice.hide(channel)
            await world.pass(.seconds(1))
            #expect(await Self.urls(list).isEmpty)
            // The cache has the server's state; the channel shows the change.
            #expect(try await alice.cachedChannel(channel)?.hiddenState == .unhidden)
            let shown = try await alice.channel(channel)
            #expect(shown.hiddenState == .untilNextMessage)
            #expect(shown.pendingChanges.map(\.id) == [id])

            await alice.close()
            let again = try await world.launch(pair.phone)
            let next = try await again.channelList()
            #expect(await Self.urls(next).isEmpty)
            try await pair.connect(world, again)
            try await again.outcome(of: id)
            #expect(try await again.cachedChannel(channel)?.hiddenState == .untilNextMessage)
            #expect(try await again.channel(channel).pendingChanges.isEmpty)
            #expect(await Self.urls(next).isEmpty)
            await again.close()
        }
    }

    @Test func `an unhidden channel appears in a list whose disk still hides it`() throws {
        try OutboxPair.play(32) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            try await alice.outcome(of: try await alice.hide(channel, allowsAutoUnhide: false))
            let list = try await alice.channelList()
            #expect(await Self.urls(list).isEmpty)
            await pair.phone.network.cut()
            await world.pass()
            try await alice.unhide(channel)
            await world.pass(.seconds(1))
            #expect(await Self.urls(list) == [channel])
            // A list that is opened now shows it, too.
            let second = try await alice.channelList()
            #expect(await Self.urls(second) == [channel])
            try await pair.connect(world, alice)
            #expect(await Self.urls(list) == [channel])
            #expect(await list.snapshot.channels.first?.pendingChanges.isEmpty == true)
        }
    }

    @Test func `a new name is shown with its mark, and all members get it later`() throws {
        try OutboxPair.play(33) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let list = try await alice.channelList()
            await pair.phone.network.cut()
            await world.pass()
            let first = try await alice.update(channel, ChannelUpdateParams(name: "one"))
            let second = try await alice.update(
                channel, ChannelUpdateParams(name: "two", data: "d"))
            let third = try await alice.update(channel, ChannelUpdateParams(data: "e"))
            // The second edit leaves nothing of the first one; the third replaces a part only.
            #expect(await alice.pendingChanges(in: channel).map(\.id) == [second, third])
            #expect(first != second)
            func shown() async -> GroupChannel? { await list.snapshot.channels.first }
            await world.pass(.seconds(1))
            #expect(await shown()?.pendingChanges.map(\.id) == [second, third])
            #expect(await shown()?.name == "two")
            #expect(await shown()?.data == "e")
            try await pair.connect(world, alice)
            #expect(await shown()?.name == "two")
            #expect(await shown()?.pendingChanges.isEmpty == true)
            let bobs = try #require(try await pair.bob.cachedChannel(channel))
            #expect(bobs.name == "two" && bobs.data == "e")
        }
    }

    @Test func `a refused change is rolled back, and kept as data until it is acknowledged`() throws
    {
        try OutboxPair.play(34) { world, pair in
            let (alice, bob, channel) = (pair.alice, pair.bob, pair.channel)
            await world.pass()
            let list = try await bob.channelList()
            // Only operators may mute.
            let id = try await bob.mute("alice", in: channel)
            await #expect(throws: RoostError.self) { try await bob.outcome(of: id) }
            let refusal = try #require(await bob.refusals(in: channel).first)
            #expect(refusal.change.id == id)
            #expect(
                refusal.change.action == .channel(.mute("alice", for: nil, reason: "")))
            #expect(refusal.reason == .notAuthorized)
            #expect(refusal.heldChannel == (try await bob.cachedChannel(channel)))
            #expect(refusal.heldChannel?.members.contains { $0.isMuted } == false)
            await world.pass()
            #expect(await list.snapshot.channels.first?.pendingChanges.isEmpty == true)
            try await alice.outcome(
                of: alice.update(channel, ChannelUpdateParams(customType: "t")))
            await bob.cancel(id)
            #expect(await bob.refusals().isEmpty)
        }
    }

    @Test func `a refusal survives a relaunch and the loss of the cache (scar 40)`() throws {
        try OutboxPair.play(35) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            await pair.phone.network.cut()
            await world.pass()
            let id = try await alice.pinMessage(123, in: channel)
            try await pair.connect(world, alice)
            #expect(await alice.refusals().map(\.change.id) == [id])
            try await alice.clearCache(includingUnsent: false)
            await alice.close()
            let again = try await world.launch(pair.phone)
            let refusal = try #require(await again.refusals().first)
            #expect(refusal.change.action == .channel(.pin(123)))
            #expect(refusal.heldChannel == nil)
            await again.cancel(id)
            await again.close()
            let last = try await world.launch(pair.phone)
            #expect(await last.refusals().isEmpty)
            await last.close()
        }
    }

    @Test func `the user leaves after everything that waits in the channel (scar 12)`() throws {
        try OutboxPair.play(36) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let list = try await alice.channelList()
            await pair.phone.network.cut()
            await world.pass()
            let id = try await alice.leave(channel)
            await world.pass(.seconds(1))
            #expect(await Self.urls(list).isEmpty)
            #expect(try await alice.leave(channel) == id)
            let sent = try await alice.send("last words", to: channel)
            let requestID = try #require(sent.requestID)
            try await alice.addReaction("wave", to: .unsent(requestID), in: channel)
            try await alice.update(channel, ChannelUpdateParams(name: "theirs"))
            try await pair.connect(world, alice)
            try await alice.outcome(of: id)
            #expect(await alice.refusals().isEmpty)
            #expect(try await alice.cachedChannel(channel) == nil)
            let log = try await world.log(of: channel)
            #expect(log.map(\.text) == ["last words"])
            #expect(log.first?.details.reactions?.map(\.key) == ["wave"])
            let bobs = try #require(try await pair.bob.cachedChannel(channel))
            #expect(bobs.name == "theirs" && bobs.joinedMemberCount == 1)
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>, [false, true])
    func `a departure does not overtake the deletion of a message of unknown outcome (scar 12)`(
        seed: UInt64, isCut: Bool
    ) throws {
        try OutboxPair.play(600 + seed) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let timeline = try await alice.timeline(of: channel)
            let requestID = try #require(try await alice.send("x", to: channel).requestID)
            await world.pass(.milliseconds(Int64(seed) * 10))
            if isCut { await pair.phone.network.cut() }
            try await alice.delete(.unsent(requestID), in: channel)
            let id = try await alice.leave(channel)
            try await pair.connect(world, alice)
            try await alice.outcome(of: id)
            #expect(try await world.log(of: channel).isEmpty)
            #expect(try await alice.cachedChannel(channel) == nil)
            _ = timeline
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a departure whose answer is lost is made once (scar 11)`(seed: UInt64) throws {
        try OutboxPair.play(400 + seed) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let id = try await alice.leave(channel)
            await world.pass(.milliseconds(Int64(seed) * 8))
            await pair.phone.network.cut()
            await alice.close()
            let again = try await world.launch(pair.phone)
            try await pair.connect(world, again)
            try await again.outcome(of: id)
            #expect(await again.refusals().isEmpty)
            #expect(try await again.cachedChannel(channel) == nil)
            await again.close()
        }
    }

    @Test func `muting, inviting and counting wait for a connection in the order of calls`() throws
    {
        try OutboxPair.play(37) { world, pair in
            let (alice, channel) = (pair.alice, pair.channel)
            let carol = try await world.launch(world.device(of: "carol"))
            try await carol.connect()
            await pair.phone.network.cut()
            await world.pass()
            try await alice.setPushTrigger(.off, of: channel)
            try await alice.setPushTrigger(.mentions, of: channel)
            try await alice.setCountPreference(.off, of: channel)
            try await alice.invite(["carol"], to: channel)
            // The second trigger has replaced the first one.
            let waiting = await alice.pendingChanges(in: channel).map(\.action)
            #expect(
                waiting == [
                    .channel(.setPushTrigger(.mentions)), .channel(.setCountPreference(.off)),
                    .channel(.invite(["carol"])),
                ])
            #expect(try await alice.channel(channel).pushTrigger == .mentions)
            try await pair.connect(world, alice)
            let own = try #require(try await alice.cachedChannel(channel))
            #expect(own.pushTrigger == .mentions && own.countPreference == .off)
            #expect(own.members.map(\.user.id).contains("carol"))
            // A member is invited again without an error.
            try await alice.outcome(of: alice.invite(["carol"], to: channel))
            await carol.close()
        }
    }

    @Test func `at most a hundred changes of a channel wait`() throws {
        try OutboxPair.play(38) { world, pair in
            await pair.phone.network.cut()
            await world.pass()
            for number in 0..<100 {
                try await pair.alice.invite([UserID("u\(number)")], to: pair.channel)
            }
            do throws(RoostError) {
                try await pair.alice.invite(["late"], to: pair.channel)
                Issue.record("The change was taken.")
            } catch {
                #expect(error.code == RoostError.Code.tooManyItems)
            }
            #expect(await pair.alice.pendingChanges(in: pair.channel).count == 100)
        }
    }

    @Test func `at most a hundred changes of a channel wait when calls are made side by side`()
        throws
    {
        try OutboxPair.play(39) { world, pair in
            await pair.phone.network.cut()
            await world.pass()
            let (alice, channel) = (pair.alice, pair.channel)
            let calls = (0..<120).map { number in
                Task(executorPreference: world.executor) { () -> Bool in
                    do throws(RoostError) {
                        try await alice.invite([UserID("u\(number)")], to: channel)
                        return true
                    } catch {
                        #expect(error.code == RoostError.Code.tooManyItems)
                        return false
                    }
                }
            }
            var taken = 0
            for call in calls where await call.value { taken += 1 }
            #expect(taken == 100)
            #expect(await alice.pendingChanges(in: channel).count == 100)
        }
    }
}
