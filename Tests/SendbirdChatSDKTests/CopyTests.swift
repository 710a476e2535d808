// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    /// Tests of copies of parameters, and of the copies that queries keep.
    struct Copies {
        private typealias Channel = SendbirdChatSDK.GroupChannel

        /// The stored properties of an object, private ones too, as texts.
        private static func properties(_ object: Any) -> [String: String] {
            Dictionary(
                Mirror(reflecting: object).children.map {
                    ($0.label ?? "", String(describing: $0.value))
                }, uniquingKeysWith: { first, _ in first })
        }

        /// Checks that a copy is an object of its own with all properties.
        ///
        /// - Parameters:
        ///   - original: Parameters of which each property differs from that of `fresh`, so that a
        ///     property which the copy leaves out is found.
        ///   - fresh: Parameters with the defaults.
        ///   - location: The line of the check.
        /// - Throws: An `ExpectationFailedError` without a copy of this class.
        private static func check<Params: NSObject>(
            _ original: Params, _ fresh: Params, location: SourceLocation = #_sourceLocation
        ) throws {
            let copy = try #require(original.copy() as? Params, sourceLocation: location)
            #expect(copy !== original, sourceLocation: location)
            #expect(type(of: copy) == type(of: original), sourceLocation: location)
            let (all, defaults) = (properties(original), properties(fresh))
            #expect(!all.isEmpty, sourceLocation: location)
            #expect(properties(copy) == all, sourceLocation: location)
            let unset = all.filter { $0.value == defaults[$0.key] }.keys.sorted()
            #expect(unset == [], "set them in this test", sourceLocation: location)
        }

        @Test func `a copy of the parameters of a channel has all properties`() throws {
            let create = GroupChannelCreateParams()
            (create.channelURL, create.name, create.coverURL) = ("u", "n", "c")
            create.coverImage = Data([1])
            (create.data, create.customType, create.accessCode) = ("d", "t", "a")
            (create.userIds, create.operatorUserIds) = (["bob"], ["carol"])
            (create.isDistinct, create.isSuper, create.isBroadcast) = (true, true, true)
            (create.isExclusive, create.isPublic, create.isEphemeral) = (true, true, true)
            (create.isStrict, create.isDiscoverable) = (true, false)
            create.messageSurvivalSeconds = 5
            try Self.check(create, GroupChannelCreateParams())

            let update = GroupChannelUpdateParams()
            (update.name, update.coverURL, update.coverImage) = ("n", "c", Data([1]))
            (update.data, update.customType, update.accessCode) = ("d", "t", "a")
            update.operatorUserIds = ["carol"]
            (update.isPublic, update.isDistinct, update.isDiscoverable) = (true, true, true)
            update.messageSurvivalSeconds = 5
            try Self.check(update, GroupChannelUpdateParams())

            let open = OpenChannelCreateParams(
                name: "n", channelURL: "u", coverURL: "c", coverImage: Data([1]),
                coverImageName: "i", data: "d", operatorUserIds: ["carol"], customType: "t")
            try Self.check(open, OpenChannelCreateParams())

            let openUpdate = OpenChannelUpdateParams()
            (openUpdate.name, openUpdate.coverURL) = ("n", "c")
            (openUpdate.coverImage, openUpdate.data) = (Data([1]), "d")
            (openUpdate.customType, openUpdate.operatorUserIds) = ("t", ["carol"])
            try Self.check(openUpdate, OpenChannelUpdateParams())
        }

        @Test func `a copy of the parameters of a user or a set-up has all properties`() throws {
            let user = UserUpdateParams()
            (user.nickname, user.profileImageURL) = ("n", "u")
            user.profileImageData = Data([1])
            try Self.check(user, UserUpdateParams())

            let settings = InitParams(
                applicationId: "app", isLocalCachingEnabled: true,
                localCacheConfig: LocalCacheConfig(), logLevel: .error, appVersion: "1",
                needsSynchronous: true, apiHost: "http://a", wsHost: "a")
            settings.cacheFolder = "/folder"
            try Self.check(settings, InitParams(applicationId: ""))
        }

        @Test func `a copy of the parameters of a user list has all properties`() throws {
            let all = ApplicationUserListQueryParams()
            (all.limit, all.userIdsFilter, all.nicknameStartsWithFilter) = (3, ["bob"], "b")
            all.setMetaDataFilter(key: "k", values: ["v"])
            try Self.check(all, ApplicationUserListQueryParams())
            let blocked = BlockedUserListQueryParams()
            (blocked.limit, blocked.userIdsFilter) = (3, ["bob"])
            try Self.check(blocked, BlockedUserListQueryParams())
            try Self.check(
                MutedUserListQueryParams { $0.limit = 3 }, MutedUserListQueryParams())
            try Self.check(
                BannedUserListQueryParams { $0.limit = 3 }, BannedUserListQueryParams())
            try Self.check(OperatorListQueryParams { $0.limit = 3 }, OperatorListQueryParams())
            try Self.check(
                ParticipantListQueryParams { $0.limit = 3 }, ParticipantListQueryParams())
            let members = MemberListQueryParams()
            (members.limit, members.memberStateFilter) = (3, .joinedOnly)
            members.order = .operatorThenMemberNicknameAlphabetical
            (members.mutedMemberFilter, members.operatorFilter) = (.muted, .operator)
            members.nicknameStartsWithFilter = "b"
            try Self.check(members, MemberListQueryParams())
        }

        @Test func `a copy of the parameters of a channel list has all properties`() throws {
            let open = OpenChannelListQueryParams()
            (open.limit, open.includeFrozenChannel, open.includeMetaData) = (3, false, true)
            (open.channelNameFilter, open.channelURLFilter) = ("n", "u")
            open.customTypeFilter = "t"
            try Self.check(open, OpenChannelListQueryParams())

            let found = PublicGroupChannelListQueryParams()
            (found.limit, found.order) = (3, .channelNameAlphabetical)
            (found.includeEmptyChannel, found.includeFrozenChannel) = (false, false)
            (found.includeMemberList, found.includeMetaData) = (false, false)
            (found.publicMembershipFilter, found.superChannelFilter) = (.joined, .super)
            (found.customTypesFilter, found.customTypeStartsWithFilter) = (["t"], "t")
            (found.channelNameContainsFilter, found.channelURLsFilter) = ("n", ["u"])
            (found.metaDataKeyFilter, found.metaDataValuesFilter) = ("k", ["v"])
            (found.metaDataValueStartsWithFilter, found.metaDataOrderKeyFilter) = ("v", "k")
            try Self.check(found, PublicGroupChannelListQueryParams())

            let changes = GroupChannelChangeLogsParams()
            changes.customTypes = ["t"]
            (changes.includeEmptyChannel, changes.includeFrozenChannel) = (false, false)
            try Self.check(changes, GroupChannelChangeLogsParams())
            let messages = GroupChannelTotalUnreadMessageCountParams()
            (messages.superChannelFilter, messages.channelCustomTypesFilter) = (.super, ["t"])
            try Self.check(messages, GroupChannelTotalUnreadMessageCountParams())
            let channels = GroupChannelTotalUnreadChannelCountParams()
            (channels.superChannelFilter, channels.channelCustomTypesFilter) = (.super, ["t"])
            try Self.check(channels, GroupChannelTotalUnreadChannelCountParams())
        }

        @Test func `a copy of the parameters of a message list has all properties`() throws {
            let before = PreviousMessageListQueryParams()
            (before.limit, before.reverse, before.messageTypeFilter) = (3, true, .file)
            (before.replyType, before.customTypeFilter) = (.all, "t")
            (before.customTypesFilter, before.senderUserIdsFilter) = (["t"], ["bob"])
            (before.showSubChannelMessagesOnly, before.includeReactions) = (true, true)
            try Self.check(before, PreviousMessageListQueryParams())
            let pinned = PinnedMessageListQueryParams()
            (pinned.limit, pinned.includeReactions) = (3, true)
            try Self.check(pinned, PinnedMessageListQueryParams())
            let search = MessageSearchQueryParams()
            (search.limit, search.keyword, search.channelURL) = (3, "k", "u")
            (search.channelCustomType, search.order, search.reverse) = ("t", .timeStamp, true)
            (search.exactMatch, search.advancedQuery) = (true, true)
            (search.targetFields, search.messageTimestampFrom) = (["f"], 4)
            search.messageTimestampTo = 5
            try Self.check(search, MessageSearchQueryParams())
            let scheduled = ScheduledMessageListQueryParams()
            (scheduled.limit, scheduled.order, scheduled.reverse) = (3, .scheduledAt, true)
            (scheduled.scheduledStatusOptions, scheduled.messageTypeFilter) = ([.sent], .file)
            try Self.check(scheduled, ScheduledMessageListQueryParams())
            let counted = TotalScheduledMessageCountParams()
            (counted.channelURL, counted.scheduledStatusOptions) = ("u", [.sent])
            try Self.check(counted, TotalScheduledMessageCountParams())
            try Self.check(
                ScheduledMessageRetrievalParams(channelURL: "u", scheduledMessageId: 7),
                ScheduledMessageRetrievalParams(channelURL: "", scheduledMessageId: 0))
        }

        @Test func `a copy of the parameters of a poll has all properties`() throws {
            let poll = PollRetrievalParams()
            (poll.pollId, poll.channelType, poll.channelURL) = (7, .open, "u")
            try Self.check(poll, PollRetrievalParams())
            let create = PollCreateParams()
            (create.title, create.optionTexts, create.closeAt) = ("t", ["a"], 5)
            (create.allowMultipleVotes, create.allowUserSuggestion) = (true, true)
            try Self.check(create, PollCreateParams())
            let update = PollUpdateParams()
            (update.title, update.closeAt) = ("t", 5)
            (update.allowMultipleVotes, update.allowUserSuggestion) = (true, true)
            try Self.check(update, PollUpdateParams())
            let polls = PollListQueryParams()
            (polls.channelURL, polls.channelType, polls.limit) = ("u", .open, 3)
            try Self.check(polls, PollListQueryParams())
            let voters = PollVoterListQueryParams()
            (voters.pollId, voters.pollOptionId, voters.limit) = (7, 8, 3)
            (voters.channelURL, voters.channelType) = ("u", .open)
            try Self.check(voters, PollVoterListQueryParams())
        }

        @Test func `a query keeps a copy of its parameters`() {
            let users = ApplicationUserListQueryParams()
            let allUsers = SendbirdChat.createApplicationUserListQuery(params: users)
            users.limit = 7
            #expect(allUsers.params.limit == 20)
            let blocked = BlockedUserListQueryParams()
            let blockedUsers = SendbirdChat.createBlockedUserListQuery(params: blocked)
            blocked.limit = 7
            #expect(blockedUsers.params.limit == 20)
            let muted = MutedUserListQueryParams()
            let mutedUsers = BaseChannel.createMutedUserListQuery(
                channelType: .group, channelURL: "u", params: muted)
            muted.limit = 7
            #expect(mutedUsers.params.limit == 20)
            let banned = BannedUserListQueryParams()
            let bannedUsers = BaseChannel.createBannedUserListQuery(
                channelType: .group, channelURL: "u", params: banned)
            banned.limit = 7
            #expect(bannedUsers.params.limit == 20)
            let operators = OperatorListQueryParams()
            let allOperators = BaseChannel.createOperatorListQuery(
                channelType: .group, channelURL: "u", params: operators)
            operators.limit = 7
            #expect(allOperators.params.limit == 20)
            let participants = ParticipantListQueryParams()
            let allParticipants = OpenChannel.createParticipantListQuery(
                channelURL: "u", params: participants)
            participants.limit = 7
            #expect(allParticipants.params.limit == 20)
        }

        @Test func `a query of channels, messages or polls keeps a copy of its parameters`() {
            let open = OpenChannelListQueryParams()
            let openChannels = OpenChannel.createOpenChannelListQuery(params: open)
            open.limit = 7
            #expect(openChannels.params.limit == 20)
            let found = PublicGroupChannelListQueryParams()
            let publicChannels = Channel.createPublicGroupChannelListQuery(params: found)
            found.limit = 7
            #expect(publicChannels.params.limit == 20)
            let search = MessageSearchQueryParams()
            let matches = SendbirdChat.createMessageSearchQuery(params: search)
            search.limit = 7
            #expect(matches.params.limit == 20)
            let scheduled = ScheduledMessageListQueryParams()
            let waiting = SendbirdChat.createScheduledMessageListQuery(params: scheduled)
            scheduled.limit = 7
            #expect(waiting.params.limit == 20)
            let polls = PollListQueryParams()
            let allPolls = SendbirdChat.createPollListQuery(params: polls)
            polls.limit = 7
            #expect(allPolls.params.limit == 10)
            let voters = PollVoterListQueryParams()
            let allVoters = SendbirdChat.createPollVoterListQuery(params: voters)
            voters.limit = 7
            #expect(allVoters.params.limit == 20)
        }
    }
}
