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

extension SendbirdChatTests.Reentry {
    private typealias Act = (@escaping SBErrorHandler) -> Void

    @Test
    func
        `each call about people, pushes and moderation works inside a callback, and calls back once (scar 138)`()
        throws
    {
        try DoorStory.play(seed: 64) { story in
            let url = try await story.channel("train")
            await story.connect()
            let channel = try await story.get(url)
            let (sent, _): (UserMessage?, SBError?) = await story.wait { done in
                channel.sendUserMessage("hello") { done(($0, $1)) }
            }
            let lost = try await story.channel("lost")
            let other = try await story.get(lost)
            try await story.bob.deleteChannel(lost)
            let table = Self.settings(channel, other, try #require(sent))
            SendbirdChat.door.call(on: table.queue(story.world))
            await table.play(outers: 3) { await story.world.pass(.seconds(30)) }
        }
    }

    /// Returns the table of the calls about people, pushes and moderation.
    static func settings(
        _ channel: Channel, _ other: Channel, _ message: UserMessage
    ) -> CallTable {
        let table = CallTable()
        add(countsTo: table, channel)
        add(aboutTheUserTo: table, message)
        add(pushesTo: table)
        add(moderationTo: table, channel, other, message)
        add(dataTo: table, other, channel)
        return table
    }

    private static func add(_ acts: [(String, Act)], to table: CallTable) {
        for (name, act) in acts { table.add(name) { called in act { _ in called() } } }
    }

    private static func add(countsTo table: CallTable, _ channel: Channel) {
        table.add("getTotalUnreadMessageCount") { called in
            SendbirdChat.getTotalUnreadMessageCount { _, _ in called() }
        }
        table.add("getTotalUnreadMessageCount with params") { called in
            let params = GroupChannelTotalUnreadMessageCountParams()
            params.channelCustomTypesFilter = ["room"]
            SendbirdChat.getTotalUnreadMessageCount(params: params) { _, _ in called() }
        }
        table.add("getTotalUnreadChannelCount") { called in
            SendbirdChat.getTotalUnreadChannelCount { _, _ in called() }
        }
        table.add("getUnreadItemCount") { called in
            SendbirdChat.getUnreadItemCount(key: .groupChannelUnreadMessageCount) { _, _ in called()
            }
        }
        table.add("getTotalUnreadChannelCount with params") { called in
            let params = GroupChannelTotalUnreadChannelCountParams()
            params.superChannelFilter = .super
            SendbirdChat.getTotalUnreadChannelCount(params: params) { _, _ in called() }
        }
        table.add("getGroupChannelCount") { called in
            SendbirdChat.getGroupChannelCount(memberStateFilter: .joinedOnly) { _, _ in called() }
        }
        table.add("getReportCategoryInfoList") { called in
            SendbirdChat.getReportCategoryInfoList { _, _ in called() }
        }
        table.add("getMyGroupChannelChangeLogs by token") { called in
            SendbirdChat.getMyGroupChannelChangeLogs(token: nil) { _, _, _, _, _ in called() }
        }
        table.add("getMyGroupChannelChangeLogs by time") { called in
            let params = GroupChannelChangeLogsParams.create(
                query: Channel.createMyGroupChannelListQuery())
            SendbirdChat.getMyGroupChannelChangeLogs(timestamp: 1, params: params) {
                _, _, _, _, _ in called()
            }
        }
        table.add("executeOrWaitForInitialization") { called in
            SendbirdChat.executeOrWaitForInitialization { called() }
        }
        table.add("authenticate") { called in
            SendbirdChat.authenticate(userId: "alice") { _, _ in called() }
        }
        add(
            [
                (
                    "markAsRead of channels",
                    {
                        SendbirdChat.markAsRead(
                            channelURLs: [channel.channelURL], completionHandler: $0)
                    }
                ),
                ("markAsReadAll", { SendbirdChat.markAsReadAll(completionHandler: $0) }),
            ], to: table)
    }

    private static func add(aboutTheUserTo table: CallTable, _ message: UserMessage) {
        add(
            [
                (
                    "updateCurrentUserInfo",
                    {
                        let params = UserUpdateParams()
                        params.nickname = "Alice"
                        SendbirdChat.updateCurrentUserInfo(params: params, completionHandler: $0)
                    }
                ),
                (
                    "updateCurrentUserInfo with languages",
                    {
                        SendbirdChat.updateCurrentUserInfo(
                            preferredLanguages: ["de"], completionHandler: $0)
                    }
                ),
                (
                    "unblockUserId",
                    { SendbirdChat.unblockUserId("carol", completionHandler: $0) }
                ),
                (
                    "setChannelInvitationPreference",
                    {
                        SendbirdChat.setChannelInvitationPreference(
                            autoAccept: true, completionHandler: $0)
                    }
                ),
                (
                    "deleteMetaData of the user",
                    { message.sender?.deleteMetaData(key: "mood", completionHandler: $0) }
                ),
                (
                    "deleteAllMetaData of the user",
                    { message.sender?.deleteAllMetaData(completionHandler: $0) }
                ),
            ], to: table)
        add(
            [
                (
                    "setWeeklyDoNotDisturb",
                    { SendbirdChat.setWeeklyDoNotDisturb(schedules: [:], completionHandler: $0) }
                ),
                (
                    "getWeeklyDoNotDisturb",
                    { done in SendbirdChat.getWeeklyDoNotDisturb { done($2) } }
                ),
                (
                    "clearWeeklyDoNotDisturb",
                    { SendbirdChat.clearWeeklyDoNotDisturb(completionHandler: $0) }
                ),
                (
                    "addFriends",
                    { done in SendbirdChat.addFriends(userIds: ["bob"]) { done($1) } }
                ),
                (
                    "deleteFriend",
                    { SendbirdChat.deleteFriend(userId: "bob", completionHandler: $0) }
                ),
                (
                    "deleteFriends",
                    { SendbirdChat.deleteFriends(userIds: ["bob"], completionHandler: $0) }
                ),
            ], to: table)
        if let sender = message.sender {
            table.add("blockUser") { called in
                SendbirdChat.blockUser(sender) { _, _ in called() }
            }
            table.add("unblockUser") { called in
                SendbirdChat.unblockUser(sender) { _ in called() }
            }
        }
        table.add("blockUserId") { called in
            SendbirdChat.blockUserId("carol") { _, _ in called() }
        }
        table.add("getChannelInvitationPreferenceAutoAccept") { called in
            SendbirdChat.getChannelInvitationPreferenceAutoAccept { _, _ in called() }
        }
        table.add("createMetaData of the user") { called in
            message.sender?.createMetaData(["mood": "good"]) { _, _ in called() }
        }
        table.add("updateMetaData of the user") { called in
            message.sender?.updateMetaData(["mood": "good"]) { _, _ in called() }
        }
    }

    private static func add(pushesTo table: CallTable) {
        let token = Data([1, 0xAB])
        let payload: [AnyHashable: Any] = ["sendbird": ["channel": ["channel_url": "nowhere"]]]
        add(
            [
                (
                    "registerDevicePushToken",
                    { done in
                        SendbirdChat.registerDevicePushToken(token, unique: true) { done($1) }
                    }
                ),
                (
                    "registerDevicePushTokenForMultiDevicePush",
                    { done in
                        SendbirdChat.registerDevicePushTokenForMultiDevicePush(token) { done($1) }
                    }
                ),
                (
                    "unregisterPushToken",
                    { SendbirdChat.unregisterPushToken(token, completionHandler: $0) }
                ),
                (
                    "unregisterAllPushToken",
                    { SendbirdChat.unregisterAllPushToken(completionHandler: $0) }
                ),
                (
                    "getMyPushTokens",
                    { done in
                        SendbirdChat.getMyPushTokens(token: nil, pushTokenType: .APNS) {
                            done($4)
                        }
                    }
                ),
                (
                    "markAsDelivered",
                    {
                        SendbirdChat.markAsDelivered(
                            remoteNotificationPayload: payload, completionHandler: $0)
                    }
                ),
                (
                    "markPushNotificationAsDelivered",
                    {
                        SendbirdChat.markPushNotificationAsDelivered(
                            remoteNotificationPayload: [:], completionHandler: $0)
                    }
                ),
                (
                    "markPushNotificationAsClicked",
                    {
                        SendbirdChat.markPushNotificationAsClicked(
                            remoteNotificationPayload: payload, completionHandler: $0)
                    }
                ),
                (
                    "setDoNotDisturb",
                    {
                        SendbirdChat.setDoNotDisturb(
                            enable: true, startHour: 22, startMin: 0, endHour: 7, endMin: 30,
                            timezone: "UTC", completionHandler: $0)
                    }
                ),
                (
                    "getDoNotDisturb",
                    { done in SendbirdChat.getDoNotDisturb { done($6) } }
                ),
                (
                    "setSnoozePeriod",
                    {
                        SendbirdChat.setSnoozePeriod(
                            enabled: true, startTimestamp: 1, endTimestamp: 2,
                            completionHandler: $0)
                    }
                ),
                ("getSnoozePeriod", { done in SendbirdChat.getSnoozePeriod { done($3) } }),
                (
                    "setPushTriggerOption",
                    { SendbirdChat.setPushTriggerOption(.mentionOnly, completionHandler: $0) }
                ),
                (
                    "getPushTriggerOption",
                    { done in SendbirdChat.getPushTriggerOption { done($1) } }
                ),
                ("setPushSound", { SendbirdChat.setPushSound("bell", completionHandler: $0) }),
                ("getPushSound", { done in SendbirdChat.getPushSound { done($1) } }),
                (
                    "setPushTemplate",
                    {
                        SendbirdChat.setPushTemplate(
                            name: SendbirdChat.PushTemplate.alternative, completionHandler: $0)
                    }
                ),
                ("getPushTemplate", { done in SendbirdChat.getPushTemplate { done($1) } }),
            ], to: table)
    }

    private static func add(
        moderationTo table: CallTable, _ channel: Channel, _ other: Channel,
        _ message: UserMessage
    ) {
        add(
            [
                (
                    "muteUser",
                    {
                        channel.muteUser(
                            userId: "carol", seconds: 60, description: nil, completionHandler: $0)
                    }
                ),
                (
                    "unmuteUser",
                    { channel.unmuteUser(userId: "carol", completionHandler: $0) }
                ),
                (
                    "banUser",
                    {
                        channel.banUser(
                            userId: "carol", seconds: 0, description: "spam",
                            completionHandler: $0)
                    }
                ),
                ("unbanUser", { channel.unbanUser(userId: "carol", completionHandler: $0) }),
                (
                    "getMyMutedInfo",
                    { done in channel.getMyMutedInfo { done($5) } }
                ),
                (
                    "addOperators",
                    { channel.addOperators(userIds: ["carol"], completionHandler: $0) }
                ),
                (
                    "removeOperators",
                    { channel.removeOperators(userIds: ["carol"], completionHandler: $0) }
                ),
                (
                    "removeAllOperators",
                    { channel.removeAllOperators(completionHandler: $0) }
                ),
                (
                    "report",
                    {
                        channel.report(
                            message: message, reportCategory: .spam, reportDescription: nil,
                            completionHandler: $0)
                    }
                ),
                ("inviteUserId", { other.inviteUserId("carol", completionHandler: $0) }),
                ("markAsUnread", { other.markAsUnread(message: message, completionHandler: $0) }),
                (
                    "setMyPushTriggerOption",
                    { channel.setMyPushTriggerOption(.off, completionHandler: $0) }
                ),
                (
                    "getMyPushTriggerOption",
                    { done in channel.getMyPushTriggerOption { done($1) } }
                ),
                (
                    "setMyCountPreference",
                    { channel.setMyCountPreference(.all, completionHandler: $0) }
                ),
                (
                    "notifyScreenshotWasTaken",
                    { channel.notifyScreenshotWasTaken(completionHandler: $0) }
                ),
            ], to: table)
        guard let sender = message.sender else { return }
        add(
            [
                ("inviteUser", { other.inviteUser(sender, completionHandler: $0) }),
                ("inviteUsers", { other.inviteUsers([sender], completionHandler: $0) }),
            ], to: table)
        table.add("createDistinctChannelIfNotExist") { called in
            let params = GroupChannelCreateParams()
            params.addUserId("carol")
            Channel.createDistinctChannelIfNotExist(params: params) { _, _, _ in called() }
        }
        table.add("reportUser") { called in
            SendbirdChat.getReportCategoryInfoList { categories, _ in
                guard let spam = categories?.first(where: { $0.name == "spam" }) else { return }
                channel.reportUser(
                    sender, reportCategoryInfo: spam, reportDescription: "again"
                ) { _ in called() }
            }
        }
        table.add("reportMessage") { called in
            SendbirdChat.getReportCategoryInfoList { categories, _ in
                guard let first = categories?.first else { return }
                channel.reportMessage(
                    message, reportCategoryInfo: first, reportDescription: nil
                ) { _ in called() }
            }
        }
    }

    private static func add(dataTo table: CallTable, _ other: Channel, _ channel: Channel) {
        typealias Ask<Value> = (@escaping ([String: Value]?, SBError?) -> Void) -> Void
        let texts: [(String, Ask<String>)] = [
            ("createMetaData", { other.createMetaData(["a": "b"], completionHandler: $0) }),
            ("updateMetaData", { other.updateMetaData(["a": "c"], completionHandler: $0) }),
            ("getMetaData", { channel.getMetaData(keys: ["a"], completionHandler: $0) }),
            ("getAllMetaData", { channel.getAllMetaData(completionHandler: $0) }),
        ]
        for (name, ask) in texts { table.add(name) { called in ask { _, _ in called() } } }
        let counts: [(String, Ask<Int>)] = [
            ("createMetaCounters", { other.createMetaCounters(["a": 1], completionHandler: $0) }),
            ("updateMetaCounters", { other.updateMetaCounters(["a": 1], completionHandler: $0) }),
            (
                "increaseMetaCounters",
                { other.increaseMetaCounters(["a": 1], completionHandler: $0) }
            ),
            (
                "decreaseMetaCounters",
                { other.decreaseMetaCounters(["a": 1], completionHandler: $0) }
            ),
            ("getMetaCounters", { channel.getMetaCounters(keys: ["a"], completionHandler: $0) }),
            ("getAllMetaCounters", { channel.getAllMetaCounters(completionHandler: $0) }),
        ]
        for (name, ask) in counts { table.add(name) { called in ask { _, _ in called() } } }
        add(
            [
                ("deleteMetaData", { other.deleteMetaData(key: "a", completionHandler: $0) }),
                ("deleteAllMetaData", { other.deleteAllMetaData(completionHandler: $0) }),
                (
                    "deleteMetaCounters",
                    { other.deleteMetaCounters(key: "a", completionHandler: $0) }
                ),
                ("deleteAllMetaCounters", { other.deleteAllMetaCounters(completionHandler: $0) }),
            ], to: table)
    }
}
