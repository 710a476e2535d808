// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The vocabulary between the machine and the outbox's file.

/// A request to the outbox's file and its folder of copies.
package enum OutboxQuestion: Hashable, Codable, Sendable {
    /// Writes, in one transaction where the disk takes all of them; otherwise one by one, in their order.
    case write([OutboxWrite])
    /// Everything unsent, if another process has written since the last time, or `regardless`.
    case news(regardless: Bool)
    /// Those of some items of which the disk has not even an unreadable row.
    case absent([RequestID])
    /// The loss is seen to: an item that is missing from now on was seen to by another process.
    case mend(OutboxLoss)
    /// Copies of the files of a message, under names that contain its place in the order.
    case copyFiles(FileMessageParams, RequestID, sequence: Int64)
    /// The turn to send, which one process has at a time.
    case takeTurn
    /// Deletes copies that no item names and that are older than a moment.
    case tidyFiles(madeBefore: Timestamp)
}

/// One write.
package enum OutboxWrite: Hashable, Codable, Sendable {
    /// Notes of which some may be left out, because they alone cannot be written.
    case notes([OutboxNote])
    /// Keeps a place in the order for an item whose files are to be copied.
    case reserve(RequestID)
    case append(OutboxDraft)
    /// Merges an edit into an item that certainly has not left.
    case fold(MessageEdit, into: RequestID, at: Timestamp)
    /// Puts an item behind all others, as if it were written now.
    case requeue(RequestID, createdAt: Timestamp)
    /// Deletes an item that certainly has not left.
    case takeBack(RequestID)
}

/// An item that is to be written.
package struct OutboxDraft: Hashable, Codable, Sendable {
    package let requestID: RequestID
    package let channel: ChannelURL
    package let createdAt: Timestamp
    package var content: OutboxContent
    /// Whether sending begins as soon as the item is on disk.
    package let leaves: Bool
    /// The place that was kept for it; nil takes the next one.
    package var sequence: Int64?
    /// The copies of its files.
    package var copies: [CopiedFile] = []

    package init(
        _ requestID: RequestID, to channel: ChannelURL, createdAt: Timestamp,
        content: OutboxContent, leaves: Bool = false, sequence: Int64? = nil,
        copies: [CopiedFile] = []
    ) {
        self.requestID = requestID
        self.channel = channel
        self.createdAt = createdAt
        self.content = content
        self.leaves = leaves
        self.sequence = sequence
        self.copies = copies
    }
}

package enum OutboxAnswer: Hashable, Codable, Sendable {
    /// The results of the writes, in their order.
    case written([OutboxWritten])
    case news(OutboxItems?)
    case absent([RequestID])
    case copied(OutboxContent, [CopiedFile])
    /// The number of the turn; nil while another process has it.
    case turn(Int?)
    case done
}

/// The result of one write.
package enum OutboxWritten: Hashable, Codable, Sendable {
    /// Whether another process has written, and the notes that were left out, by their place.
    case noted(hasNews: Bool, refused: [Int: RoostError])
    /// A place in the order.
    case place(Int64)
    /// The item as it is on disk now; nil when it is gone, may have left, or its copies are gone.
    case item(OutboxItem?)
    /// Whether the item was deleted.
    case takenBack(Bool)
    case failed(RoostError)
}
