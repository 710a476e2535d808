// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import SendBirdSDK

/// The selection of messages in a collection; replies are among them.
public final class SBSMMessageFilter: NSObject {
    /// The kind of message.
    public let messageType: SBDMessageTypeFilter
    /// The custom type; nil for all.
    public let customType: String?
    /// The senders; nil or an empty list for all.
    public let senderUserIds: [String]?

    /// Creates a filter that selects all messages.
    public override convenience init() {
        self.init(messageType: .all, customType: nil, senderUserIds: nil)
    }

    /// Creates a filter.
    public init(
        messageType: SBDMessageTypeFilter, customType: String?, senderUserIds: [String]?
    ) {
        self.messageType = messageType
        self.customType = customType
        self.senderUserIds = senderUserIds
    }

    /// Returns whether the other filter selects every message that this one selects.
    public func isSubFilter(of other: SBSMMessageFilter) -> Bool {
        guard other.messageType == .all || other.messageType == messageType,
            other.customType == nil || other.customType == customType
        else { return false }
        guard let all = other.senders else { return true }
        guard let senders else { return false }
        return Set(senders).isSubset(of: all)
    }

    /// The senders; nil for all.
    private var senders: [String]? { senderUserIds.flatMap { $0.isEmpty ? nil : $0 } }

    var value: MessageFilter {
        MessageFilter(
            kind: messageType.kind, customTypes: customType.map { [$0] },
            senderIDs: senders?.map { UserID($0) }, replyType: .all)
    }
}
