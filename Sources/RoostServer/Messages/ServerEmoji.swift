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

    static var response: APIResponse {
        APIResponse { writer in
            writer.field("emoji_hash", hash)
            writer.array("emoji_categories") { writer in
                writer.object { writer in
                    writer.field("id", 1)
                    writer.field("name", "Standard")
                    writer.field("url", "")
                    writer.array("emojis") { writer in
                        for key in keys {
                            writer.object { writer in
                                writer.field("key", key)
                                writer.field("url", "")
                            }
                        }
                    }
                }
            }
        }
    }
}
