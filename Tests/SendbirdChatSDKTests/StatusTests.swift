// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

@testable import CallSitesV4

extension SendbirdChatTests {
    /// Tests of the states of sending in the delegate of the page's second sample.
    struct Statuses {
        private typealias View = ChatView.CustomViewController

        /// Plays a story with a chat view whose calls are those after the start.
        private static func play(
            seed: UInt64,
            _ story: @escaping @Sendable (DoorStory, ChannelURL, View) async throws -> Void
        ) throws {
            try DoorStory.play(seed: seed) { play in
                let url = try await play.channel("train")
                await play.connect()
                let view = try #require(View(coder: NSCoder()))
                view.channel = try await play.get(url)
                view.createMessageCollection()
                view.initialize()
                await play.world.pass()
                view.calls = []
                try await story(play, url, view)
                view.dispose()
            }
        }

        /// Returns and removes the calls about messages.
        private static func calls(of view: View) -> [String] {
            defer { view.calls = [] }
            return view.calls.filter { !$0.hasPrefix("channel") }
        }

        @Test
        func `a waiting message is updated to canceled, then deleted (R104, R105)`() throws {
            try Self.play(seed: 91) { story, url, view in
                await story.phone.network.cut()
                let unsent = try #require(view.channel).sendUserMessage("never")
                await story.world.pass()
                #expect(Self.calls(of: view) == ["added pending"])
                view.channel?.deleteMessage(unsent)
                await story.world.pass()
                #expect(Self.calls(of: view) == ["updated canceled", "deleted otherwise"])
                #expect(view.shown.isEmpty)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).isEmpty)
            }
        }

        @Test
        func `a refused message is updated to failed, and to pending by a resend (R104, R105)`()
            throws
        {
            try Self.play(seed: 92) { story, url, view in
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                let channel = try #require(view.channel)
                channel.sendUserMessage("late")
                await story.world.pass()
                #expect(Self.calls(of: view) == ["added pending", "updated failed"])
                let failed = try #require(view.collection?.failedMessages.first as? UserMessage)
                try await story.bob.setFrozen(false, url)
                await story.world.pass()
                view.calls = []
                channel.resendUserMessage(failed)
                await story.world.pass()
                #expect(Self.calls(of: view) == ["updated pending", "updated succeeded"])
                #expect(try await story.world.log(of: url).map(\.text) == ["late"])
            }
        }

        @Test(arguments: [false, true])
        func `a failed message that the app removes is deleted as failed (R105)`(all: Bool) throws {
            try Self.play(seed: 93) { story, url, view in
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                view.channel?.sendUserMessage("no")
                await story.world.pass()
                view.calls = []
                let collection = try #require(view.collection)
                let failed = collection.failedMessages
                #expect(failed.map(\.message) == ["no"])
                let error: SBError? = await story.wait { done in
                    if all {
                        collection.removeAllFailed(completionHandler: done)
                    } else {
                        collection.removeFailed(messages: failed) { ids, error in
                            #expect(ids == failed.map(\.requestId))
                            done(error)
                        }
                    }
                }
                #expect(error == nil)
                await story.world.pass()
                #expect(Self.calls(of: view) == ["deleted failed"])
                #expect(collection.failedMessages.isEmpty)
                #expect(view.shown.isEmpty)
            }
        }

        @Test
        func `the contexts of a canceled message name their source (R104, R109)`() throws {
            let waiting = Message(
                delivery: .unsent("r-1", .pending), channelURL: "c",
                createdAt: Timestamp(milliseconds: 1), content: .user(text: "hi"))
            var change = ListDiff<Message>()
            change.deleted = [waiting]
            change.origins = [.local]
            let steps = change.withCancellations
            try #require(steps.count == 2)
            #expect(steps[0].updated.map(\.after.status) == [.canceled])
            #expect(steps[0].deleted.isEmpty)
            #expect(steps[1].deleted.map(\.status) == [.canceled])
            #expect(steps.allSatisfy { $0.origins == [.local] })
            let update = try #require(steps[0].updated.first)
            #expect(CollectionEventSource(update, [.local]) == .localMessageCanceled)
            #expect(
                CollectionEventSource(removed: steps[1].deleted[0], [.local])
                    == .localMessageCanceled)
        }
    }
}
