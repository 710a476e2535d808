// SPDX-License-Identifier: Apache-2.0

import CallSiteSupport
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
    /// Call sites of the reference in a running app, in the reference's own words.
    ///
    /// The reference has 98. The number behind an expectation is that of the call site whose
    /// outcome it checks: 60 of them, and a test counts that they are a third at least.
    struct CallSites {
        private typealias Screen = AppCallSites.Screen

        private let log = AppCallSites.log
        private let screen = Screen()

        init() { log.clear() }

        /// Plays a story in which Alice has a channel with Bob and is its operator.
        private static func play(
            seed: UInt64,
            _ body:
                @escaping @Sendable (
                    CallSites, DoorStory, SendbirdChatSDK.GroupChannel
                ) async throws -> Void
        ) throws {
            try DoorStory.play(seed: seed) { story in
                await story.connect()
                let params = GroupChannelCreateParams()
                params.name = "train"
                params.addUserId("bob")
                params.operatorUserIds = ["alice"]
                let (channel, _): (SendbirdChatSDK.GroupChannel?, SBError?) =
                    await story.wait { done in
                        SendbirdChatSDK.GroupChannel.createChannel(params: params) {
                            done(($0, $1))
                        }
                    }
                try await body(CallSites(), story, try #require(channel))
            }
        }

        private static func send(
            _ text: String, _ story: DoorStory, _ channel: SendbirdChatSDK.GroupChannel
        ) async throws -> UserMessage {
            let params = UserMessageCreateParams(message: text)
            params.customType = "pinned"
            let (sent, _): (UserMessage?, SBError?) = await story.wait { done in
                channel.sendUserMessage(params: params) { done(($0, $1)) }
            }
            return try #require(sent)
        }

        @Test func `the call sites of the login connect a user and change the profile`() throws {
            try DoorStory.play(seed: 301) { story in
                let sites = CallSites()
                let (screen, log) = (sites.screen, sites.log)
                screen.login(userId: "alice")
                await story.world.pass()
                #expect(SendbirdChat.connectionDelegate(forIdentifier: "login") === screen)  // 12
                #expect(log[13] == ["", "nil"])  // 13
                screen.token = "fresh"
                let provider = try #require(SendbirdChat.door.settings.tokenProvider)
                #expect(try await provider() == "fresh")  // 11, 92
                screen.profile(text: "Alice", data: Data("picture".utf8))
                await story.world.pass()
                #expect(log[17] == ["online"])  // 17
                #expect(log[18] == ["alice"])  // 18
                #expect(log[20] == ["nil"])  // 20
                #expect(SendbirdChat.getCurrentUser()?.nickname == "Alice")
                #expect(SendbirdChat.getCurrentUser()?.profileURL?.isEmpty == false)  // 19
                SendbirdChat.removeSessionDelegate()
            }
        }

        @Test func `the call sites of the channel list show, hide and create channels`() throws {
            try Self.play(seed: 302) { sites, story, channel in
                let (screen, log) = (sites.screen, sites.log)
                _ = try await story.bob.send("hi", to: .init(channel.channelURL))
                await story.world.pass()
                let list = screen.channelList()
                await story.world.pass()
                #expect(list?.delegate === screen)  // 24, 25
                #expect(list?.query.limit == 20)  // 21
                #expect(log[26] == ["hi"])  // 26
                #expect(log[22] == [""])
                screen.people()
                await story.world.pass()
                #expect(log[32] == ["alice, bob"])  // 32
                #expect(log[33] == ["1"])  // 33
                screen.channel(channel)
                await story.world.pass()
                #expect(log[28] == ["nil"])  // 28
                #expect(log[29] == ["nil"])  // 29
                #expect(list?.channelList.map(\.name) == [])
                _ = screen.channelList()
                await story.world.pass()
                #expect(log[22] == ["", "train"])  // 22
                screen.create(
                    userId: "alice", users: channel.members, data: Data("cover".utf8))
                await story.world.pass()
                let url = try #require(log[31].first)  // 31
                let made = try await story.bob.channel(.init(url))
                #expect(made.memberCount == 2)
                #expect(made.coverURL.isEmpty == false)  // 30
                screen.leave(channel)
                await story.world.pass()
                #expect(log[27] == ["nil"])  // 27
                let left = try await story.bob.channel(.init(channel.channelURL))
                #expect(left.memberCount == 1)
            }
        }

        @Test func `the call sites of a channel's screen load its messages`() throws {
            try Self.play(seed: 303) { sites, story, channel in
                let (screen, log) = (sites.screen, sites.log)
                let message = try await Self.send("hello", story, channel)
                _ = try await story.bob.send("other", to: .init(channel.channelURL))
                await story.world.pass()
                let collection = screen.channelScreen(
                    url: channel.channelURL, channel: channel, base: channel, message: message)
                await story.world.pass()
                #expect(log[34] == ["train"])  // 34
                #expect(log[37] == ["a copy of 20"])  // 35, 37
                #expect(collection.delegate === screen)  // 39
                #expect(log[40].last == "hello")  // 36, 38, 40
                #expect(log[43] == ["nil"])  // 43
                #expect(log[46] == ["nil"])  // 46
                #expect(log[47] == ["hello"])  // 47
                #expect(log[48] == ["false"])  // 48
                let (unread, _): (UInt, SBError?) = await story.wait { done in
                    SendbirdChat.getTotalUnreadMessageCount { done(($0, $1)) }
                }
                #expect(unread == 0)
                screen.close(nil, collection)
            }
        }

        @Test func `the call sites of sending send, edit, delete and resend`() throws {
            try Self.play(seed: 304) { sites, story, channel in
                let (screen, log) = (sites.screen, sites.log)
                let url = channel.channelURL
                screen.sending(
                    text: "text", channel: channel, base: channel, users: channel.members)
                await story.world.pass()
                #expect(log[50].first == "pending")
                #expect(log[50].last.flatMap { Int64($0) } ?? 0 > 0)  // 50
                #expect(log[52] == ["nil"])  // 52
                let sent = try await story.world.log(of: .init(url))
                #expect(sent.map(\.text) == ["text", "text"])
                #expect(sent.last?.customType == "note")  // 51

                let message = try await Self.send("old", story, channel)
                screen.editing(text: "new", channel: channel, userMessage: message)
                await story.world.pass()
                #expect(log[54] == ["new"])  // 54
                screen.reaction(channel: channel, message: message)
                await story.world.pass()
                #expect(log[57] == ["3"])  // 57
                #expect(message.reactions.first?.userIds == ["alice"])  // 56
                screen.deletion(channel: channel, message: message)
                await story.world.pass()
                #expect(log[55] == ["nil"])  // 55
                #expect(try await story.world.log(of: .init(url)).count == 2)

                channel.addOperators(userIds: ["bob"])
                await story.world.pass()
                try await story.bob.removeOperators(["alice"], from: .init(url))
                try await story.bob.makeNow(
                    .mute("alice", for: nil, reason: ""), in: .init(url))
                await story.world.pass()
                let (failed, error): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage("unheard") { done(($0, $1)) }
                }
                #expect(error?.errorCode == .socketMutedUserInChannelSendMessageNotAllowed)
                try await story.bob.makeNow(.unmute("alice"), in: .init(url))
                await story.world.pass()
                screen.resending(channel: channel, failed: try #require(failed))
                await story.world.pass()
                #expect(log[53] == ["unheard"])  // 53
                #expect(try await story.world.log(of: .init(url)).last?.text == "unheard")
            }
        }

        @Test func `the call sites of files upload them`() throws {
            try Self.play(seed: 305) { sites, story, channel in
                let (screen, log) = (sites.screen, sites.log)
                screen.files(data: Data("picture".utf8), channel: channel)
                await story.world.pass(.seconds(20))
                #expect(log[60].first?.isEmpty == false)  // 59, 60
                #expect(log[61].first?.isEmpty == false)  // 61
                #expect(log[62].last == "a.jpg" || log[62].last == "")  // 62
                let params = MessageListParams()
                params.previousResultSize = 10
                let (files, _): ([BaseMessage]?, SBError?) = await story.wait { done in
                    channel.getMessagesByTimestamp(.max, params: params) { done(($0, $1)) }
                }
                let names = (files ?? []).compactMap { $0 as? FileMessage }.map(\.name)
                #expect(names == ["a.jpg", "a.jpg"])  // 58
            }
        }

        @Test func `the call sites of threads write a reply and load the thread`() throws {
            try Self.play(seed: 306) { sites, story, channel in
                let (screen, log) = (sites.screen, sites.log)
                let parent = try await Self.send("hello", story, channel)
                let params = screen.reply(text: "me too", message: parent)
                let (reply, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage(params: params) { done(($0, $1)) }
                }
                #expect(reply?.parentMessageId == parent.messageId)  // 66
                screen.thread(channel: channel, message: parent)
                await story.world.pass()
                #expect(log[68] == ["hello"])  // 67, 68
                // Both sizes of the site's parameters are 0.
                #expect(log[69] == [""])  // 69
            }
        }

        @Test func `the call sites of moderation act on a user and the channel`() throws {
            try Self.play(seed: 307) { sites, story, channel in
                let (screen, log) = (sites.screen, sites.log)
                let bob = try #require(channel.getMember("bob"))
                let message = try await Self.send("hello", story, channel)
                screen.mute(channel, bob)
                await story.world.pass()
                #expect(log[71] == ["nil"])
                #expect(
                    try await story.get(.init(channel.channelURL)).getMember("bob")?.isMuted == true
                )  // 71
                screen.moderation(channel, bob, message)
                await story.world.pass()
                #expect(log[72] == ["nil"])
                #expect(log[74].first?.contains("alice") == true)  // 73, 74
                #expect(log[75] == ["nil"])
                #expect(log[76] == ["nil"])  // 76
                #expect(log[77] == ["train"])  // 77
                let (banned, _): ([SendbirdChatSDK.RestrictedUser]?, SBError?) = await story.wait {
                    done in
                    channel.createBannedUserListQuery()?.loadNextPage { done(($0, $1)) }
                }
                #expect(banned?.map(\.userId) == ["bob"])  // 72
                let now = try await story.get(.init(channel.channelURL))
                #expect(now.isFrozen)  // 75
            }
        }

        @Test func `the call sites of push and logout keep the token and end the session`() throws {
            try Self.play(seed: 308) { sites, story, channel in
                let (screen, log) = (sites.screen, sites.log)
                screen.push(Data("phone".utf8), [:])
                await story.world.pass()
                #expect(log[78] == ["false"])  // 78
                #expect(log[79] == ["success"])  // 79
                let (tokens, _): ([String], SBError?) = await story.wait { done in
                    SendbirdChat.getMyPushTokens(token: nil, pushTokenType: .APNS) {
                        tokens, _, _, _, error in done((tokens, error))
                    }
                }
                #expect(tokens.count == 1)
                SendbirdChat.addConnectionDelegate(screen, identifier: "login")
                screen.close(nil, SendbirdChat.createMessageCollection(channel: channel))
                #expect(SendbirdChat.connectionDelegate(forIdentifier: "login") == nil)  // 83
                screen.logout()
                await story.world.pass()
                #expect(log[84] == ["socket"])
                #expect(SendbirdChat.getConnectState() == .closed)  // 84
                screen.end()
                await story.world.pass()
                #expect(log[85] == ["bye"])
                #expect(SendbirdChat.getCurrentUser() == nil)  // 85
            }
        }

        @Test func `a third of the reference's call sites run, and all of them compile`() throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "CallSitesV4")
            let compiled = try ["AppCallSites", "MessageCallSites"].map {
                try CallSiteLog.numbers(of: folder.appending(path: "\($0).swift").path)
            }
            let all = compiled[0].union(compiled[1])
            #expect(all == Set(1...98))
            let checked = try CallSiteLog.numbers(of: #filePath)
            #expect(checked.isSubset(of: all))
            #expect(checked.count * 3 >= all.count)
        }
    }
}
