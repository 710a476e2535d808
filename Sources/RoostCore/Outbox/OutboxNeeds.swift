// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The requests of the outbox to its file, and their results.

/// A request to the outbox's file and its folder of copies.
package enum OutboxQuestion: Equatable, Sendable {
    /// Writes in one transaction; if the disk refuses the transaction, one by one in their order.
    case write([OutboxWrite])
    /// Reads all items, if another process has written since the last read or if `regardless`.
    case news(regardless: Bool)
    /// Returns those of some items that have no row, not even an unreadable one.
    case absent([RequestID])
    /// Returns those of some changes that a process has dropped.
    case dropped([RequestID])
    /// Marks a loss as repaired; an item that is missing later was removed by another process.
    case mend(OutboxLoss)
    /// Copies the files of a message, under names that contain its place in the order.
    case copyFiles(FileMessageParams, RequestID, sequence: Int64)
    /// Asks for the turn to send, which one process has at a time.
    case takeTurn
    /// Deletes copies that no item names and that are older than a moment.
    case tidyFiles(madeBefore: Timestamp)
}

/// One write.
package enum OutboxWrite: Equatable, Sendable {
    /// Several notes; a note that cannot be written is left out.
    case notes([OutboxNote])
    /// Reserves a place in the order for an item whose files are being copied.
    case reserve(RequestID)
    case append(OutboxDraft)
    /// Writes an item of this device behind all others, in place of the one with its request ID.
    case keep(OutboxDraft)
    /// Merges an edit into an item that has certainly not been sent.
    case fold(MessageEdit, into: RequestID, at: Timestamp)
    /// Moves an item to the end of the order, with a new time of writing.
    case requeue(RequestID, createdAt: Timestamp)
    /// Deletes an item that has certainly not been sent.
    case takeBack(RequestID)
}

/// A new item to write.
package struct OutboxDraft: Equatable, Codable, Sendable {
    package let requestID: RequestID
    package let channel: ChannelURL
    package let createdAt: Timestamp
    package var content: OutboxContent
    /// Whether the item is sent as soon as it is on disk.
    package let leaves: Bool
    /// The reserved place; nil takes the next one.
    package var sequence: Int64?
    /// The copies of the item's files.
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

package enum OutboxAnswer: Equatable, Codable, Sendable {
    /// The results of the writes, in their order.
    case written([OutboxWritten])
    case news(OutboxItems?)
    case absent([RequestID])
    case dropped([RequestID])
    case copied(OutboxContent, [CopiedFile])
    /// The number of the turn; nil while another process has it.
    case turn(Int?)
    case done
}

/// The result of one write.
package enum OutboxWritten: Equatable, Codable, Sendable {
    /// Whether another process has written, and the notes that were left out, by index.
    case noted(hasNews: Bool, refused: [Int: RoostError])
    /// A place in the order.
    case place(Int64)
    /// The item as it is on disk now; nil when it is gone, may have been sent, or its copies are
    /// gone.
    case item(OutboxItem?)
    /// Whether the item was deleted.
    case takenBack(Bool)
    case failed(RoostError)

    var failure: RoostError? { if case .failed(let error) = self { error } else { nil } }
}
