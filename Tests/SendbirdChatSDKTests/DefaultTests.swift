// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    /// Tests of the defaults that the public documentation of the v4 SDK shows.
    ///
    /// Another default compiles, and changes what apps show.
    struct Defaults {
        @Test func `the settings of a set-up`() {
            let params = InitParams(applicationId: "app")
            #expect(!params.isLocalCachingEnabled && !params.needsSynchronous)
            #expect(params.localCacheConfig == nil && params.appVersion == nil)
            #expect(params.logLevel == .none)
            let config = LocalCacheConfig()
            #expect(config.maxSize == 256)
            #expect(config.clearOrder == .messageCollectionAccessedAt)
            #expect(config.customClearOrderComparator == nil)
            #expect(!config.isEncryptionEnabled && config.enableAutoResend)
            config.maxSize = 1
            #expect(config.maxSize == 64)
            #expect(SendbirdChatOptions.getConnectionTimeout() == 10)
            #expect(SendbirdChatOptions.getWebSocketResponseTimeout() == 10)
            #expect(SendbirdChatOptions.getFileTransferTimeout() == 60)
            #expect(SendbirdChatOptions.useMemberInfoInMessage())
        }

        @Test func `the parameters of channels`() {
            let create = GroupChannelCreateParams()
            let texts = [
                create.name, create.coverURL, create.data, create.customType, create.channelURL,
                create.accessCode,
            ]
            #expect(texts.allSatisfy { $0 == nil })
            #expect(create.coverImage == nil && create.operatorUserIds == nil)
            let switches = [
                create.isDistinct, create.isSuper, create.isBroadcast, create.isExclusive,
                create.isPublic, create.isEphemeral,
            ]
            #expect(!switches.contains(true))
            #expect(create.messageSurvivalSeconds == -1)
        }

        @Test func `the parameters of queries`() {
            let mine = GroupChannelListQueryParams()
            let switches = [
                mine.includeEmptyChannel, mine.includeFrozenChannel, mine.includeMemberList,
                mine.includeMetaData,
            ]
            #expect(!switches.contains(false))
            #expect(mine.order == .chronological)
            #expect(mine.queryType == .and)
            #expect(mine.myMemberStateFilter == .all)
            #expect(mine.superChannelFilter == .all && mine.publicChannelFilter == .all)
            #expect(mine.unreadChannelFilter == .all)
            #expect(mine.channelHiddenStateFilter == .unhiddenOnly)
            let open = OpenChannelListQueryParams()
            #expect(open.includeFrozenChannel && !open.includeMetaData)
            let all = PublicGroupChannelListQueryParams()
            #expect(all.order == .chronological)
            #expect(all.includeEmptyChannel && all.includeMetaData)
            let search = MessageSearchQueryParams()
            #expect(search.order == .score)
            #expect(!search.exactMatch && !search.reverse)
            #expect(search.messageTimestampFrom == 0 && search.messageTimestampTo == 0)
            let limits = [
                mine.limit, open.limit, all.limit, search.limit, MemberListQueryParams().limit,
                ApplicationUserListQueryParams().limit, BlockedUserListQueryParams().limit,
                MutedUserListQueryParams().limit, BannedUserListQueryParams().limit,
                OperatorListQueryParams().limit, ParticipantListQueryParams().limit,
                PreviousMessageListQueryParams().limit, PinnedMessageListQueryParams().limit,
            ]
            #expect(limits.allSatisfy { $0 == 20 })
            let changes = GroupChannelChangeLogsParams()
            #expect(changes.includeEmptyChannel && changes.includeFrozenChannel)
        }

        @Test func `the parameters of lists of messages`() {
            let list = MessageListParams()
            #expect(list.previousResultSize == 20)
            #expect(list.nextResultSize == 0)
            #expect(!list.isInclusive && !list.reverse)
            #expect(list.messageTypeFilter == .all)
            #expect(list.customType == nil && list.customTypes == nil)
            #expect(list.senderUserIds == nil)
            #expect(!list.includeMetaArray && !list.includeReactions)
            #expect(!list.includeThreadInfo && !list.includeParentMessageInfo)
            let changes = MessageChangeLogsParams()
            #expect(changes.replyType == .none)
            #expect(!changes.includeMetaArray && !changes.includeReactions)
            let thread = ThreadedMessageListParams()
            #expect(thread.previousResultSize == 0 && thread.nextResultSize == 0)
            #expect(thread.messageTypeFilter == .all)
            let one = MessageRetrievalParams()
            #expect(one.channelURL.isEmpty && one.channelType == .group && one.messageId == 0)
            let named = MessageListParams(
                previousResultSize: 5, includePollDetails: true, showSubChannelMessagesOnly: true)
            #expect(named.includePollDetails && named.showSubChannelMessagesOnly)
            let retrieval = MessageRetrievalParams(messageId: 7, includePollDetails: true)
            #expect(retrieval.channelURL.isEmpty && retrieval.includePollDetails)
            let before = PreviousMessageListQueryParams()
            #expect(before.replyType == .none && before.messageTypeFilter == .all)
            #expect(!before.reverse && !before.showSubChannelMessagesOnly)
        }

        @Test func `the parameters of messages`() {
            let text = UserMessageCreateParams(message: "hello")
            #expect(text.data == nil && text.customType == nil)
            #expect(text.pushNotificationDeliveryOption == .default)
            #expect(text.metaArrays == nil && text.mentionedUserIds == nil)
            #expect(text.mentionType == .users)
            #expect(text.parentMessageId == 0)
            #expect(!text.isReplyToChannel && !text.isPinnedMessage)
            let sound = AppleCriticalAlertOptions()
            #expect(sound.name == "default" && sound.volume == 1)
            let file = FileMessageCreateParams()
            #expect(file.fileName == nil && file.mimeType == nil && file.thumbnailSizes == nil)
        }

        @Test func `the numbers of statuses`() {
            let statuses: [MessageSendingStatus] = [
                .none, .pending, .failed, .succeeded, .canceled, .scheduled,
            ]
            #expect(statuses.map(\.rawValue) == Array(0...5))
            let first: [CollectionEventSource] = [
                .messageChangelog, .messageFill, .channelChangelog, .localMessagePendingCreated,
                .localMessageFailed, .localMessageCanceled, .localMessageResendStarted,
                .channelRefresh,
            ]
            #expect(first.map(\.rawValue) == Array(0...7))
            let events: [CollectionEventSource] = [
                .eventMessageSent, .eventMessageReceived, .eventMessageUpdated,
                .eventMessageDeleted, .eventReactionUpdated, .eventThreadInfoUpdated,
                .eventMention, .eventChannelChanged, .eventChannelMemberCountChanged,
                .eventChannelFrozen, .eventChannelUnfrozen,
            ]
            #expect(events.map(\.rawValue) == Array(100...110))
        }
    }
}
