// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    /// Collections and delegates that the app closes or removes inside a call of theirs.
    struct Leaving {
        /// A delegate that closes its collection, or sets it free, in a call for changed messages.
        private final class Screen: MessageCollectionDelegate {
            private let leave: (MessageCollection) -> Void
            var calls: [String] = []

            init(_ leave: @escaping (MessageCollection) -> Void) { self.leave = leave }

            func messageCollection(
                _ collection: MessageCollection, context: MessageContext,
                channel: SendbirdChatSDK.GroupChannel, addedMessages messages: [BaseMessage]
            ) { calls.append("added") }
            func messageCollection(
                _ collection: MessageCollection, context: MessageContext,
                channel: SendbirdChatSDK.GroupChannel, updatedMessages messages: [BaseMessage]
            ) {
                calls.append("updated")
                leave(collection)
            }
            func messageCollection(
                _ collection: MessageCollection, context: MessageContext,
                channel: SendbirdChatSDK.GroupChannel, deletedMessages messages: [BaseMessage]
            ) { calls.append("deleted") }
        }

        enum Way: CaseIterable { case dispose, delegate }

        @Test(arguments: Way.allCases)
        func `a collection closed in a call gets no other call of the same event (R102, scar 136)`(
            way: Way
        ) throws {
            try DoorStory.play(seed: 211) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let collection = SendbirdChat.createMessageCollection(channel: channel)
                let screen = Screen { collection in
                    switch way {
                    case .dispose: collection.dispose()
                    case .delegate: collection.delegate = nil
                    }
                }
                collection.delegate = screen
                let _: SBError? = await story.wait { done in
                    collection.startCollection(
                        initPolicy: .cacheAndReplaceByApi, apiResultHandler: { done($1) })
                }
                await story.phone.network.cut()
                let unsent = channel.sendUserMessage("never")
                await story.world.pass()
                channel.deleteMessage(unsent)
                await story.world.pass()
                #expect(screen.calls == ["added", "updated"])
                collection.dispose()
            }
        }

        private final class Listener: BaseChannelDelegate {
            private let act: () -> Void
            var count = 0

            init(_ act: @escaping () -> Void = {}) { self.act = act }

            func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {
                count += 1
                act()
            }
        }

        @Test
        func `a channel delegate removed by another one does not get the event (scar 136)`()
            throws
        {
            try DoorStory.play(seed: 212) { story in
                let url = try await story.channel("train")
                await story.connect()
                let first = Listener {
                    SendbirdChat.removeChannelDelegate(forIdentifier: "second")
                }
                let (second, third) = (Listener(), Listener())
                for (name, listener) in [("first", first), ("second", second), ("third", third)] {
                    SendbirdChat.addChannelDelegate(listener, identifier: name)
                }
                try await story.bob.send("hello", to: url)
                await story.world.pass()
                #expect([first, second, third].map(\.count) == [1, 0, 1])
                SendbirdChat.removeAllChannelDelegates()
            }
        }
    }
}
