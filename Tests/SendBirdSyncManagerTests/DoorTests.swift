// SPDX-License-Identifier: Apache-2.0

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
    /// Tests of the library without the sync manager.
    struct Library {
        @Test
        func `server and folder may be set before the application (R204)`() throws {
            let folder = try TemporaryFolder()
            try SimulatedWorld.play(seed: 61) { world in
                let phone = world.device(of: "alice")
                SBDMain.door.enter(world.surroundings(of: phone))
                SBDMain.door.call(on: CallbackQueue { work in world.later(work) })
                SBDMain.setServer("http://127.0.0.1:1")
                SBDMain.setCacheFolder(folder.path)
                #expect(SBDMain.getApplicationId() == nil)
                SBDMain.initWithApplicationId("simulation")
                let answers = Answers<(SBDUser?, SBDError?)>()
                SBDMain.connect(withUserId: "alice") { answers.values.append(($0, $1)) }
                await world.pass(.seconds(5))
                #expect(answers.values.count == 1)
                #expect(answers.values.first?.0?.userId == "alice")
                #expect(answers.values.first?.1 == nil)
                let files = try folder.contents()
                #expect(!files.isEmpty)
                await SBDMain.door.close()
            }
        }

        @Test func `an app group moves the cache on disk into its container`() throws {
            let folder = try TemporaryFolder()
            try SimulatedWorld.play(seed: 63) { world in
                let phone = world.device(of: "alice")
                SBDMain.door.enter(world.surroundings(of: phone))
                SBDMain.door.call(on: CallbackQueue { work in world.later(work) })
                SBDMain.setServer("http://127.0.0.1:1")
                SBDMain.initWithApplicationId("simulation")
                let before = SBDMain.door.settings
                SBDMain.door.configure { $0.isInMemory = true }
                SBDMain.door.moveCache(toContainer: URL(filePath: folder.path))
                #expect(SBDMain.door.settings.cache == before.cache)
                SBDMain.door.configure { $0.isInMemory = false }
                // The v4 library names the memory as the place.
                SBDMain.door.configure { $0.cache = .memory }
                SBDMain.door.moveCache(toContainer: URL(filePath: folder.path))
                #expect(SBDMain.door.settings.cache == .memory)
                SBDMain.door.configure { $0.cache = before.cache }
                #if !canImport(Darwin)
                // There are no app groups here.
                SBDMain.setAppGroup("group.app")
                #expect(SBDMain.door.settings.cache == before.cache)
                #endif
                SBDMain.door.moveCache(toContainer: URL(filePath: folder.path))
                let isOpen = Answers<Bool>()
                SBDMain.connect(withUserId: "alice") { isOpen.values.append($1 == nil) }
                await world.pass(.seconds(5))
                #expect(isOpen.values == [true])
                let files = try folder.contents()
                #expect(!files.isEmpty && files.allSatisfy { $0.hasPrefix("roost") })
                await SBDMain.door.close()
            }
        }

        @Test(arguments: [false, true])
        func `an app in the background holds no lock on files that it shares (scar 49)`(
            isShared: Bool
        ) throws {
            let folder = try TemporaryFolder()
            try SimulatedWorld.play(seed: 64) { world in
                let phone = world.device(of: "alice")
                SBDMain.door.enter(world.surroundings(of: phone))
                SBDMain.door.call(on: CallbackQueue { work in world.later(work) })
                SBDMain.setServer("http://127.0.0.1:1")
                SBDMain.initWithApplicationId("simulation")
                if isShared {
                    SBDMain.door.moveCache(toContainer: URL(filePath: folder.path))
                } else {
                    SBDMain.door.configure { $0.cache = .folder(folder.path) }
                }
                let answers = Answers<Bool>()
                SBDMain.connect(withUserId: "alice") { answers.values.append($1 == nil) }
                await world.pass(.seconds(5))
                func isLocked() -> Bool { Self.isLocked(folder.path) }
                var locks = [isLocked()]
                SBDMain.appMoved(toForeground: false)
                await world.pass(.seconds(5))
                locks.append(isLocked())
                // A call in the background, as after a push, opens the files while it works.
                SBDMain.connect(withUserId: "alice") { answers.values.append($1 == nil) }
                await world.pass(.seconds(1))
                SBDMain.getTotalUnreadMessageCount { answers.values.append($1 == nil) }
                await world.pass(.seconds(25))
                #expect(answers.values == [true, true, true])
                locks.append(isLocked())
                SBDMain.appMoved(toForeground: true)
                await world.pass(.seconds(5))
                locks.append(isLocked())
                #expect(locks == [true, !isShared, !isShared, true])
                await SBDMain.door.close()
            }
        }

        /// Returns whether a process holds a lock on a file in the folder of a client.
        private static func isLocked(_ folder: String) -> Bool {
            let names = ["lock", "outbox.lock", "outbox.sending"]
            let paths = FileManager.default.enumerator(atPath: folder)?.allObjects
            let files = (paths ?? []).compactMap { $0 as? String }.filter { path in
                names.contains { path == $0 || path.hasSuffix("/\($0)") }
            }
            #expect(files.count == 3)
            return files.contains { file in (try? FolderLock(file: "\(folder)/\(file)")) == nil }
        }

        @Test func `a report of the network opens no shared file in the background (scar 49)`()
            throws
        {
            let folder = try TemporaryFolder()
            try SimulatedWorld.play(seed: 65) { world in
                let phone = world.device(of: "alice")
                SBDMain.door.enter(world.surroundings(of: phone))
                SBDMain.door.call(on: CallbackQueue { work in world.later(work) })
                SBDMain.setServer("http://127.0.0.1:1")
                SBDMain.initWithApplicationId("simulation")
                SBDMain.door.moveCache(toContainer: URL(filePath: folder.path))
                // The app goes to the background before it names a user.
                SBDMain.appMoved(toForeground: false)
                await world.pass(.seconds(1))
                let answers = Answers<Bool>()
                SBDMain.connect(withUserId: "alice") { answers.values.append($1 == nil) }
                await world.pass(.seconds(25))
                #expect(answers.values == [true])
                #expect(!Self.isLocked(folder.path))
                for isUp in [false, true] {
                    SBDMain.networkChanged(isUp: isUp)
                    // A call would open the files for half a second at least.
                    for _ in 0..<10 {
                        await world.pass(.milliseconds(50))
                        #expect(!Self.isLocked(folder.path))
                    }
                }
                SBDMain.appMoved(toForeground: true)
                await world.pass(.seconds(5))
                #expect(Self.isLocked(folder.path))
                await SBDMain.door.close()
            }
        }

        @Test
        func `an edit is answered with the message, cached or not, or with an error (R216)`()
            throws
        {
            try SyncStory.play(seed: 62) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let text: (SBDUserMessage?, SBDError?) = await story.wait { done in
                    guard let params = SBDUserMessageParams(message: "hello") else { return }
                    channel.sendUserMessage(with: params) { done(($0, $1)) }
                }
                let file: (SBDFileMessage?, SBDError?) = await story.wait { done in
                    guard let params = SBDFileMessageParams(file: Data("x".utf8)) else { return }
                    channel.sendFileMessage(with: params) { done(($0, $1)) }
                }
                let ids = [try #require(text.0).messageId, try #require(file.0).messageId]
                for isCached in [true, false] {
                    if !isCached {
                        SBSMSyncManager.clearCache()
                        await story.world.pass()
                    }
                    let edits = await edit(ids, in: channel, story)
                    #expect(edits[0].0?.message == "hello!")
                    #expect(edits[0].1 == nil)
                    #expect(edits[1].0 == nil)
                    #expect(edits[1].1?.code == SBDErrorCode.invalidParameter.rawValue)
                }
                let unknown = await edit([404], in: channel, story)
                #expect(unknown[0].0 == nil)
                #expect(unknown[0].1 != nil)
            }
        }

        private func edit(
            _ ids: [Int64], in channel: SBDGroupChannel, _ story: SyncStory
        ) async -> [(SBDUserMessage?, SBDError?)] {
            var answers: [(SBDUserMessage?, SBDError?)] = []
            for id in ids {
                answers.append(
                    await story.wait { done in
                        guard let params = SBDUserMessageParams(message: "hello!") else { return }
                        channel.updateUserMessage(withMessageId: id, userMessageParams: params) {
                            done(($0, $1))
                        }
                    })
            }
            return answers
        }
    }
}
