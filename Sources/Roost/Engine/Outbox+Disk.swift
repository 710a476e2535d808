// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// What has happened, on its way to the disk.

extension Outbox {
    /// Writes down what became of items; a disk that refuses is asked again.
    ///
    /// Should the process end before, an item is sent again; its name makes that harmless.
    func write(_ debt: Debt) async {
        unsettle(debt.names)
        if owed.isEmpty, await isWritten(debt) { return settle(debt.names) }
        owed.append(debt)
        if owed.count == 1 { repairLater() }
    }

    /// False when the disk refuses.
    private func isWritten(_ debt: Debt) async -> Bool {
        do throws(StoreError) {
            if try await store.note(debt.notes) { hasNews = true }
            store.deleteFiles(debt.copies)
            return true
        } catch {
            return error.kind == .closed  // Nothing can be written any more.
        }
    }

    /// Writes down what the disk refused.
    func repair() async {
        while let debt = owed.first {
            guard await isWritten(debt) else { return repairLater() }
            owed.removeFirst()
            settle(debt.names)
        }
    }

    /// What the disk has to be told at once, all of it or nothing.
    struct Debt {
        var notes: [OutboxNote] = []
        /// Copies that no item names any more once the disk has been told; before, it does.
        var copies: [CopiedFile] = []

        var names: [RequestID] { notes.map(\.requestID) }
    }
}

extension OutboxNote {
    fileprivate var requestID: RequestID {
        switch self {
        case .attempt(let id), .state(let id, _), .content(let id, _, _), .requeued(let id, _),
            .removal(let id):
            id
        }
    }
}
