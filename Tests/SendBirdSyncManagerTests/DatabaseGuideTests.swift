// SPDX-License-Identifier: Apache-2.0

import DatabaseGuide
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
    /// Tests of the database guide's example against the server.
    struct DatabaseGuide {
        private static func cache(_ story: SyncStory) throws -> MessageCache {
            MessageCache(table: try MessageTable(path: story.folder.file("own.sqlite")))
        }

        private static func texts(_ cache: MessageCache, _ url: ChannelURL) throws -> [String] {
            try cache.table.messages(in: url.rawValue).map { $0.message }
        }

        @Test
        func
            `an app's own table has messages by time, with edits and deletions (R8, R9, R55 to R63)`()
            throws
        {
            try SyncStory.play(seed: 31) { story in
                let url = try await story.channel("train")
                for number in 1...60 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                let cache = try Self.cache(story)
                for _ in 0..<2 {
                    let error: (any Error)? = await story.wait { done in
                        cache.loadOlder(in: channel, done: done)
                    }
                    #expect(error == nil)
                }
                #expect(try Self.texts(cache, url) == (1...60).map(String.init))
                let log = try await story.world.log(of: url)
                try await story.bob.edit(try #require(log[4].messageID), in: url, text: "5!")
                try await story.bob.delete(try #require(log[9].messageID), in: url)
                try await story.bob.send("61", to: url)
                await story.bob.waitUntilIdle()
                let newer: (any Error)? = await story.wait { done in
                    cache.loadNewer(in: channel, done: done)
                }
                #expect(newer == nil)
                let changes: (any Error)? = await story.wait { done in
                    cache.applyChanges(in: channel, done: done)
                }
                #expect(changes == nil)
                let server = try await story.world.log(of: url).map(\.text)
                #expect(try Self.texts(cache, url) == server)
                // The token continues from there.
                try await story.bob.delete(try #require(log[10].messageID), in: url)
                await story.bob.waitUntilIdle()
                let _: (any Error)? = await story.wait { done in
                    cache.applyChanges(in: channel, done: done)
                }
                let now = try await story.world.log(of: url).map(\.text)
                #expect(try Self.texts(cache, url) == now)
                // An unsent message is left out.
                await story.phone.network.cut()
                try cache.table.insert([
                    channel.sendUserMessage(with: try #require(SBDUserMessageParams(message: "x")))
                ])
                #expect(try Self.texts(cache, url) == now)
            }
        }

        @Test
        func
            `live messages hide no missed ones, and ties come together (R59, R60, R202)`()
            throws
        {
            try SyncStory.play(seed: 33) { story in
                let url = try await story.channel("train")
                for number in 1...5 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                let cache = try Self.cache(story)
                SBDMain.add(cache as any SBDChannelDelegate, identifier: "cache")
                try await story.bob.send("6", to: url)
                await story.world.pass()
                #expect(try Self.texts(cache, url) == ["6"])
                let first: (any Error)? = await story.wait {
                    cache.loadNewer(in: channel, done: $0)
                }
                #expect(first == nil)
                await story.phone.network.cut()
                for number in 7...130 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                try await story.bob.send("131", to: url)
                await story.world.pass()
                #expect(try Self.texts(cache, url) == (1...6).map(String.init) + ["131"])
                let newer: (any Error)? = await story.wait {
                    cache.loadNewer(in: channel, done: $0)
                }
                #expect(newer == nil)
                #expect(try Self.texts(cache, url) == (1...131).map(String.init))
                // No message of one moment is left out, wherever a page ends.
                let log = try await story.world.log(of: url)
                try cache.table.delete([NSNumber(value: log[0].messageID?.rawValue ?? 0)])
                let older: (any Error)? = await story.wait {
                    cache.loadOlder(in: channel, done: $0)
                }
                #expect(older == nil)
                #expect(try Self.texts(cache, url).first == "1")
                SBDMain.removeAllChannelDelegates()
            }
        }

        @Test
        func `open channels may be stored too, by their time of creation (R7, R65)`() throws {
            try SyncStory.play(seed: 34) { story in
                // By address the order would be reversed.
                for (url, name) in [("open-z", "first"), ("open-a", "second")] {
                    await story.world.makeOpenChannel(ChannelURL(url), name: name)
                    await story.world.pass()
                }
                await story.connect()
                let cache = try Self.cache(story)
                for _ in 0..<2 {
                    let error: (any Error)? = await story.wait { done in
                        cache.replaceOpenChannels(done: done)
                    }
                    #expect(error == nil)
                    #expect(try cache.table.openChannels().map(\.name) == ["first", "second"])
                }
                #expect(try cache.table.channels().isEmpty)
            }
        }

        @Test
        func `an app's own list of channels follows the server, live and later (R64 to R72)`()
            throws
        {
            try SyncStory.play(seed: 32) { story in
                let first = try await story.channel("first")
                let empty = try await story.channel("empty")
                try await story.bob.send("hello", to: first)
                await story.bob.waitUntilIdle()
                await story.connect()
                let cache = try Self.cache(story)
                func names() throws -> [String] { try cache.table.channels().map(\.name) }
                let error: (any Error)? = await story.wait { done in
                    cache.replaceChannels(done: done)
                }
                #expect(error == nil)
                #expect(try names().sorted() == ["empty", "first"])
                // Live events.
                SBDMain.add(cache as any SBDChannelDelegate, identifier: "cache")
                try await story.bob.update(empty, ChannelUpdateParams(name: "still empty"))
                await story.world.pass()
                #expect(try names().sorted() == ["first", "still empty"])
                let third = try await story.channel("third")
                await story.world.pass()
                try await story.bob.send("hi", to: third)
                await story.world.pass()
                #expect(try cache.table.messages(in: third.rawValue).map(\.message) == ["hi"])
                try await story.bob.deleteChannel(third)
                await story.world.pass()
                #expect(try !names().contains("third"))
                #expect(try cache.table.messages(in: third.rawValue).isEmpty)
                SBDMain.removeAllChannelDelegates()
                // Changes without a listener, by the change log.
                let fourth = try await story.channel("fourth")
                try await story.bob.deleteChannel(empty)
                await story.bob.waitUntilIdle()
                let second: (any Error)? = await story.wait { done in
                    cache.applyChannelChanges(done: done)
                }
                #expect(second == nil)
                #expect(try names().sorted() == ["first", "fourth"])
                try await story.bob.deleteChannel(fourth)
                let _: (any Error)? = await story.wait { done in
                    cache.applyChannelChanges(done: done)
                }
                #expect(try names() == ["first"])
            }
        }
    }
}
