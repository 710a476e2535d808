// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import RoostTransport
import Testing

/// A client's requests when servers misbehave and when many events come at once.
struct PressureTests {
    /// The transport that `launch` put between a client and its network.
    private final class Place: Sendable {
        private let watch = Guarded<Watch?>(nil)

        func put(_ watch: Watch) -> Watch {
            self.watch.withLock { $0 = watch }
            return watch
        }

        func callAsFunction() throws -> Watch { try #require(watch.withLock { $0 }) }
    }

    @Test
    func `a server that repeats one token gets few requests, and other work continues (scar 141)`()
        throws
    {
        try SimulatedWorld.play(seed: 141) { world in
            let place = Place()
            let alice = try await world.launch(world.device(of: "alice")) { line in
                place.put(
                    Watch(line) { url in
                        guard url.contains("/messages/changelogs") else { return nil }
                        let body = #"{"updated":[],"deleted":[],"has_more":true,"next":"again"}"#
                        return HTTPResponse(status: 200, body: Array(body.utf8))
                    })
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let channel = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            for number in 1...5 { try await bob.send("\(number)", to: channel) }
            await world.pass()
            let timeline = try await alice.timeline(of: channel)
            await world.pass(.seconds(600))
            #expect((1...40).contains(try place().urls(with: "changelogs").count))
            try await bob.send("6", to: channel)
            await world.pass()
            #expect(
                await timeline.snapshot.messages.map(\.text) == (1...6).map(String.init))
        }
    }

    @Test func `a burst of joining users costs a few requests, not one each (scar 158)`() throws {
        try SimulatedWorld.play(seed: 158) { world in
            let place = Place()
            let alice = try await world.launch(world.device(of: "alice")) { place.put(Watch($0)) }
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let channel = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            let list = try await alice.channelList()
            await world.pass(.seconds(30))
            try place().reset()
            await withTaskGroup(of: Void.self) { group in
                for number in 1...150 {
                    group.addTask {
                        _ = try? await bob.makeNow(
                            .invite([UserID("guest-\(number)")]), in: channel)
                    }
                }
            }
            await world.pass(.seconds(30))
            #expect(await list.snapshot.channels.first?.memberCount == 152)
            let asked = try place().urls(with: "/group_channels/\(channel.rawValue)")
            #expect(asked.count <= 25)
        }
    }

    @Test func `a channel opened while another one hangs is shown at once (scars 162, 165)`()
        throws
    {
        try SimulatedWorld.play(seed: 162) { world in
            let stuck = Guarded<String?>(nil)
            let alice = try await world.launch(world.device(of: "alice")) {
                [clock = world.executor] line in
                Watch(line) { _ in
                    nil
                } hold: { url in
                    guard let part = stuck.withLock({ $0 }), url.contains(part) else { return }
                    try? await clock.sleep(for: .seconds(9))
                }
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            var channels: [ChannelURL] = []
            for name in ["a", "b"] {
                let url = try await bob.createChannel(
                    ChannelCreateParams(memberIDs: ["alice"], name: name)
                ).url
                try await bob.send(name, to: url)
                channels.append(url)
            }
            await bob.waitUntilIdle()
            stuck.withLock { $0 = channels[0].rawValue }
            try await alice.connect()
            let hanging = try await alice.timeline(of: channels[0])
            let open = try await alice.timeline(of: channels[1])
            await world.pass(.seconds(2))
            #expect(await open.snapshot.messages.map(\.text) == ["b"])
            #expect(await hanging.snapshot.messages.isEmpty)
            await world.pass(.seconds(60))
            #expect(await hanging.snapshot.messages.map(\.text) == ["a"])
        }
    }

    @Test func `channels on screen are caught up before other changed ones (scar 165)`()
        throws
    {
        try SimulatedWorld.play(seed: 165) { world in
            let place = Place()
            let phone = world.device(of: "alice")
            let alice = try await world.launch(phone) { place.put(Watch($0)) }
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            var channels: [ChannelURL] = []
            for number in 0..<60 {
                channels.append(
                    try await bob.createChannel(
                        ChannelCreateParams(memberIDs: ["alice"], name: "\(number)")
                    ).url)
            }
            let timeline = try await alice.timeline(of: channels[7])
            try await bob.send("before", to: channels[7])
            let list = try await alice.channelList()
            await world.pass(.seconds(60))
            await phone.network.cut()
            for channel in channels { try await bob.send("meanwhile", to: channel) }
            await bob.waitUntilIdle()
            try place().reset()
            phone.network.restore()
            try await alice.connect()
            await world.pass(.milliseconds(1_500))
            #expect(await timeline.snapshot.messages.last?.text == "meanwhile")
            await world.pass(.seconds(60))
            #expect(
                await list.snapshot.channels.allSatisfy { $0.lastMessage?.text == "meanwhile" })
            // The channels' change log reports all of them, without a look-up of each.
            #expect(try place().urls(with: "/v3/").count <= 8)
        }
    }

    @Test
    func `timelines and lists closed in a storm of events report nothing more (scar 136)`()
        throws
    {
        try SimulatedWorld.play(seed: 136) { world in
            let alice = try await world.launch(world.device(of: "alice"))
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let channel = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            for round in 1...30 {
                let timeline = try await alice.timeline(of: channel)
                let list = try await alice.channelList()
                let changes = await timeline.changes()
                try await bob.send("\(round)", to: channel)
                try await bob.send("\(round)!", to: channel)
                async let page = try? await timeline.loadOlder()
                await world.pass(.milliseconds(Int64(round) * 7))
                await timeline.close()
                await list.close()
                _ = await page
                let (shown, listed) = (await timeline.snapshot, await list.snapshot)
                try await bob.send("\(round)?", to: channel)
                await world.pass(.milliseconds(300))
                #expect(await timeline.snapshot == shown)
                #expect(await list.snapshot == listed)
                for await _ in changes {}  // It ends.
                await #expect(throws: RoostError.self) { try await timeline.loadOlder() }
                await #expect(throws: RoostError.self) { try await list.loadMore() }
            }
            let timeline = try await alice.timeline(of: channel)
            await world.pass()
            #expect(await timeline.snapshot.messages.count == 40)
        }
    }
}
