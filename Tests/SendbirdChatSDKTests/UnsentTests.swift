// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

@testable import CallSitesV4

extension SendbirdChatTests {
    /// Tests of messages that could not be sent and do not wait for a connection.
    struct UnsentMessages {
        private typealias View = ChatView.CustomViewController

        /// The settings with which such messages fail.
        enum Setting: CaseIterable {
            case withoutCaching, withoutResending
        }

        private static func params(_ story: DoorStory, _ setting: Setting?) -> InitParams {
            let params = story.params(isLocalCachingEnabled: setting != .withoutCaching)
            if setting == .withoutResending {
                params.localCacheConfig = LocalCacheConfig(enableAutoResend: false)
            }
            return params
        }

        /// Plays a story in which Alice watches a channel with Bob; nil takes the usual settings.
        private static func open(
            _ story: DoorStory, _ setting: Setting?
        ) async throws -> (url: ChannelURL, view: View) {
            SendbirdChat.initialize(params: params(story, setting))
            let url = try await story.channel("train")
            await story.connect()
            return (url, try await watch(story, url))
        }

        private static func watch(_ story: DoorStory, _ url: ChannelURL) async throws -> View {
            let view = try #require(View(coder: NSCoder()))
            view.channel = try await story.get(url)
            view.createMessageCollection()
            view.initialize()
            await story.world.pass()
            view.calls = []
            return view
        }

        private typealias Texts = Answers<(UserMessage?, SBError?)>

        /// Expects one answer: a failed message and the error 800101.
        private static func expectFailure(
            _ answers: Texts, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(answers.values.count == 1, sourceLocation: sourceLocation)
            let code = ChatError.connectionRequired.rawValue
            let (message, error) = answers.values.first ?? (nil, nil)
            #expect(error?.code == code, sourceLocation: sourceLocation)
            #expect(message?.sendingStatus == .failed, sourceLocation: sourceLocation)
            #expect(message?.errorCode == code, sourceLocation: sourceLocation)
            #expect(message?.isResendable() == true, sourceLocation: sourceLocation)
        }

        /// Restores the network, and expects that only a resend sends the failed message, once.
        private static func expectResend(
            of message: UserMessage?, _ story: DoorStory, _ url: ChannelURL, _ view: View
        ) async throws {
            story.phone.network.restore()
            await story.world.pass(.seconds(60))
            #expect(try await story.world.log(of: url).isEmpty)
            let failed = try #require(message)
            let (sent, error): (UserMessage?, SBError?) = await story.wait { done in
                view.channel?.resendUserMessage(failed) { done(($0, $1)) }
            }
            #expect(error == nil)
            #expect(sent?.sendingStatus == .succeeded)
            #expect(sent?.requestId == failed.requestId)
            await story.world.pass(.seconds(60))
            #expect(try await story.world.log(of: url).map(\.text) == [failed.message])
            #expect(view.collection?.failedMessages.isEmpty == true)
        }

        @Test(arguments: Setting.allCases)
        func `a text that does not wait fails at once, and only a resend sends it (R138, R149)`(
            setting: Setting
        ) throws {
            try DoorStory.play(seed: 321) { story in
                let (url, view) = try await Self.open(story, setting)
                await story.phone.network.cut()
                let answers = Texts()
                view.channel?.sendUserMessage("later") { answers.values.append(($0, $1)) }
                await story.world.pass()
                Self.expectFailure(answers)
                #expect(view.calls.contains("updated failed"))
                #expect(view.collection?.failedMessages.map(\.message) == ["later"])
                #expect(view.collection?.pendingMessages.isEmpty == true)
                // A resend without a connection fails as well.
                let failed = try #require(answers.values.first?.0)
                let again = Texts()
                view.channel?.resendUserMessage(failed) { again.values.append(($0, $1)) }
                await story.world.pass()
                Self.expectFailure(again)
                try await Self.expectResend(of: failed, story, url, view)
                #expect(answers.values.count == 1)
            }
        }

        @Test(arguments: Setting.allCases)
        func `a text in flight fails with its connection, and only a resend sends it (R138, R143)`(
            setting: Setting
        ) throws {
            try DoorStory.play(seed: 322) { story in
                let (url, view) = try await Self.open(story, setting)
                let answers = Texts()
                view.channel?.sendUserMessage("lost") { answers.values.append(($0, $1)) }
                await story.world.pass(.milliseconds(1))
                #expect(answers.values.isEmpty)
                await story.phone.network.cut()  // The message is being sent and does not arrive.
                await story.world.pass()
                Self.expectFailure(answers)
                #expect(view.calls.contains("updated failed"))
                try await Self.expectResend(of: answers.values.first?.0, story, url, view)
                #expect(answers.values.count == 1)
            }
        }

        @Test
        func `a text in flight has failed when its client is closed (R138, R216)`() throws {
            try DoorStory.play(seed: 323) { story in
                let (url, view) = try await Self.open(story, .withoutResending)
                let answers = Texts()
                view.channel?.sendUserMessage("lost") { answers.values.append(($0, $1)) }
                await story.world.pass(.milliseconds(1))
                await story.phone.network.cut()
                await SendbirdChat.door.close()
                await story.world.pass()
                Self.expectFailure(answers)
                story.launch()
                SendbirdChat.initialize(params: Self.params(story, .withoutResending))
                await story.connect()
                let again = try await Self.watch(story, url)
                let failed = again.collection?.failedMessages.first as? UserMessage
                try await Self.expectResend(of: failed, story, url, again)
            }
        }

        @Test(arguments: [true, false])
        func `a text of an earlier run fails when the app is launched without resending (R138)`(
            hasWaited: Bool
        ) throws {
            try DoorStory.play(seed: 324) { story in
                let (url, view) = try await Self.open(story, hasWaited ? nil : .withoutResending)
                await story.phone.network.cut()
                view.channel?.sendUserMessage("later")
                await story.world.pass()
                #expect(view.collection?.pendingMessages.count == (hasWaited ? 1 : 0))
                #expect(view.collection?.failedMessages.count == (hasWaited ? 0 : 1))
                await SendbirdChat.door.close()
                story.launch()
                SendbirdChat.initialize(params: Self.params(story, .withoutResending))
                await story.connect()
                let again = try await Self.watch(story, url)
                #expect(again.collection?.pendingMessages.isEmpty == true)
                let failed = again.collection?.failedMessages.first as? UserMessage
                #expect(failed?.errorCode == ChatError.pendingError.rawValue)
                try await Self.expectResend(of: failed, story, url, again)
            }
        }

        @Test(arguments: Setting.allCases)
        func `a file whose upload fails does not wait for another attempt (R138)`(
            setting: Setting
        ) throws {
            try DoorStory.play(seed: 325) { story in
                let (url, view) = try await Self.open(story, setting)
                // The socket stays, so the outbox would make another attempt.
                story.phone.network.weather.lostRequest = 1000
                let params = FileMessageCreateParams(file: Data("picture".utf8))
                params.fileName = "a.png"
                let answers = Answers<(FileMessage?, SBError?)>()
                view.channel?.sendFileMessage(params: params) { answers.values.append(($0, $1)) }
                await story.world.pass(.seconds(120))
                #expect(answers.values.count == 1)
                let failed = try #require(answers.values.first?.0)
                #expect(failed.sendingStatus == .failed)
                #expect(answers.values.first?.1?.code == ChatError.networkError.rawValue)
                story.phone.network.weather = .calm
                await story.world.pass(.seconds(600))
                #expect(try await story.world.log(of: url).isEmpty)
                let (sent, error): (FileMessage?, SBError?) = await story.wait { done in
                    view.channel?.resendFileMessage(failed) { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(sent?.requestId == failed.requestId)
                #expect(try await story.world.log(of: url).count == 1)
                #expect(answers.values.count == 1)
            }
        }

        @Test(arguments: Setting.allCases)
        func `an upload goes on without a socket, and its message does not fail (R138, R146)`(
            setting: Setting
        ) throws {
            try DoorStory.play(seed: 326) { story in
                let (url, view) = try await Self.open(story, setting)
                let (network, uploads) = (story.phone.network, Uploads())
                network.observe { line in uploads.note(line) }
                let params = FileMessageCreateParams(file: Data("picture".utf8))
                params.fileName = "a.png"
                let answers = Answers<(FileMessage?, SBError?)>()
                view.channel?.sendFileMessage(params: params) { answers.values.append(($0, $1)) }
                for _ in 0..<10_000 where !uploads.isRequested {
                    await story.world.pass(.milliseconds(1))
                }
                await network.loseSockets()
                network.weather.busyLogin = 1000
                await story.world.pass(.seconds(30))
                #expect(uploads.sentByHTTP == 1)
                #expect(answers.values.count == 1)
                #expect(answers.values.first?.1 == nil)
                #expect(answers.values.first?.0?.sendingStatus == .succeeded)
                network.weather = .calm
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).count == 1)
                #expect(view.collection?.failedMessages.isEmpty == true)
                #expect(answers.values.count == 1)
            }
        }

        @Test(arguments: Setting.allCases)
        func `a text that the server takes after a pause has not failed (R138)`(
            setting: Setting
        ) throws {
            try DoorStory.play(seed: 331) { story in
                let (url, view) = try await Self.open(story, setting)
                story.phone.network.weather.limitedMessage = 1000
                let answers = Texts()
                view.channel?.sendUserMessage("crowd") { answers.values.append(($0, $1)) }
                await story.world.pass(.seconds(2))
                #expect(answers.values.isEmpty)
                story.phone.network.weather = .calm
                await story.world.pass(.seconds(60))
                #expect(answers.values.count == 1)
                #expect(answers.values.first?.1 == nil)
                #expect(answers.values.first?.0?.sendingStatus == .succeeded)
                #expect(try await story.world.log(of: url).map(\.text) == ["crowd"])
            }
        }

        @Test(arguments: Setting.allCases)
        func `a text whose connection is lost during the server's pause fails (R138)`(
            setting: Setting
        ) throws {
            try DoorStory.play(seed: 332) { story in
                let (url, view) = try await Self.open(story, setting)
                story.phone.network.weather.limitedMessage = 1000
                let answers = Texts()
                view.channel?.sendUserMessage("crowd") { answers.values.append(($0, $1)) }
                await story.world.pass(.seconds(2))
                story.phone.network.weather = .calm
                await story.phone.network.cut()
                await story.world.pass()
                Self.expectFailure(answers)
                try await Self.expectResend(of: answers.values.first?.0, story, url, view)
                #expect(answers.values.count == 1)
            }
        }

        @Test(arguments: [false, true])
        func `the settings say whether messages wait for a connection (R138)`(isCached: Bool) {
            for resends in [false, true] {
                let config = LocalCacheConfig(enableAutoResend: resends)
                #expect(config.enableAutoResend == resends)
                let params = InitParams(
                    applicationId: "app", isLocalCachingEnabled: isCached,
                    localCacheConfig: config)
                SendbirdChat.initialize(params: params)
                #expect(SendbirdChat.door.settings.resendsUnsent == (isCached && resends))
            }
        }
    }
}
