// SPDX-License-Identifier: Apache-2.0

package import SendBirdSDK

extension ObjectiveCNames {
    package static let syncManager = ObjectiveCNames(
        classes: [
            "SBSMChannelCollection": SBSMChannelCollection.self,
            "SBSMMessageCollection": SBSMMessageCollection.self,
            "SBSMMessageFilter": SBSMMessageFilter.self,
            "SBSMSyncManager": SBSMSyncManager.self,
            "SBSMSyncManagerOptions": SBSMSyncManagerOptions.self,
        ],
        constants: [
            "SBSMChannelEventActionNone": SBSMChannelEventAction.none.rawValue,
            "SBSMChannelEventActionInsert": SBSMChannelEventAction.insert.rawValue,
            "SBSMChannelEventActionUpdate": SBSMChannelEventAction.update.rawValue,
            "SBSMChannelEventActionRemove": SBSMChannelEventAction.remove.rawValue,
            "SBSMChannelEventActionMove": SBSMChannelEventAction.move.rawValue,
            "SBSMChannelEventActionClear": SBSMChannelEventAction.clear.rawValue,
            "SBSMMessageEventActionNone": SBSMMessageEventAction.none.rawValue,
            "SBSMMessageEventActionInsert": SBSMMessageEventAction.insert.rawValue,
            "SBSMMessageEventActionUpdate": SBSMMessageEventAction.update.rawValue,
            "SBSMMessageEventActionRemove": SBSMMessageEventAction.remove.rawValue,
            "SBSMMessageEventActionClear": SBSMMessageEventAction.clear.rawValue,
            "SBSMMessageDirectionPrevious": SBSMMessageDirection.previous.rawValue,
            "SBSMMessageDirectionNext": SBSMMessageDirection.next.rawValue,
        ])
}
