// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

struct ExplainingTests {
    private struct Scene {
        let phone: SimulatedWorld.Device
        let alice: ChatClient
        let bob: ChatClient
        let channel: ChannelURL

        init(_ world: SimulatedWorld, messages: ClosedRange<Int>) async throws {
            bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            channel = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            phone = world.device(of: "alice", pageSize: 10)
            alice = try await world.launch(phone)
            try await alice.connect()
            await world.pass()
            try await write(messages, world)
        }

        /// Writes messages ten seconds apart, so that a length of time gives their number.
        func write(_ numbers: ClosedRange<Int>, _ world: SimulatedWorld) async throws {
            for number in numbers {
                try await bob.send("\(number)", to: channel)
                await world.pass(.seconds(10))
            }
        }
    }

    @Test func `holes have their reason, the server's count and the last attempt`() throws {
        try SimulatedWorld.play(seed: 1) { world in
            let scene = try await Scene(world, messages: 1...30)
            let fresh = world.device(of: "alice", pageSize: 10)
            let alice = try await world.launch(fresh)
            let nothing = try await alice.holes(in: scene.channel)
            #expect(nothing.map(\.reason) == [.neverFetched])
            #expect(nothing[0].lastAttempt == nil)
            #expect(try await alice.countedHoles(in: scene.channel) == nothing)
            #expect(nothing[0].size == .unknown && nothing[0].requests == nil)

            try await alice.connect()
            let timeline = try await alice.timeline(of: scene.channel)
            await world.pass()
            let top = try await alice.holes(in: scene.channel)
            #expect(top.map(\.reason) == [.notPagedTo])
            #expect(top[0].lastAttempt != nil && top[0].lastAttempt?.failure == nil)
            // Nothing is computed from times: the size is unknown until the server has counted.
            #expect(top[0].size == .unknown)
            let counted = try await alice.countedHoles(in: scene.channel)
            #expect(counted.map(\.size) == [.exactly(20)] && counted[0].requests == 1)
            #expect(try await alice.holes(in: scene.channel) == counted)

            await fresh.network.cut()
            try await scene.write(31...400, world)
            let offline = try await alice.countedHoles(in: scene.channel)
            #expect(offline.map(\.reason) == [.notPagedTo, .notCaughtUp])
            #expect(offline.map(\.size) == [.unknown, .unknown])
            fresh.network.restore()
            await world.pass(.seconds(60))
            #expect(await timeline.snapshot.hasHugeGap)
            try await timeline.jump(to: .distantFuture)
            await world.pass()
            let between = try await alice.countedHoles(in: scene.channel)
            #expect(between.map(\.reason) == [.notPagedTo, .betweenVisits])
            #expect(between.map(\.size) == [.exactly(20), .exactly(360)])
            #expect(between[1].requests == 4)

            let download = await alice.download(DownloadRequest(channels: [scene.channel]))
            await world.pass(.seconds(60))
            #expect(await download.progress.state == .finished)
            #expect(try await alice.holes(in: scene.channel) == [])
        }
    }

    @Test func `a message explains its state: shown, left out, pending, failed, missing`()
        throws
    {
        try SimulatedWorld.play(seed: 2) { world in
            let scene = try await Scene(world, messages: 1...30)
            let fresh = world.device(of: "alice", pageSize: 10)
            let alice = try await world.launch(fresh)
            try await alice.connect()
            let timeline = try await alice.timeline(of: scene.channel)
            await world.pass()
            let log = try await world.log(of: scene.channel)
            let (first, last) = (try #require(log.first?.messageID), try #require(log.last))
            let id = try #require(last.messageID)
            #expect(
                try await alice.explain(id, in: scene.channel)
                    == .cached(try #require(await timeline.snapshot.messages.last), passes: true))
            let mine = MessageFilter(senderIDs: ["alice"])
            guard
                case .cached(_, passes: false) = try await alice.explain(
                    id, in: scene.channel, under: mine)
            else { throw SceneError.unexpected }
            guard case .perhapsIn(let holes) = try await alice.explain(first, in: scene.channel)
            else { throw SceneError.unexpected }
            #expect(holes.count == 1)

            await fresh.network.cut()
            try await alice.send("one", to: scene.channel)
            let second = try await alice.send("two", to: scene.channel)
            let request = try #require(second.requestID)
            #expect(
                try await alice.explain(request, in: scene.channel)
                    == .pending(second, ahead: 1, .connection))
            fresh.network.restore()
            await world.pass(.seconds(60))
            guard
                case .cached(let sent, passes: true) = try await alice.explain(
                    request, in: scene.channel)
            else { throw SceneError.unexpected }
            #expect(sent.text == "two")
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            try await scene.bob.delete(id, in: scene.channel)
            await world.pass()
            #expect(try await alice.explain(id, in: scene.channel) == .notInChannel)
        }
    }

    @Test func `a channel explains why a list leaves it out`() throws {
        try SimulatedWorld.play(seed: 3) { world in
            let scene = try await Scene(world, messages: 1...1)
            let list = try await scene.alice.channelList()
            await world.pass(.seconds(30))
            #expect(await list.snapshot.channels.count == 1)
            #expect(try await scene.alice.explain(scene.channel) == .shown)
            var filter = ChannelFilter()
            filter.customTypes = ["other"]
            filter.isUnread = true
            filter.kind = .super
            #expect(
                try await scene.alice.explain(
                    scene.channel, in: ChannelListQuery(filter))
                    == .leftOut([.kind, .customType]))
            #expect(try await scene.alice.explain("nowhere") == .unknown(isListWhole: true))
        }
    }

    private enum SceneError: Error { case unexpected }
}
