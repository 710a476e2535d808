// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import RoostTestKit
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    /// Changes of the user, the settings and the connection while calls are on their way.
    struct Switches {
        private typealias Failure = SBError?

        @Test func `a query that failed without a user can be asked again`() throws {
            try DoorStory.play(seed: 81) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                try await story.bob.send("hello", to: url)
                await story.bob.waitUntilIdle()
                await SendbirdChat.door.close()
                let query = try #require(channel.createPreviousMessageListQuery())
                let early: Failure = await story.wait { done in
                    query.loadNextPage { _, error in done(error) }
                }
                #expect(early?.code == ChatError.connectionRequired.rawValue)
                #expect(!query.isLoading)
                await story.connect()
                let messages: [BaseMessage]? = await story.wait { done in
                    query.loadNextPage { messages, _ in done(messages) }
                }
                #expect(messages?.map(\.message) == ["hello"])
            }
        }

        @Test func `messages written just before another user logs in are sent later`() throws {
            try DoorStory.play(seed: 82) { story in
                let url = try await story.channel("train")
                await story.world.add(User(id: "zoe"))
                await story.connect()
                let channel = try await story.get(url)
                await story.phone.network.cut()
                for number in 1...3 { channel.sendUserMessage("\(number)") { _, _ in } }
                SendbirdChat.connect(userId: "zoe")
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                await story.connect()
                await story.world.pass(.seconds(60))
                let log = try await story.bob.fetchMessages(
                    of: url, around: .distantFuture, older: 10)
                #expect(log.map(\.text) == ["1", "2", "3"])
            }
        }

        @Test func `a collection of another user stays closed`() throws {
            try DoorStory.play(seed: 83) { story in
                let url = try await story.channel("train")
                await story.world.add(User(id: "zoe"))
                await story.connect()
                let channel = try await story.get(url)
                let messages = SendbirdChat.createMessageCollection(channel: channel)
                let query = SendbirdChatSDK.GroupChannel.createMyGroupChannelListQuery()
                let channels = try #require(
                    SendbirdChat.createGroupChannelCollection(query: query))
                let _: Failure = await story.wait { done in
                    SendbirdChat.connect(userId: "zoe") { done($1) }
                }
                let first: Failure = await story.wait { done in
                    messages.startCollection(
                        initPolicy: .cacheAndReplaceByApi, cacheResultHandler: { done($1) },
                        apiResultHandler: nil)
                }
                let second: Failure = await story.wait { done in
                    channels.loadMore { done($1) }
                }
                let code = RoostError.Code.connectionCanceled.rawValue
                #expect(first?.code == code)
                #expect(second?.code == code)
            }
        }

        @Test func `an open collection of another user says that a new one is needed`() throws {
            try DoorStory.play(seed: 90) { story in
                let url = try await story.channel("train")
                await story.world.add(User(id: "zoe"))
                await story.connect()
                let channel = try await story.get(url)
                let messages = SendbirdChat.createMessageCollection(channel: channel)
                let query = SendbirdChatSDK.GroupChannel.createMyGroupChannelListQuery()
                let channels = try #require(
                    SendbirdChat.createGroupChannelCollection(query: query))
                let started: Failure = await story.wait { done in
                    messages.startCollection(
                        initPolicy: .cacheAndReplaceByApi, cacheResultHandler: nil,
                        apiResultHandler: { done($1) })
                }
                let loaded: Failure = await story.wait { done in channels.loadMore { done($1) } }
                #expect(started == nil && loaded == nil)
                let _: Failure = await story.wait { done in
                    SendbirdChat.connect(userId: "zoe") { done($1) }
                }
                let first: Failure = await story.wait { done in
                    messages.loadPrevious { done($1) }
                }
                let second: Failure = await story.wait { done in
                    channels.loadMore { done($1) }
                }
                let code = RoostError.Code.connectionCanceled.rawValue
                #expect(first?.code == code)
                #expect(second?.code == code)
            }
        }

        @Test func `another spelling of the server's address opens no other client`() throws {
            try DoorStory.play(seed: 91) { story in
                await story.connect()
                let client = try await SendbirdChat.door.client()
                let failure: Failure = await story.wait { done in
                    SendbirdChat.connect(userId: "alice", apiHost: "http://127.0.0.1:1/") {
                        done($1)
                    }
                }
                #expect(failure == nil)
                #expect(try await SendbirdChat.door.client() === client)
                await story.connect()
                #expect(try await SendbirdChat.door.client() === client)
            }
        }

        private final class Listener: BaseChannelDelegate {
            var heard: [String] = []

            func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {
                heard.append(message.message)
            }
        }

        private final class ListWatcher: GroupChannelCollectionDelegate {
            var updates = 0

            func channelCollection(
                _ collection: GroupChannelCollection, context: ChannelContext,
                updatedChannels channels: [SendbirdChatSDK.GroupChannel]
            ) {
                updates += channels.count
            }
        }

        @Test(arguments: [false, true])
        func `no event of a user reaches the app after the next user's login call (scar 34)`(
            isOther: Bool
        ) throws {
            try DoorStory.play(seed: 88) { story in
                let url = try await story.channel("train")
                await story.world.add(User(id: "zoe"))
                await story.connect()
                let kept = try await story.get(url)
                let listener = Listener()
                SendbirdChat.addChannelDelegate(listener, identifier: "listener")
                let query = SendbirdChatSDK.GroupChannel.createMyGroupChannelListQuery()
                let channels = try #require(
                    SendbirdChat.createGroupChannelCollection(query: query))
                let watcher = ListWatcher()
                channels.delegate = watcher
                let loaded: Failure = await story.wait { done in channels.loadMore { done($1) } }
                #expect(loaded == nil)
                await story.world.pass()
                watcher.updates = 0
                // The app's queue stands still while a message arrives.
                let waiting = Guarded<[@Sendable () -> Void]>([])
                SendbirdChat.door.call(
                    on: CallbackQueue { work in waiting.withLock { $0 += [work] } })
                try await story.bob.send("for alice", to: url)
                await story.world.pass()
                SendbirdChat.connect(userId: isOther ? "zoe" : "alice")
                // From now on the kept object is of another login.
                let news = RoostModel.GroupChannel(url: url, name: "tram")
                SendbirdChat.door.kept.show(news, isOpen: false, askedAt: .next())
                #expect(kept.name == (isOther ? "train" : "tram"))
                SendbirdChat.door.call(
                    on: CallbackQueue { [world = story.world] in world.later($0) })
                for work in waiting.withLock({ $0 }) { story.world.later(work) }
                await story.world.pass()
                #expect(listener.heard.contains("for alice") == !isOther)
                #expect((watcher.updates > 0) == !isOther)
                channels.dispose()
                SendbirdChat.removeChannelDelegate(forIdentifier: "listener")
            }
        }

        @Test func `a query of the server is that of the user of its first page`() throws {
            try DoorStory.play(seed: 89) { story in
                await story.connect()
                for id in ["carol", "dave"] {
                    await story.world.add(User(id: UserID(id)))
                    let error: Failure = await story.wait { done in
                        SendbirdChat.blockUserId(id) { done($1) }
                    }
                    #expect(error == nil)
                }
                await story.world.add(User(id: "zoe"))
                let query = SendbirdChat.createBlockedUserListQuery { $0.limit = 1 }
                let first: Failure = await story.wait { done in query.loadNextPage { done($1) } }
                #expect(first == nil && query.hasNext)
                let _: Failure = await story.wait { done in
                    SendbirdChat.connect(userId: "zoe") { done($1) }
                }
                let other: Failure = await story.wait { done in query.loadNextPage { done($1) } }
                #expect(other?.code == RoostError.Code.connectionCanceled.rawValue)
                await story.connect()
                let second: Failure = await story.wait { done in query.loadNextPage { done($1) } }
                #expect(second == nil)
            }
        }

        @Test func `a failed opening forgets no later one of the same user`() throws {
            try DoorStory.play(seed: 84) { story in
                let params = story.params()
                params.server = nil
                SendbirdChat.initialize(params: params)
                SendbirdChat.door.configure { $0.server = nil }
                let outcomes = Guarded<[Bool]>([])
                SendbirdChat.connect(userId: "alice") { user, _ in
                    outcomes.withLock { $0.append(user != nil) }
                }
                SendbirdChat.connect(userId: "alice", apiHost: "http://127.0.0.1:1") { user, _ in
                    outcomes.withLock { $0.append(user != nil) }
                }
                await story.world.pass()
                #expect(outcomes.withLock { $0 } == [false, true])
                #expect(SendbirdChat.getCurrentUser()?.userId == "alice")
                let client = try await SendbirdChat.door.client()
                await story.connect()
                #expect(try await SendbirdChat.door.client() === client)
            }
        }

        @Test func `an initialisation without a server keeps that of the last connection`() throws {
            try DoorStory.play(seed: 85) { story in
                let params = story.params()
                params.server = nil
                SendbirdChat.initialize(params: params)
                let first: Failure = await story.wait { done in
                    SendbirdChat.connect(userId: "alice", apiHost: "http://127.0.0.1:1") {
                        done($1)
                    }
                }
                #expect(first == nil)
                SendbirdChat.initialize(params: params)
                #expect(await story.connect().error == nil)
            }
        }

        @Test func `a client that ignores the network connects without a report of it`() throws {
            try DoorStory.play(seed: 86) { story in
                await story.connect()
                SendbirdChat.networkChanged(isUp: false)
                await story.world.pass()
                SendbirdChat.setNetworkAwarenessReconnection(false)
                await story.world.pass(.seconds(30))
                #expect(SendbirdChat.getConnectState() == .open)
                SendbirdChat.networkChanged(isUp: false)
                await story.world.pass(.seconds(30))
                #expect(SendbirdChat.getConnectState() == .open)
                SendbirdChat.setNetworkAwarenessReconnection(true)
            }
        }

        @Test func `after a start without a server the user and the settings come later`() throws {
            try DoorStory.play(seed: 87) { story in
                await story.world.add(User(id: "alice", nickname: "Alice"))
                await story.phone.network.cut()
                #expect(await story.connect().error != nil)
                #expect(SendbirdChat.getCurrentUser()?.nickname != "Alice")
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(SendbirdChat.getConnectState() == .open)
                #expect(SendbirdChat.getCurrentUser()?.nickname == "Alice")
                #expect(SendbirdChat.getAppInfo() != nil)
            }
        }
    }
}
