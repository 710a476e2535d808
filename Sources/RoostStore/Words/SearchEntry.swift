// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
package import RoostModel
internal import RoostSQLite

/// The indexed parts of a message.
package struct SearchEntry: Equatable, Sendable {
    package let messageID: Int64
    package let channelRow: Int64
    /// The searchable text of the message: `Message.searchableText`.
    package let text: String

    package init(messageID: Int64, channelRow: Int64, text: String) {
        self.messageID = messageID
        self.channelRow = channelRow
        self.text = text
    }

    /// Returns the word by which a search in one channel finds its messages in the index.
    static func tag(ofChannel row: Int64) -> String { "c\(row)" }

    /// Whether a tag is this word or begins with it.
    static func mayBeginTag(_ word: String) -> Bool {
        word.utf8.first == UInt8(ascii: "c")
            && word.utf8.dropFirst().allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}

/// The part of a message that a text comes from.
package enum SearchedText: Equatable, Sendable {
    /// `Message.text`: the text of the message, or a file's caption.
    case text
    /// The name of a file; 0 is the message's own, higher numbers are those of `FileContent.files`.
    case fileName(Int)
    case pollTitle
    case pollOption(Int)
}

extension Message {
    /// The searchable text: text or caption, names of the files, the poll.
    ///
    /// The sender's name is left out, because it changes without the message. So are fields for
    /// machines only.
    package var searchableText: String {
        if case .user(let text) = content, hasNoDetails { return text }
        return searchableTexts.map(\.text).joined(separator: "\n")
    }

    /// The parts of `searchableText`, each one non-empty, in the order of its lines.
    var searchableTexts: [(place: SearchedText, text: String)] {
        var texts: [(place: SearchedText, text: String)] = [(.text, text)]
        if case .file(let file) = content {
            texts.append((.fileName(0), file.name))
            for (index, other) in file.files.enumerated().dropFirst() {
                texts.append((.fileName(index), other.name))
            }
        }
        if !hasNoDetails, let poll = details.poll {
            texts.append((.pollTitle, poll.title))
            for (index, option) in poll.options.enumerated() {
                texts.append((.pollOption(index), option.text))
            }
        }
        return texts.filter { !$0.text.isEmpty }
    }
}

extension Bindings {
    /// Appends an entry: number, words, channel.
    mutating func append(_ entry: SearchEntry) {
        append(entry.messageID)
        append(SegmentedText.segmented(entry.text))
        append(SearchEntry.tag(ofChannel: entry.channelRow))
    }
}
