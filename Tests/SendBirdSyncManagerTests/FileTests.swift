// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostFileCache
import RoostModel
import RoostSealing
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

@testable import GuideSamples

extension SendBirdTests {
    /// Tests of the guides' basic cache, with objects of the library.
    struct Files {
        private static func messages(_ channel: SBDGroupChannel, _ story: SyncStory) async
            -> [SBDBaseMessage]
        {
            let params = SBDMessageListParams()
            params.previousResultSize = 200
            let answer: [SBDBaseMessage]? = await story.wait { done in
                channel.getMessagesByTimestamp(Int64.max, params: params) { messages, _ in
                    done(messages)
                }
            }
            return answer ?? []
        }

        @Test
        func
            `lists of objects survive in files, separately for each user (R24, R40 to R44, R46 to R49, R52, R53, scar 34)`()
            throws
        {
            try SyncStory.play(seed: 71) { story in
                let url = try await story.channel("train")
                for number in 1...103 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                #expect(SBDFileCache.loadMessages(inChannel: url.rawValue) == nil)
                #expect(SBDFileCache.loadGroupChannels() == nil)
                await story.connect()
                let channel = try await story.get(url)
                let messages = await Self.messages(channel, story)
                let unsent = channel.sendUserMessage(
                    with: try #require(SBDUserMessageParams(message: "not yet")))
                SBDFileCache.saveMessages(messages + [unsent], channelUrl: url.rawValue)
                SBDFileCache.saveChannels([channel])
                // Under either name it is empty or the saved list.
                let kept = try #require(SBDFileCache.loadMessages(inChannel: url.rawValue))
                #expect(kept.map { $0.message } == (4...103).map(String.init))
                #expect(kept.allSatisfy { $0 is SBDUserMessage })
                #expect(SBDFileCache.loadGroupChannels()?.map(\.name) == ["train"])
                let open = SBDOpenChannel(kept: GroupChannel(url: "open", name: "hall"))
                SBDFileCache.saveChannels([channel, open])
                #expect(SBDFileCache.loadGroupChannels()?.map(\.name) == ["train"])
                SBDFileCache.saveMessages([], channelUrl: url.rawValue)
                SBDFileCache.save(channels: nil)
                SBDFileCache.save(message: nil)
                SBDFileCache.save(message: unsent)
                #expect(SBDFileCache.loadMessages(channelUrl: url.rawValue) == kept)
                #expect(SBDFileCache.loadChannels().count == 1)
                // Another message displaces the oldest; a known one keeps its place.
                let late = SBDBaseMessage.make(
                    Message(
                        delivery: .delivered(9_999_999, "late"), channelURL: url,
                        createdAt: Timestamp.wireRange.upperBound, content: .user(text: "104")))
                SBDFileCache.save(message: late)
                SBDFileCache.save(message: kept[50])
                #expect(
                    SBDFileCache.loadMessages(channelUrl: url.rawValue).map { $0.message }
                        == (5...104).map(String.init))
                // The native importer reads the same files.
                let files = FileCache(
                    folder: story.folder.path + "-files", application: "simulation", user: "alice")
                #expect(files.loadMessages(in: url)?.values.count == 100)
                let _: Bool = await story.wait { done in
                    SBDMain.connect(withUserId: "carol") { _, _ in done(true) }
                }
                #expect(SBDFileCache.loadMessages(inChannel: url.rawValue) == nil)
                #expect(SBDFileCache.loadChannels().isEmpty)
                try FileManager.default.removeItem(atPath: story.folder.path + "-files")
            }
        }

        private static func message(_ number: Int64, in channel: ChannelURL) -> SBDBaseMessage {
            SBDBaseMessage.make(
                Message(
                    delivery: .delivered(MessageID(number), RequestID("r\(number)")),
                    channelURL: channel, createdAt: Timestamp(milliseconds: number),
                    content: .user(text: "\(number)")))
        }

        private static func texts(in channel: ChannelURL) -> [String] {
            SBDFileCache.loadMessages(channelUrl: channel.rawValue).map { $0.message }
        }

        @Test func `another message keeps a list that was saved newest first in its order`() throws
        {
            try SyncStory.play(seed: 76) { story in
                await story.connect()
                defer { try? FileManager.default.removeItem(atPath: story.folder.path + "-files") }
                let newestFirst = (1...100).reversed().map { Self.message(2 * $0, in: "c") }
                SBDFileCache.saveMessages(newestFirst, channelUrl: "c")
                SBDFileCache.save(message: Self.message(201, in: "c"))
                SBDFileCache.save(message: Self.message(99, in: "c"))
                let numbers = [201] + (2...100).reversed().map { 2 * $0 }
                let place = try #require(numbers.firstIndex(of: 98))
                let expected = (numbers[..<place] + [99] + numbers[place...]).prefix(100)
                #expect(Self.texts(in: "c") == expected.map(String.init))
            }
        }

        @Test func `messages that several threads save at once are all kept`() throws {
            try SyncStory.play(seed: 77) { story in
                await story.connect()
                defer { try? FileManager.default.removeItem(atPath: story.folder.path + "-files") }
                DispatchQueue.concurrentPerform(iterations: 40) { index in
                    SBDFileCache.save(message: Self.message(Int64(index) + 1, in: "c"))
                }
                #expect(Self.texts(in: "c") == (1...40).map(String.init))
            }
        }

        @Test func `all saved lists can be removed, also after a logout`() throws {
            try SyncStory.play(seed: 78) { story in
                await story.connect()
                defer { try? FileManager.default.removeItem(atPath: story.folder.path + "-files") }
                SBDFileCache.save(message: Self.message(1, in: "c"))
                let _: Bool = await story.wait { done in SBDMain.disconnect { done(true) } }
                #expect(SBDFileCache.removeAll())
                await story.connect()
                #expect(Self.texts(in: "c").isEmpty)
            }
        }

        @Test
        func `the fresh list takes the place of the file's, with edits and deletions (R45)`()
            throws
        {
            try SyncStory.play(seed: 75) { story in
                let url = try await story.channel("train")
                for number in 1...5 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                var shown = await Self.messages(channel, story)
                SBDFileCache.saveMessages(shown, channelUrl: url.rawValue)
                let log = try await story.world.log(of: url)
                try await story.bob.edit(try #require(log[1].messageID), in: url, text: "2!")
                try await story.bob.delete(try #require(log[2].messageID), in: url)
                try await story.bob.send("6", to: url)
                await story.bob.waitUntilIdle()
                // The screen begins with the file.
                shown = SBDFileCache.loadMessages(channelUrl: url.rawValue)
                #expect(shown.map { $0.message } == ["1", "2", "3", "4", "5"])
                shown = await Self.messages(channel, story)
                SBDFileCache.saveMessages(shown, channelUrl: url.rawValue)
                let server = try await story.world.log(of: url).map(\.text)
                #expect(server == ["1", "2!", "4", "5", "6"])
                #expect(shown.map { $0.message } == server)
                let kept = SBDFileCache.loadMessages(channelUrl: url.rawValue)
                #expect(kept.map { $0.message } == server)
                try FileManager.default.removeItem(atPath: story.folder.path + "-files")
            }
        }

        @Test
        func `files of a user are closed after the logout, until the next login (R24, R52)`()
            throws
        {
            try SyncStory.play(seed: 73) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                let messages = await Self.messages(channel, story)
                SBDFileCache.saveMessages(messages, channelUrl: url.rawValue)
                SBDFileCache.saveChannels([channel])
                let _: Bool = await story.wait { done in SBDMain.disconnect { done(true) } }
                #expect(SBDFileCache.loadMessages(inChannel: url.rawValue) == nil)
                #expect(SBDFileCache.loadGroupChannels() == nil)
                let late = SBDBaseMessage.make(
                    Message(
                        delivery: .delivered(9_999_999, "late"), channelURL: url,
                        createdAt: Timestamp.wireRange.upperBound, content: .user(text: "late")))
                SBDFileCache.save(message: late)
                await story.connect()
                let kept = SBDFileCache.loadMessages(channelUrl: url.rawValue)
                #expect(kept.map { $0.message } == ["1"])
                #expect(SBDFileCache.loadChannels().count == 1)
                try FileManager.default.removeItem(atPath: story.folder.path + "-files")
            }
        }

        @Test
        func `an app keeps the file of its channels in step by the change log (R54, R70)`()
            throws
        {
            try SyncStory.play(seed: 74) { story in
                let first = try await story.channel("first")
                let second = try await story.channel("second")
                await story.connect()
                SBDFileCache.saveChannels([try await story.get(first), try await story.get(second)])
                typealias Log = ([SBDGroupChannel]?, [String]?, Bool, String?, SBDError?)
                let start: Log = await story.wait { done in
                    SBDMain.getMyGroupChannelChangeLogs(byTimestamp: 1, customTypes: nil) {
                        done(($0, $1, $2, $3, $4))
                    }
                }
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "1st")), in: first)
                try await story.bob.deleteChannel(second)
                _ = try await story.channel("third")
                let changes: Log = await story.wait { done in
                    SBDMain.getMyGroupChannelChangeLogs(byToken: start.3, customTypes: nil) {
                        done(($0, $1, $2, $3, $4))
                    }
                }
                let updated = try #require(changes.0)
                let stale = Set(updated.map(\.channelUrl) + (changes.1 ?? []))
                SBDFileCache.saveChannels(
                    SBDFileCache.loadChannels().filter { !stale.contains($0.channelUrl) } + updated)
                #expect(SBDFileCache.loadChannels().map(\.name).sorted() == ["1st", "third"])
                try FileManager.default.removeItem(atPath: story.folder.path + "-files")
            }
        }

        @Test
        func `files lie in a folder named by the application beside the cache's folder (R22, R31)`()
            throws
        {
            // Without a folder of the app's own the cache is among the user's application data.
            let support = FileManager.default.urls(
                for: .applicationSupportDirectory, in: .userDomainMask)
            #expect(
                Door.Settings(applicationID: "app").folder
                    == (try #require(support.first)).appending(path: "Roost").path)
            try SyncStory.play(seed: 72) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let folder = story.folder.path + "-files"
                defer { try? FileManager.default.removeItem(atPath: folder) }
                SBDFileCache.saveChannels([channel])
                let digest = [UInt8].sha256(of: Array("alice".utf8))
                let name = digest.map { String(format: "%02x", $0) }.joined() + "_channellist"
                #expect(
                    try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
                        == ["", "/\(name).data", "/\(name).hash"].map { "simulation" + $0 })
                // The same folder by another spelling has the same files.
                SBDMain.setCacheFolder(story.folder.path + "/")
                #expect(SBDFileCache.loadGroupChannels()?.count == 1)
            }
        }

        @Test
        func
            `the page's code works with helpers that reverse no checksum (R29, R34, R46 to R48, R53)`()
            throws
        {
            let sample = FileSample(channelUrl: "c") { "\([UInt8].sha256(of: Array($0.utf8)))" }
            func message(_ delivery: RoostModel.Message.Delivery, _ text: String) -> SBDBaseMessage
            {
                SBDBaseMessage.make(
                    Message(
                        delivery: delivery, channelURL: "c",
                        createdAt: Timestamp(milliseconds: 1), content: .user(text: text)))
            }
            sample.save(message: message(.delivered(1, "r-1"), "one"))
            sample.save(message: message(.delivered(2, "r-2"), "two"))
            sample.save(message: message(.unsent("r-3", .pending), "never sent"))
            sample.save(message: nil)
            #expect(sample.loadMessages(channelUrl: "c").map { $0.message } == ["one", "two"])
            #expect(sample.loadMessages(channelUrl: "d").isEmpty)
            let channels = [SBDGroupChannel(kept: GroupChannel(url: "c", name: "train"))]
            sample.save(channels: channels)
            sample.save(channels: nil)
            #expect(sample.loadChannels().map(\.name) == ["train"])
            // An equal list is not written again.
            let count = sample.writeCount
            sample.save(channels: channels)
            #expect(sample.writeCount == count)
        }
    }
}
