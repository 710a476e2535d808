// SPDX-License-Identifier: Apache-2.0

extension GroupChannel {
    /// Returns the joined members who have not read a message, without its sender.
    ///
    /// Empty in super and broadcast channels, which count no receipts, and if receipts are unknown.
    public func unreadMembers(of message: Message) -> [Member] {
        members(behind: message, in: readReceipts)
    }

    /// Returns the joined members whom a message has not reached, without its sender.
    ///
    /// Empty in super and broadcast channels, and in channels that count no deliveries.
    public func undeliveredMembers(of message: Message) -> [Member] {
        members(behind: message, in: deliveryReceipts)
    }

    /// Whether the channel counts receipts; super and broadcast channels count none.
    package var countsReceipts: Bool { !isSuper && !isBroadcast }

    private func members(
        behind message: Message, in receipts: [UserID: Timestamp]?
    ) -> [Member] {
        guard let receipts, countsReceipts else { return [] }
        return members.filter { member in
            member.state == .joined && member.id != message.sender?.user.id
                && receipts[member.id] ?? .distantPast < message.createdAt
        }
    }
}
