// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import SendBirdSDK

/// Which messages a collection shows.
public final class SBSMMessageFilter: NSObject {
    public let messageType: SBDMessageTypeFilter
    /// Nil for all.
    public let customType: String?
    /// Nil for all.
    public let senderUserIds: [String]?

    public init(
        messageType: SBDMessageTypeFilter, customType: String?, senderUserIds: [String]?
    ) {
        self.messageType = messageType
        self.customType = customType
        self.senderUserIds = senderUserIds
    }

    /// Whether every message that this one shows is shown by the other as well.
    public func isSubFilter(of other: SBSMMessageFilter) -> Bool {
        guard other.messageType == .all || other.messageType == messageType,
            other.customType == nil || other.customType == customType
        else { return false }
        guard let all = other.senderUserIds else { return true }
        guard let senderUserIds else { return false }
        return Set(senderUserIds).isSubset(of: all)
    }

    var value: MessageFilter {
        MessageFilter(
            kind: messageType.kind, customTypes: customType.map { [$0] },
            senderIDs: senderUserIds?.map { UserID($0) })
    }
}
