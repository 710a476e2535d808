// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension ChannelOrder {
    /// Where a channel stands; smaller keys come first.
    ///
    /// Ties end with the URL, so that the order is the same on every read (scar 98).
    package func key(of channel: GroupChannel) -> ChannelSortKey {
        let last = self == .latestLastMessage ? channel.lastMessage?.createdAt : nil
        return ChannelSortKey(
            lastMessageAt: last, createdAt: channel.createdAt, url: channel.url)
    }
}

/// A channel's place in a list.
package struct ChannelSortKey: Hashable, Comparable, Sendable {
    package let lastMessageAt: Timestamp?
    package let createdAt: Timestamp
    package let url: ChannelURL

    package init(lastMessageAt: Timestamp?, createdAt: Timestamp, url: ChannelURL) {
        self.lastMessageAt = lastMessageAt
        self.createdAt = createdAt
        self.url = url
    }

    package static func < (left: Self, right: Self) -> Bool {
        let (leftLast, rightLast) =
            (left.lastMessageAt ?? .distantPast, right.lastMessageAt ?? .distantPast)
        if leftLast != rightLast { return leftLast > rightLast }
        if left.createdAt != right.createdAt { return left.createdAt > right.createdAt }
        return left.url < right.url
    }
}
