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
    struct Collections {
        @Test
        func `a channel list comes from the cache, then follows the server (R166 to R173, R208)`()
            throws
        {
            try SyncStory.play(seed: 1) { story in
                _ = try await story.channel("one")
                let second = try await story.channel("two")
                try await story.bob.send("x", to: second)
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = ListScreen()
                view.viewDidLoad()
                await story.world.pass()
                #expect(view.events == ["insert two one"])
                #expect(view.fetches == 1)
                #expect(view.channelCollection?.hasMore == false)

                view.events = []
                let third = try await story.channel("three")
                await story.world.pass()
                #expect(view.events == ["insert three"])
                try await story.bob.send("hello", to: third)
                await story.world.pass()
                #expect(view.events.contains("move three"))
                try await story.bob.send("again", to: third)
                await story.world.pass()
                #expect(view.events.last == "update three")
                try await story.bob.deleteChannel(third)
                await story.world.pass()
                #expect(view.events.last == "remove three")
                view.close()

                // A refresh removes, creates and fetches; without a network it reads the cache.
                await story.phone.network.cut()
                let again = ListScreen()
                again.viewDidLoad()
                await story.world.pass()
                #expect(again.events == ["insert two one"])
                again.close()
                #expect(SBSMChannelCollection(query: nil) == nil)
            }
        }

        @Test
        func `of channels that change together, only those that passed others move`()
            throws
        {
            try SyncStory.play(seed: 7) { story in
                var urls: [ChannelURL] = []
                for name in ["x", "d", "c", "b", "a"] {
                    let url = try await story.channel(name)
                    try await story.bob.send("hello", to: url)
                    await story.bob.waitUntilIdle()
                    await story.world.pass(.seconds(1))
                    urls.append(url)
                }
                await story.connect()
                let view = ListScreen()
                view.viewDidLoad()
                await story.world.pass(.seconds(10))
                func names() -> [String]? { view.channelCollection?.channels.map(\.name) }
                #expect(names() == ["a", "b", "c", "d", "x"])
                view.events = []
                await story.phone.network.cut()
                for url in urls.dropFirst() {
                    try await story.bob.makeNow(.update(ChannelUpdateParams(data: "new")), in: url)
                }
                try await story.bob.send("news", to: urls[0])
                await story.bob.waitUntilIdle()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(names() == ["x", "a", "b", "c", "d"])
                #expect(view.events.filter { $0.hasPrefix("move") } == ["move x"])
                #expect(view.channelCollection?.channels.last?.data == "new")
                view.close()
            }
        }

        @Test
        func `a list loses its last channels by remove, and is never cleared (R172)`() throws {
            try SyncStory.play(seed: 5) { story in
                let urls = [try await story.channel("one"), try await story.channel("two")]
                await story.connect()
                let view = ListScreen()
                view.viewDidLoad()
                await story.world.pass()
                view.events = []
                for url in urls {
                    try await story.bob.deleteChannel(url)
                    await story.world.pass()
                }
                #expect(view.events == ["remove one", "remove two"])
                #expect(view.channelCollection?.channels.isEmpty == true)
                view.close()
            }
        }

        @Test
        func `a second fetch of a channel list beside the first has its own code (R173, R208)`()
            throws
        {
            try SyncStory.play(seed: 5) { story in
                _ = try await story.channel("one")
                await story.connect()
                let list = try #require(
                    SBSMChannelCollection(query: SBDGroupChannel.createMyGroupChannelListQuery()))
                let codes = Answers<Int>()
                list.fetch { codes.values.append($0?.code ?? 0) }
                list.fetch { codes.values.append($0?.code ?? 0) }
                await story.world.pass()
                #expect(codes.values.sorted() == [0, SBSMErrorCode.duplicatedFetch.rawValue])
                list.remove()
            }
        }

        @Test
        func `the manager keeps the options of the set-up when their object changes`() throws {
            try SyncStory.play(seed: 6) { story in
                let url = try await story.channel("train")
                for number in 1...300 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await SBDMain.door.close()
                let options = SBSMSyncManagerOptions()
                options.messageCollectionCapacity = 160
                SBSMSyncManager.setup(withUserId: "alice", options: options)
                options.messageCollectionCapacity = 1_000
                await story.connect()
                let view = ChatScreen(channel: try await story.get(url))
                view.viewDidLoad()
                await story.world.pass()
                for _ in 0..<5 {
                    view.messageCollection.fetch(in: .previous)
                    await story.world.pass()
                }
                #expect(view.messageCollection.succeededMessages.count == 160)
                view.close()
                SBSMSyncManager.setup(withUserId: "alice")
            }
        }

        @Test
        func `pages come around the viewpoint, one by one (R175 to R177, R184 to R188)`()
            throws
        {
            try SyncStory.play(seed: 2) { story in
                let url = try await story.channel("train")
                for number in 1...150 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = ChatScreen(channel: try await story.get(url))
                view.viewDidLoad()
                await story.world.pass()
                #expect(view.fetches.sorted() == ["next 0", "previous 0"])
                #expect(view.shown == (111...150).map(String.init))
                let hasMore: (Bool, SBDError?) = await story.wait { done in
                    view.messageCollection.fetch(in: .previous) { done(($0, $1)) }
                }
                #expect(hasMore.0)
                #expect(view.shown == (71...150).map(String.init))
                // One page at a time in one direction.
                let codes = Answers<Int>()
                view.messageCollection.fetch(in: .previous) { codes.values.append($0?.code ?? 0) }
                view.messageCollection.fetch(in: .previous) { codes.values.append($0?.code ?? 0) }
                await story.world.pass()
                #expect(codes.values.sorted() == [0, SBSMErrorCode.duplicatedFetch.rawValue])
                let log = try await story.world.log(of: url)

                // At another viewpoint everything is removed, and pages lead both ways from there.
                view.viewpoint = log[49].createdAt.milliseconds
                view.messageCollection.resetViewpointTimestamp(view.getLastReadTimestamp())
                await story.world.pass()
                #expect(view.events.last == "clear")
                #expect(view.shown.isEmpty)
                view.messageCollection.fetch(in: .next)
                await story.world.pass()
                #expect(view.shown.contains("50"))
                let finished: (Bool, SBDError?) = await story.wait { done in
                    view.messageCollection.fetchAllNextMessages { done(($0, $1)) }
                }
                #expect(!finished.0)
                #expect(view.shown.last == "150")
                #expect(view.messageCollection.viewpointTimestamp == view.viewpoint)
                view.close()
            }
        }

        /// A delegate of several collections, which records each event.
        private final class SharedDelegate: SBSMMessageCollectionDelegate {
            struct Event {
                let source: SBSMMessageCollection
                let action: SBSMMessageEventAction
                let messages: [SBDBaseMessage]
            }

            var events: [Event] = []

            func collection(
                _ collection: SBSMMessageCollection,
                didReceiveEvent action: SBSMMessageEventAction, messages: [SBDBaseMessage]
            ) { events.append(Event(source: collection, action: action, messages: messages)) }

            /// Returns the texts that were inserted into a collection.
            func inserted(into collection: SBSMMessageCollection) -> [String] {
                events.filter { $0.source == collection && $0.action == .insert }
                    .flatMap(\.messages).map(\.message)
            }
        }

        @Test
        func `a shared delegate gets each event from its collection, with its messages (R189)`()
            throws
        {
            try SyncStory.play(seed: 8) { story in
                let urls = [try await story.channel("one"), try await story.channel("two")]
                await story.connect()
                let delegate = SharedDelegate()
                var views: [SBSMMessageCollection] = []
                for url in urls {
                    let view = SBSMMessageCollection(
                        channel: try await story.get(url), filter: nil,
                        viewpointTimestamp: Int64.max)
                    view.delegate = delegate
                    view.fetch(in: .previous)
                    views.append(view)
                }
                await story.world.pass()
                // An empty page is no event.
                #expect(delegate.events.isEmpty)
                try await story.bob.send("first", to: urls[0])
                await story.world.pass()
                #expect(delegate.inserted(into: views[0]) == ["first"])
                #expect(delegate.inserted(into: views[1]) == [])
                try await story.bob.send("second", to: urls[1])
                await story.world.pass()
                views[1].channel.sendUserMessage("mine")
                await story.world.pass()
                #expect(delegate.inserted(into: views[0]) == ["first"])
                #expect(delegate.inserted(into: views[1]) == ["second", "mine"])
                for url in urls {
                    let id = try #require(try await story.world.log(of: url).first?.messageID)
                    try await story.bob.edit(id, in: url, text: "edited")
                    await story.world.pass()
                    try await story.bob.delete(id, in: url)
                    await story.world.pass()
                }
                views[1].resetViewpointTimestamp(Int64.max)
                await story.world.pass()
                views[1].fetch(in: .previous)
                await story.world.pass()
                let actions = delegate.events.map(\.action)
                #expect(Set(actions) == [.insert, .update, .remove, .clear])
                for event in delegate.events {
                    #expect(!event.messages.isEmpty, "\(event.action)")
                    let channels = Set(event.messages.map(\.channelUrl))
                    #expect(channels == [event.source.channel.channelUrl], "\(event.action)")
                }
                for view in views { view.remove() }
            }
        }

        @Test
        func
            `the whole history is downloaded, into the cache only (R10, R11, R154, R178 to R180)`()
            throws
        {
            try SyncStory.play(seed: 3) { story in
                let url = try await story.channel("train")
                for number in 1...250 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = ChatScreen(channel: try await story.get(url))
                view.viewDidLoad()
                await story.world.pass(.seconds(60))
                #expect(view.shown.count == 40)
                await story.phone.network.cut()
                for _ in 0..<8 {
                    view.messageCollection.fetch(in: .previous)
                    await story.world.pass()
                }
                #expect(view.shown.count == 250)
                view.close()
            }
        }

        @Test
        func
            `own messages appear once, from preview to sent, and failed ones are removed (R190 to R192, R206)`()
            throws
        {
            try SyncStory.play(seed: 4) { story in
                let url = try await story.channel("train")
                await story.connect()
                let view = ChatScreen(channel: try await story.get(url))
                view.viewDidLoad()
                await story.world.pass()
                view.events = []
                view.send("hello")
                await story.world.pass()
                #expect(view.events == ["insert 1", "update succeeded"])
                #expect(view.shown == ["hello"])
                try await story.bob.send("hi", to: url)
                await story.world.pass()
                #expect(view.shown == ["hello", "hi"])
                // The guide cancels a failed preview, so it is not sent later.
                await story.phone.network.cut()
                view.send("lost")
                await story.world.pass()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.shown == ["hello", "hi"])
                #expect(try await story.world.log(of: url).map(\.text) == ["hello", "hi"])
                view.close()
            }
        }

        @Test
        func `a filter reports whether it is part of another (R175, R207)`() {
            func filter(
                _ type: SBDMessageTypeFilter, _ custom: String? = nil, _ senders: [String]? = nil
            ) -> SBSMMessageFilter {
                SBSMMessageFilter(messageType: type, customType: custom, senderUserIds: senders)
            }
            let all = filter(.all)
            #expect(filter(.user).isSubFilter(of: all))
            #expect(!all.isSubFilter(of: filter(.user)))
            #expect(filter(.user, "a").isSubFilter(of: filter(.user)))
            #expect(!filter(.user, "a").isSubFilter(of: filter(.user, "b")))
            #expect(filter(.all, nil, ["x"]).isSubFilter(of: filter(.all, nil, ["x", "y"])))
            #expect(!filter(.all, nil, ["z"]).isSubFilter(of: filter(.all, nil, ["x"])))
            #expect(!all.isSubFilter(of: filter(.all, nil, ["x"])))
        }
    }
}
