// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

@testable import CallSitesV4

extension SendbirdChatTests {
    /// Tests of a chat view between the handler of the cache and that of the server.
    struct SlowServer {
        private typealias View = ChatView.CustomViewController

        /// Plays a story in which Alice opens a chat view whose last 80 messages are on disk, and
        /// the server's answer does not come.
        private static func play(
            seed: UInt64, _ weather: Weather,
            _ story: @escaping @Sendable (DoorStory, ChannelURL, View) async throws -> Void
        ) throws {
            try DoorStory.play(seed: seed) { play in
                let url = try await play.channel("train")
                for number in 1...100 { try await play.bob.send("m\(number)", to: url) }
                await play.bob.waitUntilIdle()
                await play.connect()
                let view = try #require(View(coder: NSCoder()))
                view.channel = try await play.get(url)
                view.createMessageCollection()
                view.initialize()
                await play.world.pass()
                view.loadPrevious()
                await play.world.pass()
                #expect(view.shown == texts(21...100))
                view.dispose()

                play.phone.network.weather = weather
                view.calls = []
                view.createMessageCollection()
                view.initialize()
                await play.world.pass(.milliseconds(100))
                #expect(view.calls == ["cache 40"])
                try await story(play, url, view)
                view.dispose()
            }
        }

        private static let slow = {
            var weather = Weather()
            weather.slowAnswer = 1_000
            return weather
        }()

        private static let deaf = {
            var weather = Weather()
            weather.lostRequest = 1_000
            return weather
        }()

        private static func texts(_ numbers: ClosedRange<Int>) -> [String] {
            numbers.map { "m\($0)" }
        }

        /// Lets Bob write and edit, lets Alice write, and loads a page that is on disk.
        private static func live(
            _ story: DoorStory, _ url: ChannelURL, _ view: View
        ) async throws {
            let last = try #require(try await story.world.log(of: url)[99].messageID)
            try await story.bob.send("live", to: url)
            try await story.bob.edit(last, in: url, text: "m100!")
            await story.bob.waitUntilIdle()
            view.channel?.sendUserMessage("mine")
            view.loadPrevious()
            await story.world.pass(.milliseconds(300))
            #expect(view.calls.filter { $0.hasPrefix("api") } == [])
            let updates = view.calls.filter { $0 == "updated succeeded" }
            #expect(updates.count == 2, "the edit, and the own message that was sent")
            #expect(view.calls.filter { $0.hasPrefix("added") }.count == 2)
            #expect(view.shown == texts(21...100) + ["live", "mine"])
            #expect(view.collection?.succeededMessages.map(\.message).last == "mine")
            #expect(view.collection?.pendingMessages.isEmpty == true)
        }

        @Test
        func
            `live and own messages and pages on disk do not wait for the server's answer (R97, R105 to R107, R155, scar 68)`()
            throws
        {
            try Self.play(seed: 293, Self.slow) { story, url, view in
                try await Self.live(story, url, view)
                view.calls = []
                await story.world.pass(.seconds(60))
                // The answer contains all of it, and the delegate gets nothing twice.
                #expect(view.calls.filter { !$0.hasPrefix("channel") }.count == 1)
                #expect(view.calls.contains { $0.hasPrefix("api") })
                #expect(Array(view.shown.suffix(3)) == ["m100!", "live", "mine"])
                #expect(
                    view.shown == view.collection?.succeededMessages.map(\.message))
            }
        }

        @Test
        func `a failed answer of the server takes back nothing and repeats nothing (R105, R155)`()
            throws
        {
            try Self.play(seed: 291, Self.deaf) { story, url, view in
                try await Self.live(story, url, view)
                view.calls = []
                await story.world.pass(.seconds(30))
                #expect(view.calls.filter { !$0.hasPrefix("channel") } == ["api -1"])
                story.phone.network.weather = .calm
                await story.world.pass(.seconds(120))
                #expect(view.calls.filter { $0.hasPrefix("added") } == [])
                #expect(view.shown == Self.texts(21...100) + ["live", "mine"])
                #expect(
                    view.collection?.succeededMessages.map(\.message)
                        == Self.texts(21...99) + ["m100!", "live", "mine"])
            }
        }

        @Test
        func `a chat view's channel is watched while the server's answer is awaited (R109)`()
            throws
        {
            try Self.play(seed: 292, Self.slow) { story, url, view in
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "express")), in: url)
                await story.world.pass(.milliseconds(300))
                #expect(view.calls == ["cache 40", "channel express"])
            }
        }
    }
}
