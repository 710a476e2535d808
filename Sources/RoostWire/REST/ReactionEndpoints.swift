// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Adds or removes the user's own reaction to a message (`docs/protocol` 3.7).
package struct ReactToMessage: Codable, Question {
    package typealias Output = ReactionChange

    package var channelURL: ChannelURL
    package var messageID: MessageID
    package var key: String
    package var isAdded: Bool

    package init(channelURL: ChannelURL, messageID: MessageID, key: String, isAdded: Bool) {
        self.channelURL = channelURL
        self.messageID = messageID
        self.key = key
        self.isAdded = isAdded
    }

    package func encode() -> APIRequest {
        let path = [
            "group_channels", channelURL.rawValue, "messages", String(messageID.rawValue),
            "reactions",
        ]
        return APIRequest(isAdded ? .post : .delete, path) { writer in
            writer.field("reaction", key)
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> ReactionChange {
        var key: String?
        var change = ReactionChange(
            key: "", userID: "", isAdded: true, updatedAt: Timestamp(milliseconds: 0))
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "reaction": key = try reader.readStringIfPresent()
            case "user_id": change.userID = UserID(try reader.readStringIfPresent() ?? "")
            case "operation":
                change.isAdded = try reader.readStringIfPresent()?.uppercased() != "DELETE"
            case "updated_at": change.updatedAt = try reader.readMoment() ?? change.updatedAt
            default: try reader.skipValue()
            }
        }
        guard let key else { throw .missing("reaction", offset: reader.position) }
        change.key = key
        return change
    }
}
