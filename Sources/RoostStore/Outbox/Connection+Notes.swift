// SPDX-License-Identifier: Apache-2.0

// The transactions that record the outcome of unsent messages.

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension Connection {
    /// Writes down what has become of an item; of one that is gone, nothing.
    func note(_ note: OutboxNote) throws(SQLiteError) {
        switch note {
        case .attempt(let id): try execute(.noteAttempt, itemName(id))
        case .state(let id, let state): try execute(.updateItem, (itemName(id), state))
        case .content(let id, let channel, let content):
            try updateItem(id, in: channel, content)
        case .requeued(let id, let createdAt): try requeue(id, createdAt)
        case .restored(let item): try restore(item)
        case .removal(let id): try execute(.deleteItem, itemName(id))
        }
    }
}

/// Notes of which the disk may take some and not others.
struct NoteSelection {
    let notes: [OutboxNote]
    private var refused: [Int: StoreError] = [:]

    init(_ notes: [OutboxNote]) { self.notes = notes }

    /// Of those that are to be written.
    var places: [Int] { notes.indices.filter { refused[$0] == nil } }

    /// Leaves a note out that cannot be written, and what came later of its item.
    ///
    /// That note, written after it one day, would undo it. A removal is tried all the same.
    mutating func leaveOut(_ place: Int, because error: StoreError) {
        refused[place] = error
        for later in notes.indices.dropFirst(place + 1)
        where notes[later].requestID == notes[place].requestID {
            if notes[later].isRemoval { break }
            refused[later] = error
        }
    }

    /// Why notes were left out, by their places, when the others are written.
    ///
    /// A removal ends an item, whatever was left out of it.
    var refusals: [Int: StoreError] {
        let removals = places.filter { notes[$0].isRemoval }
        return refused.filter { place, _ in
            !removals.contains { $0 > place && notes[$0].requestID == notes[place].requestID }
        }
    }
}
