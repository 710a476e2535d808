// SPDX-License-Identifier: Apache-2.0

/// The order of a channel list (`docs/protocol` 3.2).
public enum ChannelOrder: Hashable, Codable, Sendable {
    /// Newest last message first; channels without a last message follow, newest first.
    case latestLastMessage
    /// Newest channel first.
    case chronological
    /// By name, upper and lower case being equal; of equal names the oldest channel first.
    case name
    /// By the metadata value under a key; channels without the key come last, and of equals the
    /// oldest first.
    case metadataValue(key: String)
}

extension ChannelOrder {
    /// Returns the channel's place in this order; smaller keys come first.
    ///
    /// The channel URL breaks ties, so that every read gives the same order (scar 98).
    package func key(of channel: GroupChannel) -> ChannelSortKey {
        key(
            url: channel.url, createdAt: channel.createdAt, name: channel.name,
            lastMessageAt: channel.lastMessage?.createdAt, metadata: channel.metadata ?? [:])
    }

    /// Returns the place of a channel from the fields that decide it.
    package func key(
        url: ChannelURL, createdAt: Timestamp, name: String, lastMessageAt: Timestamp?,
        metadata: [String: String]
    ) -> ChannelSortKey {
        switch self {
        case .latestLastMessage:
            ChannelSortKey(lastMessageAt: lastMessageAt, createdAt: createdAt, url: url)
        case .chronological: ChannelSortKey(createdAt: createdAt, url: url)
        case .name: ChannelSortKey(text: name.lowercased(), createdAt: createdAt, url: url)
        case .metadataValue(let key):
            ChannelSortKey(text: metadata[key], createdAt: createdAt, url: url)
        }
    }

    /// Whether times alone decide a channel's place.
    package var isByTime: Bool {
        switch self {
        case .latestLastMessage, .chronological: true
        case .name, .metadataValue: false
        }
    }
}

/// A channel's place in a list.
package struct ChannelSortKey: Hashable, Comparable, Codable, Sendable {
    package let isByText: Bool
    /// The text that decides; nil sorts behind every text.
    package let text: String?
    package let lastMessageAt: Timestamp?
    package let createdAt: Timestamp
    package let url: ChannelURL

    /// Creates a key that sorts the newest first.
    package init(lastMessageAt: Timestamp? = nil, createdAt: Timestamp, url: ChannelURL) {
        isByText = false
        text = nil
        self.lastMessageAt = lastMessageAt
        self.createdAt = createdAt
        self.url = url
    }

    /// Creates a key that sorts by text, and of equal texts the oldest first.
    package init(text: String?, createdAt: Timestamp, url: ChannelURL) {
        isByText = true
        self.text = text
        lastMessageAt = nil
        self.createdAt = createdAt
        self.url = url
    }

    package static func < (left: Self, right: Self) -> Bool {
        if left.text != right.text {
            guard let leftText = left.text, let rightText = right.text else {
                return left.text != nil
            }
            return leftText < rightText
        }
        let (leftLast, rightLast) =
            (left.lastMessageAt ?? .distantPast, right.lastMessageAt ?? .distantPast)
        if leftLast != rightLast { return leftLast > rightLast }
        if left.createdAt != right.createdAt {
            return (left.createdAt < right.createdAt) == left.isByText
        }
        return left.url < right.url
    }
}
