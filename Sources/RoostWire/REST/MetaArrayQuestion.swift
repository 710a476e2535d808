// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A change of a message's meta arrays (`docs/protocol` 3.7).
package struct MetaArrayQuestion: Codable, Question {
    package typealias Output = NoOutput

    package enum Change: Equatable, Codable, Sendable {
        /// Adds texts to lists; missing lists are created.
        case add([MetaArray])
        /// Removes texts from lists; lists without texts are removed as a whole.
        case removeTexts([MetaArray])
        /// Removes whole lists.
        case removeLists([String])
    }

    package var channelURL: ChannelURL
    package var messageID: MessageID
    package var change: Change

    package init(channelURL: ChannelURL, messageID: MessageID, change: Change) {
        self.channelURL = channelURL
        self.messageID = messageID
        self.change = change
    }

    package func encode() -> APIRequest {
        let path = [
            "group_channels", channelURL.rawValue, "messages", String(messageID.rawValue),
            "sorted_metaarray",
        ]
        switch change {
        case .add(let arrays): return Self.put(path, "add", arrays)
        case .removeTexts(let arrays): return Self.put(path, "remove", arrays)
        case .removeLists(let keys):
            var query = QueryBuilder()
            query.add("keys", keys)
            return APIRequest(.delete, path, query: query.items)
        }
    }

    private static func put(
        _ path: [String], _ mode: String, _ arrays: [MetaArray]
    ) -> APIRequest {
        APIRequest(.put, path) { writer in
            writer.sortedMetaArrays("sorted_metaarray", arrays)
            writer.field("mode", mode)
            writer.field("upsert", true)
        }
    }
}
