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
    /// Tests of the set-up of the sync manager.
    struct SetUps {
        /// Plays a story in which the app has named application and server, and no user.
        private static func play(
            seed: UInt64, _ story: @escaping @Sendable (SyncStory) async throws -> Void
        ) throws {
            try SyncStory.play(seed: seed) { play in
                await start(play)
                try await story(play)
            }
        }

        /// Starts the app in a new process, up to the first call of the sync manager.
        private static func start(_ story: SyncStory, named isNamed: Bool = true) async {
            await SBDMain.door.close()
            SBSMSyncManager.startOver()
            SBDMain.door.enter(story.world.surroundings(of: story.phone))
            SBDMain.door.call(on: CallbackQueue { [world = story.world] in world.later($0) })
            if isNamed { name(story) }
        }

        private static func name(_ story: SyncStory) {
            SBDMain.initWithApplicationId("simulation")
            SBDMain.setServer("http://127.0.0.1:1")
            SBDMain.setCacheFolder(story.folder.path)
        }

        private static func connect(_ story: SyncStory, as user: String = "alice") async {
            let _: SBDError? = await story.wait { done in
                SBDMain.connect(withUserId: user) { done($1) }
            }
        }

        private static func fetch(
            _ story: SyncStory, _ collection: SBSMMessageCollection
        ) async -> Int {
            let error: SBDError? = await story.wait { done in
                collection.fetch(in: .previous) { (error: SBDError?) in done(error) }
            }
            return error?.code ?? 0
        }

        /// Fetches the pending messages, then the failed ones.
        private static func fetchUnsent(
            _ story: SyncStory, _ collection: SBSMMessageCollection
        ) async -> [Int] {
            let pending: SBDError? = await story.wait { done in
                collection.fetchPendingMessages { done($0) }
            }
            let failed: SBDError? = await story.wait { done in
                collection.fetchFailedMessages { done($0) }
            }
            return [pending?.code ?? 0, failed?.code ?? 0]
        }

        private static func fetch(_ story: SyncStory, _ list: SBSMChannelCollection) async -> Int {
            let error: SBDError? = await story.wait { done in list.fetch { done($0) } }
            return error?.code ?? 0
        }

        private final class Names: SBSMMessageCollectionDelegate {
            var names: [String] = []
            func collection(
                _ collection: SBSMMessageCollection, didUpdate channel: SBDGroupChannel
            ) { names.append(channel.name) }
        }

        @Test func `an opening that failed is tried again by the next call`() throws {
            try Self.play(seed: 150) { story in
                let url = try await story.channel("train")
                await Self.connect(story)
                let channel = try await story.get(url)
                await Self.start(story)
                let blocked = story.folder.file("blocked")
                try Data().write(to: URL(filePath: blocked))
                SBDMain.setCacheFolder(blocked)
                SBSMSyncManager.setup(withUserId: "alice")
                let collection = SBSMMessageCollection(
                    channel: channel, filter: nil, viewpointTimestamp: Int64.max)
                let screen = Names()
                collection.delegate = screen
                for _ in 0..<2 {
                    #expect(
                        await Self.fetch(story, collection) == SBSMErrorCode.databaseError.rawValue)
                }
                try FileManager.default.removeItem(atPath: blocked)
                await Self.connect(story)
                #expect(await Self.fetch(story, collection) == 0)
                // The fetch that failed has not begun to follow the channel.
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                await story.world.pass()
                #expect(screen.names.last == "tram")
                collection.remove()
            }
        }

        @Test(arguments: [false, true])
        func `the short form of the start keeps the cache on disk, also after one without caching`(
            isShort: Bool
        ) throws {
            try Self.play(seed: 152) { story in
                await Self.start(story, named: false)
                SBDMain.initWithApplicationId(
                    "simulation", useCaching: false, migrationStartHandler: nil,
                    completionHandler: nil)
                if isShort { SBDMain.initWithApplicationId("simulation") }
                SBDMain.setServer("http://127.0.0.1:1")
                let folder = story.folder.file("short")
                SBDMain.setCacheFolder(folder)
                await Self.connect(story)
                let isOnDisk = FileManager.default.fileExists(atPath: folder + "/simulation/alice")
                #expect(isOnDisk == isShort)
            }
        }

        @Test func `a logout counts after an opening that failed`() throws {
            try Self.play(seed: 153) { story in
                let blocked = story.folder.file("blocked")
                try Data().write(to: URL(filePath: blocked))
                SBDMain.setCacheFolder(blocked)
                await Self.connect(story)
                let _: Bool = await story.wait { done in SBDMain.disconnect { done(true) } }
                #expect(SBDMain.door.isLoggedOut)
                try FileManager.default.removeItem(atPath: blocked)
                _ = try await SBDMain.door.client()
                #expect(SBDMain.door.isLoggedOut, "no call but a login or a set-up names a user")
                await Self.connect(story)
                #expect(!SBDMain.door.isLoggedOut)
            }
        }

        @Test func `the cache opens without a connection after an opening that failed`() throws {
            try Self.play(seed: 151) { story in
                let blocked = story.folder.file("blocked")
                try Data().write(to: URL(filePath: blocked))
                SBDMain.setCacheFolder(blocked)
                SBSMSyncManager.setup(withUserId: "alice")
                await #expect(throws: RoostError.self) { try await SBDMain.door.client() }
                try FileManager.default.removeItem(atPath: blocked)
                _ = try await SBDMain.door.client()
                #expect(SBDMain.door.account == "alice")
            }
        }

        @Test func `a further set-up ends the readers of the one before`() throws {
            try Self.play(seed: 149) { story in
                await Self.connect(story)
                var counts: [Int] = []
                for _ in 1...3 {
                    SBSMSyncManager.setup(withUserId: "alice")
                    await story.world.pass()
                    counts.append(try await SBDMain.door.client().outboxReaderCount)
                }
                #expect(counts[0] > 0 && Set(counts).count == 1)
            }
        }

        @Test
        func `a fetch before any set-up is refused, and a later one works (R157)`() throws {
            try Self.play(seed: 131) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                await Self.connect(story)
                let collection = SBSMMessageCollection(
                    channel: try await story.get(url), filter: nil, viewpointTimestamp: Int64.max)
                let names = Names()
                collection.delegate = names
                let query = SBDGroupChannel.createMyGroupChannelListQuery()
                let list = try #require(SBSMChannelCollection(query: query))
                let refused = SBSMErrorCode.setupRequired.rawValue
                #expect(await Self.fetch(story, collection) == refused)
                #expect(await Self.fetch(story, list) == refused)
                #expect(await Self.fetchUnsent(story, collection) == [refused, refused])
                SBSMSyncManager.setup(withUserId: "alice")
                #expect(await Self.fetchUnsent(story, collection) == [0, 0])
                #expect(await Self.fetch(story, collection) == 0)
                #expect(await Self.fetch(story, list) == 0)
                #expect(collection.succeededMessages.map(\.message) == ["1"])
                #expect(list.channels.map(\.name) == ["train"])
                // The refused fetch does not keep the collection from following its channel.
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                await story.world.pass()
                #expect(names.names.last == "tram")
                #expect(collection.channel.name == "tram")
                collection.remove()
                list.remove()
            }
        }

        @Test(arguments: ["init", "manager", "resume"])
        func `the manager of a connected user needs no set-up (R156, R157, R161)`(call: String)
            throws
        {
            try Self.play(seed: 132) { story in
                let url = try await story.channel("train")
                for number in 1...60 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await Self.connect(story)
                switch call {
                case "init": SBSMSyncManager().resumeSynchronization()
                case "manager": SBSMSyncManager.manager().resumeSynchronize()
                default: SBSMSyncManager.resumeSynchronization()
                }
                let collection = SBSMMessageCollection(
                    channel: try await story.get(url), filter: nil, viewpointTimestamp: Int64.max)
                await Self.expectDownload(story, collection)
            }
        }

        @Test func `without a set-up the manager takes over each user who connects (R138, R157)`()
            throws
        {
            try Self.play(seed: 138) { story in
                let url = try await story.channel("train")
                await story.world.add(User(id: "carol"))
                try await story.bob.makeNow(.invite(["carol"]), in: url)
                for number in 1...60 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await Self.connect(story)
                SBSMSyncManager().resumeSynchronize()
                let _: Bool = await story.wait { done in SBDMain.disconnect { done(true) } }
                await Self.connect(story, as: "carol")
                // A collection that is made before the take-over downloads its history too.
                let channel = try await story.get(url)
                let collection = SBSMMessageCollection(
                    channel: channel, filter: nil, viewpointTimestamp: Int64.max)
                SBSMSyncManager().resumeSynchronize()
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                for number in 1...21 { channel.sendUserMessage("\(number)") }
                await story.world.pass(.seconds(10))
                let client = try await SBDMain.door.client()
                #expect(await client.failedMessages(in: url).count == 20)
                await Self.expectDownload(story, collection)
            }
        }

        /// Expects 40 messages at first, and all 60 once their history was downloaded.
        private static func expectDownload(
            _ story: SyncStory, _ collection: SBSMMessageCollection
        ) async {
            #expect(await fetch(story, collection) == 0)
            #expect(collection.succeededMessages.count == 40)
            await story.world.pass(.seconds(60))
            await story.phone.network.cut()
            #expect(await fetch(story, collection) == 0)
            #expect(collection.succeededMessages.count == 60)
            collection.remove()
        }

        @Test(arguments: ["set-up, then resume", "resume, then set-up", "adopted"])
        func `a collection made before the first set-up downloads its history (R157, R177)`(
            order: String
        ) throws {
            try Self.play(seed: 137) { story in
                let url = try await story.channel("train")
                for number in 1...60 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                if order == "resume, then set-up" { SBSMSyncManager.resumeSynchronize() }
                await Self.connect(story)
                let collection = SBSMMessageCollection(
                    channel: try await story.get(url), filter: nil, viewpointTimestamp: Int64.max)
                if order != "adopted" { SBSMSyncManager.setup(withUserId: "alice") }
                if order != "resume, then set-up" { SBSMSyncManager.resumeSynchronize() }
                await Self.expectDownload(story, collection)
            }
        }

        @Test
        func `a set-up before the library is configured opens the cache later (R157, R161)`()
            throws
        {
            try Self.play(seed: 133) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                SBSMSyncManager.setup(withUserId: "alice")
                await Self.connect(story)
                let first = SBSMMessageCollection(
                    channel: try await story.get(url), filter: nil, viewpointTimestamp: Int64.max)
                #expect(await Self.fetch(story, first) == 0)
                first.remove()

                await story.phone.network.cut()
                await Self.start(story, named: false)
                SBSMSyncManager.setup(withUserId: "alice")
                Self.name(story)
                // No connection has been made: the cache is that of the user of the set-up.
                let collection = SBSMMessageCollection(
                    channel: try await story.get(url), filter: nil, viewpointTimestamp: Int64.max)
                #expect(await Self.fetch(story, collection) == 0)
                #expect(collection.succeededMessages.map(\.message) == ["1"])
                collection.remove()
            }
        }

        enum Detour: CaseIterable {
            case none, setUpFirst, otherFolder, otherUser
        }

        @Test(arguments: Detour.allCases)
        func `the options of a set-up hold for each later opening (R138, R157)`(
            detour: Detour
        ) throws {
            try Self.play(seed: 134) { story in
                let url = try await story.channel("train")
                await story.world.add(User(id: "carol"))
                let options = SBSMSyncManagerOptions()
                options.messageResendPolicy = .none
                await Self.start(story, named: detour != .setUpFirst)
                if detour == .otherFolder { SBDMain.setCacheFolder(story.folder.file("early")) }
                SBSMSyncManager.setup(withUserId: "alice", options: options)
                await story.world.pass()
                switch detour {
                case .none: break
                case .setUpFirst: Self.name(story)
                case .otherFolder: SBDMain.setCacheFolder(story.folder.file("late"))
                case .otherUser: await Self.connect(story, as: "carol")
                }
                await Self.connect(story)
                let channel = try await story.get(url)
                await story.world.pass()
                await story.phone.network.cut()
                channel.sendUserMessage("late")
                await story.world.pass()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).map(\.text) == [])
            }
        }

        @Test
        func `the options of a set-up do not hold for another user (R138, R157)`() throws {
            // The policy would delete the message; without a set-up for its user it only fails.
            try Self.play(seed: 135) { story in
                await story.world.add(User(id: "carol"))
                let url = try await story.channel("train")
                try await story.bob.makeNow(.invite(["carol"]), in: url)
                let options = SBSMSyncManagerOptions()
                options.messageResendPolicy = .none
                SBSMSyncManager.setup(withUserId: "alice", options: options)
                await Self.connect(story, as: "carol")
                let channel = try await story.get(url)
                await story.phone.network.cut()
                channel.sendUserMessage("late")
                await story.world.pass()
                let client = try await SBDMain.door.client()
                #expect(await client.failedMessages(in: url).map(\.text) == ["late"])
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(await client.failedMessages(in: url).map(\.text) == ["late"])
                #expect(try await story.world.log(of: url).isEmpty)
            }
        }

        @Test func `a clearing after a logout ends before the login of another user`() throws {
            try Self.play(seed: 138) { story in
                let url = try await story.channel("train")
                SBSMSyncManager.setup(withUserId: "alice")
                await Self.connect(story)
                await story.world.pass()
                let _: Bool = await story.wait { done in
                    SBDMain.disconnect {
                        SBSMSyncManager.clearCache()
                        SBDMain.connect(withUserId: "bob") { _, _ in done(true) }
                    }
                }
                await story.phone.network.cut()
                SBDMain.connect(withUserId: "alice")
                await story.world.pass()
                let gone: SBDGroupChannel? = await story.wait { done in
                    SBDGroupChannel.getWithUrl(url.rawValue) { channel, _ in done(channel) }
                }
                #expect(gone == nil)
            }
        }

        @Test(arguments: [false, true])
        func `clearing the cache removes unsent messages after a logout only (R162)`(
            isLoggedOut: Bool
        ) throws {
            try Self.play(seed: 136) { story in
                let url = try await story.channel("train")
                SBSMSyncManager.setup(withUserId: "alice")
                await Self.connect(story)
                let channel = try await story.get(url)
                await story.phone.network.cut()
                channel.sendUserMessage("waits")
                await story.world.pass()
                if isLoggedOut {
                    let _: Bool = await story.wait { done in SBDMain.disconnect { done(true) } }
                }
                SBSMSyncManager().clearCache()
                SBSMSyncManager().pauseSynchronize()
                await story.world.pass()
                let (gone, _): (SBDGroupChannel?, SBDError?) = await story.wait { done in
                    SBDGroupChannel.getWithUrl(url.rawValue) { done(($0, $1)) }
                }
                #expect(gone == nil)
                story.phone.network.restore()
                await Self.connect(story)
                await story.world.pass(.seconds(60))
                let log = try await story.world.log(of: url).map(\.text)
                #expect(log == (isLoggedOut ? [] : ["waits"]))
            }
        }
    }
}
