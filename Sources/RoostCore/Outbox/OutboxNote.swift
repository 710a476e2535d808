// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One thing that has happened to an item.
package enum OutboxNote: Hashable, Codable, Sendable {
    /// Sending begins; to be on disk before the first byte leaves.
    case attempt(RequestID)
    case state(RequestID, UnsentState)
    /// It says something else now.
    case content(RequestID, ChannelURL, OutboxContent)
    /// It is tried again, behind all others, as if it were written then.
    case requeued(RequestID, createdAt: Timestamp)
    /// The file was damaged and has lost it.
    case restored(OutboxItem)
    /// The server has it, or the person took it back.
    case removal(RequestID)

    package var requestID: RequestID {
        switch self {
        case .attempt(let id), .state(let id, _), .content(let id, _, _), .requeued(let id, _),
            .removal(let id):
            id
        case .restored(let item): item.requestID
        }
    }

    package var isRemoval: Bool { if case .removal = self { true } else { false } }
}

/// Everything in the outbox.
package struct OutboxItems: Hashable, Codable, Sendable {
    /// In the order they were written.
    package let items: [OutboxItem]
    /// Items whose rows are damaged; they stay where they are and block nothing (scar 65).
    package let damaged: [RequestID]
    /// Items that a later release wrote, likewise.
    package let newer: [RequestID]
    /// A damage after which not all that is missing was seen to; nil when there was none.
    package var loss: OutboxLoss?

    package init(items: [OutboxItem], damaged: [RequestID] = [], newer: [RequestID] = []) {
        (self.items, self.damaged, self.newer) = (items, damaged, newer)
    }

    /// All that this release cannot read.
    package var unreadable: [RequestID] { damaged + newer }
}

/// A damage of the outbox that may have cost what this process knows.
package struct OutboxLoss: Hashable, Codable, Sendable {
    package let number: Int
    /// What the repair has saved, by the numbers of the order: what of it is missing is gone for another
    /// reason.
    package let carriedOver: Set<Int64>

    package init(number: Int, carriedOver: Set<Int64>) {
        self.number = number
        self.carriedOver = carriedOver
    }
}
