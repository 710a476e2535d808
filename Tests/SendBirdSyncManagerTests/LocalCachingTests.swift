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
    /// Tests of the collections that the last releases of the old library had.
    struct LocalCaching {
        private final class Screen: SBDGroupChannelCollectionDelegate, SBDMessageCollectionDelegate
        {
            var events: [String] = []
            var names: [String] = []
            /// The sources of the events, by their numbers.
            var sources: [Int] = []

            private func note(
                _ name: String, _ context: SBDCollectionContext, _ things: [String]
            ) {
                events.append("\(name) \(things.joined(separator: " ")): \(context.source)")
                sources.append(context.source.rawValue)
            }

            func channelCollection(
                _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
                addedChannels channels: [SBDGroupChannel]
            ) { note("added", context, channels.map(\.name)) }
            func channelCollection(
                _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
                deletedChannelUrls: [String]
            ) { note("deleted", context, deletedChannelUrls) }
            func messageCollection(
                _ collection: SBDMessageCollection, context: SBDMessageContext,
                channel: SBDGroupChannel, addedMessages messages: [SBDBaseMessage]
            ) { note("added", context, messages.map(\.message)) }
            func messageCollection(
                _ collection: SBDMessageCollection, context: SBDMessageContext,
                channel: SBDGroupChannel, updatedMessages messages: [SBDBaseMessage]
            ) { note("updated", context, messages.map(\.message)) }
            func messageCollection(
                _ collection: SBDMessageCollection, context: SBDMessageContext,
                channel: SBDGroupChannel, deletedMessages messages: [SBDBaseMessage]
            ) { note("deleted", context, messages.map(\.message)) }
            func messageCollection(
                _ collection: SBDMessageCollection, context: SBDMessageContext,
                updatedChannel channel: SBDGroupChannel
            ) { names.append("\(channel.name): \(context.source)") }
            func didDetectHugeGap(_ collection: SBDMessageCollection) { events.append("gap") }
        }

        private func start(
            _ story: SyncStory, _ collection: SBDMessageCollection
        ) async -> (cache: [String]?, server: [String]?) {
            await story.wait { done in
                var cached: [String]?
                collection.start(
                    with: .cacheAndReplaceByApi,
                    cacheResultHandler: { messages, _ in cached = messages?.map(\.message) },
                    apiResultHandler: { messages, _ in done((cached, messages?.map(\.message))) })
            }
        }

        @Test func `a channel collection pages, and tells later changes with their source`() throws
        {
            try SyncStory.play(seed: 121) { story in
                for name in ["one", "two", "three"] { _ = try await story.channel(name) }
                await story.connect()
                let query = try #require(SBDGroupChannel.createMyGroupChannelListQuery())
                (query.limit, query.order) = (2, .channelNameAlphabetical)
                let (collection, screen) = (SBDGroupChannelCollection(query: query), Screen())
                collection.delegate = screen
                for count in [2, 3] {
                    let error: SBDError? = await story.wait { done in
                        collection.loadMore { done($1) }
                    }
                    #expect(error == nil)
                    #expect(collection.channelList.count == count)
                }
                #expect(!collection.hasNext)
                #expect(collection.channelList.map(\.name) == ["one", "three", "two"])
                let url = try await story.channel("also")
                await story.world.pass()
                try await story.bob.deleteChannel(url)
                await story.world.pass()
                #expect(
                    screen.events == [
                        "added also: eventChannelChanged",
                        "deleted \(url): eventChannelDeleted",
                    ])
                collection.dispose()
                screen.events = []
                _ = try await story.channel("late")
                await story.world.pass()
                #expect(screen.events == [])
            }
        }

        @Test
        func `a hidden and a frozen channel leave a list as what they are, a read one is no event`()
            throws
        {
            try SyncStory.play(seed: 127) { story in
                var urls: [ChannelURL] = []
                for name in ["a", "b", "c", "d"] { urls.append(try await story.channel(name)) }
                await story.connect()
                await story.world.pass(.seconds(10))
                let query = try #require(SBDGroupChannel.createMyGroupChannelListQuery())
                (query.limit, query.order) = (2, .channelNameAlphabetical)
                query.includeFrozenChannel = false
                let (collection, screen) = (SBDGroupChannelCollection(query: query), Screen())
                collection.delegate = screen
                let error: SBDError? = await story.wait { done in
                    collection.loadMore { done($1) }
                }
                #expect(error == nil)
                await story.world.pass()
                screen.events = []
                let channel = try await story.get(urls[0])
                let failure: SBDError? = await story.wait { done in
                    channel.hideChannel(
                        withHidePreviousMessages: false, completionHandler: { done($0) })
                }
                #expect(failure == nil)
                await story.world.pass()
                try await story.bob.setFrozen(true, urls[1])
                await story.world.pass()
                #expect(
                    screen.events == [
                        "deleted \(urls[0]): eventChannelHidden", "added c: channelChangelog",
                        "deleted \(urls[1]): eventChannelFrozen", "added d: channelChangelog",
                    ])
                collection.dispose()
            }
        }

        @Test func `the cache of the old library has no limit (R178)`() throws {
            try SyncStory.play(seed: 128) { story in
                await story.connect()
                let limit = try #require(SBDMain.door.configuration?.cacheLimit.maxSize)
                #expect(limit == ByteCount(bytes: .max))
            }
        }

        @Test func `a message collection shows the cache, then the server, then events`() throws {
            try SyncStory.play(seed: 122) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                let params = SBDMessageListParams()
                params.reverse = true
                let (collection, screen) = (
                    SBDMessageCollection(
                        channel: channel, startingPoint: LONG_LONG_MAX, params: params), Screen()
                )
                collection.delegate = screen
                #expect(await start(story, collection).server == ["1"])
                #expect(!collection.hasNext)
                channel.sendUserMessage("2")
                await story.world.pass()
                try await story.bob.send("3", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                await story.world.pass()
                #expect(
                    screen.events == [
                        "added 2: localMessagePendingCreated", "updated 2: eventMessageSent",
                        "added 3: eventMessageReceived",
                    ])
                #expect(screen.names.contains("tram: eventChannelChanged"))
                #expect(collection.succeededMessages.map(\.message) == ["3", "2", "1"])
                #expect(collection.channel.name == "tram")
                collection.dispose()
                let again = SBDMessageCollection(
                    channel: channel, startingPoint: LONG_LONG_MAX, params: SBDMessageListParams())
                #expect(await start(story, again).cache == ["1", "2", "3"])
                again.dispose()
            }
        }

        @Test func `a canceled message is updated, then deleted (R104, R105)`() throws {
            try SyncStory.play(seed: 124) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let (collection, screen) = (
                    SBDMessageCollection(
                        channel: channel, startingPoint: LONG_LONG_MAX,
                        params: SBDMessageListParams()), Screen()
                )
                collection.delegate = screen
                _ = await start(story, collection)
                await story.phone.network.cut()
                let unsent = channel.sendUserMessage("never")
                await story.world.pass()
                channel.delete(unsent, completionHandler: nil)
                await story.world.pass()
                #expect(
                    screen.events == [
                        "added never: localMessagePendingCreated",
                        "updated never: localMessageCanceled",
                        "deleted never: localMessageCanceled",
                    ])
                collection.dispose()
            }
        }

        @Test func `an upload is no resend, and a resend is one (R104, R145)`() throws {
            try SyncStory.play(seed: 126) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let (collection, screen) = (
                    SBDMessageCollection(
                        channel: channel, startingPoint: LONG_LONG_MAX,
                        params: SBDMessageListParams()), Screen()
                )
                collection.delegate = screen
                _ = await start(story, collection)
                let file = try #require(SBDFileMessageParams(file: Data("x".utf8)))
                let failure: SBDError? = await story.wait { done in
                    channel.sendFileMessage(with: file) { done($1) }
                }
                #expect(failure == nil)
                await story.world.pass()
                // Written, uploaded, sent.
                #expect(screen.sources == [3, 3, 100])
                screen.sources = []
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                let unsent = channel.sendUserMessage("again")
                await story.world.pass()
                #expect(screen.sources == [3, 4])
                screen.sources = []
                try await story.bob.setFrozen(false, url)
                await story.world.pass()
                channel.resendUserMessage(with: unsent)
                await story.world.pass()
                #expect(screen.sources == [6, 100])
                collection.dispose()
            }
        }

        @Test
        func `an own message sent from a view of the past stays behind the window (R143)`() throws {
            try SyncStory.play(seed: 125) { story in
                let url = try await story.channel("train")
                for number in 1...40 {
                    try await story.bob.send("\(number)", to: url)
                    await story.bob.waitUntilIdle()
                    await story.world.pass(.seconds(1))
                }
                await story.connect()
                let channel = try await story.get(url)
                let params = SBDMessageListParams()
                (params.previousResultSize, params.nextResultSize) = (5, 5)
                let start = try await story.world.log(of: url)[9].createdAt
                let collection = SBDMessageCollection(
                    channel: channel, startingPoint: start.milliseconds, params: params)
                _ = await self.start(story, collection)
                #expect(collection.hasNext)
                channel.sendUserMessage("mine")
                await story.world.pass()
                var shown = collection.succeededMessages.map(\.message)
                #expect(shown.last == "mine")
                #expect(collection.hasNext && !shown.contains("40"))
                while collection.hasNext {
                    let error: SBDError? = await story.wait { done in
                        collection.loadNext { done($1) }
                    }
                    try #require(error == nil)
                }
                shown = collection.succeededMessages.map(\.message)
                #expect(shown.suffix(31) == (11...40).map { "\($0)" } + ["mine"])
                collection.dispose()
            }
        }

        @Test func `a collection reports a huge gap, and pages before any start are refused`()
            throws
        {
            try SyncStory.play(seed: 123) { story in
                let url = try await story.channel("train")
                try await story.bob.send("0", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let (collection, screen) = (
                    SBDMessageCollection(
                        channel: try await story.get(url), startingPoint: LONG_LONG_MAX,
                        params: SBDMessageListParams()), Screen()
                )
                collection.delegate = screen
                let error: SBDError? = await story.wait { done in
                    collection.loadPrevious { done($1) }
                }
                #expect(error?.code == SBDErrorCode.invalidParameter.rawValue)
                _ = await start(story, collection)
                await story.phone.network.cut()
                for number in 1...301 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(screen.events.contains("gap"))
                collection.dispose()
            }
        }
    }
}
