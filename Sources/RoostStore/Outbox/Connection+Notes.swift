// SPDX-License-Identifier: Apache-2.0

// The transactions that record the outcome of unsent messages.

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension Connection {
    /// Writes a note; does nothing if the item is gone.
    func note(_ note: OutboxNote) throws(SQLiteError) {
        switch note {
        case .attempt(let id): try execute(.noteAttempt, itemName(id))
        case .state(let id, let state): try execute(.updateItem, (itemName(id), state))
        case .content(let id, let channel, let content):
            try updateItem(id, in: channel, try following(content, of: id))
        case .requeued(let id, let createdAt): try requeue(id, createdAt)
        case .restored(let item): try restore(item)
        case .removal(let id): try execute(.deleteItem, itemName(id))
        case .dropped(let id): try drop(id)
        }
    }

    /// Returns a content that undoes no write of another process.
    private func following(
        _ content: OutboxContent, of id: RequestID
    ) throws(SQLiteError) -> OutboxContent {
        guard case .fileMessage = content, let stored = try outboxItem(id)?.item else {
            return content
        }
        return stored.content.takingUploads(of: content)
    }
}

/// Notes of which some may be left out.
struct NoteSelection {
    let notes: [OutboxNote]
    private var refused: [Int: StoreError] = [:]

    init(_ notes: [OutboxNote]) { self.notes = notes }

    /// The notes to write.
    var places: [Int] { notes.indices.filter { refused[$0] == nil } }

    /// Leaves out a note that cannot be written, and the later notes of its item.
    ///
    /// The first note, written later, would undo the later ones. A removal is tried in any case.
    mutating func leaveOut(_ place: Int, because error: StoreError) {
        refused[place] = error
        for later in notes.indices.dropFirst(place + 1)
        where notes[later].requestID == notes[place].requestID {
            if notes[later].isRemoval { break }
            refused[later] = error
        }
    }

    /// The errors of the notes that were left out, by index, after the rest is written.
    ///
    /// A removal ends its item, so earlier notes of the item do not count.
    var refusals: [Int: StoreError] {
        let removals = places.filter { notes[$0].isRemoval }
        return refused.filter { place, _ in
            !removals.contains { $0 > place && notes[$0].requestID == notes[place].requestID }
        }
    }
}
