// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    /// Tests of the order of the values that reach the objects of a channel.
    struct KeptMoments {
        private typealias Channel = SendbirdChatSDK.GroupChannel
        private typealias Open = SendbirdChatSDK.OpenChannel

        @Test(arguments: [false, true])
        func `an event that waits on the app's queue does not replace a newer value`(
            isLoss: Bool
        ) throws {
            try DoorStory.play(seed: 351) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                // The app's queue stands still.
                let waiting = Guarded<[@Sendable () -> Void]>([])
                SendbirdChat.door.call(
                    on: CallbackQueue { work in waiting.withLock { $0 += [work] } })
                let old = RoostModel.GroupChannel(url: url, name: "old")
                SendbirdChat.door.receive(.event(.channelChanged(url), old))
                let names = Answers<String>()
                if isLoss {
                    SendbirdChat.door.receive(.event(.missed(300), nil))
                } else {
                    kept.setMyPushTriggerOption(.off) { _ in names.values.append(kept.name) }
                }
                await story.world.pass()
                SendbirdChat.door.call(
                    on: CallbackQueue { [world = story.world] in world.later($0) })
                for work in waiting.withLock({ $0 }) { story.world.later(work) }
                await story.world.pass()
                #expect(names.values == (isLoss ? [] : ["train"]))
                #expect(kept.name == "train")
            }
        }

        @Test func `an answer replaces a value that is neither news nor an answer`() throws {
            try DoorStory.play(seed: 352) { story in
                let url = try await story.channel("train")
                await story.connect()
                let bytes = try await story.get(url).serialize()
                await story.phone.network.cut()
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let old = try #require(Channel.build(fromSerializedData: bytes))
                let collection = SendbirdChat.createMessageCollection(channel: old)
                let shown = Answers<Channel>()
                let name: String? = await story.wait { done in
                    Channel.getChannel(url: url.rawValue) { channel, _ in done(channel?.name) }
                    shown.values.append(collection.channel)
                    #expect(shown.values.first?.name == "train")
                }
                #expect(name == "tram")
                #expect(shown.values.first?.name == "tram")
                collection.dispose()
            }
        }

        /// The channels of the changes of a collection.
        private final class Changes: GroupChannelCollectionDelegate {
            var channels: [SendbirdChatSDK.GroupChannel] = []

            func channelCollection(
                _ collection: GroupChannelCollection, context: ChannelContext,
                updatedChannels channels: [SendbirdChatSDK.GroupChannel]
            ) { self.channels += channels }
        }

        /// Opens a list of channels with its first page, of which the app keeps no object.
        private static func list(
            _ story: DoorStory, _ set: @escaping (GroupChannelListQueryParams) -> Void = { _ in }
        ) async throws -> GroupChannelCollection {
            let query = Channel.createMyGroupChannelListQuery { set($0) }
            let list = try #require(SendbirdChat.createGroupChannelCollection(query: query))
            list.loadMore()
            await story.world.pass()
            return list
        }

        @Test(arguments: [false, true])
        func `an older answer does not replace the value of a collection's new object`(
            isOfList: Bool
        ) throws {
            try DoorStory.play(seed: 356) { story in
                let url = try await story.channel("train")
                await story.connect()
                let list = try await Self.list(story)
                let changes = Changes()
                if !isOfList { list.delegate = changes }
                let question = ChannelQuestion(SendbirdChat.door)
                await story.phone.network.cut()
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let made = isOfList ? list.channelList.first : changes.channels.last
                #expect(made?.name == "tram")
                let old = RoostModel.GroupChannel(url: url, name: "old")
                let late = question.state(of: old, isOpen: false)
                #expect(late.value.name == "tram")
                #expect(made?.name == "tram")
                list.dispose()
            }
        }

        @Test func `a page of a list has the moment of the list's values`() throws {
            try DoorStory.play(seed: 358) { story in
                _ = try await story.channel("train")
                await story.connect()
                let driver = ChannelListDriver(SendbirdChat.door, ChannelListQuery())
                let pages = Guarded<[ChannelListDriver.Page]>([])
                await driver.load { result in
                    guard case .success(let page) = result else { return }
                    pages.withLock { $0.append(page) }
                }
                let first = pages.withLock { $0.first }
                let page = try #require(first)
                let moments = driver.view.objects { $1 }
                #expect(page.channels.map(\.name) == ["train"])
                #expect(moments == [page.moment])
                await driver.close()
            }
        }

        @Test(arguments: [false, true])
        func `a kept channel that left a list during an absence shows the reason`(
            isFrozen: Bool
        ) throws {
            try DoorStory.play(seed: 357) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                let list = try await Self.list(story) { $0.includeFrozenChannel = false }
                #expect(list.channelList.map(\.name) == ["train"])
                let tablet = try await story.world.launch(story.world.device(of: "alice"))
                try await tablet.connect()
                await story.phone.network.cut()
                if isFrozen {
                    try await story.bob.setFrozen(true, url)
                } else {
                    try await tablet.hideNow(url, hidesPrevious: false)
                }
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(list.channelList.isEmpty)
                #expect(kept.isFrozen == isFrozen)
                #expect(kept.isHidden == !isFrozen)
                list.dispose()
                await tablet.close()
            }
        }

        @Test func `an unread count that the app sets is no news of the rest`() throws {
            try DoorStory.play(seed: 353) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                SendbirdChat.door.kept.show(
                    RoostModel.GroupChannel(url: url, name: "old"), isOpen: false,
                    askedAt: .next())
                let name: String = await story.wait { done in
                    channel.refresh { _ in done(channel.name) }
                    channel.unreadMessageCount = 3
                    #expect(channel.unreadMessageCount == 3 && channel.name == "old")
                }
                #expect(name == "train")
            }
        }

        @Test func `losses during a reading of the kept channels cause one more reading`() {
            let kept = KeptChannels()
            let first = kept.beginReading()
            let (second, third) = (kept.beginReading(), kept.beginReading())
            #expect(first && !second && !third)
            let again = kept.endReading()
            let more = kept.endReading()
            #expect(again && !more)
            let next = kept.beginReading()
            #expect(next)
        }

        @Test func `the reading of one list of messages makes the objects of no other`() {
            let lists = MessageLists<Int>()
            var calls = 0
            for group in [MessageGroup.succeeded, .succeeded, .pending] {
                _ = lists.objects(group, of: 1, []) { _ in
                    calls += 1
                    return []
                }
            }
            #expect(calls == 2)
            _ = lists.objects(.succeeded, of: 2, []) { _ in
                calls += 1
                return []
            }
            #expect(calls == 3)
        }

        // MARK: Open channels

        private static func plaza(_ story: DoorStory) async throws -> Open {
            await story.connect()
            let params = SendbirdChatSDK.OpenChannelCreateParams(
                name: "plaza", channelURL: "plaza", customType: "")
            let made: Open? = await story.wait { done in
                Open.createChannel(params: params) { channel, _ in done(channel) }
            }
            return try #require(made)
        }

        @Test func `the entry of a busy open channel keeps its name and operators`() throws {
            try DoorStory.play(seed: 354) { story in
                let channel = try await Self.plaza(story)
                try await story.bob.enter("plaza")
                // The messages come between the acknowledgement and the look-up.
                story.phone.network.setDelay(.milliseconds(500))
                let seen = Answers<[String]>()
                channel.enter { _ in
                    seen.values.append([channel.name] + (channel.operators ?? []).map(\.userId))
                }
                for number in 1...50 where seen.values.isEmpty {
                    try await story.bob.sendNow(
                        UserMessageParams(text: "\(number)"), toOpenChannel: "plaza")
                    await story.world.pass(.milliseconds(200))
                }
                #expect(seen.values == [["plaza", "alice"]])
            }
        }

        @Test func `an answer about an open channel is shown after an event`() throws {
            try DoorStory.play(seed: 355) { story in
                let channel = try await Self.plaza(story)
                let name: String = await story.wait { done in
                    channel.refresh { _ in done(channel.name) }
                    SendbirdChat.door.receive(
                        .event(
                            .openChannel(.channelChanged("plaza")),
                            RoostModel.GroupChannel(url: "plaza")))
                }
                #expect(name == "plaza")
            }
        }
    }
}
