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
    /// Tests of the objects that collections make, of those that an app keeps, and of the events
    /// about them.
    struct KeptObjects {
        enum Kind: String, CaseIterable {
            case list, chat, syncList, syncChat
        }

        /// A collection without a delegate and without a handler of its pages.
        private struct Silent {
            let channel: () -> SBDGroupChannel?
            let close: () -> Void
        }

        private static func query() throws -> SBDGroupChannelListQuery {
            try #require(SBDGroupChannel.createMyGroupChannelListQuery())
        }

        private static func open(_ kind: Kind, _ channel: SBDGroupChannel) throws -> Silent {
            switch kind {
            case .list:
                let list = SBDGroupChannelCollection(query: try query())
                list.loadMore()
                return Silent(channel: { list.channelList.first }, close: { list.dispose() })
            case .chat:
                let chat = SBDMessageCollection(
                    channel: channel, startingPoint: LONG_LONG_MAX, params: SBDMessageListParams())
                chat.start(
                    with: .cacheAndReplaceByApi, cacheResultHandler: nil, apiResultHandler: nil)
                return Silent(channel: { chat.channel }, close: { chat.dispose() })
            case .syncList:
                let list = try #require(SBSMChannelCollection(query: try query()))
                list.fetch()
                return Silent(channel: { list.channels.first }, close: { list.remove() })
            case .syncChat:
                let chat = SBSMMessageCollection(
                    channel: channel, filter: nil, viewpointTimestamp: Int64.max)
                chat.fetch(in: .previous)
                return Silent(channel: { chat.channel }, close: { chat.remove() })
            }
        }

        /// Lets Bob rename a channel while the app has no connection; its cache has the name then.
        private static func renameInAbsence(_ story: SyncStory, _ url: ChannelURL) async throws {
            await story.phone.network.cut()
            try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
            story.phone.network.restore()
            await story.world.pass(.seconds(60))
        }

        @Test(arguments: Kind.allCases)
        func `a kept channel follows a collection without a delegate`(kind: Kind) throws {
            try SyncStory.play(seed: 236) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                let collection = try Self.open(kind, kept)
                await story.world.pass()
                try await Self.renameInAbsence(story, url)
                #expect(kept.name == "tram")
                #expect(collection.channel()?.name == "tram")
                collection.close()
            }
        }

        @Test(arguments: Kind.allCases)
        func `a collection shows the channel of the cache, and not an older object`(
            kind: Kind
        ) throws {
            try SyncStory.play(seed: 237) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                try await Self.renameInAbsence(story, url)
                let collection = try Self.open(kind, kept)
                await story.world.pass()
                #expect(kept.name == "tram")
                #expect(collection.channel()?.name == "tram")
                collection.close()
            }
        }

        @Test(arguments: [Kind.chat, .syncChat])
        func `a message collection of an object of bytes shows the channel of the cache`(
            kind: Kind
        ) throws {
            try SyncStory.play(seed: 238) { story in
                let url = try await story.channel("train")
                await story.connect()
                let bytes = try #require(try await story.get(url).serialize())
                try await Self.renameInAbsence(story, url)
                let old = try #require(SBDGroupChannel.build(fromSerializedData: bytes))
                #expect(old.name == "train")
                let collection = try Self.open(kind, old)
                await story.world.pass()
                #expect(collection.channel()?.name == "tram")
                collection.close()
            }
        }

        @Test func `a page of a query without a handler shows in kept channels`() throws {
            try SyncStory.play(seed: 239) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                try await Self.renameInAbsence(story, url)
                let query = try Self.query()
                query.loadNextPage()
                #expect(query.isLoading())
                await story.world.pass()
                #expect(!query.isLoading())
                #expect(kept.name == "tram")
            }
        }

        @Test func `collections make their objects once after a change, and not for each cell`()
            throws
        {
            try SyncStory.play(seed: 240) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                for kind in [Kind.list, .syncList] {
                    let list = try Self.open(kind, channel)
                    await story.world.pass()
                    let first = list.channel()
                    #expect(first?.channelUrl == url.rawValue)
                    #expect(list.channel() === first)
                    list.close()
                }
                let chat = SBDMessageCollection(
                    channel: channel, startingPoint: LONG_LONG_MAX, params: SBDMessageListParams())
                chat.start(
                    with: .cacheAndReplaceByApi, cacheResultHandler: nil, apiResultHandler: nil)
                let other = SBSMMessageCollection(
                    channel: channel, filter: nil, viewpointTimestamp: Int64.max)
                other.fetch(in: .previous)
                await story.world.pass()
                let firsts = [chat.succeededMessages.first, other.succeededMessages.first]
                #expect(firsts.map { $0?.message } == ["1", "1"])
                #expect(chat.succeededMessages.first === firsts[0])
                #expect(other.succeededMessages.first === firsts[1])
                try await story.bob.send("2", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                #expect(chat.succeededMessages.map(\.message) == ["1", "2"])
                #expect(other.succeededMessages.map(\.message) == ["1", "2"])
                chat.dispose()
                other.remove()
            }
        }

        @Test func `a kept channel shows an own act in its handler`() throws {
            try SyncStory.play(seed: 171) { story in
                let url = try await story.channel("train")
                await story.connect()
                let (channel, other) = (try await story.get(url), try await story.get(url))
                let option: SBDGroupChannelPushTriggerOption = await story.wait { done in
                    channel.setMyPushTriggerOption(.off) { _ in done(other.myPushTriggerOption) }
                }
                #expect(option == .off)
                let isHidden: Bool = await story.wait { done in
                    channel.hideChannel(withHidePreviousMessages: false) { _ in
                        done(other.isHidden)
                    }
                }
                #expect(isHidden)
            }
        }

        @Test func `an answer that news have overtaken leaves a kept channel as it is`() throws {
            try SyncStory.play(seed: 172) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                var value = kept.value
                value.unreadMessageCount = 7
                let news = value
                let found: [UInt] = await story.wait { done in
                    SBDMain.getMyGroupChannelChangeLogs(byTimestamp: 1, customTypes: nil) {
                        channels, _, _, _, _ in
                        done((channels ?? []).map(\.unreadMessageCount))
                    }
                    // A live message is faster than the answer.
                    SBDMain.door.kept.show(news, isOpen: false, askedAt: .next())
                }
                #expect(found == [7])
                #expect(kept.unreadMessageCount == 7)
            }
        }

        private final class Observer: SBDChannelDelegate {
            var kinds: [SBDChannelType] = []

            func channel(
                _ sender: SBDBaseChannel, didUpdate threadInfoUpdateEvent: SBDThreadInfoUpdateEvent
            ) { kinds.append(threadInfoUpdateEvent.channelType) }
        }

        @Test func `the change of a thread says the kind of its channel`() throws {
            try SyncStory.play(seed: 173) { story in
                let observer = Observer()
                SBDMain.add(observer as any SBDChannelDelegate, identifier: "threads")
                let event = ChatEvent.threadChanged(ThreadInfo(replyCount: 1), 7, "room")
                let channel = GroupChannel(url: "room")
                SBDMain.door.receive(.event(event, channel))
                SBDMain.door.receive(.event(.openChannel(event), channel))
                await story.world.pass(.seconds(1))
                #expect(observer.kinds == [.group, .open])
                SBDMain.removeAllChannelDelegates()
            }
        }
    }
}
