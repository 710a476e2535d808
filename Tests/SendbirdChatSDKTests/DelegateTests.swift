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

extension SendbirdChatTests {
    /// All calls from inside each method of each delegate.
    struct Delegates {
        private typealias Channel = SendbirdChatSDK.GroupChannel

        /// A delegate that implements all methods.
        private final class Observer: ConnectionDelegate, GroupChannelDelegate,
            GroupChannelCollectionDelegate, MessageCollectionDelegate
        {
            let table: CallTable

            init(_ table: CallTable) { self.table = table }

            func didStartReconnection() { table.record(#function) }
            func didSucceedReconnection() { table.record(#function) }
            func didFailReconnection() { table.record(#function) }
            func didConnect(userId: String) { table.record(#function) }
            func didDisconnect(userId: String) { table.record(#function) }
            func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {
                table.record(#function)
            }
            func channel(_ channel: BaseChannel, didUpdate message: BaseMessage) {
                table.record(#function)
            }
            func channel(_ channel: BaseChannel, messageWasDeleted messageId: Int64) {
                table.record(#function)
            }
            func channel(_ channel: BaseChannel, updatedReaction reactionEvent: ReactionEvent) {
                table.record(#function)
            }
            func channelWasChanged(_ channel: BaseChannel) { table.record(#function) }
            func channelWasDeleted(_ channelURL: String, channelType: ChannelType) {
                table.record(#function)
            }
            func channelWasFrozen(_ channel: BaseChannel) { table.record(#function) }
            func channelWasUnfrozen(_ channel: BaseChannel) { table.record(#function) }
            func channel(_ channel: Channel, userDidJoin user: SendbirdChatSDK.User) {
                table.record(#function)
            }
            func channel(_ channel: Channel, userDidLeave user: SendbirdChatSDK.User) {
                table.record(#function)
            }
            func channel(
                _ channel: Channel, didReceiveInvitation invitees: [SendbirdChatSDK.User]?,
                inviter: SendbirdChatSDK.User?
            ) { table.record(#function) }
            func channelDidUpdateTypingStatus(_ channel: Channel) { table.record(#function) }
            func channelDidUpdateReadStatus(_ channel: Channel) { table.record(#function) }
            func channelDidUpdateDeliveryStatus(_ channel: Channel) { table.record(#function) }
            func channelCollection(
                _ collection: GroupChannelCollection, context: ChannelContext,
                addedChannels channels: [Channel]
            ) { table.record(#function) }
            func channelCollection(
                _ collection: GroupChannelCollection, context: ChannelContext,
                updatedChannels channels: [Channel]
            ) { table.record(#function) }
            func channelCollection(
                _ collection: GroupChannelCollection, context: ChannelContext,
                deletedChannelURLs: [String]
            ) { table.record(#function) }
            func messageCollection(
                _ collection: MessageCollection, context: MessageContext, channel: Channel,
                addedMessages messages: [BaseMessage]
            ) { table.record(#function) }
            func messageCollection(
                _ collection: MessageCollection, context: MessageContext, channel: Channel,
                updatedMessages messages: [BaseMessage]
            ) { table.record(#function) }
            func messageCollection(
                _ collection: MessageCollection, context: MessageContext, channel: Channel,
                deletedMessages messages: [BaseMessage]
            ) { table.record(#function) }
            func messageCollection(
                _ collection: MessageCollection, channelContext: ChannelContext,
                updatedChannel channel: Channel
            ) { table.record(#function) }
            func messageCollection(
                _ collection: MessageCollection, channelContext: ChannelContext,
                deletedChannel channelURL: String
            ) { table.record(#function) }
            func didHugeGapDetected(_ collection: MessageCollection) { table.record(#function) }
        }

        /// Returns the actions of Bob and the network that lead to each method.
        private static func actions(
            _ story: DoorStory, _ dave: ChatClient, _ url: ChannelURL, _ doomed: ChannelURL
        ) -> [(method: String, action: @Sendable () async throws -> Void)] {
            let (bob, network) = (story.bob, story.phone.network)
            @Sendable func say() async throws -> MessageID {
                let id = try #require(try await bob.send("word", to: url).requestID)
                try await bob.outcome(of: id)
                await story.world.pass()
                return try #require(try await story.world.log(of: url).last?.messageID)
            }
            let list = "channelCollection(_:context:"
            let chat = "messageCollection(_:context:"
            let itsChannel = "messageCollection(_:channelContext:"
            return [
                ("didStartReconnection()", { await network.cut() }),
                ("didSucceedReconnection()", { await network.cut() }),
                ("didConnect(userId:)", {}),
                ("didDisconnect(userId:)", { SendbirdChat.disconnect() }),
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
                    "channel(_:updatedReaction:)",
                    { try await bob.addReaction("👍", to: .delivered(try await say()), in: url) }
                ),
                (
                    "channelWasChanged(_:)",
                    { try await bob.makeNow(.update(ChannelUpdateParams(name: "one")), in: url) }
                ),
                (
                    "channelWasDeleted(_:channelType:)",
                    { try await bob.deleteChannel(try await story.channel("short")) }
                ),
                ("channelWasFrozen(_:)", { try await bob.setFrozen(true, url) }),
                ("channelWasUnfrozen(_:)", { try await bob.setFrozen(false, url) }),
                ("channel(_:userDidJoin:)", { try await bob.makeNow(.invite(["dave"]), in: url) }),
                ("channel(_:userDidLeave:)", { try await dave.makeNow(.leave, in: url) }),
                (
                    "channel(_:didReceiveInvitation:inviter:)",
                    { try await bob.makeNow(.invite(["erin"]), in: url) }
                ),
                ("channelDidUpdateTypingStatus(_:)", { await bob.startTyping(in: url) }),
                (
                    "channelDidUpdateReadStatus(_:)",
                    { try await bob.markAsReadNow(url, awaitingServer: true) }
                ),
                ("channelDidUpdateDeliveryStatus(_:)", { try await bob.markAsDelivered(url) }),
                (list + "addedChannels:)", { _ = try await story.channel("new") }),
                (
                    list + "updatedChannels:)",
                    { try await bob.makeNow(.update(ChannelUpdateParams(name: "two")), in: url) }
                ),
                (
                    list + "deletedChannelURLs:)",
                    {
                        let short = try await story.channel("short")
                        await story.world.pass()
                        try await bob.deleteChannel(short)
                    }
                ),
                (chat + "channel:addedMessages:)", { _ = try await say() }),
                (
                    chat + "channel:updatedMessages:)",
                    { try await bob.edit(try await say(), in: url, text: "word!") }
                ),
                (
                    chat + "channel:deletedMessages:)",
                    { try await bob.delete(try await say(), in: url) }
                ),
                (
                    itsChannel + "updatedChannel:)",
                    { try await bob.makeNow(.update(ChannelUpdateParams(name: "three")), in: url) }
                ),
                (itsChannel + "deletedChannel:)", { try await bob.deleteChannel(doomed) }),
                (
                    "didHugeGapDetected(_:)",
                    {
                        await network.cut()
                        for number in 0...300 { try await bob.send("\(number)", to: url) }
                        await bob.waitUntilIdle()
                    }
                ),
            ]
        }

        /// Lets the server refuse a user, then accept, and logs Alice in, who needs no token.
        private static func refuse(_ story: DoorStory, _ url: ChannelURL) async throws {
            let table = CallTable()
            SendbirdChat.door.call(on: table.queue(story.world))
            Reentry.add(aboutTheLibraryTo: table, url.rawValue, story.params())
            let observer = Observer(table)
            SendbirdChat.addConnectionDelegate(observer, identifier: "observer")
            await story.world.setToken("secret", of: "zoe")
            let wrong = { SendbirdChat.connect(userId: "zoe", authToken: "wrong") }
            // The refusal of a first attempt ends no reconnection.
            await story.phone.network.cut()
            wrong()
            await story.world.pass(.seconds(2))
            let back = { story.phone.network.restore() }
            try await table.play("didFailReconnection()", happen: back) {
                await story.world.pass(.seconds(20))
            }
            let user: SendbirdChatSDK.User? = await story.wait { done in
                SendbirdChat.connect(userId: "zoe", authToken: "secret") { user, _ in done(user) }
            }
            #expect(user?.userId == "zoe")
            await story.connect()
        }

        @Test
        func `every call works inside every method of every delegate (scar 138)`() throws {
            try DoorStory.play(seed: 62) { story in
                let table = CallTable()
                for user in ["dave", "erin"] as [UserID] {
                    await story.world.add(User(id: user), acceptsInvitations: user == "dave")
                }
                let dave = try await story.world.launch(story.world.device(of: "dave"))
                try await dave.connect()
                let url = try await story.channel("train")
                let doomed = try await story.channel("doomed")
                try await Self.refuse(story, url)
                SendbirdChat.door.call(on: table.queue(story.world))
                let channel = try await story.get(url)
                let end = try await story.get(doomed)
                let (sent, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                let message = try #require(sent)
                let shelf = Reentry.Shelf()
                Reentry.add(aboutTheLibraryTo: table, url.rawValue, story.params())
                table.add("loadNextPage") { called in
                    Channel.createMyGroupChannelListQuery().loadNextPage { _, _ in called() }
                }
                table.add("sendUserMessage") { called in
                    channel.sendUserMessage("hi") { _, _ in called() }
                }
                table.add("addReaction") { called in
                    channel.addReaction(with: message, key: "👍") { _, _ in called() }
                }
                Reentry.add(collectionsTo: table, channel, shelf)
                table.add("disconnect") { called in SendbirdChat.disconnect { called() } }

                let observer = Observer(table)
                SendbirdChat.addConnectionDelegate(observer, identifier: "observer")
                SendbirdChat.addChannelDelegate(observer, identifier: "observer")
                let query = Channel.createMyGroupChannelListQuery { $0.includeEmptyChannel = true }
                let list = try #require(SendbirdChat.createGroupChannelCollection(query: query))
                list.delegate = observer
                list.loadMore()
                var chats: [MessageCollection] = []
                let actions = Self.actions(story, dave, url, doomed)
                let methods = try CallTable.delegateMethods(of: "SendbirdChatSDK")
                let others: Set = [
                    "didDetectHugeGap(_:)", "didFailReconnection()",
                    // Both are called only without the forms that this delegate has.
                    "messageCollection(_:context:updatedChannel:)",
                    "messageCollection(_:context:deletedChannel:)",
                    // Tests of the session cause these.
                    "sessionTokenDidRequire(successCompletion:)", "sessionWasClosed()",
                    "sessionWasRefreshed()", "sessionDidHaveError(_:)",
                ]
                #expect(
                    Set(actions.map(\.method)).union(others).union(Events.methods)
                        .union(Events.uncalled) == methods)
                for (method, action) in actions {
                    // A huge gap ends a chat, and so does the end of its channel.
                    for chat in chats { chat.dispose() }
                    chats = [
                        SendbirdChat.createMessageCollection(channel: channel),
                        SendbirdChat.createMessageCollection(channel: end),
                    ]
                    for chat in chats {
                        chat.delegate = observer
                        chat.startCollection(initPolicy: .cacheAndReplaceByApi)
                    }
                    await story.world.pass()
                    if method == "didConnect(userId:)" {
                        let _: Bool = await story.wait { done in
                            SendbirdChat.disconnect { done(true) }
                        }
                    }
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
                for chat in chats { chat.dispose() }
                list.dispose()
                await dave.close()
            }
        }
    }
}
