// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Counts the messages of a channel that the user can see, replies included (`docs/protocol` 3.7).
package struct CountMessages: Codable, Question {
    package typealias Output = Int

    package var channelURL: ChannelURL

    package init(channelURL: ChannelURL) { self.channelURL = channelURL }

    package func encode() -> APIRequest {
        APIRequest(.get, ["group_channels", channelURL.rawValue, "messages", "total_count"])
    }

    /// Writes the answer, for the server's route.
    package static func write(_ output: Int, _ writer: inout JSONWriter) {
        writer.field("total", output)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Int {
        var total: Int?
        try reader.readObject { name, reader throws(WireError) in
            guard name == "total" else { return try reader.skipValue() }
            total = try reader.readCount()
        }
        guard let total else { throw .missing("total", offset: reader.position) }
        return total
    }
}
