// SPDX-License-Identifier: Apache-2.0

import CallSiteSupport
import DoorTestSupport
import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

@testable import CallSitesV3

extension SendBirdTests {
    /// Call sites of the reference in a running app, in the reference's own words.
    ///
    /// The reference has 36. The number behind an expectation is that of the call site whose
    /// outcome it checks: 28 of them, and a test counts that they are a third at least.
    struct CallSites {
        private let sites = V3CallSites()
        private let log = V3CallSites.log

        init() { log.clear() }

        /// Plays a story in which Alice has a channel with Bob and is its operator.
        private static func play(
            seed: UInt64,
            _ body:
                @escaping @Sendable (CallSites, SyncStory, SBDGroupChannel) async throws -> Void
        ) throws {
            try SyncStory.play(seed: seed) { story in
                await story.connect()
                let params = SBDGroupChannelParams()
                params.name = "train"
                params.addUserIds(["bob"])
                params.operatorUserIds = ["alice"]
                let (channel, _): (SBDGroupChannel?, SBDError?) = await story.wait { done in
                    SBDGroupChannel.createChannel(with: params) { done(($0, $1)) }
                }
                let sites = CallSites()
                sites.sites.url = try #require(channel).channelUrl
                try await body(sites, story, try #require(channel))
            }
        }

        private static func send(
            _ text: String, _ story: SyncStory, _ channel: SBDGroupChannel
        ) async throws -> SBDUserMessage {
            let (sent, _): (SBDUserMessage?, SBDError?) = await story.wait { done in
                channel.sendUserMessage(text) { done(($0, $1)) }
            }
            return try #require(sent)
        }

        @Test func `the call sites of the login connect a user and change the profile`() throws {
            try SyncStory.play(seed: 311) { story in
                let tests = CallSites()
                let (sites, log) = (tests.sites, tests.log)
                sites.login()
                await story.world.pass()
                #expect(SBDMain.getConnectState() == .open)  // 6
                sites.profile()
                await story.world.pass()
                #expect(log[7] == ["nil"])
                #expect(SBDMain.getCurrentUser()?.nickname == "text")  // 7
                #expect(log[8] == ["false"])  // 8
                #expect(log[9] == [""])  // 9
                SBDMain.removeAllConnectionDelegates()
            }
        }

        @Test func `the call sites of the channel list show and create channels`() throws {
            try Self.play(seed: 312) { tests, story, channel in
                let (sites, log) = (tests.sites, tests.log)
                let message = try await Self.send("hello", story, channel)
                let list = sites.channels()
                await story.world.pass()
                #expect(list.query.limit == 20)  // 10, 11
                #expect(log[12] == ["\(message.createdAt)"])  // 12
                #expect(log[14] == ["1"])  // 13, 14
                #expect(list.delegate === sites)
                let members = try #require(channel.members as? [SBDMember])
                sites.channel(users: members)
                await story.world.pass()
                let url = try #require(log[16].first)  // 16
                let made = try await story.bob.channel(ChannelURL(url))
                #expect(made.name == "text")
                #expect(made.memberCount == 2)  // 15
                #expect(log[17] == ["alice, bob"])  // 17
                #expect(list.channels.count == 2)
                list.remove()
            }
        }

        @Test func `the call sites of messages show, send and delete them`() throws {
            try Self.play(seed: 313) { tests, story, channel in
                let (sites, log) = (tests.sites, tests.log)
                let message = try await Self.send("hello", story, channel)
                let collection = sites.messages(channel)
                await story.world.pass()
                #expect(log[20] == ["false"])  // 18, 20
                #expect(log[21] == ["nil"])  // 21
                #expect(log[22] == ["false"])
                #expect(sites.sent == ["hello", "text"])  // 19, 34
                #expect(collection.succeededMessages.map(\.message) == ["hello", "text"])
                let url = ChannelURL(channel.channelUrl)
                #expect(try await story.world.log(of: url).map(\.text) == ["hello", "text"])  // 22
                sites.history(channel)
                await story.world.pass()
                #expect(log[31] == ["2"])  // 30, 31
                let other = try await story.bob.send("from bob", to: url)
                await story.world.pass()
                #expect(other.channelURL == url)
                #expect(try await story.get(url).unreadMessageCount == 1)
                sites.message(channel, message)
                await story.world.pass()
                #expect(log[28] == ["nil"])
                let texts = try await story.world.log(of: url).map(\.text)
                #expect(texts == ["text", "from bob"])  // 28
                #expect(try await story.get(url).unreadMessageCount == 0)  // 29
                collection.remove()
            }
        }

        @Test func `the call sites of files upload one with its progress`() throws {
            try Self.play(seed: 314) { tests, story, channel in
                let (sites, log) = (tests.sites, tests.log)
                sites.file(channel)
                await story.world.pass(.seconds(20))
                #expect(log[26].last?.hasPrefix("http") == true)  // 24, 26
                let params = SBDMessageListParams()
                params.previousResultSize = 10
                let (files, _): ([SBDBaseMessage]?, SBDError?) = await story.wait { done in
                    channel.getMessagesByTimestamp(Int64.max, params: params) { done(($0, $1)) }
                }
                let file = files?.first as? SBDFileMessage
                #expect(file?.name == "a.jpg")
                #expect(file?.type == "image/jpeg")
                #expect(file?.size == 7)  // 25
            }
        }

        @Test func `the call sites of moderation and logout reach the server`() throws {
            try Self.play(seed: 315) { tests, story, channel in
                let (sites, log) = (tests.sites, tests.log)
                let bob = try #require(
                    (channel.members as? [SBDMember])?.first { $0.userId == "bob" })
                sites.moderation(channel, user: bob)
                await story.world.pass()
                #expect(log[32] == ["nil"])
                let (banned, _): ([SBDUser]?, SBDError?) = await story.wait { done in
                    channel.createBannedUserListQuery()?.loadNextPage { done(($0, $1)) }
                }
                #expect(banned?.map(\.userId) == ["bob"])  // 32
                #expect(try await story.get(ChannelURL(channel.channelUrl)).memberCount == 1)  // 33
                sites.logout()
                await story.world.pass()
                #expect(SBDMain.getCurrentUser() == nil)  // 36
                #expect(SBDMain.getConnectState() == .closed)
            }
        }

        @Test func `a third of the reference's call sites run, and all of them compile`() throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "CallSitesV3")
            let all = try CallSiteLog.numbers(
                of: folder.appending(path: "V3CallSites.swift").path)
            #expect(all == Set(1...36))
            let checked = try CallSiteLog.numbers(of: #filePath)
            #expect(checked.isSubset(of: all))
            #expect(checked.count * 3 >= all.count)
        }
    }
}
