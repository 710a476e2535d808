// SPDX-License-Identifier: Apache-2.0

extension GroupChannel {
    /// Joined members who have not read a message, its sender left out.
    ///
    /// Nobody in super and broadcast channels, which keep no account of it, and where receipts were
    /// never asked for.
    public func unreadMembers(of message: Message) -> [Member] {
        members(behind: message, in: readReceipts)
    }

    /// Joined members whom a message has not reached, its sender left out.
    ///
    /// Nobody in super and broadcast channels, and in those that do not keep count of deliveries.
    public func undeliveredMembers(of message: Message) -> [Member] {
        members(behind: message, in: deliveryReceipts)
    }

    private func members(
        behind message: Message, in receipts: [UserID: Timestamp]?
    ) -> [Member] {
        guard let receipts, !isSuper, !isBroadcast else { return [] }
        return members.filter { member in
            member.state == .joined && member.id != message.sender?.user.id
                && receipts[member.id] ?? .distantPast < message.createdAt
        }
    }
}
