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

extension SendBirdTests.Reentry {
    /// The calls that only apps with more than a list and a chat make, by their topics; a table of
    /// all calls would take minutes.
    enum Group: CaseIterable {
        case user
        case push
        case membership
        case view
        case moderation
        case files
        case collections
        case openChannels
    }

    /// The objects that calls are made on.
    struct Stage {
        let channel: SBDGroupChannel
        /// A channel that the server does not have any more.
        let lost: SBDGroupChannel
        let message: SBDUserMessage
        let user: SBDUser
        let shelf: Shelf
    }

    /// The functions of all groups.
    static func groupFunctions(_ stage: Stage) -> Set<String> {
        let table = CallTable()
        for group in Group.allCases { add(group, to: table, stage) }
        return table.functions
    }

    @Test(arguments: Group.allCases)
    func `every call of a topic works inside every callback of it (scar 138)`(group: Group) throws {
        try SyncStory.play(seed: 83) { story in
            let table = CallTable()
            SBDMain.door.call(on: table.queue(story.world))
            let url = try await story.channel("train")
            await story.connect()
            let channel = try await story.get(url)
            let (sent, _): (SBDUserMessage?, SBDError?) = await story.wait { done in
                channel.sendUserMessage("hello") { done(($0, $1)) }
            }
            let lost = try await story.channel("lost")
            let stage = Stage(
                channel: channel, lost: try await story.get(lost), message: try #require(sent),
                user: try #require(SBDMain.getCurrentUser()), shelf: Shelf())
            try await story.bob.deleteChannel(lost)
            Self.add(group, to: table, stage)
            await table.play {
                await story.world.pass(.seconds(15))
                stage.shelf.things = []
                await story.connect()
                await story.world.pass(.seconds(5))
            }
        }
    }

    private static func add(_ group: Group, to table: CallTable, _ stage: Stage) {
        switch group {
        case .user: add(userTo: table, stage)
        case .push: add(pushTo: table, stage)
        case .membership: add(membershipTo: table, stage)
        case .view: add(viewTo: table, stage)
        case .moderation: add(moderationTo: table, stage)
        case .files: add(filesTo: table, stage)
        case .collections: add(collectionsTo: table, stage)
        case .openChannels: add(openChannelsTo: table, stage)
        }
    }

    private static func add(userTo table: CallTable, _ stage: Stage) {
        table.add("updateCurrentUserInfo") { called in
            SBDMain.updateCurrentUserInfo(withNickname: "Alice", profileUrl: nil) { _ in called() }
        }
        table.add("updateCurrentUserInfo with a picture") { called in
            SBDMain.updateCurrentUserInfo(withNickname: nil, profileImage: Data()) { _ in called() }
        }
        table.add("blockUser") { called in SBDMain.blockUser(stage.user) { _, _ in called() } }
        table.add("blockUserId") { called in SBDMain.blockUserId("carol") { _, _ in called() } }
        table.add("unblockUser") { called in SBDMain.unblockUser(stage.user) { _ in called() } }
        table.add("unblockUserId") { called in SBDMain.unblockUserId("carol") { _ in called() } }
        table.add("getTotalUnreadMessageCount") { called in
            SBDMain.getTotalUnreadMessageCount { _, _ in called() }
        }
        table.add("getTotalUnreadChannelCount") { called in
            SBDMain.getTotalUnreadChannelCount { _, _ in called() }
        }
        table.add("getUnreadItemCount") { called in
            SBDMain.getUnreadItemCount(withKey: [.groupChannelInvitationCount]) { _, _ in called() }
        }
        table.add("getAllEmojis") { called in SBDMain.getAllEmojis { _, _ in called() } }
        table.add("initWithApplicationId") { called in
            SBDMain.initWithApplicationId(
                "simulation", useCaching: true, migrationStartHandler: nil
            ) { _ in called() }
        }
        table.add("loadNextPage of users") { called in
            SBDMain.createApplicationUserListQuery()?.loadNextPage { _, _ in called() }
        }
        table.add("loadNextPage of blocked users") { called in
            SBDMain.createBlockedUserListQuery()?.loadNextPage { _, _ in called() }
        }
        table.add("loadNextPage of a search") { called in
            SBDMain.createMessageSearchQuery { $0.keyword = "hello" }?.loadNextPage { _, _ in
                called()
            }
        }
    }

    private static func add(pushTo table: CallTable, _ stage: Stage) {
        table.add("registerDevicePushToken") { called in
            SBDMain.registerDevicePushToken(Data([1]), unique: true) { _, _ in called() }
        }
        table.add("unregisterPushToken") { called in
            SBDMain.unregisterPushToken(Data([1])) { _, _ in called() }
        }
        table.add("unregisterAllPushToken") { called in
            SBDMain.unregisterAllPushToken { _, _ in called() }
        }
        table.add("setDoNotDisturbWithEnable") { called in
            SBDMain.setDoNotDisturbWithEnable(
                true, startHour: 22, startMin: 0, endHour: 7, endMin: 0, timezone: "UTC"
            ) { _ in called() }
        }
        table.add("getDoNotDisturb") { called in
            SBDMain.getDoNotDisturb { _, _, _, _, _, _, _ in called() }
        }
        table.add("markAsDelivered") { called in
            let push = ["sendbird": ["channel": ["channel_url": stage.channel.channelUrl]]]
            SBDMain.markAsDelivered(withRemoteNotificationPayload: push) { _ in called() }
        }
        table.add("markAsDelivered without a channel") { called in
            SBDMain.markAsDelivered(withRemoteNotificationPayload: [:]) { _ in called() }
        }
    }

    private static func add(membershipTo table: CallTable, _ stage: Stage) {
        let (channel, lost) = (stage.channel, stage.lost)
        table.add("createChannel with parameters") { called in
            let params = SBDGroupChannelParams()
            params.name = "new"
            params.addUserId("carol")
            SBDGroupChannel.createChannel(with: params) { _, _ in called() }
        }
        table.add("join with a code") { called in
            lost.join(withAccessCode: "code") { _ in called() }
        }
        table.add("invite") { called in channel.invite([stage.user]) { _ in called() } }
        table.add("acceptInvitation") { called in lost.acceptInvitation { _ in called() } }
        table.add("declineInvitation") { called in lost.declineInvitation { _ in called() } }
        table.add("refresh") { called in channel.refresh { _ in called() } }
        table.add("update") { called in
            let params = SBDGroupChannelParams()
            params.name = "new"
            lost.update(with: params) { _, _ in called() }
        }
        table.add("delete a channel") { called in lost.delete { _ in called() } }
        table.add("loadNextPage of members") { called in
            channel.createMemberListQuery()?.loadNextPage { _, _ in called() }
        }
        table.add("loadNextPage of public channels") { called in
            SBDGroupChannel.createPublicGroupChannelListQuery()?.loadNextPage { _, _ in called() }
        }
    }

    private static func add(viewTo table: CallTable, _ stage: Stage) {
        let (channel, lost) = (stage.channel, stage.lost)
        table.add("hideChannel") { called in
            lost.hideChannel(withHidePreviousMessages: false) { _ in called() }
        }
        table.add("unhideChannel") { called in lost.unhideChannel { _ in called() } }
        table.add("resetMyHistory") { called in lost.resetMyHistory { _ in called() } }
        table.add("setMyPushTriggerOption") { called in
            channel.setMyPushTriggerOption(.off) { _ in called() }
        }
        table.add("addReaction") { called in
            channel.addReaction(with: stage.message, key: "smile") { _, _ in called() }
        }
        table.add("deleteReaction") { called in
            channel.deleteReaction(with: stage.message, key: "smile") { _, _ in called() }
        }
    }

    private static func add(moderationTo table: CallTable, _ stage: Stage) {
        // Alice is no operator, so the server refuses all of them.
        let (channel, user) = (stage.channel, stage.user)
        table.add("banUser") { called in
            channel.banUser(withUserId: "bob", seconds: 1) { _ in called() }
        }
        table.add("unbanUser") { called in channel.unbanUser(user) { _ in called() } }
        table.add("muteUser") { called in channel.muteUser(withUserId: "bob") { _ in called() } }
        table.add("unmuteUser") { called in channel.unmuteUser(user) { _ in called() } }
        table.add("getMyMutedInfo") { called in
            channel.getMyMutedInfo { _, _, _, _, _, _ in called() }
        }
        table.add("addOperators") { called in
            channel.addOperators(withUserIds: ["alice"]) { _ in called() }
        }
        table.add("removeOperators") { called in
            channel.removeOperators(withUserIds: ["bob"]) { _ in called() }
        }
        table.add("removeAllOperators") { called in channel.removeAllOperators { _ in called() } }
        table.add("freeze") { called in channel.freeze { _ in called() } }
        table.add("unfreeze") { called in channel.unfreeze { _ in called() } }
        for (name, query) in [
            ("muted", channel.createMutedUserListQuery()),
            ("banned", channel.createBannedUserListQuery()),
            ("operators", channel.createOperatorListQuery()),
        ] {
            table.add("loadNextPage of \(name)") { called in
                query?.loadNextPage { _, _ in called() }
            }
        }
    }

    private static func add(filesTo table: CallTable, _ stage: Stage) {
        let channel = stage.channel
        func params() -> SBDFileMessageParams? { SBDFileMessageParams(file: Data("x".utf8)) }
        table.add("sendFileMessage with progress") { called in
            guard let params = params() else { return }
            channel.sendFileMessage(
                with: params, progressHandler: { _, _, _ in },
                completionHandler: { _, _ in called() })
        }
        table.add("resendFileMessage") { called in
            guard let params = params(), let file = channel.sendFileMessage(with: params) else {
                return
            }
            channel.resendFileMessage(
                with: file, binaryData: nil, progressHandler: nil,
                completionHandler: { _, _ in called() })
        }
        table.add("sendUserMessage as text") { called in
            channel.sendUserMessage("hi") { _, _ in called() }
        }
        table.add("sendUserMessage without a push") { called in
            guard let params = SBDUserMessageParams(message: "hush") else { return }
            params.pushNotificationDeliveryOption = .suppress
            channel.sendUserMessage(with: params) { _, _ in called() }
        }
    }

    private static func add(collectionsTo table: CallTable, _ stage: Stage) {
        func messages(_ use: (SBDMessageCollection) -> Void) {
            use(
                stage.shelf.keep(
                    SBDMessageCollection(
                        channel: stage.channel, startingPoint: Int64.max,
                        params: SBDMessageListParams())))
        }
        table.add("loadMore") { called in
            guard let query = SBDGroupChannel.createMyGroupChannelListQuery() else { return }
            stage.shelf.keep(SBDGroupChannelCollection(query: query)).loadMore { _, _ in called() }
        }
        table.add("start and its second handler") { called in
            messages {
                $0.start(with: .cacheAndReplaceByApi, cacheResultHandler: nil) { _, _ in called() }
            }
        }
        table.add("start and its first handler") { called in
            messages {
                $0.start(
                    with: .cacheAndReplaceByApi, cacheResultHandler: { _, _ in called() },
                    apiResultHandler: nil)
            }
        }
        table.add("loadNext") { called in messages { $0.loadNext { _, _ in called() } } }
        table.add("loadPrevious") { called in messages { $0.loadPrevious { _, _ in called() } } }
    }

    private static func add(openChannelsTo table: CallTable, _ stage: Stage) {
        let channel = SBDOpenChannel(kept: GroupChannel(url: "open"))
        table.add("enter") { called in channel.enter { _ in called() } }
        table.add("exitChannel") { called in channel.exitChannel { _ in called() } }
        table.add("refresh an open channel") { called in channel.refresh { _ in called() } }
        table.add("getWithUrl of an open channel") { called in
            SBDOpenChannel.getWithUrl("open") { _, _ in called() }
        }
        table.add("createChannel as open") { called in
            SBDOpenChannel.createChannel(
                withName: nil, channelUrl: nil, coverImage: Data(), coverImageName: "", data: nil,
                operatorUserIds: nil, customType: nil, progressHandler: nil,
                completionHandler: { _, _ in called() })
        }
        table.add("update an open channel") { called in
            channel.update(
                withName: nil, coverImage: nil, coverImageName: nil, data: nil,
                operatorUserIds: nil, customType: nil, progressHandler: nil,
                completionHandler: { _, _ in called() })
        }
        table.add("sendUserMessage to an open channel") { called in
            channel.sendUserMessage("hi") { _, _ in called() }
        }
        table.add("banUser in an open channel") { called in
            channel.banUser(withUserId: "bob", seconds: 1) { _ in called() }
        }
        table.add("loadNextPage of participants") { called in
            channel.createParticipantListQuery()?.loadNextPage { _, _ in called() }
        }
    }
}
