// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import RoostSealing
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

@testable import CallSitesV4

extension SendbirdChatTests {
    struct Cache {
        /// A record of the protection class of each file and folder, in place of the system.
        private final class ClassRecord: FileProtector {
            private let classes = Guarded<[String: FileProtection]>([:])

            var paths: Set<String> { classes.withLock { Set($0.keys) } }
            var given: Set<FileProtection> { classes.withLock { Set($0.values) } }

            func protect(_ path: String, as protection: FileProtection) {
                classes.withLock { $0[path] = protection }
            }
        }

        @Test
        func
            `the page's settings are accepted as printed (R73 to R76, R79, R117 to R119, R213)`()
            throws
        {
            let initParam = SettingsSample.cacheManagement()
            #expect(SendbirdChat.getApplicationId() == "{APP_ID}")
            #expect(initParam.logLevel == .verbose)
            #expect(SendbirdChat.getLogLevel() == .verbose)
            SendbirdLogger.setLevel(.warning)
            #expect(SendbirdChat.getLogLevel() == .warning)
            #expect(initParam.appVersion == "x.y.z")
            let config = try #require(initParam.localCacheConfig)
            #expect(config.maxSize == 256 && config.clearOrder == .custom)
            #expect(config.customClearOrderComparator != nil)
            let standard = LocalCacheConfig()
            initParam.localCacheConfig = standard
            #expect(initParam.localCacheConfig === standard)
            let whole = InitParams(
                applicationId: "app", isLocalCachingEnabled: true, localCacheConfig: config)
            #expect(whole.applicationId == "app" && whole.isLocalCachingEnabled)
            #expect(whole.localCacheConfig === config)
            #expect(standard.maxSize == 256)
            #expect(standard.clearOrder == .messageCollectionAccessedAt)
            #expect(standard.customClearOrderComparator == nil)
            #expect(!standard.isEncryptionEnabled)
            standard.maxSize = 1
            #expect(standard.maxSize == 64)
            standard.maxSize = Int64.max
            #expect(standard.maxSize == Int64.max)
            #expect(LocalCacheConfig(maxSize: 63).maxSize == 64)
        }

        enum Order: CaseIterable {
            case standard, custom, customWithoutComparator
        }

        @Test(arguments: Order.allCases)
        func `the app or the time of opening decides which channel is evicted first (R120 to R125)`(
            order: Order
        ) throws {
            try DoorStory.play(seed: 23) { story in
                let params = story.params()
                let seen = Answers<CachedBaseChannelInfo>()
                if order != .standard { params.localCacheConfig?.clearOrder = .custom }
                if order == .custom {
                    params.localCacheConfig?.customClearOrderComparator = { left, right in
                        seen.values += [left, right]
                        return NSNumber(value: right.cachedMessageCount)
                            .compare(NSNumber(value: left.cachedMessageCount))
                    }
                }
                SendbirdChat.initialize(params: params)
                await story.connect()
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                var urls: [ChannelURL] = []
                for count in [1, 5] {
                    let url = try await story.channel("\(count)")
                    for number in 1...count { try await story.bob.send("\(number)", to: url) }
                    await story.bob.waitUntilIdle()
                    view.channel = try await story.get(url)
                    view.createMessageCollection()
                    view.initialize()
                    await story.world.pass()
                    view.dispose()
                    urls.append(url)
                }
                let client = try await SendbirdChat.door.client()
                let plan = try await client.evictionPlan(downTo: ByteCount(bytes: 0))
                #expect(plan.channels.map(\.url) == (order == .custom ? urls.reversed() : urls))
                let opened = plan.channels.sorted { $0.cachedMessageCount < $1.cachedMessageCount }
                #expect(opened.map(\.cachedMessageCount) == [1, 5])
                #expect(
                    (opened[0].openedAt ?? .distantFuture) < (opened[1].openedAt ?? .distantPast))
                #expect(
                    Set(seen.values.map(\.cachedMessageCount)) == (order == .custom ? [1, 5] : []))
                #expect(seen.values.allSatisfy { $0.messageCollectionAccessedAt > 0 })
                // Messages are removed, channels stay.
                try await client.trimCache(downTo: ByteCount(bytes: 0))
                await story.phone.network.cut()
                view.calls = []
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()
                #expect(view.calls.first == "cache 0")
                #expect(try await story.get(urls[1]).name == "5")
            }
        }

        @Test(arguments: [1, 256] as [Int64])
        func `a cache beyond its limit is evicted when the user connects (R119, R126, R127)`(
            maxSize: Int64
        ) throws {
            try DoorStory.play(seed: 24) { story in
                let params = story.params()
                params.localCacheConfig?.maxSize = maxSize  // 1 is 64.
                SendbirdChat.initialize(params: params)
                SendbirdChat.door.open("alice")
                let client = try await SendbirdChat.door.client()
                let megabyte = String(repeating: "x", count: 1 << 20)
                let urls = (1...66).map { ChannelURL("old-\($0)") }
                try await client.adopt(urls.map { RoostModel.GroupChannel(url: $0, name: "old") })
                for (number, url) in zip(1..., urls) {
                    let message = Message(
                        delivery: .delivered(MessageID(Int64(number)), nil), channelURL: url,
                        createdAt: Timestamp(milliseconds: Int64(number)),
                        content: .user(text: megabyte))
                    try await client.adopt([message], in: url, areWhole: false)
                }
                await story.world.pass(.seconds(60))
                #expect(SendbirdChat.getCachedDataSize() > 64 << 20)
                await story.connect()
                await story.world.pass(.seconds(60))
                #expect((try await client.cacheSize().bytes < 64 << 20) == (maxSize == 1))
            }
        }

        @Test
        func `encryption is off by default, and covers all files (R131 to R136)`()
            throws
        {
            #expect(
                SettingsSample.encryption(appId: "app").localCacheConfig?.isEncryptionEnabled
                    == true)
            for isEncrypted in [false, true] {
                try DoorStory.play(seed: isEncrypted ? 21 : 20) { story in
                    let folder = story.folder.file("cache")
                    let params = story.params()
                    params.cacheFolder = folder
                    if isEncrypted { params.localCacheConfig?.isEncryptionEnabled = true }
                    let record = ClassRecord()
                    var world = story.world.surroundings(of: story.phone)
                    world.fileProtector = record
                    story.enter(world)
                    SendbirdChat.initialize(params: params)
                    let url = try await story.channel("a secret name")
                    try await story.bob.send("a secret word", to: url)
                    await story.bob.waitUntilIdle()
                    await story.connect()
                    #expect(
                        record.given
                            == [
                                isEncrypted
                                    ? .completeUnlessOpen : .completeUntilFirstUserAuthentication
                            ])
                    for name in ["cache.sqlite", "outbox.sqlite"] {
                        #expect(record.paths.contains { $0.hasSuffix("/" + name) }, "\(name)")
                    }
                    let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                    view.channel = try await story.get(url)
                    view.createMessageCollection()
                    view.initialize()
                    await story.world.pass()
                    await SendbirdChat.door.close()
                    #expect(try Self.says("a secret", below: folder) == !isEncrypted)

                    // A cache without encryption reads the same messages.
                    params.localCacheConfig?.isEncryptionEnabled = false
                    story.launch()
                    SendbirdChat.initialize(params: params)
                    await story.phone.network.cut()
                    await story.connect()
                    #expect(try await story.get(url).name == "a secret name")
                    await SendbirdChat.door.close()
                }
            }
        }

        @Test func `a slash at the end of the cache's folder changes no place (R131)`() throws {
            try DoorStory.play(seed: 27) { story in
                let folder = story.folder.path + "/cache"
                let params = story.params()
                params.cacheFolder = folder + "//"
                params.localCacheConfig?.isEncryptionEnabled = true
                SendbirdChat.initialize(params: params)
                #expect(SendbirdChat.door.settings.folder == folder)
                #expect(await story.connect().error == nil)
                #expect(FileManager.default.fileExists(atPath: folder + "-keys"))
            }
        }

        @Test func `an initialisation without a folder keeps the container of an app group`()
            throws
        {
            try DoorStory.play(seed: 28) { story in
                story.enter(story.world.surroundings(of: story.phone))
                let params = story.params()
                params.cacheFolder = nil
                SendbirdChat.door.moveCache(toContainer: URL(filePath: story.folder.path))
                for _ in 1...2 {
                    SendbirdChat.initialize(params: params)
                    #expect(SendbirdChat.door.settings.folder == story.folder.path + "/roost")
                    #expect(SendbirdChat.door.settings.isShared)
                }
                #expect(await story.connect().error == nil)
                let files = try story.folder.contents()
                #expect(!files.isEmpty && files.allSatisfy { $0.hasPrefix("roost") })
                // A named folder takes the place of the container.
                SendbirdChat.initialize(params: story.params())
                #expect(SendbirdChat.door.settings.folder == story.folder.path)
                #expect(!SendbirdChat.door.settings.isShared)
            }
        }

        private static func says(_ words: String, below folder: String) throws -> Bool {
            let files = try #require(FileManager.default.enumerator(atPath: folder))
            for case let file as String in files {
                let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
                if bytes.range(of: Data(words.utf8)) != nil { return true }
            }
            return false
        }

        /// Returns the size of the cache's database on disk, without the outbox.
        private static func cacheSize(below folder: String) throws -> Int {
            let files = try #require(FileManager.default.enumerator(atPath: folder))
            var size = 0
            for case let file as String in files
            where ["/cache.sqlite", "/cache.sqlite-wal"].contains(where: file.hasSuffix) {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: "\(folder)/\(file)")
                size += Int(attributes[.size] as? Int64 ?? 0)
            }
            return size
        }

        @Test func `a file takes no room on disk once it is sent`() throws {
            try DoorStory.play(seed: 26) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let folder = story.folder.path
                let words = "a picture of the sea "
                let bytes = Data(String(repeating: words, count: 10_000).utf8)
                await story.phone.network.cut()
                channel.sendFileMessage(params: FileMessageCreateParams(file: bytes))
                await story.world.pass()
                #expect(try Self.says(words, below: folder))
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).count == 1)
                #expect(try Self.says(words, below: folder) == false)
            }
        }

        @Test
        func `before a login the size is that of all users, and clearing is refused (R127, R129)`()
            throws
        {
            try DoorStory.play(seed: 25) { story in
                await story.world.add(RoostModel.User(id: "carol"))
                var sizes: [Int] = []
                for user in ["alice", "carol"] {
                    let _: Bool = await story.wait { done in
                        SendbirdChat.connect(userId: user) { _, _ in done(true) }
                    }
                    sizes.append(SendbirdChat.getCachedDataSize())
                }
                #expect(sizes.allSatisfy { $0 > 0 })
                await SendbirdChat.door.close()
                story.launch()
                #expect(SendbirdChat.getCachedDataSize() > (sizes.max() ?? 0))
                let all: SBError? = await story.wait { done in
                    SendbirdChat.clearCachedData(completionHandler: done)
                }
                let one: SBError? = await story.wait { done in
                    SendbirdChat.clearCachedMessages(channelURL: "c", completionHandler: done)
                }
                for error in [all, one] {
                    #expect(error?.code == ChatError.connectionRequired.rawValue)
                }
                await story.connect()
                let cleared: SBError? = await story.wait { done in
                    SendbirdChat.clearCachedData(completionHandler: done)
                }
                #expect(cleared == nil)
            }
        }

        @Test
        func `the cache reports its size, and clears one channel or everything (R126 to R130)`()
            throws
        {
            try DoorStory.play(seed: 22) { story in
                #expect(SendbirdChat.getCachedDataSize() == 0)
                let url = try await story.channel("train")
                try await story.bob.send("hello", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                view.channel = try await story.get(url)
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()
                view.dispose()
                let size = try Self.cacheSize(below: story.folder.path)
                #expect(size > 0)
                #expect(SendbirdChat.getCachedDataSize() == size)
                await story.phone.network.cut()

                func cached() async -> String {
                    view.calls = []
                    view.createMessageCollection()
                    view.initialize()
                    await story.world.pass()
                    view.dispose()
                    return view.calls.first ?? "nothing"
                }
                #expect(await cached() == "cache 1")
                let error: SBError? = await story.wait { done in
                    SendbirdChat.clearCachedMessages(
                        channelURL: url.rawValue, completionHandler: done)
                }
                #expect(error == nil)
                #expect(await cached() == "cache 0")
                #expect(try await story.get(url).name == "train")
                let second: SBError? = await story.wait { done in
                    SendbirdChat.clearCachedData(completionHandler: done)
                }
                #expect(second == nil)
                let answer: (SendbirdChatSDK.GroupChannel?, SBError?) = await story.wait { done in
                    GroupChannel.getChannel(url: url.rawValue) { done(($0, $1)) }
                }
                #expect(answer.0 == nil)
                #expect(answer.1 != nil)
            }
        }
    }
}
