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
        if owed.isEmpty, await refusal(of: debt) == nil { return settle(debt.names) }
        owed.append(debt)
        if owed.count == 1 { repairLater() }
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

    /// Writes down what the disk refused; whatever is written at once needs it before, or it would be undone.
    ///
    /// - Returns: Why the disk refuses still.
    @discardableResult
    func repair() async -> StoreError? {
        while !owed.isEmpty {
            let refusal =
                repairers == nil
                ? await repairOwed() : await withCheckedContinuation { repairers?.append($0) }
            if let refusal { return refusal }
        }
        return nil
    }

    /// One at a time: two would each take away what the other has written.
    private func repairOwed() async -> StoreError? {
        repairers = []
        var refusal: StoreError?
        while refusal == nil, let debt = owed.first {
            refusal = await self.refusal(of: debt)
            guard refusal == nil else { break }
            owed.removeFirst()
            settle(debt.names)
        }
        if refusal != nil { repairLater() }
        for repairer in repairers ?? [] { repairer.resume(returning: refusal) }
        repairers = nil
        return refusal
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
