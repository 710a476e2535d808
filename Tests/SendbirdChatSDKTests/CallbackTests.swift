// SPDX-License-Identifier: Apache-2.0

import Dispatch
import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

@testable import CallSitesV4

extension SendbirdChatTests {
    struct Callbacks {
        @Test func `calls by way of two values keep their order on one queue of the app`() async {
            let app = DispatchQueue(label: "app", attributes: .concurrent)
            let (one, two) = (CallbackQueue(app), CallbackQueue(app))
            app.suspend()
            let steps = Guarded<[Int]>([])
            await withCheckedContinuation { done in
                one.async { steps.withLock { $0.append(1) } }
                two.async { steps.withLock { $0.append(2) } }
                one.async { steps.withLock { $0.append(3) } }
                two.async { done.resume() }
                app.resume()
            }
            #expect(steps.withLock { $0 } == [1, 2, 3])
        }

        @Test func `a database that has to be rewritten reports it at the connection (scar 154)`()
            throws
        {
            try DoorStory.play(seed: 40) { story in
                let url = try await story.channel("train")
                await story.connect()
                try await story.bob.send("hello", to: url)
                await story.bob.waitUntilIdle()
                let timeline = try await SendbirdChat.door.client().timeline(of: url)
                await story.world.pass()
                #expect(await timeline.snapshot.messages.map(\.text) == ["hello"])
                await SendbirdChat.door.close()
                let steps = Answers<String>()
                for round in ["first", "second"] {
                    SendbirdChat.initialize(
                        params: story.params(),
                        migrationStartHandler: { steps.values.append("\(round) moves") },
                        completionHandler: { _ in steps.values.append("\(round) begins") })
                    SendbirdChat.door.configure { settings in
                        // A new key causes a rewrite of the whole cache.
                        settings.protection =
                            (try? .key([UInt8](repeating: 7, count: 32))) ?? .none
                    }
                    await story.connect()
                    await SendbirdChat.door.close()
                }
                #expect(steps.values == ["first begins", "first moves", "second begins"])
            }
        }

        @Test
        func
            `each call works from inside each handler, which is called once (R215, R216, scar 138)`()
            throws
        {
            try DoorStory.play(seed: 41) { story in
                let url = try await story.channel("train")
                for number in 1...3 { try await story.bob.send("m\(number)", to: url) }
                await story.bob.waitUntilIdle()
                let steps = Answers<String>()
                SendbirdChat.connect(userId: "alice") { user, error in
                    steps.values.append("connected \(user?.userId ?? "-")")
                    GroupChannel.getChannel(url: url.rawValue) { channel, error in
                        guard let channel else { return }
                        steps.values.append("channel")
                        let collection = SendbirdChat.createMessageCollection(channel: channel)
                        collection.startCollection(
                            initPolicy: .cacheAndReplaceByApi,
                            cacheResultHandler: { messages, error in
                                steps.values.append("cache")
                                // Too early, but harmless.
                                collection.loadPrevious { messages, error in
                                    steps.values.append("page \(messages?.count ?? -1)")
                                }
                            },
                            apiResultHandler: { messages, error in
                                steps.values.append("api \(messages?.count ?? -1)")
                                collection.loadNext { messages, error in
                                    steps.values.append("next \(messages?.count ?? -1)")
                                    collection.dispose()
                                    collection.dispose()
                                    collection.loadNext { messages, error in
                                        steps.values.append("late \(error?.code ?? 0)")
                                        SendbirdChat.disconnect {
                                            steps.values.append("bye")
                                        }
                                    }
                                }
                            })
                    }
                }
                await story.world.pass(.seconds(30))
                let seen = steps.values.filter { !$0.hasPrefix("page") }
                #expect(
                    seen == [
                        "connected alice", "channel", "cache", "api 3", "next 0",
                        "late \(ChatError.collectionDisposed.rawValue)", "bye",
                    ])
                #expect(steps.values.filter { $0.hasPrefix("page") }.count == 1)
                #expect(SendbirdChat.getCurrentUser() == nil)
            }
        }

        @Test
        func `calls before the initialisation and before a connection get an error (R216)`()
            throws
        {
            try SimulatedWorld.play(seed: 42) { world in
                SendbirdChat.door.enter(world.surroundings(of: world.device(of: "alice")))
                SendbirdChat.door.call(on: CallbackQueue { work in world.later(work) })
                let codes = Answers<Int>()
                GroupChannel.getChannel(url: "c") { codes.values.append($1?.code ?? 0) }
                await world.pass()
                SendbirdChat.initialize(params: InitParams(applicationId: "simulation"))
                GroupChannel.getChannel(url: "c") { codes.values.append($1?.code ?? 0) }
                await world.pass()
                SendbirdChat.connect(userId: "alice") { codes.values.append($1?.code ?? 0) }
                await world.pass()
                #expect(
                    codes.values == [
                        ChatError.invalidInitialization.rawValue,
                        ChatError.connectionRequired.rawValue,
                        ChatError.invalidInitialization.rawValue,
                    ])
            }
        }

        private final class Observer: ConnectionDelegate, GroupChannelDelegate {
            var heard: [String] = []

            func didConnect(userId: String) { heard.append("connected \(userId)") }
            func didStartReconnection() { heard.append("lost") }
            func didSucceedReconnection() { heard.append("regained") }
            func didDisconnect(userId: String) { heard.append("disconnected \(userId)") }
            func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {
                heard.append("\(channel.name): \(message.message)")
            }
            func channel(_ channel: BaseChannel, didUpdate message: BaseMessage) {
                heard.append("now \(message.message)")
            }
            func channelWasDeleted(_ channelURL: String, channelType: ChannelType) {
                heard.append("deleted")
            }
        }

        @Test
        func
            `delegates get events of connection and channels, and none is needed (scar 147, R93, R155, R205)`()
            throws
        {
            try DoorStory.play(seed: 43) { story in
                let observer = Observer()
                SendbirdChat.addConnectionDelegate(observer, identifier: "a")
                SendbirdChat.addChannelDelegate(observer, identifier: "a")
                await story.connect()
                let url = try await story.channel("train")
                await story.world.pass()
                try await story.bob.send("hello", to: url)
                await story.world.pass()
                let log = try await story.world.log(of: url)
                try await story.bob.edit(try #require(log[0].messageID), in: url, text: "hello!")
                await story.world.pass()
                await story.phone.network.cut()
                await story.world.pass()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                for word in ["connected alice", "train: hello", "now hello!", "lost", "regained"] {
                    #expect(observer.heard.contains(word), "\(word) in \(observer.heard)")
                }
                let view = try #require(CustomViewController(coder: NSCoder()))
                view.createGroupChannelCollection()
                view.loadMore()
                await story.world.pass()
                SendbirdChat.removeAllChannelDelegates()
                SendbirdChat.removeAllConnectionDelegates()
                observer.heard = []
                _ = try await story.channel("boat")
                await story.world.pass()
                #expect(view.added == ["boat"])
                #expect(observer.heard.isEmpty)
            }
        }

        @Test
        func `handlers run on the main queue, or on the queue of the app (scar 138)`()
            async throws
        {
            let world = World.live()
            SendbirdChat.door.enter(world)
            await MainActor.run { dispatchPrecondition(condition: .onQueue(.main)) }
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                GroupChannel.getChannel(url: "c") { _, error in
                    dispatchPrecondition(condition: .onQueue(.main))
                    #expect(error != nil)
                    done.resume()
                }
            }
            let queue = DispatchQueue(label: "app")
            SendbirdChat.setCompletionHandlerDelegateQueue(queue)
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                GroupChannel.getChannel(url: "c") { _, _ in
                    dispatchPrecondition(condition: .onQueue(queue))
                    done.resume()
                }
            }
            SendbirdChat.setCompletionHandlerDelegateQueue(nil)
        }
    }
}
