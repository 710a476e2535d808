// SPDX-License-Identifier: Apache-2.0

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
    struct Sending {
        /// Plays a story in which Alice watches a channel with Bob.
        private static func open(
            _ story: DoorStory
        ) async throws -> (url: ChannelURL, view: ChatView.CustomViewController) {
            let url = try await story.channel("train")
            await story.connect()
            let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
            view.channel = try await story.get(url)
            view.createMessageCollection()
            view.initialize()
            await story.world.pass()
            view.calls = []
            return (url, view)
        }

        @Test
        func `a user's messages never become another's, whichever user logs in meanwhile (R143)`()
            throws
        {
            try DoorStory.play(seed: 38) { story in
                let (url, view) = try await Self.open(story)
                let channel = try #require(view.channel)
                let big = FileMessageCreateParams(file: Data(repeating: 7, count: 200_000))
                let (_, error): (SendbirdChatSDK.User?, SBError?) = await story.wait { done in
                    channel.sendFileMessage(params: big)
                    channel.sendUserMessage("from alice")
                    SendbirdChat.connect(userId: "carol") { done(($0, $1)) }
                }
                #expect(error == nil)
                await story.world.pass(.seconds(60))
                let carol = try await SendbirdChat.door.client()
                #expect(carol.configuration.userID == "carol")
                #expect(await carol.unsentMessages(in: url).isEmpty)
                let log = try await story.world.log(of: url)
                #expect(log.allSatisfy { $0.sender?.user.id == "alice" })
            }
        }

        @Test
        func `a resend without a failed message gets an error, once (R149)`() throws {
            try DoorStory.play(seed: 39) { story in
                let (_, view) = try await Self.open(story)
                let channel = try #require(view.channel)
                let (sent, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                let message = try #require(sent)
                var returned: UserMessage?
                let (answered, error): (UserMessage?, SBError?) = await story.wait { done in
                    returned = channel.resendUserMessage(message) { done(($0, $1)) }
                }
                #expect(error != nil)
                // Nothing is sent, so the message stays a sent one.
                for shown in [returned, answered] {
                    #expect(shown?.sendingStatus == .succeeded)
                    #expect(shown?.messageId == message.messageId)
                }
            }
        }

        @Test
        func `two resends of one message are both answered, once each (R149, R216)`() throws {
            try DoorStory.play(seed: 37) { story in
                let (url, view) = try await Self.open(story)
                let channel = try #require(view.channel)
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                let (failed, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage("cold") { done(($0, $1)) }
                }
                let message = try #require(failed)
                try await story.bob.setFrozen(false, url)
                await story.world.pass()
                let answers = Answers<(Int, UserMessage?, SBError?)>()
                for number in 1...2 {
                    channel.resendUserMessage(message) { answers.values.append((number, $0, $1)) }
                }
                await story.world.pass(.seconds(30))
                #expect(answers.values.map(\.0).sorted() == [1, 2])
                #expect(answers.values.contains { $0.1?.sendingStatus == .succeeded })
                #expect(try await story.world.log(of: url).map(\.text) == ["cold"])
            }
        }

        @Test
        func `a query that the app releases answers all the same (R81)`() throws {
            try DoorStory.play(seed: 40) { story in
                let (url, _) = try await Self.open(story)
                try await story.bob.send("hi", to: url)
                await story.world.pass()
                let (channels, error): ([SendbirdChatSDK.GroupChannel]?, SBError?) =
                    await story.wait { done in
                        GroupChannel.createMyGroupChannelListQuery().loadNextPage {
                            done(($0, $1))
                        }
                    }
                #expect(error == nil)
                #expect(channels?.map(\.name) == ["train"])
            }
        }

        @Test
        func `a text is shown at once and becomes sent under one request ID (R137, R143, R152)`()
            throws
        {
            try DoorStory.play(seed: 31) { story in
                let (url, view) = try await Self.open(story)
                let channel = try #require(view.channel)
                let lines = Guarded<[String]>([])
                story.phone.network.observe { line in lines.withLock { $0.append(line) } }
                var preview: UserMessage?
                let (sent, error): (UserMessage?, SBError?) = await story.wait { done in
                    preview = channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                await story.world.pass()
                #expect(error == nil)
                #expect(preview?.sendingStatus == .pending)
                #expect(preview?.messageId == 0)
                #expect(preview?.message == "hello")
                #expect(preview?.sender?.userId == "alice")
                #expect(sent?.sendingStatus == .succeeded)
                #expect(sent?.requestId == preview?.requestId)
                #expect(
                    view.calls.filter { !$0.hasPrefix("channel") }
                        == ["added pending", "updated succeeded"])
                #expect(
                    view.collection?.succeededMessages.map(\.requestId) == [sent?.requestId ?? ""])
                #expect(try await story.world.log(of: url).map(\.text) == ["hello"])
                let params = try #require(preview?.messageParams as? UserMessageCreateParams)
                #expect(params.message == "hello")
                // The text crosses the network once, over the socket.
                let requestID = try #require(preview?.requestId)
                let frames = lines.withLock { $0 }.filter { $0.hasPrefix(">> MESG") }
                #expect(frames.map { $0.contains(requestID) } == [true])
                let posts = lines.withLock { $0 }.filter { $0.hasPrefix("-> POST") }
                #expect(posts.filter { $0.contains("/messages") } == [])
            }
        }

        @Test(arguments: 331...336)
        func `the delegate has a sent message before its handler is called (R143)`(
            seed: Int
        ) throws {
            try DoorStory.play(seed: UInt64(seed)) { story in
                let (_, view) = try await Self.open(story)
                view.channel?.sendUserMessage("hello") { _, _ in view.calls.append("handler") }
                await story.world.pass()
                #expect(
                    view.calls.filter { !$0.hasPrefix("channel") }
                        == ["added pending", "updated succeeded", "handler"])
            }
        }

        @Test
        func
            `offline texts outlive the app, and arrive once and in order (R138, R139, R142, R153)`()
            throws
        {
            try DoorStory.play(seed: 32) { story in
                let (url, view) = try await Self.open(story)
                await story.phone.network.cut()
                let channel = try #require(view.channel)
                let answers = Answers<(UserMessage?, SBError?)>()
                for text in ["one", "two", "three"] {
                    channel.sendUserMessage(text) { answers.values.append(($0, $1)) }
                }
                await story.world.pass()
                #expect(answers.values.count == 3)
                #expect(
                    answers.values.allSatisfy { $0.1 != nil && $0.0?.sendingStatus == .pending })
                #expect(view.collection?.pendingMessages.map(\.message) == ["one", "two", "three"])

                await SendbirdChat.door.close()
                story.launch()
                await story.connect()
                let again = try #require(ChatView.CustomViewController(coder: NSCoder()))
                again.channel = try await story.get(url)
                again.createMessageCollection()
                again.initialize()
                await story.world.pass()
                #expect(
                    again.collection?.pendingMessages.map(\.message) == ["one", "two", "three"])
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(again.calls.filter { $0 == "updated succeeded" }.count >= 1)
                #expect(again.collection?.pendingMessages.isEmpty == true)
                #expect(try await story.world.log(of: url).map(\.text) == ["one", "two", "three"])
                #expect(answers.values.count == 3)
            }
        }

        @Test
        func `a message fails after three days and can be sent again (R149, R151)`()
            throws
        {
            try DoorStory.play(seed: 33) { story in
                let (url, view) = try await Self.open(story)
                await story.phone.network.cut()
                view.channel?.sendUserMessage("late")
                await story.world.pass(.seconds(3 * 86_400 + 60))
                story.phone.network.restore()
                await story.world.pass(.seconds(120))
                #expect(view.calls.contains("updated failed"))
                let failed = try #require(view.collection?.failedMessages.first as? UserMessage)
                #expect(failed.sendingStatus == .failed)
                #expect(failed.errorCode == ChatError.pendingError.rawValue)
                #expect(try await story.world.log(of: url).isEmpty)
                let (sent, error): (UserMessage?, SBError?) = await story.wait { done in
                    view.channel?.resendUserMessage(failed) { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(sent?.requestId == failed.requestId)
                #expect(try await story.world.log(of: url).map(\.text) == ["late"])
            }
        }

        @Test
        func `a file waits for the network and becomes its address (R140, R144 to R147, R199)`()
            throws
        {
            try DoorStory.play(seed: 34) { story in
                let (url, view) = try await Self.open(story)
                await story.phone.network.cut()
                let params = FileMessageCreateParams(file: Data("picture".utf8))
                params.fileName = "a.png"
                params.mimeType = "image/png"
                var preview: FileMessage?
                let (pending, error): (FileMessage?, SBError?) = await story.wait { done in
                    preview = view.channel?.sendFileMessage(params: params) { done(($0, $1)) }
                }
                #expect(error != nil)
                #expect(pending?.sendingStatus == .pending)
                #expect(preview?.name == "a.png")
                let again = try #require(preview?.messageParams as? FileMessageCreateParams)
                #expect(again.fileName == "a.png")
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let sent = try #require(view.collection?.succeededMessages.first as? FileMessage)
                #expect(!sent.url.isEmpty)
                #expect(sent.requestId == preview?.requestId)
                #expect(try await story.world.log(of: url).count == 1)
            }
        }

        @Test
        func `a late answer turns a failed message into a sent one (R149, R150)`()
            throws
        {
            try DoorStory.play(seed: 42) { story in
                let (url, view) = try await Self.open(story)
                story.phone.network.weather.lostAcknowledgement = 1000
                let (message, error): (UserMessage?, SBError?) = await story.wait { done in
                    view.channel?.sendUserMessage("hello") { done(($0, $1)) }
                }
                #expect(error?.code == ChatError.ackTimeout.rawValue)
                #expect(message?.sendingStatus == .failed)
                await story.world.pass()
                #expect(view.calls.contains("updated failed"))
                #expect(
                    view.collection?.failedMessages.map(\.errorCode)
                        == [ChatError.ackTimeout.rawValue])
                // The server has the message all the same, and its next mention reports it.
                #expect(try await story.world.log(of: url).map(\.text) == ["hello"])
                story.phone.network.weather = .calm
                await story.phone.network.cut()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.calls.contains("updated succeeded"))
                #expect(view.collection?.failedMessages.isEmpty == true)
                #expect(try await story.world.log(of: url).count == 1)
            }
        }

        /// Plays a story in which Alice sends a file, with a fault at some point of its upload.
        private static func upload(
            _ story: DoorStory, _ channel: SendbirdChatSDK.GroupChannel,
            until point: KeyPath<Uploads, Bool>,
            then happens: @escaping @Sendable (SimulatedNetwork) async -> Void
        ) async -> (answers: Answers<(FileMessage?, SBError?)>, uploads: Uploads) {
            let uploads = Uploads()
            let network = story.phone.network
            network.observe { line in uploads.note(line) }
            let params = FileMessageCreateParams(file: Data("picture".utf8))
            params.fileName = "a.png"
            let answers = Answers<(FileMessage?, SBError?)>()
            channel.sendFileMessage(params: params) { answers.values.append(($0, $1)) }
            for _ in 0..<10_000 where !uploads[keyPath: point] {
                await story.world.pass(.milliseconds(1))
            }
            await happens(network)
            await story.world.pass(.seconds(30))
            return (answers, uploads)
        }

        @Test
        func
            `an uploaded file waits for a connection and is not uploaded again (R141, R147)`()
            throws
        {
            try DoorStory.play(seed: 43) { story in
                let (url, view) = try await Self.open(story)
                let channel = try #require(view.channel)
                let (answers, uploads) = await Self.upload(
                    story, channel, until: \.isAnswered
                ) { await $0.cut() }
                #expect(answers.values.count == 1)
                #expect(answers.values.first?.0?.sendingStatus == .pending)
                #expect(answers.values.first?.1 != nil)
                #expect(try await story.world.log(of: url).isEmpty)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).count == 1)
                #expect(view.collection?.pendingMessages.isEmpty == true)
                #expect(uploads.count == 1)
                #expect(answers.values.count == 1)
            }
        }

        @Test
        func `a file whose socket is lost during the upload goes by HTTP (R146, R199)`() throws {
            try DoorStory.play(seed: 46) { story in
                let (url, view) = try await Self.open(story)
                let (answers, uploads) = await Self.upload(
                    story, try #require(view.channel), until: \.isRequested
                ) { network in
                    await network.loseSockets()
                    network.weather.busyLogin = 1000
                }
                // No login was possible yet.
                #expect(try await story.world.log(of: url).count == 1)
                #expect(uploads.sentByHTTP == 1)
                #expect(answers.values.count == 1)
                #expect(answers.values.first?.1 == nil)
                #expect(answers.values.first?.0?.sendingStatus == .succeeded)
                // The next connection tells the predecessor; then the message is shown as sent.
                story.phone.network.weather = .calm
                await story.world.pass(.seconds(60))
                #expect(view.calls.contains("updated succeeded"))
                #expect(view.collection?.pendingMessages.isEmpty == true)
                #expect(try await story.world.log(of: url).count == 1)
                #expect(answers.values.count == 1)
            }
        }

        @Test
        func `a file fails with a network and no answer to the message (R146, R148, R150)`()
            throws
        {
            try DoorStory.play(seed: 44) { story in
                let (url, view) = try await Self.open(story)
                let channel = try #require(view.channel)
                let (answers, uploads) = await Self.upload(
                    story, channel, until: \.isRequested
                ) { network in
                    // The upload succeeds, the message does not; only the socket is lost for good.
                    await network.loseSockets()
                    network.weather.lostRequest = 1000
                }
                #expect(answers.values.count == 1)
                #expect(answers.values.first?.1?.code == ChatError.networkError.rawValue)
                #expect(view.calls.contains("updated failed"))
                #expect(
                    view.collection?.failedMessages.map(\.errorCode)
                        == [ChatError.networkError.rawValue])
                story.phone.network.weather = .calm
                await story.world.pass(.seconds(600))
                #expect(try await story.world.log(of: url).isEmpty)
                // A resend succeeds, without another upload.
                let failed = try #require(view.collection?.failedMessages.first as? FileMessage)
                let (_, error): (FileMessage?, SBError?) = await story.wait { done in
                    channel.resendFileMessage(failed) { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(uploads.count == 1)
            }
        }

        @Test
        func `an upload reports its progress up to its end, before the message (R145)`()
            throws
        {
            try DoorStory.play(seed: 45) { story in
                let (_, view) = try await Self.open(story)
                let channel = try #require(view.channel)
                let size: Int64 = 200_000
                let params = FileMessageCreateParams(file: Data(repeating: 7, count: Int(size)))
                let steps = Answers<(Int64, Int64, Int64)>()
                let (sent, _): (FileMessage?, SBError?) = await story.wait { done in
                    channel.sendFileMessage(
                        params: params, progressHandler: { steps.values.append(($1, $2, $3)) },
                        completionHandler: { done(($0, $1)) })
                }
                #expect(sent?.sendingStatus == .succeeded)
                #expect(steps.values.count > 1)
                #expect(steps.values.last?.1 == size)
                #expect(steps.values.allSatisfy { $0.2 == size })
                #expect(steps.values.map(\.0).reduce(0, +) == size)
            }
        }

        @Test
        func `a refused message fails at once and is not sent again (R148, R149)`()
            throws
        {
            try DoorStory.play(seed: 35) { story in
                let (url, view) = try await Self.open(story)
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                let (message, error): (UserMessage?, SBError?) = await story.wait { done in
                    view.channel?.sendUserMessage("cold") { done(($0, $1)) }
                }
                #expect(error != nil)
                #expect(message?.sendingStatus == .failed)
                #expect(message?.errorCode == error?.code)
                #expect(view.calls.contains("updated failed"))
                await story.world.pass(.seconds(600))
                #expect(try await story.world.log(of: url).isEmpty)
            }
        }

        @Test
        func `messages are edited, get reactions and are deleted (R200)`() throws {
            try DoorStory.play(seed: 36) { story in
                let (url, view) = try await Self.open(story)
                let channel = try #require(view.channel)
                let (sent, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                let message = try #require(sent)
                let (edited, error): (UserMessage?, SBError?) = await story.wait { done in
                    channel.updateUserMessage(
                        messageId: message.messageId,
                        params: UserMessageUpdateParams(message: "hello!")
                    ) { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(edited?.message == "hello!")
                let (event, second): (SendbirdChatSDK.ReactionEvent?, SBError?) =
                    await story.wait { done in
                        channel.addReaction(with: message, key: "👍") { done(($0, $1)) }
                    }
                #expect(second == nil)
                #expect(event?.operation == .add)
                await story.world.pass()
                let params = MessageListParams()
                params.includeReactions = true
                let found: [BaseMessage]? = await story.wait { done in
                    channel.getMessagesByTimestamp(.max, params: params) { messages, _ in
                        done(messages)
                    }
                }
                #expect(found?.first?.reactions.map(\.key) == ["👍"])
                let third: SBError? = await story.wait { done in
                    channel.deleteMessage(message, completionHandler: done)
                }
                #expect(third == nil)
                await story.world.pass()
                #expect(view.collection?.succeededMessages.isEmpty == true)
                #expect(try await story.world.log(of: url).isEmpty)
            }
        }
    }
}
