// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What was edited and deleted in a channel while pages of it were on their way.
///
/// A page is as old as the moment the server wrote it; news that overtook it must not be undone by it.
package struct FetchLedger: Hashable, Sendable {
    private var fetches = 0
    private var deleted: Set<MessageID> = []
    private var edited: [MessageID: Message] = [:]

    package init() {}

    package var isEmpty: Bool { fetches == 0 }

    /// Whether something was deleted since the fetches began: counts made meanwhile mean nothing.
    package var hasDeletions: Bool { !deleted.isEmpty }

    package mutating func begin() { fetches += 1 }

    package mutating func end() {
        precondition(fetches > 0, "A fetch ended that never began.")
        fetches -= 1
        guard fetches == 0 else { return }
        deleted = []
        edited = [:]
    }

    package mutating func note(deletionOf id: MessageID) {
        if fetches > 0 { deleted.insert(id) }
    }

    package mutating func note(editOf message: Message) {
        if fetches > 0, let id = message.messageID { edited[id] = message }
    }

    /// The page as it would be had the server written it now.
    package func upToDate(_ messages: [Message]) -> [Message] {
        messages.compactMap { message in
            guard let id = message.messageID else { return message }
            if deleted.contains(id) { return nil }
            guard let newer = edited[id], let editedAt = newer.updatedAt else { return message }
            return editedAt > message.updatedAt ?? .distantPast ? newer : message
        }
    }
}
