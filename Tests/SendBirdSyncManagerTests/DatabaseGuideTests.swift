// SPDX-License-Identifier: Apache-2.0

import DatabaseGuide
import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostSQLite
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

        private struct MessageRow: Equatable {
            let id: Int64
            let url: String
            let time: Int64
            /// The text of the message in the payload.
            let text: String?
        }

        /// The columns that the guide names.
        private static let messageRows = Query<Void, MessageRow>(
            sql: """
                SELECT message_id, channel_url, message_ts, payload FROM message
                ORDER BY message_ts
                """
        ) { row in
            MessageRow(
                id: row.int64(0), url: row.text(1), time: row.int64(2),
                text: SBDBaseMessage.build(fromSerializedData: Data(row.bytes(3)))?.message)
        }

        @Test
        func
            `an app's own table has messages by time, with edits and deletions (R8, R9, R55 to R61, R63)`()
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
                let server = try await story.world.log(of: url)
                #expect(try Self.texts(cache, url) == server.map(\.text))
                let database = try Connection(.file(story.folder.file("own.sqlite")))
                let rows = server.map { message in
                    MessageRow(
                        id: message.messageID?.rawValue ?? 0, url: url.rawValue,
                        time: message.createdAt.milliseconds, text: message.text)
                }
                #expect(rows.count == 60)
                #expect(try database.all(Self.messageRows) == rows)
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

        private struct Row: Equatable {
            let url: String
            let time: Int64
        }

        private static let rows = Query<Void, Row>(
            sql: "SELECT channel_url, last_message_ts FROM channel ORDER BY last_message_ts"
        ) { row in Row(url: row.text(0), time: row.int64(1)) }

        private static func names(_ cache: MessageCache) throws -> [String] {
            try cache.table.channels().map(\.name)
        }

        private static func fill(_ cache: MessageCache, _ story: SyncStory) async {
            let error: (any Error)? = await story.wait { done in cache.replaceChannels(done: done) }
            #expect(error == nil)
        }

        @Test
        func
            `an app's own list is in order of the last message, and an empty channel has a place (R64 to R67, R69)`()
            throws
        {
            try SyncStory.play(seed: 35) { story in
                let old = try await story.channel("old")
                let new = try await story.channel("new")
                try await story.bob.send("1", to: old)
                await story.world.pass()
                let empty = try await story.channel("empty")
                await story.world.pass()
                try await story.bob.send("2", to: new)
                await story.world.pass()
                await story.connect()
                let cache = try Self.cache(story)
                let database = try Connection(.file(story.folder.file("own.sqlite")))
                let created = try await story.get(empty).createdAt
                let times = [
                    try await story.world.log(of: old)[0].createdAt.milliseconds,
                    Int64(created) * 1_000,
                    try await story.world.log(of: new)[0].createdAt.milliseconds,
                ]
                let rows = zip([old, empty, new], times).map { Row(url: $0.rawValue, time: $1) }
                // A second filling adds no second row.
                for _ in 0..<2 {
                    await Self.fill(cache, story)
                    #expect(try Self.names(cache) == ["old", "empty", "new"])
                    #expect(try database.all(Self.rows) == rows)
                }
                SBDMain.add(cache as any SBDChannelDelegate, identifier: "cache")
                defer { SBDMain.removeAllChannelDelegates() }
                try await story.bob.send("3", to: old)
                await story.world.pass()
                #expect(try Self.names(cache) == ["empty", "new", "old"])
                let last = try #require(try await story.world.log(of: old).last?.messageID)
                try await story.bob.delete(last, in: old)
                await story.world.pass()
                #expect(try Self.names(cache) == ["old", "empty", "new"])
                try await story.bob.makeNow(
                    .update(ChannelUpdateParams(name: "still empty")), in: empty)
                await story.world.pass()
                #expect(try Self.names(cache) == ["old", "still empty", "new"])
            }
        }

        @Test
        func
            `an app's own list is replaced as a whole, or follows the change log (R65, R68, R70)`()
            throws
        {
            try SyncStory.play(seed: 32) { story in
                let first = try await story.channel("first")
                let second = try await story.channel("second")
                await story.connect()
                let cache = try Self.cache(story)
                await Self.fill(cache, story)
                #expect(try Self.names(cache).sorted() == ["first", "second"])
                try await story.bob.deleteChannel(second)
                let third = try await story.channel("third")
                await story.world.pass()
                // Without a delegate the table keeps what it has until it is filled again.
                #expect(try Self.names(cache).sorted() == ["first", "second"])
                await Self.fill(cache, story)
                #expect(try Self.names(cache).sorted() == ["first", "third"])
                for step in 0..<2 {
                    if step == 0 {
                        _ = try await story.channel("fourth")
                        try await story.bob.makeNow(
                            .update(ChannelUpdateParams(name: "1st")), in: first)
                    }
                    try await story.bob.deleteChannel(step == 0 ? third : first)
                    let error: (any Error)? = await story.wait { done in
                        cache.applyChannelChanges(done: done)
                    }
                    #expect(error == nil)
                    let names = step == 0 ? ["1st", "fourth"] : ["fourth"]
                    #expect(try Self.names(cache).sorted() == names)
                }
            }
        }

        /// A delegate that hands a cache nothing but the calls about members and deletions.
        private final class MembershipOnly: SBDChannelDelegate {
            let cache: MessageCache

            init(_ cache: MessageCache) { self.cache = cache }

            func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType) {
                cache.channelWasDeleted(channelUrl, channelType: channelType)
            }
            func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser) {
                cache.channel(sender, userDidJoin: user)
            }
            func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser) {
                cache.channel(sender, userDidLeave: user)
            }
            func channel(_ sender: SBDBaseChannel, userWasBanned user: SBDUser) {
                cache.channel(sender, userWasBanned: user)
            }
        }

        @Test
        func
            `an app's own list follows joining, leaving and deletion by their calls alone (R71, R72)`()
            throws
        {
            try SyncStory.play(seed: 36) { story in
                let carol = try await story.world.launch(story.world.device(of: "carol"))
                try await carol.connect()
                await story.connect()
                let cache = try Self.cache(story)
                let delegate = MembershipOnly(cache)
                SBDMain.add(delegate as any SBDChannelDelegate, identifier: "members")
                defer { SBDMain.removeAllChannelDelegates() }
                func counts() throws -> [String: UInt] {
                    let counts = try cache.table.channels().map { ($0.name, $0.memberCount) }
                    // A channel with two rows fails the test by its sum.
                    return Dictionary(counts, uniquingKeysWith: +)
                }
                var urls: [ChannelURL] = []
                for name in ["deleted", "left", "lost"] {
                    urls.append(try await story.channel(name))
                }
                await story.world.pass()
                #expect(try counts() == ["deleted": 2, "left": 2, "lost": 2])
                try await story.bob.makeNow(.invite(["carol"]), in: urls[0])
                await story.world.pass()
                #expect(try counts()["deleted"] == 3)
                try await carol.makeNow(.leave, in: urls[0])
                await story.world.pass()
                #expect(try counts()["deleted"] == 2)
                for url in urls {
                    try await story.bob.send("hi", to: url)
                    await story.world.pass()
                    let channel = try await story.get(url)
                    let _: (any Error)? = await story.wait {
                        cache.loadNewer(in: channel, done: $0)
                    }
                    #expect(try Self.texts(cache, url) == ["hi"])
                }
                try await story.bob.deleteChannel(urls[0])
                await story.world.pass()
                #expect(try counts() == ["left": 2, "lost": 2])
                try await story.get(urls[1]).leave()
                await story.world.pass()
                #expect(try counts() == ["lost": 2])
                try await story.bob.ban("alice", from: urls[2])
                await story.world.pass()
                #expect(try counts() == [:])
                for url in urls { #expect(try Self.texts(cache, url).isEmpty) }
                await carol.close()
            }
        }

        /// Expects the same names in an app's own list after it was filled anew.
        private static func expectFull(
            _ names: [String], _ cache: MessageCache, _ story: SyncStory
        ) async throws {
            await story.world.pass()
            #expect(try Self.names(cache) == names)
            await fill(cache, story)
            #expect(try Self.names(cache) == names)
        }

        @Test(arguments: [false, true])
        func `an app's own list follows invitations, hiding and reading elsewhere (R69, R72)`(
            isInvited: Bool
        ) throws {
            try SyncStory.play(seed: 39) { story in
                if isInvited {
                    await story.world.add(User(id: "alice"), acceptsInvitations: false)
                }
                let tablet = try await story.world.launch(story.world.device(of: "alice"))
                try await tablet.connect()
                await story.connect()
                let cache = try Self.cache(story)
                SBDMain.add(cache as any SBDChannelDelegate, identifier: "cache")
                defer { SBDMain.removeAllChannelDelegates() }
                let url = try await story.channel("train")
                try await Self.expectFull(["train"], cache, story)
                if isInvited {
                    try await tablet.declineInvitation(to: url)
                    try await Self.expectFull([], cache, story)
                } else {
                    try await story.bob.send("hi", to: url)
                    await story.world.pass()
                    #expect(try cache.table.channels().map(\.unreadMessageCount) == [1])
                    try await tablet.markAsReadNow(url, awaitingServer: true)
                    await story.world.pass()
                    #expect(try cache.table.channels().map(\.unreadMessageCount) == [0])
                    try await tablet.makeNow(.hide(allowsAutoUnhide: false), in: url)
                    try await Self.expectFull([], cache, story)
                    try await tablet.makeNow(.unhide, in: url)
                    try await Self.expectFull(["train"], cache, story)
                }
                await tablet.close()
            }
        }

        private static func loadNewer(
            _ cache: MessageCache, _ url: ChannelURL, _ story: SyncStory
        ) async throws {
            let channel = try await story.get(url)
            let error: (any Error)? = await story.wait { cache.loadNewer(in: channel, done: $0) }
            #expect(error == nil)
        }

        @Test
        func
            `after a return to a channel its whole history is in an app's own table again (R60, R71, R72)`()
            throws
        {
            try SyncStory.play(seed: 37) { story in
                let url = try await story.channel("train")
                for number in 1...5 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let cache = try Self.cache(story)
                SBDMain.add(cache as any SBDChannelDelegate, identifier: "cache")
                defer { SBDMain.removeAllChannelDelegates() }
                try await Self.loadNewer(cache, url, story)
                #expect(try Self.texts(cache, url).count == 5)
                try await story.get(url).leave()
                await story.world.pass()
                #expect(try Self.texts(cache, url).isEmpty)
                for number in 6...8 { try await story.bob.send("\(number)", to: url) }
                try await story.bob.makeNow(.invite(["alice"]), in: url)
                await story.world.pass()
                try await Self.loadNewer(cache, url, story)
                #expect(try Self.texts(cache, url) == (1...8).map(String.init))
            }
        }

        @Test
        func
            `a channel that was lost unnoticed leaves with its messages when the list is replaced (R68, R72)`()
            throws
        {
            try SyncStory.play(seed: 38) { story in
                let kept = try await story.channel("kept")
                let lost = try await story.channel("lost")
                for url in [kept, lost] { try await story.bob.send("1", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let cache = try Self.cache(story)
                await Self.fill(cache, story)
                for url in [kept, lost] {
                    try await Self.loadNewer(cache, url, story)
                    #expect(try Self.texts(cache, url) == ["1"])
                }
                // Without a delegate the ban stays unnoticed.
                try await story.bob.ban("alice", from: lost)
                await story.world.pass()
                await Self.fill(cache, story)
                #expect(try Self.names(cache) == ["kept"])
                #expect(try Self.texts(cache, kept) == ["1"])
                #expect(try Self.texts(cache, lost).isEmpty)
                #expect(try cache.table.token("newest", of: kept.rawValue) != nil)
                #expect(try cache.table.token("newest", of: lost.rawValue) == nil)
            }
        }
    }
}
