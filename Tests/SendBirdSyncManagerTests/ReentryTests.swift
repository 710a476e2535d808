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
    /// All calls from inside every handler.
    struct Reentry {
        /// A delegate that reports its first event.
        private final class Observer: SBDConnectionDelegate, SBSMChannelCollectionDelegate,
            SBSMMessageCollectionDelegate
        {
            private let heard: () -> Void
            private var hasHeard = false

            init(_ heard: @escaping () -> Void) { self.heard = heard }

            private func record() {
                guard !hasHeard else { return }
                hasHeard = true
                heard()
            }

            func collection(
                _ collection: SBSMChannelCollection,
                didReceiveEvent action: SBSMChannelEventAction, channels: [SBDGroupChannel]
            ) { record() }
            func collection(
                _ collection: SBSMMessageCollection,
                didReceiveEvent action: SBSMMessageEventAction, messages: [SBDBaseMessage]
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
            try SyncStory.play(seed: 81) { story in
                let table = CallTable()
                SBDMain.door.call(on: table.queue(story.world))
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let (sent, _): (SBDUserMessage?, SBDError?) = await story.wait { done in
                    guard let params = SBDUserMessageParams(message: "hello") else { return }
                    channel.sendUserMessage(with: params) { done(($0, $1)) }
                }
                let lost = try await story.channel("lost")
                let other = try await story.get(lost)
                try await story.bob.deleteChannel(lost)
                let shelf = Shelf()
                Self.add(aboutTheLibraryTo: table)
                Self.add(aboutChannelsTo: table, channel, other)
                Self.add(aboutMessagesTo: table, channel, try #require(sent))
                Self.add(changeLogsTo: table, channel)
                Self.add(collectionsTo: table, channel, shelf)
                let functions = try CallTable.functions(of: "SendBirdSDK")
                    .union(CallTable.functions(of: "SendBirdSyncManager"))
                let stage = Stage(
                    channel: channel, lost: other, message: try #require(sent),
                    user: try #require(SBDMain.getCurrentUser()), shelf: shelf)
                let tabled = table.functions.union(Self.groupFunctions(stage))
                #expect(tabled.union(["disconnect"]) == functions)
                Self.add(delegatesTo: table, channel, shelf)
                // The last call, because later ones would have no connection.
                table.add("disconnect") { called in SBDMain.disconnect { called() } }
                await table.play {
                    await story.world.pass(.seconds(15))
                    shelf.things = []
                    await story.connect()
                    await story.world.pass(.seconds(5))
                }
            }
        }

        static func add(aboutTheLibraryTo table: CallTable) {
            table.add("connect") { called in
                SBDMain.connect(withUserId: "alice") { _, _ in called() }
            }
            table.add("getMyGroupChannelChangeLogs by token") { called in
                SBDMain.getMyGroupChannelChangeLogs(byToken: nil, customTypes: nil) {
                    _, _, _, _, _ in called()
                }
            }
            table.add("getMyGroupChannelChangeLogs by time") { called in
                SBDMain.getMyGroupChannelChangeLogs(byTimestamp: 1, customTypes: nil) {
                    _, _, _, _, _ in called()
                }
            }
        }

        static func add(
            aboutChannelsTo table: CallTable, _ channel: SBDGroupChannel, _ other: SBDGroupChannel
        ) {
            table.add("join") { called in other.join { _ in called() } }
            table.add("leave") { called in other.leave { _ in called() } }
            table.add("inviteUserIds") { called in other.inviteUserIds(["carol"]) { _ in called() }
            }
            table.add("markAsRead") { called in channel.markAsRead { _ in called() } }
            table.add("getWithUrl") { called in
                SBDGroupChannel.getWithUrl("nowhere") { _, _ in called() }
            }
            table.add("createChannel") { called in
                SBDGroupChannel.createChannel(withUserIds: ["carol"], isDistinct: true) { _, _ in
                    called()
                }
            }
            table.add("loadNextPage") { called in
                SBDGroupChannel.createMyGroupChannelListQuery()?.loadNextPage { _, _ in called() }
            }
            table.add("loadNextPage of open channels") { called in
                SBDOpenChannel.createOpenChannelListQuery()?.loadNextPage { _, _ in called() }
            }
        }

        static func add(
            aboutMessagesTo table: CallTable, _ channel: SBDGroupChannel, _ message: SBDUserMessage
        ) {
            table.add("sendUserMessage") { called in
                guard let params = SBDUserMessageParams(message: "hi") else { return }
                channel.sendUserMessage(with: params) { _, _ in called() }
            }
            table.add("resendUserMessage") { called in
                channel.resendUserMessage(with: message) { _, _ in called() }
            }
            table.add("sendFileMessage") { called in
                guard let params = SBDFileMessageParams(file: Data("x".utf8)) else { return }
                channel.sendFileMessage(with: params) { _, _ in called() }
            }
            table.add("updateUserMessage") { called in
                guard let params = SBDUserMessageParams(message: "hello!") else { return }
                channel.updateUserMessage(
                    withMessageId: message.messageId, userMessageParams: params
                ) { _, _ in called() }
            }
            table.add("delete") { called in
                guard let params = SBDUserMessageParams(message: "never mind") else { return }
                channel.delete(channel.sendUserMessage(with: params)) { _ in called() }
            }
            table.add("getMessagesByTimestamp") { called in
                channel.getMessagesByTimestamp(Int64.max, params: SBDMessageListParams()) { _, _ in
                    called()
                }
            }
        }

        static func add(changeLogsTo table: CallTable, _ channel: SBDGroupChannel) {
            let params = SBDMessageChangeLogsParams()
            table.add("getMessageChangeLogs by token") { called in
                channel.getMessageChangeLogs(sinceToken: nil, params: params) { _, _, _, _, _ in
                    called()
                }
            }
            table.add("getMessageChangeLogs by time") { called in
                channel.getMessageChangeLogs(sinceTimestamp: 1, params: params) { _, _, _, _, _ in
                    called()
                }
            }
        }

        static func add(
            collectionsTo table: CallTable, _ channel: SBDGroupChannel, _ shelf: Shelf
        ) {
            func messages(_ use: (SBSMMessageCollection) -> Void) {
                let collection = SBSMMessageCollection(
                    channel: channel, filter: nil, viewpointTimestamp: Int64.max)
                use(shelf.keep(collection))
            }
            table.add("fetch channels") { called in
                let query = SBDGroupChannel.createMyGroupChannelListQuery()
                guard let list = SBSMChannelCollection(query: query) else { return }
                shelf.keep(list).fetch { _ in called() }
            }
            table.add("fetch messages") { called in
                messages { $0.fetch(in: .previous) { (_: SBDError?) in called() } }
            }
            table.add("fetch messages and whether there are more") { called in
                messages { $0.fetch(in: .next) { _, _ in called() } }
            }
            table.add("fetchAllNextMessages") { called in
                messages { $0.fetchAllNextMessages { _, _ in called() } }
            }
            table.add("fetchPendingMessages") { called in
                messages { $0.fetchPendingMessages { _ in called() } }
            }
            table.add("fetchFailedMessages") { called in
                messages { $0.fetchFailedMessages { _ in called() } }
            }
        }

        private static func add(
            delegatesTo table: CallTable, _ channel: SBDGroupChannel, _ shelf: Shelf
        ) {
            table.add("delegate of a chat view") { called in
                let collection = SBSMMessageCollection(
                    channel: channel, filter: nil, viewpointTimestamp: Int64.max)
                shelf.keep(collection).delegate = shelf.keep(Observer(called))
                collection.fetch(in: .previous)
            }
            table.add("delegate of a channel list") { called in
                let query = SBDGroupChannel.createMyGroupChannelListQuery()
                query?.includeEmptyChannel = true
                guard let list = SBSMChannelCollection(query: query) else { return }
                shelf.keep(list).delegate = shelf.keep(Observer(called))
                list.fetch()
            }
        }
    }
}
