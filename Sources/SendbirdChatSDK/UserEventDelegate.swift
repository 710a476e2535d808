// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The receiver of events of the current user that concern no single channel.
public protocol UserEventDelegate: AnyObject {
    /// The number of unread messages has changed.
    ///
    /// `totalCountByCustomType` is nil: `SendbirdChat.getTotalUnreadMessageCount(params:)` counts
    /// for custom types.
    func didUpdateTotalUnreadMessageCount(
        _ totalCount: Int32, totalCountByCustomType: [String: Int]?)
    /// The number of unread messages has changed.
    func didUpdateTotalUnreadMessageCount(unreadMessageCount: UnreadMessageCount)
    /// Friends were found; never called, as the client knows no friends.
    func didDiscoverFriends(_ friends: [User]?)
}

extension UserEventDelegate {
    public func didUpdateTotalUnreadMessageCount(
        _ totalCount: Int32, totalCountByCustomType: [String: Int]?
    ) {}
    public func didUpdateTotalUnreadMessageCount(unreadMessageCount: UnreadMessageCount) {}
    public func didDiscoverFriends(_ friends: [User]?) {}
}

/// The numbers of the user's unread messages.
public final class UnreadMessageCount: NSObject {
    /// The number in group channels.
    public let groupChannelCount: UInt
    /// The number in feed channels; always 0, as the client knows none.
    public let feedChannelCount: UInt = 0

    init(_ count: Int) { groupChannelCount = UInt(clamping: count) }
}
