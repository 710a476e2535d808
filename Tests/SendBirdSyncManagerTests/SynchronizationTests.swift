// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

extension SendBirdTests {
    /// Tests of the background synchronization of a message collection around its viewpoint.
    struct Synchronization {
        private typealias View = ChatScreen

        /// Fetches pages in both directions, and returns their errors.
        private static func fetch(
            _ pages: Int, _ view: View, _ story: SyncStory
        ) async -> [SBDError] {
            var errors: [SBDError] = []
            for direction in [SBSMMessageDirection.previous, .next] {
                for _ in 0..<pages {
                    let error: SBDError? = await story.wait { done in
                        view.messageCollection.fetch(in: direction) { (error: SBDError?) in
                            done(error)
                        }
                    }
                    if let error { errors.append(error) }
                }
            }
            return errors
        }

        /// Imports numbered messages, and returns them.
        private static func fill(
            _ url: ChannelURL, _ count: Int, _ story: SyncStory
        ) async throws -> [Message] {
            for first in stride(from: 1, to: count, by: 100) {
                let texts = (first..<first + 100).map(String.init)
                let age = Int64(count - first)
                #expect(
                    await story.world.importTexts(texts, of: "bob", into: url, secondsAgo: age))
            }
            return try await story.world.log(of: url)
        }

        private static func view(
            _ story: SyncStory, _ url: ChannelURL, at viewpoint: Int64 = .max
        ) async throws -> View {
            View(channel: try await story.get(url), viewpointTimestamp: viewpoint)
        }

        @Test(arguments: [false, true])
        func
            `the synchronization begins at the viewpoint, in both directions (R177, R185)`(
                isMoved: Bool
            ) throws
        {
            try SyncStory.play(seed: 61) { story in
                let url = try await story.channel("train")
                let log = try await Self.fill(url, 4_000, story)
                await story.connect()
                let viewpoint = log[999].createdAt.milliseconds
                let view = try await Self.view(story, url, at: isMoved ? .max : viewpoint)
                if isMoved { view.messageCollection.resetViewpointTimestamp(viewpoint) }
                view.viewDidLoad()
                await story.world.pass(.seconds(1))
                await story.phone.network.cut()
                let before = view.shown.count
                #expect(await Self.fetch(3, view, story).isEmpty)
                #expect(view.shown.count == before + 6 * 40)
                let first = try #require(view.shown.first.flatMap { Int($0) })
                #expect(view.shown == (first..<first + view.shown.count).map(String.init))
                #expect(first < 900 && first + view.shown.count > 1_100)
                view.close()
            }
        }

        @Test func `a paused synchronization begins at the new viewpoint (R161, R185)`() throws {
            try SyncStory.play(seed: 62) { story in
                let url = try await story.channel("train")
                let log = try await Self.fill(url, 4_000, story)
                await story.connect()
                let view = try await Self.view(story, url)
                await story.world.pass(.milliseconds(500))
                SBSMSyncManager.pauseSynchronize()
                await story.world.pass()
                view.messageCollection.resetViewpointTimestamp(log[499].createdAt.milliseconds)
                let before = story.phone.network.requestCount
                await story.world.pass(.seconds(10))
                #expect(story.phone.network.requestCount == before)
                SBSMSyncManager.resumeSynchronize()
                await story.world.pass(.seconds(1))
                await story.phone.network.cut()
                view.viewDidLoad()
                await story.world.pass()
                #expect(await Self.fetch(3, view, story).isEmpty)
                #expect(view.shown.contains("400") && view.shown.contains("600"))
                view.close()
            }
        }

        @Test func `the synchronization begins anew after the cache was cleared (R178)`() throws {
            try SyncStory.play(seed: 66) { story in
                let url = try await story.channel("train")
                _ = try await Self.fill(url, 400, story)
                await story.connect()
                let view = try await Self.view(story, url)
                view.viewDidLoad()
                await story.world.pass(.seconds(60))
                let client = try await SBDMain.door.client()
                func isWhole() async throws -> Bool { try await client.holes(in: url).isEmpty }
                #expect(try await isWhole())
                SBSMSyncManager.clearCache()
                await story.world.pass(.milliseconds(1))
                #expect(try await !isWhole())
                await story.world.pass(.seconds(60))
                #expect(try await isWhole())
                view.close()
            }
        }

        /// Returns a collection in mid-history without a connection, of whose channel the cache has
        /// what is shown; pages in both directions have failed.
        private static func cutOff(_ story: SyncStory) async throws -> View {
            let url = try await story.channel("train")
            let log = try await Self.fill(url, 400, story)
            await story.connect()
            SBSMSyncManager.pauseSynchronize()
            // Between two messages, so that the shown pages are all that is fetched.
            let viewpoint = log[199].createdAt.milliseconds + 1
            let view = try await Self.view(story, url, at: viewpoint)
            view.viewDidLoad()
            await story.world.pass()
            await story.phone.network.cut()
            let errors = await Self.fetch(2, view, story)
            #expect(errors.count == 4)
            view.events = []
            return view
        }

        private static func numbers(_ view: View) -> [Int] { view.shown.compactMap { Int($0) } }

        @Test
        func `a page that failed without a connection is inserted after the reconnection (R183)`()
            throws
        {
            try SyncStory.play(seed: 63) { story in
                let view = try await Self.cutOff(story)
                let before = Self.numbers(view)
                let (first, last) = (try #require(before.first), try #require(before.last))
                await story.world.pass(.seconds(60))
                #expect(view.events.isEmpty)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                // One page in each direction, however often it was asked for.
                #expect(view.events == ["insert 40", "insert 40"])
                #expect(Self.numbers(view) == Array(first - 40...last + 40))
                await story.phone.network.cut()
                await story.world.pass(.seconds(60))
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.events == ["insert 40", "insert 40"])
                view.close()
            }
        }

        @Test(arguments: [false, true])
        func `no page follows after a new viewpoint or the end of a collection (R183, R185)`(
            isRemoved: Bool
        ) throws {
            try SyncStory.play(seed: 64) { story in
                let view = try await Self.cutOff(story)
                if isRemoved {
                    view.messageCollection.remove()
                    // The guide's screen moves its collection after each reconnection.
                    view.messageCollection.resetViewpointTimestamp(Int64.max)
                    let error: SBDError? = await story.wait { done in
                        view.messageCollection.fetch(in: .previous) { (error: SBDError?) in
                            done(error)
                        }
                    }
                    #expect(error?.code == RoostError.Code.collectionDisposed.rawValue)
                } else {
                    view.messageCollection.resetViewpointTimestamp(Int64.max)
                    await story.world.pass()
                    #expect(view.events == ["clear"])
                    view.events = []
                }
                let requests = story.phone.network.requestCount
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.events.isEmpty)
                // The login reads the list of channels and the change logs, and no page.
                #expect(story.phone.network.requestCount - requests <= 4)
                view.close()
            }
        }

        @Test
        func `a page that the app fetches itself after a failure follows once (R183)`() throws {
            try SyncStory.play(seed: 65) { story in
                let view = try await Self.cutOff(story)
                let first = try #require(Self.numbers(view).first)
                story.phone.network.restore()
                for _ in 0..<1_000 where SBDMain.getConnectState() != .open {
                    await story.world.pass(.milliseconds(10))
                }
                view.messageCollection.fetch(in: .previous)
                await story.world.pass(.seconds(60))
                let shown = Self.numbers(view)
                let oldest = try #require(shown.first)
                // The app's fetch is either the missed page or the one after it.
                #expect(oldest == first - 40 || oldest == first - 80)
                #expect(shown == Array(oldest..<oldest + shown.count))
                view.close()
            }
        }
    }
}
