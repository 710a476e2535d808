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
    /// Tests of the calls on channels, as the old library has them.
    struct ChannelCalls {
        /// Makes a call with an outcome and expects success.
        private func succeed(
            _ story: SyncStory, sourceLocation: SourceLocation = #_sourceLocation,
            _ call: (@escaping (SBDError?) -> Void) -> Void
        ) async {
            let error: SBDError? = await story.wait { done in call { done($0) } }
            #expect(error == nil, sourceLocation: sourceLocation)
        }

        /// Creates a channel with parameters, so that Alice is its operator.
        private func create(
            _ story: SyncStory, _ change: (SBDGroupChannelParams) -> Void = { _ in }
        ) async throws -> SBDGroupChannel {
            let params = SBDGroupChannelParams()
            params.name = "party"
            params.addUserIds(["bob"])
            params.operatorUserIds = ["alice"]
            change(params)
            let (channel, error): (SBDGroupChannel?, SBDError?) = await story.wait { done in
                SBDGroupChannel.createChannel(with: params) { done(($0, $1)) }
            }
            #expect(error == nil)
            return try #require(channel)
        }

        @Test
        func `a channel is created and changed with parameters; nil leaves a property alone`()
            throws
        {
            try SyncStory.play(seed: 91) { story in
                await story.connect()
                let channel = try await create(story) { params in
                    params.channelUrl = "party-1"
                    params.data = "data"
                    params.isPublic = true
                }
                #expect(channel.channelUrl == "party-1")
                #expect(channel.name == "party")
                #expect(channel.data == "data")
                #expect(channel.isPublic)
                #expect(channel.myRole == .operator)
                let params = SBDGroupChannelParams()
                params.name = "feast"
                let (changed, _): (SBDGroupChannel?, SBDError?) = await story.wait { done in
                    channel.update(with: params) { done(($0, $1)) }
                }
                #expect(changed?.name == "feast")
                #expect(changed?.data == "data")
                #expect(changed?.isPublic == true)
            }
        }

        @Test func `a change of the kind of a channel is refused, not dropped`() throws {
            try SyncStory.play(seed: 92) { story in
                await story.connect()
                let channel = try await create(story)
                let params = SBDGroupChannelParams()
                params.isDistinct = true
                let (changed, error): (SBDGroupChannel?, SBDError?) = await story.wait { done in
                    channel.update(with: params) { done(($0, $1)) }
                }
                #expect(changed == nil)
                #expect(error?.code == RoostError.Code.featureUnavailable.rawValue)
            }
        }

        @Test func `an operator mutes, bans and appoints, and the queries list it`() throws {
            try SyncStory.play(seed: 93) { story in
                await story.world.add(User(id: "carol"))
                await story.connect()
                let channel = try await create(story) { $0.addUserIds(["carol"]) }
                await succeed(story) {
                    channel.muteUser(withUserId: "bob", completionHandler: $0)
                }
                await succeed(story) {
                    channel.banUser(withUserId: "carol", seconds: 600, completionHandler: $0)
                }
                await succeed(story) {
                    channel.addOperators(withUserIds: ["bob"], completionHandler: $0)
                }
                #expect(await ids(channel.createMutedUserListQuery(), story) == ["bob"])
                #expect(await ids(channel.createBannedUserListQuery(), story) == ["carol"])
                #expect(
                    Set(await ids(channel.createOperatorListQuery(), story)) == ["alice", "bob"])
                let query = try #require(channel.createMemberListQuery())
                query.mutedMemberFilter = .muted
                let members: [SBDMember]? = await story.wait { done in
                    query.loadNextPage { members, _ in done(members) }
                }
                #expect(members?.map(\.userId) == ["bob"])
                #expect(members?.first?.isMuted == true)
                #expect(!query.hasNext)
                let bob = try #require(members?.first)
                await succeed(story) { channel.unmuteUser(bob, completionHandler: $0) }
                #expect(await ids(channel.createMutedUserListQuery(), story) == [])
                await succeed(story) {
                    channel.unbanUser(withUserId: "carol", completionHandler: $0)
                }
                #expect(await ids(channel.createBannedUserListQuery(), story) == [])
            }
        }

        private func ids(_ query: SBDUserListQuery?, _ story: SyncStory) async -> [String] {
            let users: [SBDUser]? = await story.wait { done in
                query?.loadNextPage { users, _ in done(users) }
            }
            return users?.map(\.userId) ?? ["no page"]
        }

        @Test func `a refreshed channel shows the present members in all its objects`() throws {
            try SyncStory.play(seed: 94) { story in
                await story.connect()
                let channel = try await create(story)
                let copy = try await story.get(channel.value.url)
                await story.world.add(User(id: "carol"))
                await succeed(story) { channel.inviteUserIds(["carol"], completionHandler: $0) }
                await story.world.pass()
                await succeed(story) { channel.refresh(completionHandler: $0) }
                #expect(channel.memberCount == 3)
                #expect(copy.memberCount == 3)
                await story.phone.network.cut()
                await story.world.pass()
                let error: SBDError? = await story.wait { done in
                    channel.refresh { done($0) }
                }
                #expect(error?.code == SBDErrorCode.connectionRequired.rawValue)
            }
        }

        @Test func `filters of a query select hidden channels and members`() throws {
            try SyncStory.play(seed: 95) { story in
                await story.connect()
                let hidden = try await create(story)
                _ = try await create(story) { $0.name = "other" }
                await succeed(story) {
                    hidden.hideChannel(
                        withHidePreviousMessages: false, allowAutoUnhide: false,
                        completionHandler: $0)
                }
                func names(_ change: (SBDGroupChannelListQuery) -> Void) async throws -> [String] {
                    let query = try #require(SBDGroupChannel.createMyGroupChannelListQuery())
                    query.order = .channelNameAlphabetical
                    change(query)
                    let channels: [SBDGroupChannel]? = await story.wait { done in
                        query.loadNextPage { channels, _ in done(channels) }
                    }
                    #expect(!query.isLoading())
                    return channels?.map(\.name) ?? []
                }
                await story.world.pass()
                #expect(try await names { _ in } == ["other"])
                #expect(
                    try await names { $0.channelHiddenStateFilter = .hiddenOnly } == ["party"])
                #expect(
                    try await names {
                        $0.setUserIdsIncludeFilter(["bob"], queryType: .and)
                    } == ["other"])
                #expect(
                    try await names {
                        $0.setUserIdsIncludeFilter(["nobody"], queryType: .and)
                    } == [])
                #expect(try await names { $0.includeEmptyChannel = false } == [])
                await succeed(story) { hidden.unhideChannel(completionHandler: $0) }
                await story.world.pass()
                #expect(try await names { _ in } == ["other", "party"])
            }
        }

        @Test func `public channels are listed, and those by name are refused`() throws {
            try SyncStory.play(seed: 96) { story in
                await story.connect()
                _ = try await create(story) { $0.isPublic = true }
                var params = ChannelCreateParams(memberIDs: [], name: "Bob's")
                params.isPublic = true
                _ = try await story.bob.createChannel(params)
                func names(
                    _ change: (SBDPublicGroupChannelListQuery) -> Void
                ) async throws -> ([String]?, SBDError?) {
                    let query = try #require(SBDGroupChannel.createPublicGroupChannelListQuery())
                    change(query)
                    return await story.wait { done in
                        query.loadNextPage { channels, error in
                            done((channels?.map(\.name).sorted(), error))
                        }
                    }
                }
                #expect(try await names { _ in }.0 == ["Bob's", "party"])
                #expect(try await names { $0.publicMembershipFilter = .joined }.0 == ["party"])
                #expect(try await names { $0.includeEmptyChannel = false }.0 == [])
                #expect(try await names { $0.channelNameContainsFilter = "bob" }.0 == ["Bob's"])
                let refused = try await names { $0.order = .channelNameAlphabetical }
                #expect(refused.0 == nil)
                #expect(refused.1?.code == RoostError.Code.featureUnavailable.rawValue)
            }
        }

        @Test func `unread messages are counted, and the members who have read are told`() throws {
            try SyncStory.play(seed: 97) { story in
                await story.connect()
                let channel = try await create(story)
                let (sent, _): (SBDUserMessage?, SBDError?) = await story.wait { done in
                    channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                let message = try #require(sent)
                await story.world.pass()
                await succeed(story) { channel.refresh(completionHandler: $0) }
                #expect(channel.getReadMembers(with: message, includeAllMembers: false).isEmpty)
                try await story.bob.markAsReadNow(channel.value.url, awaitingServer: true)
                try await story.bob.send("hi", to: channel.value.url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                await succeed(story) { channel.refresh(completionHandler: $0) }
                let readers = channel.getReadMembers(with: message, includeAllMembers: false)
                #expect(readers.map(\.userId) == ["bob"])
                let all = channel.getReadMembers(with: message, includeAllMembers: true)
                #expect(Set(all.map(\.userId)) == ["alice", "bob"])
                for kind in [\GroupChannel.isSuper, \.isBroadcast] {
                    var value = channel.value
                    value.url = "large"
                    value[keyPath: kind] = true
                    let large = SBDGroupChannel(kept: value)
                    #expect(large.getReadMembers(with: message, includeAllMembers: true) == [])
                }
                let (messages, channels): (UInt, UInt) = await story.wait { done in
                    SBDMain.getTotalUnreadMessageCount { messages, _ in
                        SBDMain.getTotalUnreadChannelCount { channels, _ in
                            done((messages, channels))
                        }
                    }
                }
                #expect(messages == 1)
                #expect(channels == 1)
                let (count, _): (SBDUnreadItemCount?, SBDError?) = await story.wait { done in
                    SBDMain.getUnreadItemCount(withKey: .groupChannelUnreadMessageCount) {
                        done(($0, $1))
                    }
                }
                #expect(count?.groupChannelUnreadMessageCount == 1)
                #expect(count?.groupChannelInvitationCount == UInt(NSNotFound))
                let (none, error): (SBDUnreadItemCount?, SBDError?) = await story.wait { done in
                    SBDMain.getUnreadItemCount(withKey: .superUnreadMessageCount) { done(($0, $1)) }
                }
                #expect(none == nil)
                #expect(error != nil)
            }
        }

        @Test func `a blocked user is listed, alone or by ID, until the block ends`() throws {
            try SyncStory.play(seed: 98) { story in
                await story.connect()
                let channel = try await create(story)
                let members = try #require(channel.members as? [SBDMember])
                let bob = try #require(members.first { $0.userId == "bob" })
                let (blocked, error): (SBDUser?, SBDError?) = await story.wait { done in
                    SBDMain.blockUser(bob) { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(blocked?.userId == "bob")
                #expect(await ids(SBDMain.createBlockedUserListQuery(), story) == ["bob"])
                for (filter, found) in [(["carol", "bob"], ["bob"]), (["carol"], [])] {
                    let query = try #require(SBDMain.createBlockedUserListQuery())
                    query.userIdsFilter = filter
                    #expect(await ids(query, story) == found)
                    #expect(!query.hasNext)
                }
                await succeed(story) { SBDMain.unblockUser(bob, completionHandler: $0) }
                #expect(await ids(SBDMain.createBlockedUserListQuery(), story) == [])
            }
        }

        @Test func `calls for group channels only are refused on an open channel`() throws {
            try SyncStory.play(seed: 99) { story in
                await story.connect()
                let channel = SBDOpenChannel(kept: GroupChannel(url: "open"))
                let params = try #require(SBDFileMessageParams(fileUrl: "https://files.example/1"))
                var pending: SBDFileMessage?
                let failure: SBDError? = await story.wait { done in
                    pending = channel.sendFileMessage(with: params) { done($1) }
                }
                #expect(pending?.sendingStatus == .failed)
                #expect(failure?.code == RoostError.Code.featureUnavailable.rawValue)
                let log: SBDError? = await story.wait { done in
                    channel.getMessageChangeLogs(
                        sinceTimestamp: 1, params: SBDMessageChangeLogsParams()
                    ) { done($4) }
                }
                #expect(log?.code == RoostError.Code.featureUnavailable.rawValue)
                #expect(channel.isOpenChannel())
                #expect(!channel.isGroupChannel())
            }
        }
    }
}
