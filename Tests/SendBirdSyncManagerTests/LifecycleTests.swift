// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSyncManager
import Testing

@testable import GuideSamples
@testable import SendBirdSDK

extension SendBirdTests {
    struct Lifecycle {
        @Test
        func
            `everything works before any connection after a set-up with a user (R156 to R159, R161)`()
            throws
        {
            try SyncStory.play(seed: 11) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = ChatScreen(channel: try await story.get(url))
                view.viewDidLoad()
                await story.world.pass()
                view.close()
                SBSMSyncManager().pauseSynchronize()
                await SBDMain.door.close()

                await story.phone.network.cut()
                story.launch()
                let offline = ChatScreen(
                    channel: try await story.get(url))
                offline.viewDidLoad()
                await story.world.pass()
                #expect(offline.shown == ["1"])
                // An open collection stays open when the connection is made later.
                story.phone.network.restore()
                await story.connect()
                try await story.bob.send("2", to: url)
                await story.world.pass()
                #expect(offline.shown == ["1", "2"])
                offline.close()
                #expect(SBSMSyncManager() == SBSMSyncManager.manager())
                #expect(SBSMSyncManager.manager() === SBSMSyncManager.manager())
            }
        }

        @Test
        func
            `the guide's delegate shows missed messages after a reconnection (R160, R163, R205)`()
            throws
        {
            try SyncStory.play(seed: 12) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = ChatScreen(channel: try await story.get(url))
                SBDMain.add(view as any SBDConnectionDelegate, identifier: "view")
                view.viewDidLoad()
                await story.world.pass()
                await story.phone.network.cut()
                try await story.bob.send("2", to: url)
                await story.bob.waitUntilIdle()
                // The warning of the old guide does not apply here.
                SBDMain.removeAllChannelDelegates()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.events.contains("clear"))
                #expect(view.shown == ["1", "2"])
                try await story.bob.send("3", to: url)
                await story.world.pass()
                #expect(view.shown == ["1", "2", "3"])
                SBDMain.removeAllConnectionDelegates()
                view.close()
            }
        }

        @Test(arguments: [true, false])
        func `the app clears the cache after a logout or only stops (R162, R204)`(
            clears: Bool
        ) throws {
            try SyncStory.play(seed: 13) { story in
                let url = try await story.channel("train")
                await story.connect()
                #expect(SBDMain.getCurrentUser()?.userId == "alice")
                #expect(try await story.get(url).name == "train")
                let _: Bool = await story.wait { done in
                    SBDMain.disconnect {
                        // clear cache
                        if clears { SBSMSyncManager().clearCache() }

                        // stop synchronizing
                        SBSMSyncManager().pauseSynchronize()
                        done(true)
                    }
                }
                await story.world.pass()
                #expect(SBDMain.getCurrentUser() == nil)
                let (channel, error): (SBDGroupChannel?, SBDError?) = await story.wait { done in
                    SBDGroupChannel.getWithUrl(url.rawValue) { done(($0, $1)) }
                }
                #expect(channel?.name == (clears ? nil : "train"))
                #expect(error?.code == (clears ? SBDErrorCode.connectionRequired.rawValue : nil))
            }
        }

        @Test
        func `the guide's tables page on demand, and begin anew on refresh (R158, R170, R184)`()
            throws
        {
            try SyncStory.play(seed: 14) { story in
                let url = try await story.channel("train")
                for number in 1...100 { try await story.bob.send("\(number)", to: url) }
                for name in ["a", "b", "c", "d"] { _ = try await story.channel(name) }
                await story.bob.waitUntilIdle()
                await SBDMain.door.close()
                let isConnected: Bool = await story.wait { done in
                    let app = AppDelegate(userId: "alice", connected: done)
                    #expect(app.application(UIApplication(), didFinishLaunchingWithOptions: nil))
                    app.connect()
                }
                #expect(isConnected)
                let list = FetchingListViewController()
                list.viewDidLoad()
                await story.world.pass()
                #expect(list.channels.count == 2)
                for count in [4, 5, 5] {
                    _ = list.tableView(
                        UITableView(), cellForRowAt: IndexPath(row: list.channels.count - 1))
                    await story.world.pass()
                    #expect(list.channels.count == count)
                }
                #expect(Set(list.channels.map(\.name)).count == 5)
                list.refreshChannel()
                await story.world.pass()
                #expect(!list.isLoading)
                #expect(list.channels.count == 2)

                let chat = FetchingChatViewController(channel: try await story.get(url))
                chat.viewDidLoad()
                await story.world.pass()
                for count in [40, 80, 100, 100] {
                    #expect(chat.channels.count == count)
                    _ = chat.tableView(
                        UITableView(), cellForRowAt: IndexPath(row: chat.channels.count - 1))
                    await story.world.pass()
                }
                chat.refreshMessages()
                await story.world.pass()
                #expect(chat.channels.count == 40)
                let params = try #require(SBDUserMessageParams(message: "once"))
                chat.update(params, chat.messageCollection)
                await story.world.pass()
                #expect(chat.channels.count == 41)
                // A message is shown once, for any behaviour of the guide's own list.
                chat.send(params, chat.messageCollection)
                await story.world.pass()
                #expect(chat.channels.count == 42)
                SBDMain.add(chat as any SBDConnectionDelegate, identifier: "chat")
                await story.phone.network.cut()
                try await story.bob.send("missed", to: url)
                await story.bob.waitUntilIdle()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(chat.chattingView?.events.contains("clear") == true)
                #expect(chat.channels.count { $0.message == "missed" } == 1)
                #expect(Set(chat.channels.map(\.messageId)).count == chat.channels.count)
                let isOut: Bool = await story.wait { done in
                    AppDelegate(userId: "alice") { done(!$0) }.disconnect()
                }
                #expect(isOut)
            }
        }

        @Test func `times are milliseconds, and IDs have 64 bits (R202)`() throws {
            try SyncStory.play(seed: 15) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let (sent, _): (SBDUserMessage?, SBDError?) = await story.wait { done in
                    channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                let message = try #require(sent)
                let logged = try #require(try await story.world.log(of: url).first)
                let (time, id): (Int64, Int64) = (message.createdAt, message.messageId)
                #expect(String(time).count == 13)
                #expect(time == logged.createdAt.milliseconds)
                #expect(id == logged.messageID?.rawValue)
                let far = Message(
                    delivery: .delivered(MessageID(.max), nil), channelURL: url,
                    createdAt: logged.createdAt, sender: logged.sender,
                    content: .user(text: "far"))
                #expect(SBDUserMessage(far).messageId == .max)
            }
        }

        @Test func `the sync manager's numbers are those of the old one (R209 to R212)`() {
            #expect(SBSMErrorCode.databaseError.rawValue == 810001)
            #expect(SBSMErrorCode.setupRequired.rawValue == 810100)
            #expect(SBSMErrorCode.duplicatedFetch.rawValue == 810200)
            #expect(SBSMErrorCode.invalidParameter.rawValue == 810300)
            #expect(SBSMErrorCode.invalidTimeRange.rawValue == 810305)
            let channelActions: [SBSMChannelEventAction] = [
                .none, .insert, .update, .remove, .move, .clear,
            ]
            #expect(channelActions.map(\.rawValue) == Array(0..<6))
            let messageActions: [SBSMMessageEventAction] = [
                .none, .insert, .update, .remove, .clear,
            ]
            #expect(messageActions.map(\.rawValue) == Array(0..<5))
            #expect([SBSMMessageDirection.previous, .next].map(\.rawValue) == [0, 1])
            let options = SBSMSyncManagerOptions()
            #expect(options.automaticMessageResendRetryCount == 10)
            #expect(options.messageCollectionCapacity > 0)
            #expect(options.maxFailedMessageCountPerChannel > 0)
            #expect(options.failedMessageRetentionDays == 3)
        }

        @Test func `the types that the guides name are objects (R214)`() {
            let types: [AnyClass] = [
                SBDMain.self, SBDUser.self, SBDError.self, SBDBaseMessage.self,
                SBDUserMessage.self, SBDFileMessage.self, SBDBaseChannel.self,
                SBDGroupChannel.self, SBDGroupChannelListQuery.self,
                SBDOpenChannelListQuery.self,
            ]
            #expect(types.allSatisfy { $0 is NSObject.Type })
            final class Observer: SBDConnectionDelegate {}
            let delegate: any SBDConnectionDelegate = Observer()
            #expect(type(of: delegate) == Observer.self)
        }
    }
}
