// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// What has happened, on its way to the disk.

extension Outbox {
    /// Writes down what became of items; a disk that refuses is asked again.
    ///
    /// Should the process end before, an item is sent again; its name makes that harmless.
    func write(_ notes: [OutboxNote]) async {
        let ids = notes.map(\.requestID)
        unsettle(ids)
        if owed.isEmpty, await isWritten(notes) { return settle(ids) }
        owed.append(notes)
        if owed.count == 1 { repairLater() }
    }

    /// False when the disk refuses.
    private func isWritten(_ notes: [OutboxNote]) async -> Bool {
        do throws(StoreError) {
            if try await store.note(notes) { hasNews = true }
            return true
        } catch {
            return error.kind == .closed  // Nothing can be written any more.
        }
    }

    /// Writes down what the disk refused.
    func repair() async {
        while let notes = owed.first {
            guard await isWritten(notes) else { return repairLater() }
            owed.removeFirst()
            settle(notes.map(\.requestID))
        }
    }
}

extension OutboxNote {
    fileprivate var requestID: RequestID {
        switch self {
        case .attempt(let id), .state(let id, _), .content(let id, _, _), .removal(let id): id
        }
    }
}
