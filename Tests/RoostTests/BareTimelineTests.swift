// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import RoostTransport
import Testing

/// Timelines without any message.
///
/// A user cannot scroll in an empty list, so they fetch by themselves.
struct BareTimelineTests {
    @Test(arguments: [false, true])
    func `after a history reset during an absence, later messages are shown (scars 59, 85)`(
        isHidden: Bool
    ) throws {
        try SimulatedWorld.play(seed: 3) { world in
            let pair = try await Pair(world, world.device(of: "alice"), world.device(of: "bob"))
            let tablet = try await world.launch(world.device(of: "alice"))
            try await tablet.connect()
            for text in ["one", "two", "three"] { try await pair.bob.send(text, to: pair.channel) }
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            #expect(await timeline.snapshot.messages.count == 3)
            try await pair.during(true, world) {
                if isHidden {
                    try await tablet.hideNow(pair.channel, hidesPrevious: true)
                } else {
                    try await tablet.resetHistory(of: pair.channel)
                }
                try await pair.bob.send("after", to: pair.channel)
            }
            let shown = await timeline.snapshot
            #expect(shown.messages.map(\.text) == ["after"])
            #expect(!shown.hasOlder && !shown.hasNewer)
        }
    }

    @Test(arguments: [false, true])
    func `after the deletion of the last shown message, the one before it is fetched`(
        isOffline: Bool
    ) throws {
        try SimulatedWorld.play(seed: 4) { world in
            let pair = try await Pair(
                world, world.device(of: "alice", pageSize: 1), world.device(of: "bob"))
            for text in ["one", "two", "three"] { try await pair.bob.send(text, to: pair.channel) }
            await world.pass()
            // The phone has only the last message.
            try await pair.alice.clearCache(of: pair.channel)
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            let last = try #require(await timeline.snapshot.messages.last?.messageID)
            #expect(await timeline.snapshot.messages.map(\.text) == ["three"])
            try await pair.during(isOffline, world) {
                try await pair.bob.delete(last, in: pair.channel)
            }
            #expect(await timeline.snapshot.messages.map(\.text) == ["two"])
        }
    }

    @Test func `a client refused at its return catches up later`() throws {
        try SimulatedWorld.play(seed: 5) { world in
            let isRefused = Guarded(false)
            let phone = world.device(of: "alice")
            let alice = try await world.launch(phone) { line in
                Watch(
                    line,
                    answer: { url in
                        guard url.contains("/messages?") else { return nil }
                        return isRefused.withLock { isRefused in
                            defer { isRefused = false }
                            return isRefused ? .notAMember : nil
                        }
                    },
                    hold: { url in
                        guard url.contains("/messages?"), isRefused.withLock({ $0 }) else { return }
                        await world.pass(.seconds(10))
                    })
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            try await bob.send("before", to: url)
            let timeline = try await alice.timeline(of: url)
            await world.pass()
            try await alice.makeNow(.leave, in: url)
            await world.pass()
            #expect(await timeline.snapshot.messages.isEmpty)
            // The link comes back, and the timeline asks for a channel without her.
            isRefused.withLock { $0 = true }
            await phone.network.cut()
            phone.network.restore()
            await world.pass()
            try await bob.makeNow(.invite(["alice"]), in: url)
            await world.pass(.seconds(30))
            #expect(!isRefused.withLock { $0 })
            #expect(await timeline.snapshot.messages.map(\.text) == ["before"])
        }
    }

    @Test func `a deletion reported after a gap answer repeats the gap question (scar 85)`() throws
    {
        try SimulatedWorld.play(seed: 6) { world in
            let isCounted = Guarded(false)
            let phone = world.device(of: "alice")
            let alice = try await world.launch(phone) { line in
                // The server counts one message, the cache has one, and they differ.
                Watch(line) { url in
                    guard url.contains("/messages_gap?") else { return nil }
                    return isCounted.withLock { isCounted in
                        defer { isCounted = true }
                        return isCounted ? nil : .nothingMissing
                    }
                }
            }
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            try await bob.send("one", to: url)
            await world.pass()
            let timeline = try await alice.timeline(of: url)
            await world.pass()
            let one = try #require(await timeline.snapshot.messages.first?.messageID)
            await phone.network.cut()
            try await bob.send("two", to: url)
            await world.pass()
            phone.network.restore()
            await world.pass(.seconds(30))
            #expect(await timeline.snapshot.messages.map(\.text) == ["one"])
            try await bob.delete(one, in: url)
            await world.pass()
            #expect(await timeline.snapshot.messages.map(\.text) == ["two"])
        }
    }
}

extension HTTPResponse {
    fileprivate static let notAMember = HTTPResponse(
        status: 400,
        body: Array(#"{"error":true,"code":900020,"message":"Only members may do this."}"#.utf8))

    fileprivate static let nothingMissing = HTTPResponse(
        status: 200,
        body: Array(
            (#"{"is_huge_gap":false,"prev_messages":[],"prev_hasmore":false,"#
                + #""is_continuous_prev_messages":true,"next_messages":[],"next_hasmore":false,"#
                + #""is_continuous_next_messages":true}"#).utf8))
}
