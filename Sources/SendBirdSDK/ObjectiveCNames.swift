// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The names of a library in Objective-C code, as `@objc` must give them on Apple platforms.
///
/// The library has not been built on an Apple platform yet; until then a test checks this table.
package struct ObjectiveCNames: Sendable {
    /// The class of each name.
    package let classes: [String: NSObject.Type]
    /// The value of each constant.
    package let constants: [String: Int]

    package init(classes: [String: NSObject.Type], constants: [String: Int]) {
        self.classes = classes
        self.constants = constants
    }

    package static let sendBirdSDK = ObjectiveCNames(
        classes: [
            "SBDAdminMessage": SBDAdminMessage.self,
            "SBDAppInfo": SBDAppInfo.self,
            "SBDApplicationUserListQuery": SBDApplicationUserListQuery.self,
            "SBDBaseChannel": SBDBaseChannel.self,
            "SBDBaseMessage": SBDBaseMessage.self,
            "SBDBaseMessageParams": SBDBaseMessageParams.self,
            "SBDChannelContext": SBDChannelContext.self,
            "SBDCollectionContext": SBDCollectionContext.self,
            "SBDEmojiContainer": SBDEmojiContainer.self,
            "SBDError": SBDError.self,
            "SBDFileCache": SBDFileCache.self,
            "SBDFileMessage": SBDFileMessage.self,
            "SBDFileMessageParams": SBDFileMessageParams.self,
            "SBDGroupChannel": SBDGroupChannel.self,
            "SBDGroupChannelChangeLogsParams": SBDGroupChannelChangeLogsParams.self,
            "SBDGroupChannelCollection": SBDGroupChannelCollection.self,
            "SBDGroupChannelListQuery": SBDGroupChannelListQuery.self,
            "SBDGroupChannelMemberListQuery": SBDGroupChannelMemberListQuery.self,
            "SBDGroupChannelParams": SBDGroupChannelParams.self,
            "SBDMain": SBDMain.self,
            "SBDMember": SBDMember.self,
            "SBDMessageChangeLogsParams": SBDMessageChangeLogsParams.self,
            "SBDMessageCollection": SBDMessageCollection.self,
            "SBDMessageContext": SBDMessageContext.self,
            "SBDMessageListParams": SBDMessageListParams.self,
            "SBDMessageMetaArray": SBDMessageMetaArray.self,
            "SBDMessageSearchQuery": SBDMessageSearchQuery.self,
            "SBDMessageSearchQueryBuilder": SBDMessageSearchQueryBuilder.self,
            "SBDOGImage": SBDOGImage.self,
            "SBDOGMetaData": SBDOGMetaData.self,
            "SBDOpenChannel": SBDOpenChannel.self,
            "SBDOpenChannelListQuery": SBDOpenChannelListQuery.self,
            "SBDParticipantListQuery": SBDParticipantListQuery.self,
            "SBDPublicGroupChannelListQuery": SBDPublicGroupChannelListQuery.self,
            "SBDReaction": SBDReaction.self,
            "SBDReactionEvent": SBDReactionEvent.self,
            "SBDSender": SBDSender.self,
            "SBDThreadInfo": SBDThreadInfo.self,
            "SBDThreadInfoUpdateEvent": SBDThreadInfoUpdateEvent.self,
            "SBDThumbnail": SBDThumbnail.self,
            "SBDThumbnailSize": SBDThumbnailSize.self,
            "SBDUnreadItemCount": SBDUnreadItemCount.self,
            "SBDUser": SBDUser.self,
            "SBDUserListQuery": SBDUserListQuery.self,
            "SBDUserMessage": SBDUserMessage.self,
            "SBDUserMessageParams": SBDUserMessageParams.self,
        ],
        constants: [
            "SBDMessageTypeFilterAll": SBDMessageTypeFilter.all.rawValue,
            "SBDMessageTypeFilterUser": SBDMessageTypeFilter.user.rawValue,
            "SBDMessageTypeFilterFile": SBDMessageTypeFilter.file.rawValue,
            "SBDMessageTypeFilterAdmin": SBDMessageTypeFilter.admin.rawValue,
        ])
}
