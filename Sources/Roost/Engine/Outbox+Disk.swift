// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// What has happened, on its way to the disk.
//
// It is told in the order in which it happened, all that is owed in one transaction, and one at a time:
// of two at once the older could be refused and, told again later, undo the newer.

extension Outbox {
    /// Notes what became of items, in the same step in which they become it: whoever sees that one has
    /// failed and queues it again comes behind this.
    func owe(_ debt: Debt) {
        unsettle(debt.names)
        owed.append(debt)
    }

    /// Writes down what is owed; a disk that refuses is asked again.
    ///
    /// Should the process end before, an item is sent again; its name makes that harmless.
    func payDebts() async {
        // One that has refused is left alone until its time comes.
        if !hasRefused { await repair() }
    }

    /// Tells the disk what it is owed by now; whatever is written at once needs it before, or it would be
    /// undone.
    ///
    /// - Returns: Why the disk refuses still.
    @discardableResult
    func repair() async -> StoreError? {
        let last = paidCount + owed.count
        while paidCount < last {
            let refusal: StoreError?
            if repairers == nil {
                // Before the call: a call on one's own actor may let others in, as any `await` may.
                (repairers, hasRefused) = ([], false)
                refusal = await pay()
            } else {
                refusal = await withCheckedContinuation { continuation in
                    // Nobody may be at it any more by now.
                    if repairers == nil { continuation.resume(returning: nil) }
                    repairers?.append(continuation)
                }
            }
            if let refusal { return refusal }
        }
        return nil
    }

    private func pay() async -> StoreError? {
        let debts = owed
        let refusal = await refusal(
            of: Debt(notes: debts.flatMap(\.notes), copies: debts.flatMap(\.copies)))
        if refusal == nil {
            owed.removeFirst(debts.count)
            paidCount += debts.count
            for debt in debts { settle(debt.names) }
        } else {
            hasRefused = true
            repairLater()
        }
        for repairer in repairers ?? [] { repairer.resume(returning: refusal) }
        repairers = nil
        return refusal
    }

    /// Why the disk refuses; nil when it is written down.
    private func refusal(of debt: Debt) async -> StoreError? {
        do throws(StoreError) {
            if try await store.note(debt.notes) { hasNews = true }
            store.deleteFiles(debt.copies)
            // Only the disk knows its place in the order now.
            if debt.notes.contains(where: \.isRequeued) { hasMissedNews = true }
            return nil
        } catch {
            return error.kind == .closed ? nil : error  // Nothing can be written any more.
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
    fileprivate var isRequeued: Bool { if case .requeued = self { true } else { false } }

    fileprivate var requestID: RequestID {
        switch self {
        case .attempt(let id), .state(let id, _), .content(let id, _, _), .requeued(let id, _),
            .removal(let id):
            id
        }
    }
}
