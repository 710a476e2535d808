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
    /// All calls from inside every handler.
    struct Reentry {
        typealias Channel = SendbirdChatSDK.GroupChannel

        /// A delegate that reports its first event.
        private final class Observer: ConnectionDelegate, GroupChannelCollectionDelegate,
            MessageCollectionDelegate
        {
            private let heard: () -> Void
            private var hasHeard = false

            init(_ heard: @escaping () -> Void) { self.heard = heard }

            private func record() {
                guard !hasHeard else { return }
                hasHeard = true
                heard()
            }

            func didDisconnect(userId: String) { record() }
            func channelCollection(
                _ collection: GroupChannelCollection, context: ChannelContext,
                addedChannels channels: [Channel]
            ) { record() }
            func messageCollection(
                _ collection: MessageCollection, context: MessageContext, channel: Channel,
                addedMessages messages: [BaseMessage]
            ) { record() }
        }

        /// The owner of objects that must live until all calls have called back.
        final class Shelf {
            var things: [AnyObject] = []

            func keep<Thing: AnyObject>(_ thing: Thing) -> Thing {
                things.append(thing)
                return thing
            }
        }

        @Test
        func
            `every call works inside every callback, and calls back once, on its queue (scar 138)`()
            throws
        {
            try DoorStory.play(seed: 61) { story in
                let table = CallTable()
                SendbirdChat.door.call(on: table.queue(story.world))
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let (sent, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                let (file, _): (FileMessage?, SBError?) = await story.wait { done in
                    let params = FileMessageCreateParams(file: Data("x".utf8))
                    channel.sendFileMessage(params: params) { done(($0, $1)) }
                }
                let lost = try await story.channel("lost")
                let other = try await story.get(lost)
                try await story.bob.deleteChannel(lost)
                let shelf = Shelf()
                Self.add(aboutTheLibraryTo: table, url.rawValue, story.params())
                Self.add(aboutChannelsTo: table, channel, other)
                Self.add(aboutMessagesTo: table, channel, try #require(sent), try #require(file))
                Self.add(collectionsTo: table, channel, shelf)
                Self.add(pollsTo: table, channel)
                Self.add(scheduledTo: table, channel)
                let functions = try CallTable.functions(of: "SendbirdChatSDK")
                let (plaza, _): (SendbirdChatSDK.OpenChannel?, SBError?) = await story.wait {
                    done in
                    SendbirdChatSDK.OpenChannel.createChannel { done(($0, $1)) }
                }
                let open = try #require(plaza)
                table.add("enter") { called in open.enter { _ in called() } }
                table.add("exit") { called in open.exit { _ in called() } }
                let others = Self.settings(channel, other, try #require(sent)).functions
                    .union(["disconnect", "disconnectWebSocket"])
                #expect(table.functions.union(others) == functions)
                Self.add(delegatesTo: table, channel, shelf)
                await table.play {
                    await story.world.pass(.seconds(15))
                    // A list that was emptied offline fills again.
                    await story.connect()
                    await story.world.pass(.seconds(5))
                    shelf.things = []
                }
            }
        }

        static func add(
            aboutTheLibraryTo table: CallTable, _ url: String, _ params: InitParams
        ) {
            table.add("initialize") { called in
                // The same settings leave the open client alone.
                SendbirdChat.initialize(params: params) { _ in called() }
            }
            table.add("connect") { called in
                SendbirdChat.connect(userId: "alice") { _, _ in called() }
            }
            table.add("clearCachedData") { called in
                SendbirdChat.clearCachedData { _ in called() }
            }
            table.add("clearCachedMessages") { called in
                SendbirdChat.clearCachedMessages(channelURL: url) { _ in called() }
            }
        }

        static func add(
            aboutChannelsTo table: CallTable, _ channel: Channel, _ other: Channel
        ) {
            typealias Act = (@escaping SBErrorHandler) -> Void
            let acts: [(String, Act)] = [
                ("join", { other.join(completionHandler: $0) }),
                ("leave", { other.leave(completionHandler: $0) }),
                ("inviteUserIds", { other.inviteUserIds(["carol"], completionHandler: $0) }),
                ("acceptInvitation", { other.acceptInvitation(completionHandler: $0) }),
                ("declineInvitation", { other.declineInvitation(completionHandler: $0) }),
                ("delete", { other.delete(completionHandler: $0) }),
                ("freeze", { other.freeze(completionHandler: $0) }),
                ("unfreeze", { other.unfreeze(completionHandler: $0) }),
                ("hide", { other.hide(completionHandler: $0) }),
                ("unhide", { channel.unhide(completionHandler: $0) }),
                ("resetMyHistory", { other.resetMyHistory(completionHandler: $0) }),
                ("markAsRead", { channel.markAsRead(completionHandler: $0) }),
                ("refresh", { channel.refresh(completionHandler: $0) }),
            ]
            for (name, act) in acts { table.add(name) { called in act { _ in called() } } }
            typealias Find = (@escaping GroupChannelHandler) -> Void
            let finds: [(String, Find)] = [
                ("getChannel", { Channel.getChannel(url: "nowhere", completionHandler: $0) }),
                (
                    "update",
                    { other.update(params: GroupChannelUpdateParams(), completionHandler: $0) }
                ),
                (
                    "createChannel",
                    {
                        let params = GroupChannelCreateParams()
                        params.isDistinct = true
                        params.userIds = ["carol"]
                        Channel.createChannel(params: params, completionHandler: $0)
                    }
                ),
            ]
            for (name, find) in finds { table.add(name) { called in find { _, _ in called() } } }
            table.add("loadNextPage") { called in
                Channel.createMyGroupChannelListQuery().loadNextPage { _, _ in called() }
            }
        }

        static func add(
            collectionsTo table: CallTable, _ channel: Channel, _ shelf: Shelf
        ) {
            func collection() -> MessageCollection {
                shelf.keep(SendbirdChat.createMessageCollection(channel: channel))
            }
            table.add("startCollection from the cache") { called in
                collection().startCollection(
                    initPolicy: .cacheAndReplaceByApi, cacheResultHandler: { _, _ in called() })
            }
            table.add("startCollection from the server") { called in
                collection().startCollection(
                    initPolicy: .cacheAndReplaceByApi, apiResultHandler: { _, _ in called() })
            }
            table.add("removeFailed") { called in
                collection().removeFailed(messages: []) { _, _ in called() }
            }
            table.add("removeAllFailed") { called in
                collection().removeAllFailed { _ in called() }
            }
            table.add("loadPrevious") { called in collection().loadPrevious { _, _ in called() } }
            table.add("loadNext") { called in collection().loadNext { _, _ in called() } }
            table.add("loadMore") { called in
                let query = Channel.createMyGroupChannelListQuery()
                guard let list = SendbirdChat.createGroupChannelCollection(query: query) else {
                    return
                }
                shelf.keep(list).loadMore { _, _ in called() }
            }
        }

        private static func add(
            delegatesTo table: CallTable, _ channel: Channel, _ shelf: Shelf
        ) {
            table.add("delegate of a chat view") { called in
                let collection = shelf.keep(SendbirdChat.createMessageCollection(channel: channel))
                collection.delegate = shelf.keep(Observer(called))
                collection.startCollection(
                    initPolicy: .cacheAndReplaceByApi,
                    cacheResultHandler: { _, _ in channel.sendUserMessage("hear") })
            }
            table.add("delegate of a channel list") { called in
                let query = Channel.createMyGroupChannelListQuery { $0.includeEmptyChannel = true }
                guard let list = SendbirdChat.createGroupChannelCollection(query: query) else {
                    return
                }
                shelf.keep(list).delegate = shelf.keep(Observer(called))
                list.loadMore { _, _ in
                    let params = GroupChannelCreateParams()
                    params.userIds = ["carol"]
                    Channel.createChannel(params: params, completionHandler: nil)
                }
            }
            // The last call, because later ones would have no connection.
            table.add("disconnect") { called in SendbirdChat.disconnect { called() } }
            table.add("delegate of the connection") { called in
                SendbirdChat.addConnectionDelegate(
                    shelf.keep(Observer(called)), identifier: "\(shelf.things.count)")
                SendbirdChat.connect(userId: "alice") { _, _ in SendbirdChat.disconnect() }
            }
        }
    }
}
