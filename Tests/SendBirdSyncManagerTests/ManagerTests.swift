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
    /// Tests of the sync manager's delegates by state, and of its set-up.
    struct Manager {
        /// A screen after the last sample app: a list for each state of sending.
        private final class ThreeLists: SBSMMessageCollectionDelegate {
            let collection: SBSMMessageCollection
            var lists: [String: [String]] = ["sent": [], "pending": [], "failed": []]
            var news: [String] = []
            var names: [String] = []
            var removed: [String] = []
            var clears = 0

            init(_ channel: SBDGroupChannel) {
                collection = SBSMMessageCollection(
                    channel: channel, filter: SBSMMessageFilter(), viewpointTimestamp: Int64.max)
                collection.delegate = self
            }

            private func take(
                _ action: SBSMMessageEventAction, _ messages: [SBDBaseMessage], _ name: String
            ) {
                let texts = messages.map(\.message)
                switch action {
                case .insert: lists[name, default: []] += texts
                case .remove: lists[name, default: []].removeAll { texts.contains($0) }
                case .clear:
                    clears += 1
                    lists[name] = []
                case .update:
                    #expect(texts.allSatisfy { lists[name, default: []].contains($0) })
                case .none: break
                }
            }

            func collection(
                _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
                succeededMessages: [SBDBaseMessage]
            ) { take(action, succeededMessages, "sent") }
            func collection(
                _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
                pendingMessages: [SBDBaseMessage]
            ) { take(action, pendingMessages, "pending") }
            func collection(
                _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
                failedMessages: [SBDBaseMessage], reason: SBSMFailedMessageEventActionReason
            ) { take(action, failedMessages, "failed") }
            func collection(
                _ collection: SBSMMessageCollection, didReceiveNewMessage message: SBDBaseMessage
            ) { news.append(message.message) }
            func collection(
                _ collection: SBSMMessageCollection, didUpdate channel: SBDGroupChannel
            ) { names.append(channel.name) }
            func collection(
                _ collection: SBSMMessageCollection, didRemove channel: SBDGroupChannel
            ) { removed.append(channel.channelUrl) }
        }

        @Test func `a message moves from the pending list to the list of sent messages`() throws {
            try SyncStory.play(seed: 111) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                let view = ThreeLists(channel)
                view.collection.fetch(in: .previous)
                await story.world.pass()
                #expect(view.lists == ["sent": ["1"], "pending": [], "failed": []])
                await story.phone.network.cut()
                let preview = channel.sendUserMessage("2")
                view.collection.appendMessage(preview)
                await story.world.pass()
                #expect(view.lists == ["sent": ["1"], "pending": ["2"], "failed": []])
                #expect(view.collection.pendingMessages.map(\.message) == ["2"])
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.lists == ["sent": ["1", "2"], "pending": [], "failed": []])
                #expect(view.collection.succeededMessages.map(\.message) == ["1", "2"])
                #expect(view.collection.pendingMessages.isEmpty)
                #expect(view.news == [])
                view.collection.remove()
            }
        }

        @Test func `replies are in a collection, the user's own ones too`() throws {
            try SyncStory.play(seed: 117) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                let parent = try #require(try await story.world.log(of: url).first?.messageID)
                await story.connect()
                let view = ThreeLists(try await story.get(url))
                view.collection.fetch(in: .previous)
                await story.world.pass()
                let params = try #require(SBDUserMessageParams(message: "2"))
                params.parentMessageId = parent.rawValue
                await story.phone.network.cut()
                view.collection.channel.sendUserMessage(with: params)
                await story.world.pass()
                #expect(view.lists["pending"] == ["2"])
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.lists == ["sent": ["1", "2"], "pending": [], "failed": []])
                view.collection.remove()
            }
        }

        @Test func `the first page of a channel is no news, even after a reconnection`() throws {
            try SyncStory.play(seed: 118) { story in
                let url = try await story.channel("train")
                try await story.bob.send("1", to: url)
                try await story.bob.send("2", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                SBSMSyncManager.pauseSynchronize()
                let channel = try await story.get(url)
                await story.phone.network.cut()
                let view = ThreeLists(channel)
                let error: SBDError? = await story.wait { done in
                    view.collection.fetch(in: .previous) { (error: SBDError?) in done(error) }
                }
                #expect(error != nil)
                #expect(view.lists["sent"] == [])
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.lists["sent"] == ["1", "2"])
                #expect(view.news == [])
                try await story.bob.send("3", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                #expect(view.news == ["3"])
                view.collection.remove()
            }
        }

        @Test func `messages missed in a channel that was empty are news`() throws {
            try SyncStory.play(seed: 119) { story in
                let url = try await story.channel("train")
                await story.connect()
                let view = ThreeLists(try await story.get(url))
                let error: SBDError? = await story.wait { done in
                    view.collection.fetch(in: .previous) { (error: SBDError?) in done(error) }
                }
                #expect(error == nil)
                await story.phone.network.cut()
                try await story.bob.send("1", to: url)
                await story.bob.waitUntilIdle()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.lists["sent"] == ["1"])
                #expect(view.news == ["1"])
                view.collection.remove()
            }
        }

        @Test func `a refused message moves to the list of failed ones, until it is deleted`()
            throws
        {
            try SyncStory.play(seed: 112) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let view = ThreeLists(channel)
                view.collection.fetch(in: .previous)
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                let preview = channel.sendUserMessage("no") { message, error in
                    view.collection.handleSendMessageResponse(message, error)
                }
                await story.world.pass()
                #expect(view.lists == ["sent": [], "pending": [], "failed": ["no"]])
                #expect(view.collection.failedMessages.map(\.message) == ["no"])
                let error: SBDError? = await story.wait { done in
                    view.collection.fetchFailedMessages({ error in done(error) })
                }
                #expect(error == nil)
                #expect(view.lists["failed"] == ["no"])
                view.collection.deleteFailedMessage(withRequestId: preview.requestId)
                await story.world.pass()
                #expect(view.lists == ["sent": [], "pending": [], "failed": []])
                view.collection.remove()
            }
        }

        @Test func `news, the channel's changes and its end have delegate methods of their own`()
            throws
        {
            try SyncStory.play(seed: 113) { story in
                let url = try await story.channel("train")
                await story.connect()
                let view = ThreeLists(try await story.get(url))
                view.collection.fetch(in: .previous)
                await story.world.pass()
                try await story.bob.send("hello", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                #expect(view.news == ["hello"])
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                await story.world.pass()
                #expect(view.names.last == "tram")
                #expect(view.collection.channel.name == "tram")
                view.collection.resetViewpointTimestamp(Int64.max)
                await story.world.pass()
                #expect(view.clears == 1)
                #expect(view.lists["sent"] == [])
                try await story.bob.deleteChannel(url)
                await story.world.pass()
                #expect(view.removed == [url.rawValue])
                view.collection.remove()
            }
        }

        @Test func `a channel collection shows its channels in order`() throws {
            try SyncStory.play(seed: 114) { story in
                _ = try await story.channel("one")
                let second = try await story.channel("two")
                try await story.bob.send("x", to: second)
                await story.bob.waitUntilIdle()
                await story.connect()
                let query = try #require(SBDGroupChannel.createMyGroupChannelListQuery())
                let list = try #require(SBSMChannelCollection(query: query))
                #expect(list.channels.isEmpty)
                let _: SBDError? = await story.wait { done in list.fetch { done($0) } }
                #expect(list.channels.map(\.name) == ["two", "one"])
                list.remove()
            }
        }

        @Test func `the two names of the number of retries are one number`() {
            let options = SBSMSyncManagerOptions()
            #expect(options.automaticResendMessageRetryCount == 10)
            options.automaticMessageResendRetryCount = 3
            #expect(options.automaticResendMessageRetryCount == 3)
        }

        @Test(arguments: [false, true])
        func `a second set-up of a user replaces the settings of the first`(isStrict: Bool) throws {
            try SyncStory.play(seed: 115) { story in
                let url = try await story.channel("train")
                let options = SBSMSyncManagerOptions()
                options.messageResendPolicy = isStrict ? .automatic : .none
                SBSMSyncManager.setup(withUserId: "alice", options: options)
                options.messageResendPolicy = isStrict ? .none : .automatic
                SBSMSyncManager.setup(withUserId: "alice", options: options)
                await story.connect()
                let channel = try await story.get(url)
                await story.world.pass()
                await story.phone.network.cut()
                channel.sendUserMessage("late")
                await story.world.pass()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let texts = try await story.world.log(of: url).map(\.text)
                #expect(texts == (isStrict ? [] : ["late"]))
            }
        }

        @Test func `a set-up of another user ends the collections of the first (R185, scar 34)`()
            throws
        {
            try SyncStory.play(seed: 116) { story in
                let url = try await story.channel("train")
                await story.world.add(User(id: "carol"))
                try await story.bob.makeNow(.invite(["carol"]), in: url)
                await story.connect()
                let view = ThreeLists(try await story.get(url))
                view.collection.fetch(in: .previous)
                await story.world.pass()
                SBSMSyncManager.setup(withUserId: "carol")
                await story.world.pass()
                try await story.bob.send("hello", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass(.seconds(30))
                #expect(view.news == [])
                let answer: (SBDUser?, SBDError?) = await story.wait { done in
                    SBDMain.connect(withUserId: "carol") { done(($0, $1)) }
                }
                #expect(answer.0?.userId == "carol")
                SBSMSyncManager.resumeSynchronize()
                await story.world.pass(.seconds(30))
                #expect(view.news == [])
                // A new viewpoint makes no collection of the second user.
                view.collection.resetViewpointTimestamp(Int64.max)
                let error: SBDError? = await story.wait { done in
                    view.collection.fetch(in: .previous) { (error: SBDError?) in done(error) }
                }
                #expect(error?.code == RoostError.Code.connectionCanceled.rawValue)
                #expect(view.lists["sent"] == [])
                view.collection.remove()
            }
        }
    }
}
