// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The emoji that the server offers for reactions.
enum ServerEmoji {
    /// The version of the set; it changes with the set.
    static let hash = "roost-1"

    private static let keys = [
        "thumbsup", "thumbsdown", "heart", "laughing", "astonished", "cry", "rage", "clap",
    ]

    /// The ID of the only category.
    private static let category = 1

    /// Answers with all emoji, with the category that the path names, or with one emoji.
    static func answer(
        _ action: EmojiAction, _ call: RouteCall
    ) throws(ServerError) -> APIResponse {
        switch action {
        case .categories:
            return APIResponse { writer in
                writer.field("emoji_hash", hash)
                writer.array("emoji_categories") { $0.object(writeCategory) }
            }
        case .category:
            guard call.fields.pathParts[0] == String(category) else {
                throw ServerError(.notFound, "There is no such category of emoji.")
            }
            return APIResponse(writeCategory)
        case .emoji:
            let key = call.fields.pathParts[0]
            guard keys.contains(key) else {
                throw ServerError(.notFound, "There is no such emoji.")
            }
            return APIResponse { write(key, &$0) }
        }
    }

    private static func writeCategory(_ writer: inout JSONWriter) {
        writer.field("id", category)
        writer.field("name", "Standard")
        writer.field("url", "")
        writer.array("emojis") { writer in
            for key in keys { writer.object { write(key, &$0) } }
        }
    }

    private static func write(_ key: String, _ writer: inout JSONWriter) {
        writer.field("key", key)
        writer.field("url", "")
    }
}
