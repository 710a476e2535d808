// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension GroupChannel {
    /// The times up to which the members have read; nil in super and broadcast channels, which
    /// count no receipts.
    package var countedReadReceipts: [UserID: Timestamp]? { countsReceipts ? readReceipts : nil }

    /// The times up to which messages have reached the members; nil in super and broadcast
    /// channels, which count no receipts.
    package var countedDeliveryReceipts: [UserID: Timestamp]? {
        countsReceipts ? deliveryReceipts : nil
    }

    /// Returns the joined members who have read a message, or those who have not.
    ///
    /// The sender counts as a reader. Both groups are empty where no receipts are counted, and for
    /// a message that is not delivered: its time is the device's.
    ///
    /// - Parameters:
    ///   - haveRead: Whether the readers are returned; if not, the others.
    ///   - message: A message of this channel.
    ///   - includesAll: Whether the sender and the current user may be among them.
    ///   - viewer: The current user.
    /// - Returns: The members.
    package func joinedMembers(
        whoHaveRead haveRead: Bool, _ message: Message, includesAll: Bool, viewer: UserID?
    ) -> [Member] {
        guard message.messageID != nil, countedReadReceipts != nil else { return [] }
        let unread = Set(unreadMembers(of: message).map(\.id))
        let hidden: Set<UserID?> = includesAll ? [] : [message.sender?.user.id, viewer]
        return members.filter {
            $0.state == .joined && unread.contains($0.id) != haveRead && !hidden.contains($0.id)
        }
    }
}
