// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A change of an item, to be written.
package enum OutboxNote: Equatable, Codable, Sendable {
    /// An attempt begins; on disk before the first byte is sent.
    case attempt(RequestID)
    case state(RequestID, UnsentState)
    /// A change has a new target, or the files of a message are uploaded; nothing else differs.
    case content(RequestID, ChannelURL, OutboxContent)
    /// The item is queued again at the end of the order, with a new time of writing.
    case requeued(RequestID, createdAt: Timestamp)
    /// The item was lost with a damaged file and is written again.
    case restored(OutboxItem)
    /// The server has the item, or a message was canceled.
    case removal(RequestID)
    /// The change is not made; other processes learn it from the disk.
    case dropped(RequestID)

    package var requestID: RequestID {
        switch self {
        case .attempt(let id), .state(let id, _), .content(let id, _, _), .requeued(let id, _),
            .removal(let id), .dropped(let id):
            id
        case .restored(let item): item.requestID
        }
    }

    package var isRemoval: Bool {
        switch self {
        case .removal, .dropped: true
        case .attempt, .state, .content, .requeued, .restored: false
        }
    }
}

/// The contents of the outbox.
package struct OutboxItems: Equatable, Codable, Sendable {
    /// The readable items in the order of writing.
    package let items: [OutboxItem]
    /// Items whose rows are damaged; the rows stay and block no other item (scar 65).
    package let damaged: [RequestID]
    /// Items that a later release wrote; their rows stay too.
    package let newer: [RequestID]
    /// Damage whose missing items are not all settled; nil when there is none.
    package var loss: OutboxLoss?

    package init(items: [OutboxItem], damaged: [RequestID] = [], newer: [RequestID] = []) {
        (self.items, self.damaged, self.newer) = (items, damaged, newer)
    }

    /// All items that this release cannot read.
    package var unreadable: [RequestID] { damaged + newer }
}

/// Damage to the outbox that may have lost items of this process.
package struct OutboxLoss: Equatable, Codable, Sendable {
    package let number: Int
    /// The places of the items that the repair saved; one of them that is missing was removed by
    /// another process.
    package let savedItems: Set<Int64>

    package init(number: Int, savedItems: Set<Int64>) {
        self.number = number
        self.savedItems = savedItems
    }
}
