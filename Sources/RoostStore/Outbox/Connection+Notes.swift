// SPDX-License-Identifier: Apache-2.0

// What has become of unsent messages.

internal import RoostModel
internal import RoostSQLite

extension Connection {
    /// Writes down what has become of an item; of one that is gone, nothing.
    func note(_ note: OutboxNote, _ stock: inout SequenceStock) throws(SQLiteError) {
        switch note {
        case .attempt(let id): try execute(.noteAttempt, itemName(id))
        case .state(let id, let state): try execute(.updateItem, (itemName(id), state))
        case .content(let id, let channel, let content):
            try updateItem(id, in: channel, content)
        case .requeued(let id, let createdAt): try requeue(id, createdAt, &stock)
        case .removal(let id): try execute(.deleteItem, itemName(id))
        }
    }

    /// Writes down what can be written, each note in a part of its own.
    ///
    /// What came later of an item than a note that was refused is left out too: that note, written after it
    /// one day, would undo it. A removal ends an item, whatever was left out of it.
    ///
    /// - Returns: Why a note was left out, by its place.
    /// - Throws: What concerns them all; the transaction has to be undone.
    func noteEach(
        _ notes: [OutboxNote], _ stock: inout SequenceStock, in path: String
    ) throws(SQLiteError) -> [Int: StoreError] {
        var refused: [Int: StoreError] = [:]
        var places: [RequestID: [Int]] = [:]
        for (place, note) in notes.enumerated() {
            if let first = places[note.requestID]?.first, !note.isRemoval {
                refused[place] = refused[first]
                places[note.requestID]?.append(place)
                continue
            }
            switch try part({ () throws(SQLiteError) in try self.note(note, &stock) }) {
            case .success:
                for place in places.removeValue(forKey: note.requestID) ?? [] {
                    refused[place] = nil
                }
            case .failure(let error):
                let refusal = StoreError(error, in: path)
                guard refusal.mayConcernOne else { throw error }
                // Keys and numbers that were noted meanwhile are gone again.
                stock = SequenceStock()
                seals?.vault.forgetKeys()
                refused[place] = refusal
                places[note.requestID, default: []].append(place)
            }
        }
        return refused
    }
}
