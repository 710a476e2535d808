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
            let (event, state) = ("collection(_:didReceiveEvent:", "collection(_:didReceive:")
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
                    { try await bob.makeNow(.update(ChannelUpdateParams(name: "one")), in: url) }
                ),
                (
                    "channelWasDeleted(_:channelType:)",
                    { try await bob.deleteChannel(try await story.channel("short")) }
                ),
                ("channel(_:userDidJoin:)", { try await bob.makeNow(.invite(["dave"]), in: url) }),
                ("channel(_:userDidLeave:)", { try await dave.makeNow(.leave, in: url) }),
                (
                    "channelDidUpdateReadReceipt(_:)",
                    { try await bob.markAsReadNow(url, awaitingServer: true) }
                ),
                ("channelDidUpdateTypingStatus(_:)", { await bob.startTyping(in: url) }),
                (event + "channels:)", { _ = try await story.channel("new") }),
                (event + "messages:)", { _ = try await say() }),
                (state + "succeededMessages:)", { _ = try await say() }),
                (state + "pendingMessages:)", { write() }),
                ("collection(_:didReceiveNewMessage:)", { _ = try await say() }),
                (
                    "collection(_:didUpdate:)",
                    { try await bob.makeNow(.update(ChannelUpdateParams(name: "two")), in: url) }
                ),
                (
                    state + "failedMessages:reason:)",
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

        /// Lets the server refuse a user, then accept; Alice needs no token.
        private static func refuse(_ story: SyncStory) async throws {
            let table = CallTable()
            SBDMain.door.call(on: table.queue(story.world))
            Reentry.add(aboutTheLibraryTo: table)
            let observer = DelegateObserver(table)
            SBDMain.add(observer as any SBDConnectionDelegate, identifier: "observer")
            await story.world.setToken("secret", of: "zoe")
            let wrong = { SBDMain.connect(withUserId: "zoe", accessToken: "wrong") }
            // The refusal of a first attempt ends no reconnection.
            await story.phone.network.cut()
            wrong()
            await story.world.pass(.seconds(2))
            let back = { story.phone.network.restore() }
            try await table.play("didFailReconnection()", happen: back) {
                await story.world.pass(.seconds(20))
            }
            let user: SBDUser? = await story.wait { done in
                SBDMain.connect(withUserId: "zoe", accessToken: "secret") { user, _ in
                    done(user)
                }
            }
            #expect(user?.userId == "zoe")
        }

        /// Returns the actions that lead to the methods about a channel's members and properties.
        private static func moreActions(
            _ story: SyncStory, _ dave: ChatClient, _ channel: SBDGroupChannel, _ url: ChannelURL
        ) -> [(method: String, action: () async throws -> Void)] {
            let bob = story.bob
            return [
                (
                    "channelWasFrozen(_:)",
                    {
                        try await bob.setFrozen(true, url)
                        await story.world.pass()
                        try await bob.setFrozen(false, url)
                    }
                ),
                (
                    "channelWasUnfrozen(_:)",
                    {
                        try await bob.setFrozen(true, url)
                        await story.world.pass()
                        try await bob.setFrozen(false, url)
                    }
                ),
                (
                    "channelWasHidden(_:)",
                    { channel.hideChannel(withHidePreviousMessages: false) }
                ),
                (
                    "channelDidUpdateOperators(_:)",
                    { try await bob.addOperators(["alice"], to: url) }
                ),
                (
                    "channel(_:didReceiveInvitation:inviter:)",
                    { try await bob.makeNow(.invite(["dave"]), in: url) }
                ),
                (
                    "channel(_:didDeclineInvitation:inviter:)",
                    { try await dave.declineInvitation(to: url) }
                ),
                (
                    "channel(_:userWasMuted:)",
                    {
                        try await bob.makeNow(.invite(["dave"]), in: url)
                        try await dave.acceptInvitation(to: url)
                        try await bob.makeNow(.mute("dave", for: nil, reason: ""), in: url)
                    }
                ),
                ("channel(_:userWasUnmuted:)", { try await bob.makeNow(.unmute("dave"), in: url) }),
                ("channel(_:userWasBanned:)", { try await bob.ban("dave", from: url) }),
                ("channel(_:userWasUnbanned:)", { try await bob.unban("dave", from: url) }),
                (
                    "channel(_:createdMetaData:)",
                    { try await bob.createMetadata(["a": "1"], of: url) }
                ),
                (
                    "channel(_:updatedMetaData:)",
                    { try await bob.updateMetadata(["a": "2"], of: url) }
                ),
                (
                    "channel(_:deletedMetaDataKeys:)",
                    { try await bob.deleteMetadata("a", of: url) }
                ),
                (
                    "channel(_:createdMetaCounters:)",
                    { try await bob.createCounters(["n": 1], of: url) }
                ),
                (
                    "channel(_:updatedMetaCounters:)",
                    { try await bob.changeCounters(["n": 2], of: url, .increase) }
                ),
                (
                    "channel(_:deletedMetaCountersKeys:)",
                    { try await bob.deleteCounters("n", of: url) }
                ),
            ]
        }

        /// Returns the actions that lead to the methods about messages and collections.
        private static func collectionActions(
            _ story: SyncStory, _ channel: SBDGroupChannel, _ url: ChannelURL, gone: ChannelURL
        ) -> [(method: String, action: () async throws -> Void)] {
            let bob = story.bob
            func say() async throws -> MessageID {
                let id = try #require(try await bob.send("word", to: url).requestID)
                try await bob.outcome(of: id)
                await story.world.pass()
                return try #require(try await story.world.log(of: url).last?.messageID)
            }
            let messages = "messageCollection(_:context:"
            return [
                (
                    "channel(_:updatedReaction:)",
                    { try await bob.addReaction("smile", to: .delivered(try await say()), in: url) }
                ),
                (
                    "thread",
                    {
                        let reply = UserMessageParams(text: "reply", parentID: try await say())
                        try await bob.send(reply, to: url)
                    }
                ),
                (
                    "channelDidUpdateDeliveryReceipt(_:)", { channel.sendUserMessage("for Bob") }
                ),
                (
                    "didUpdateTotalUnreadMessageCount(_:totalCountByCustomType:)",
                    {
                        _ = try await say()
                        channel.markAsRead()
                    }
                ),
                (messages + "channel:addedMessages:)", { _ = try await say() }),
                (
                    messages + "channel:updatedMessages:)",
                    { try await bob.edit(try await say(), in: url, text: "word!") }
                ),
                (
                    messages + "channel:deletedMessages:)",
                    { try await bob.delete(try await say(), in: url) }
                ),
                (
                    messages + "updatedChannel:)",
                    { try await bob.makeNow(.update(ChannelUpdateParams(name: "three")), in: url) }
                ),
                (
                    "channelCollection(_:context:addedChannels:)",
                    { _ = try await story.channel("another") }
                ),
                (
                    "channelCollection(_:context:updatedChannels:)",
                    { try await bob.makeNow(.update(ChannelUpdateParams(name: "four")), in: url) }
                ),
                (
                    "channelCollection(_:context:deletedChannelUrls:)",
                    {
                        let brief = try await story.channel("brief")
                        await story.world.pass()
                        try await bob.deleteChannel(brief)
                    }
                ),
                ("collection(_:didRemove:)", { try await bob.deleteChannel(gone) }),
            ]
        }

        /// The methods that nothing in these stories leads to: those of the session and of open
        /// channels, which have tests of their own, a huge gap, and super channels.
        private static let elsewhere: Set<String> = [
            "sessionTokenDidRequire(successCompletion:)", "sessionWasClosed()",
            "sessionWasRefreshed()", "sessionDidHaveError(_:)", "sessionWasExpired()",
            "didDetectHugeGap(_:)", "channelDidChangeMemberCount(_:)",
            "channelDidChangeParticipantCount(_:)", "channel(_:userDidEnter:)",
            "channel(_:userDidExit:)", "messageCollection(_:context:deletedChannel:)",
        ]

        /// The parts of the list of actions; the whole takes too long for one test.
        enum Part: CaseIterable { case first, members, collections }

        @Test(arguments: Part.allCases)
        func `every call works inside every method of every delegate (scar 138)`(part: Part) throws
        {
            try SyncStory.play(seed: 82) { story in
                let table = CallTable()
                // In the second part Dave answers invitations himself.
                await story.world.add(User(id: "dave"), acceptsInvitations: part != .members)
                let dave = try await story.world.launch(story.world.device(of: "dave"))
                try await dave.connect()
                let url = try await story.channel("train")
                let gone = try await story.channel("gone")
                if part == .first { try await Self.refuse(story) }
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

                let observer = DelegateObserver(table)
                SBDMain.add(observer as any SBDConnectionDelegate, identifier: "observer")
                SBDMain.add(observer as any SBDChannelDelegate, identifier: "observer")
                SBDMain.add(observer as any SBDUserEventDelegate, identifier: "observer")
                let screens = try Screens(observer, channel, try await story.get(gone))
                await story.world.pass()
                let parts: [Part: [(method: String, action: () async throws -> Void)]] = [
                    .first: Self.actions(story, dave, channel, url),
                    .members: Self.moreActions(story, dave, channel, url),
                    .collections: Self.collectionActions(story, channel, url, gone: gone),
                ]
                let methods = try CallTable.delegateMethods(of: "SendBirdSDK")
                    .union(CallTable.delegateMethods(of: "SendBirdSyncManager"))
                let played = Set(parts.values.joined().map(\.method))
                #expect(
                    played.union(Self.elsewhere).subtracting(["thread"])
                        == methods.subtracting(["didFailReconnection()"]))
                for (method, action) in parts[part] ?? [] {
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
                screens.close()
                await dave.close()
            }
        }

        /// The collections of an app with all kinds of screens.
        private final class Screens {
            let list: SBSMChannelCollection
            let chats: [SBSMMessageCollection]
            let channels: SBDGroupChannelCollection
            let messages: SBDMessageCollection

            init(
                _ observer: DelegateObserver, _ channel: SBDGroupChannel, _ gone: SBDGroupChannel
            ) throws {
                let query = try #require(SBDGroupChannel.createMyGroupChannelListQuery())
                list = try #require(SBSMChannelCollection(query: query))
                list.delegate = observer
                list.fetch()
                chats = [channel, gone].map {
                    SBSMMessageCollection(
                        channel: $0, filter: nil, viewpointTimestamp: Int64.max)
                }
                for chat in chats {
                    chat.delegate = observer
                    chat.fetch(in: .previous)
                }
                channels = SBDGroupChannelCollection(query: query)
                channels.delegate = observer
                channels.loadMore()
                messages = SBDMessageCollection(
                    channel: channel, startingPoint: Int64.max, params: SBDMessageListParams())
                messages.delegate = observer
                messages.start(
                    with: .cacheAndReplaceByApi, cacheResultHandler: nil, apiResultHandler: nil)
            }

            func close() {
                list.remove()
                for chat in chats { chat.remove() }
                channels.dispose()
                messages.dispose()
            }
        }
    }
}
