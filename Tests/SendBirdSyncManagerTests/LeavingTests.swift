// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

extension SendBirdTests {
    /// Collections and delegates that the app closes or removes inside a call of theirs.
    struct Leaving {
        enum Way: CaseIterable { case remove, delegate }
        enum Moment: String, CaseIterable { case event, succeeded }

        /// A delegate that closes its collection, or sets it free, in a call for removed messages.
        private final class Screen: SBSMMessageCollectionDelegate {
            private let moment: Moment
            private let way: Way
            var calls: [String] = []

            init(_ moment: Moment, _ way: Way) {
                self.moment = moment
                self.way = way
            }

            private func note(
                _ call: String, _ action: SBSMMessageEventAction,
                _ collection: SBSMMessageCollection
            ) {
                guard action == .clear else { return }
                calls.append(call)
                guard call == moment.rawValue else { return }
                switch way {
                case .remove: collection.remove()
                case .delegate: collection.delegate = nil
                }
            }

            func collection(
                _ collection: SBSMMessageCollection,
                didReceiveEvent action: SBSMMessageEventAction, messages: [SBDBaseMessage]
            ) { note("event", action, collection) }
            func collection(
                _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
                succeededMessages: [SBDBaseMessage]
            ) { note("succeeded", action, collection) }
            func collection(
                _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
                pendingMessages: [SBDBaseMessage]
            ) { note("pending", action, collection) }
        }

        @Test(arguments: Moment.allCases, Way.allCases)
        func `a removed collection gets no other call of the same event (scar 136)`(
            moment: Moment, way: Way
        ) throws {
            try SyncStory.play(seed: 138) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                let collection = SBSMMessageCollection(
                    channel: channel, filter: nil, viewpointTimestamp: Int64.max)
                let screen = Screen(moment, way)
                collection.delegate = screen
                let _: SBDError? = await story.wait { done in
                    collection.fetch(in: .previous) { (error: SBDError?) in done(error) }
                }
                await story.phone.network.cut()
                channel.sendUserMessage("2")
                await story.world.pass()
                #expect(collection.succeededMessages.count == 1)
                #expect(collection.pendingMessages.count == 1)
                collection.resetViewpointTimestamp(Int64.max)
                await story.world.pass()
                #expect(screen.calls == (moment == .event ? ["event"] : ["event", "succeeded"]))
                collection.remove()
            }
        }

        /// A delegate of the later collection that disposes of it in a call for changed messages.
        private final class CachingScreen: SBDMessageCollectionDelegate {
            var calls: [String] = []

            func messageCollection(
                _ collection: SBDMessageCollection, context: SBDMessageContext,
                channel: SBDGroupChannel, addedMessages messages: [SBDBaseMessage]
            ) { calls.append("added") }
            func messageCollection(
                _ collection: SBDMessageCollection, context: SBDMessageContext,
                channel: SBDGroupChannel, updatedMessages messages: [SBDBaseMessage]
            ) {
                calls.append("updated")
                collection.dispose()
            }
            func messageCollection(
                _ collection: SBDMessageCollection, context: SBDMessageContext,
                channel: SBDGroupChannel, deletedMessages messages: [SBDBaseMessage]
            ) { calls.append("deleted") }
        }

        @Test
        func `a collection disposed of in a call gets no other call of the event (scar 136)`()
            throws
        {
            try SyncStory.play(seed: 139) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let collection = SBDMessageCollection(
                    channel: channel, startingPoint: LONG_LONG_MAX, params: SBDMessageListParams())
                let screen = CachingScreen()
                collection.delegate = screen
                let _: SBDError? = await story.wait { done in
                    collection.start(
                        with: .cacheAndReplaceByApi, cacheResultHandler: nil,
                        apiResultHandler: { done($1) })
                }
                await story.phone.network.cut()
                let unsent = channel.sendUserMessage("never")
                await story.world.pass()
                channel.delete(unsent, completionHandler: nil)
                await story.world.pass()
                #expect(screen.calls == ["added", "updated"])
                collection.dispose()
            }
        }

        private final class Listener: SBDChannelDelegate {
            private let act: () -> Void
            var count = 0

            init(_ act: @escaping () -> Void = {}) { self.act = act }

            func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage) {
                count += 1
                act()
            }
        }

        @Test
        func `a channel delegate removed by another one does not get the event (scar 136)`()
            throws
        {
            try SyncStory.play(seed: 140) { story in
                let url = try await story.channel("train")
                await story.connect()
                let first = Listener { SBDMain.removeChannelDelegate(forIdentifier: "second") }
                let (second, third) = (Listener(), Listener())
                for (name, listener) in [("first", first), ("second", second), ("third", third)] {
                    SBDMain.add(listener as any SBDChannelDelegate, identifier: name)
                }
                try await story.bob.send("hello", to: url)
                await story.world.pass()
                #expect([first, second, third].map(\.count) == [1, 0, 1])
                SBDMain.removeAllChannelDelegates()
            }
        }
    }
}
