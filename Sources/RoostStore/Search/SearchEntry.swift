// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
package import RoostModel
internal import RoostSQLite

/// A message as the index knows it.
package struct SearchEntry: Hashable, Sendable {
    package let messageID: Int64
    package let channelRow: Int64
    /// What can be found of it: `Message.searchableText`.
    package let text: String

    package init(messageID: Int64, channelRow: Int64, text: String) {
        self.messageID = messageID
        self.channelRow = channelRow
        self.text = text
    }

    /// The word by which a search in one channel finds its messages in the index.
    static func tag(ofChannel row: Int64) -> String { "c\(row)" }
}

extension Message {
    /// What a search finds a message by: its text or caption, and the name of its file.
    ///
    /// Not the sender's name, which changes without the message, nor anything that only machines read.
    package var searchableText: String {
        guard case .file(let file) = content, !file.name.isEmpty else { return text }
        return text.isEmpty ? file.name : "\(text)\n\(file.name)"
    }
}

extension Bindings {
    /// Appends what an entry is to the index: number, words, channel.
    mutating func append(_ entry: SearchEntry) {
        append(entry.messageID)
        append(SegmentedText.segmented(entry.text))
        append(SearchEntry.tag(ofChannel: entry.channelRow))
    }
}
