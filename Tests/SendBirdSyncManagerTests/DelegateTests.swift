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
    /// All calls from inside each method of each delegate.
    struct Delegates {
        /// A delegate that implements all methods.
        private final class Observer: SBDConnectionDelegate, SBDChannelDelegate,
            SBSMChannelCollectionDelegate, SBSMMessageCollectionDelegate
        {
            let table: CallTable

            init(_ table: CallTable) { self.table = table }

            func didStartReconnection() { table.record(#function) }
            func didSucceedReconnection() { table.record(#function) }
            func didFailReconnection() { table.record(#function) }
            func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage) {
                table.record(#function)
            }
            func channel(_ sender: SBDBaseChannel, didUpdate message: SBDBaseMessage) {
                table.record(#function)
            }
            func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64) {
                table.record(#function)
            }
            func channelWasChanged(_ sender: SBDBaseChannel) { table.record(#function) }
            func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType) {
                table.record(#function)
            }
            func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser) {
                table.record(#function)
            }
            func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser) {
                table.record(#function)
            }
            func channelDidUpdateReadReceipt(_ sender: SBDGroupChannel) { table.record(#function) }
            func channelDidUpdateTypingStatus(_ sender: SBDGroupChannel) { table.record(#function) }
            func collection(
                _ collection: SBSMChannelCollection,
                didReceiveEvent action: SBSMChannelEventAction, channels: [SBDGroupChannel]
            ) { table.record(#function) }
            func collection(
                _ collection: SBSMMessageCollection,
                didReceiveEvent action: SBSMMessageEventAction, messages: [SBDBaseMessage]
            ) { table.record(#function) }
            func collection(
                _ collection: SBSMMessageCollection,
                didReceiveEvent action: SBSMMessageEventAction,
                succeededMessages: [SBDBaseMessage]
            ) { table.record(#function) }
            func collection(
                _ collection: SBSMMessageCollection,
                didReceiveEvent action: SBSMMessageEventAction, pendingMessages: [SBDBaseMessage]
            ) { table.record(#function) }
            func collection(
                _ collection: SBSMMessageCollection,
                didReceiveEvent action: SBSMMessageEventAction, failedMessages: [SBDBaseMessage],
                reason: SBSMFailedMessageEventActionReason
            ) { table.record(#function) }
        }

        /// Returns the actions of Bob, Alice and the network that lead to each method.
        private static func actions(
            _ story: SyncStory, _ dave: ChatClient, _ channel: SBDGroupChannel, _ url: ChannelURL
        ) -> [(method: String, action: () async throws -> Void)] {
            let (bob, network) = (story.bob, story.phone.network)
            func say() async throws -> MessageID {
                let id = try #require(try await bob.send("word", to: url).requestID)
                try await bob.outcome(of: id)
                await story.world.pass()
                return try #require(try await story.world.log(of: url).last?.messageID)
            }
            func write() {
                guard let params = SBDUserMessageParams(message: "mine") else { return }
                channel.sendUserMessage(with: params)
            }
            let event = "collection(_:didReceiveEvent:"
            return [
                ("didStartReconnection()", { await network.cut() }),
                ("didSucceedReconnection()", { await network.cut() }),
                ("channel(_:didReceive:)", { _ = try await say() }),
                (
                    "channel(_:didUpdate:)",
                    { try await bob.edit(try await say(), in: url, text: "word!") }
                ),
                (
                    "channel(_:messageWasDeleted:)",
                    { try await bob.delete(try await say(), in: url) }
                ),
                (
                    "channelWasChanged(_:)",
                    { try await bob.update(url, ChannelUpdateParams(name: "one")) }
                ),
                (
                    "channelWasDeleted(_:channelType:)",
                    { try await bob.deleteChannel(try await story.channel("short")) }
                ),
                ("channel(_:userDidJoin:)", { try await bob.invite(["dave"], to: url) }),
                ("channel(_:userDidLeave:)", { try await dave.leave(url) }),
                ("channelDidUpdateReadReceipt(_:)", { try await bob.markAsRead(url) }),
                ("channelDidUpdateTypingStatus(_:)", { await bob.startTyping(in: url) }),
                (event + "channels:)", { _ = try await story.channel("new") }),
                (event + "messages:)", { _ = try await say() }),
                (event + "succeededMessages:)", { _ = try await say() }),
                (event + "pendingMessages:)", { write() }),
                (
                    event + "failedMessages:reason:)",
                    {
                        try await bob.setFrozen(true, url)
                        await story.world.pass()
                        write()
                        await story.world.pass()
                        try await bob.setFrozen(false, url)
                    }
                ),
            ]
        }

        /// Lets the server refuse, then accept; a user who has logged in before is not asked again.
        private static func refuse(_ story: SyncStory) async throws {
            let table = CallTable()
            SBDMain.door.call(on: table.queue(story.world))
            Reentry.add(aboutTheLibraryTo: table)
            let observer = Observer(table)
            SBDMain.add(observer as any SBDConnectionDelegate, identifier: "observer")
            await story.world.setToken("secret", of: "alice")
            let wrong = { SBDMain.connect(withUserId: "alice", accessToken: "wrong") }
            try await table.play("didFailReconnection()", happen: wrong) {
                await story.world.pass(.seconds(20))
            }
            let user: SBDUser? = await story.wait { done in
                SBDMain.connect(withUserId: "alice", accessToken: "secret") { user, _ in
                    done(user)
                }
            }
            #expect(user?.userId == "alice")
        }

        @Test
        func `every call works inside every method of every delegate (scar 138)`() throws {
            try SyncStory.play(seed: 82) { story in
                let table = CallTable()
                await story.world.add(User(id: "dave"))
                let dave = try await story.world.launch(story.world.device(of: "dave"))
                try await dave.connect()
                let url = try await story.channel("train")
                try await Self.refuse(story)
                SBDMain.door.call(on: table.queue(story.world))
                await story.connect()
                let channel = try await story.get(url)
                let shelf = Reentry.Shelf()
                Reentry.add(aboutTheLibraryTo: table)
                Reentry.add(changeLogsTo: table, channel)
                table.add("sendUserMessage") { called in
                    guard let params = SBDUserMessageParams(message: "hi") else { return }
                    channel.sendUserMessage(with: params) { _, _ in called() }
                }
                Reentry.add(collectionsTo: table, channel, shelf)
                table.add("disconnect") { called in SBDMain.disconnect { called() } }

                let observer = Observer(table)
                SBDMain.add(observer as any SBDConnectionDelegate, identifier: "observer")
                SBDMain.add(observer as any SBDChannelDelegate, identifier: "observer")
                let query = SBDGroupChannel.createMyGroupChannelListQuery()
                query?.includeEmptyChannel = true
                let list = try #require(SBSMChannelCollection(query: query))
                list.delegate = observer
                list.fetch()
                let chat = SBSMMessageCollection(
                    channel: channel, filter: nil, viewpointTimestamp: Int64.max)
                chat.delegate = observer
                chat.fetch(in: .previous)
                await story.world.pass()
                let actions = Self.actions(story, dave, channel, url)
                let methods = try CallTable.delegateMethods(of: "SendBirdSDK")
                    .union(CallTable.delegateMethods(of: "SendBirdSyncManager"))
                #expect(Set(actions.map(\.method)).union(["didFailReconnection()"]) == methods)
                for (method, action) in actions {
                    try await table.play(method, happen: action) {
                        await story.world.pass(.seconds(5))
                        story.phone.network.restore()
                        await story.connect()
                        await story.world.pass(.seconds(20))
                        shelf.things = []
                        await story.connect()
                        await story.world.pass(.seconds(5))
                    }
                }
                list.remove()
                chat.remove()
                await dave.close()
            }
        }
    }
}
