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

extension SendbirdChatTests {
    /// Tests of what the migration page calls refused, or without effect.
    struct Refusals {
        typealias Channel = SendbirdChatSDK.GroupChannel

        private static func code(
            of call: (@escaping (SBError?) -> Void) -> Void, in story: DoorStory
        ) async -> ChatError? {
            let error: SBError? = await story.wait { call($0) }
            return error?.errorCode
        }

        @Test func `calls about friends, taps and screenshots are refused`() throws {
            try DoorStory.play(seed: 251) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let calls: [(@escaping (SBError?) -> Void) -> Void] = [
                    { done in SendbirdChat.addFriends(userIds: ["bob"]) { done($1) } },
                    { SendbirdChat.deleteFriend(userId: "bob", completionHandler: $0) },
                    { SendbirdChat.deleteFriends(userIds: ["bob"], completionHandler: $0) },
                    {
                        SendbirdChat.markPushNotificationAsClicked(
                            remoteNotificationPayload: [:], completionHandler: $0)
                    },
                    {
                        SendbirdChat.markPushNotificationAsClicked(
                            apiHost: nil, remoteNotificationPayload: [:], completionHandler: $0)
                    },
                    { channel.notifyScreenshotWasTaken(completionHandler: $0) },
                ]
                for call in calls {
                    #expect(await Self.code(of: call, in: story) == .notSupported)
                }
            }
        }

        @Test func `an empty text is refused at once, without a request ID`() throws {
            try DoorStory.play(seed: 256) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let answers = Answers<SBError?>()
                let message = channel.sendUserMessage("") { answers.values.append($1) }
                #expect(message.requestId.isEmpty)
                #expect(message.sendingStatus == .failed)
                await story.world.pass()
                #expect(answers.values.count == 1)
                let error = try #require(answers.values.compactMap { $0 }.first)
                #expect(error.errorCode == .invalidParameter)
                // It tells its number and its text, and nothing else.
                #expect(Set(error.userInfo.keys) == [NSLocalizedDescriptionKey, "message"])
            }
        }

        @Test func `a push's arrival is reported to the client's server only`() throws {
            try DoorStory.play(seed: 252) { story in
                let url = try await story.channel("train")
                await story.connect()
                let payload: [AnyHashable: Any] = [
                    "sendbird": ["channel": ["channel_url": url.rawValue]]
                ]
                let own = SendbirdChat.door.settings.server
                for (host, code) in [(nil, nil), (own, nil), ("https://other", .notSupported)]
                    as [(String?, ChatError?)]
                {
                    let answer = await Self.code(
                        of: {
                            SendbirdChat.markPushNotificationAsDelivered(
                                apiHost: host, remoteNotificationPayload: payload,
                                completionHandler: $0)
                        }, in: story)
                    #expect(answer == code)
                }
                let nameless = await Self.code(
                    of: {
                        SendbirdChat.markAsDelivered(
                            remoteNotificationPayload: [:], completionHandler: $0)
                    }, in: story)
                #expect(nameless == .invalidParameter)
            }
        }

        @Test func `lists, counts and channels that the server cannot make are refused`() throws {
            try DoorStory.play(seed: 253) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let named = Channel.createPublicGroupChannelListQuery {
                    $0.order = .channelNameAlphabetical
                }
                let update = GroupChannelUpdateParams()
                update.isDistinct = true
                let lookup = MessageRetrievalParams()
                lookup.channelType = .feed
                let calls: [(@escaping (SBError?) -> Void) -> Void] = [
                    { done in named.loadNextPage { done($1) } },
                    { done in
                        SendbirdChat.getUnreadItemCount(key: .superUnreadMessageCount) { done($1) }
                    },
                    { done in channel.update(params: update) { done($1) } },
                    { done in
                        SendbirdChat.getMyPushTokens(token: nil, pushTokenType: .APNSVoIP) {
                            done($4)
                        }
                    },
                    { done in BaseMessage.getMessage(params: lookup) { done($1) } },
                ]
                for call in calls {
                    #expect(await Self.code(of: call, in: story) == .notSupported)
                }
            }
        }

        @Test func `settings without effect are taken, and the client's own are read`() throws {
            try DoorStory.play(seed: 254) { story in
                let url = try await story.channel("train")
                await story.connect()
                let timeout = SendbirdChatOptions.getConnectionTimeout()
                SendbirdChatOptions.setConnectionTimeout(77)
                #expect(SendbirdChatOptions.getConnectionTimeout() == timeout)
                SendbirdChat.setAppVersion(version: "2.0")
                SendbirdChat.setLogLevel(.verbose)
                SendbirdChat.addExtension("sb_uikit", version: "3.0.0")
                SendbirdChat.setSharedContainerIdentifier("group.app")
                let channel = try await story.get(url)
                #expect(!channel.isAIAgent && !channel.isDesk && !channel.isChatNotification)
                for includes in [true, false] {
                    let query = Channel.createMyGroupChannelListQuery {
                        $0.includeChatNotification = includes
                    }
                    let names: [String]? = await story.wait { done in
                        query.loadNextPage { channels, _ in done(channels?.map(\.name)) }
                    }
                    #expect(names == ["train"])
                }
            }
        }
    }
}
