// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The kinds of unread items.
public struct UnreadItemKey: OptionSet, Sendable {
    /// The bits of the kinds.
    public let rawValue: UInt

    /// Creates a set of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Unread messages of all group channels.
    public static let groupChannelUnreadMessageCount = Self(rawValue: 1)
    /// Unread mentions in all group channels.
    public static let groupChannelUnreadMentionCount = Self(rawValue: 2)
    /// Invitations to all group channels.
    public static let groupChannelInvitationCount = Self(rawValue: 4)
    /// Unread messages of channels that are not super channels; refused.
    public static let nonSuperUnreadMessageCount = Self(rawValue: 8)
    /// Unread messages of super channels; refused.
    public static let superUnreadMessageCount = Self(rawValue: 16)
    /// Unread mentions in channels that are not super channels; refused.
    public static let nonSuperUnreadMentionCount = Self(rawValue: 32)
    /// Unread mentions in super channels; refused.
    public static let superUnreadMentionCount = Self(rawValue: 64)
    /// Invitations to channels that are not super channels; refused.
    public static let nonSuperInvitationCount = Self(rawValue: 128)
    /// Invitations to super channels; refused.
    public static let superInvitationCount = Self(rawValue: 256)

    fileprivate static let allGroupChannels: Self = [
        .groupChannelUnreadMessageCount, .groupChannelUnreadMentionCount,
        .groupChannelInvitationCount,
    ]
}

/// Numbers of unread items; 0 for those that were not asked for.
public final class UnreadItemCount: NSObject {
    /// The unread messages of all group channels.
    public let groupChannelUnreadMessageCount: UInt
    /// The unread mentions in all group channels.
    public let groupChannelUnreadMentionCount: UInt
    /// The invitations to all group channels.
    public let groupChannelInvitationCount: UInt

    fileprivate init(_ totals: UnreadTotals, _ key: UnreadItemKey) {
        func count(_ number: Int, _ kind: UnreadItemKey) -> UInt {
            key.contains(kind) ? UInt(clamping: number) : 0
        }
        groupChannelUnreadMessageCount = count(totals.messages, .groupChannelUnreadMessageCount)
        groupChannelUnreadMentionCount = count(totals.mentions, .groupChannelUnreadMentionCount)
        groupChannelInvitationCount = count(totals.invitations, .groupChannelInvitationCount)
    }
}

extension SendbirdChat {
    /// Returns numbers of the current user's unread items.
    public class func getUnreadItemCount(
        key: UnreadItemKey, completionHandler: @escaping (UnreadItemCount?, SBError?) -> Void
    ) {
        let callback = Callback.answer(completionHandler) { (totals: UnreadTotals) in
            UnreadItemCount(totals, key)
        }
        door.perform(then: callback) { client throws(RoostError) in
            guard key.isSubset(of: .allGroupChannels) else {
                throw .notSupported("The server counts for all kinds of channels together.")
            }
            return try await client.fetchUnreadTotals()
        }
    }
}
