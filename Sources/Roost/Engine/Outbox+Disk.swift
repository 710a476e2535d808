// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// What has happened, on its way to the disk.
//
// It is told in the order in which it happened, all that is owed in one transaction, and one at a time:
// of two at once the older could be refused and, told again later, undo the newer. A disk that refuses
// everything is left alone for a while. What it refuses of one item alone, a damaged row as it may be, holds
// up nothing but what came later of that item: it stays owed and is told again with all that follows.

extension Outbox {
    /// Notes what became of items, in the same step in which they become it: whoever sees that one has
    /// failed and queues it again comes behind this.
    func owe(_ debts: [Debt]) {
        unsettle(debts.map(\.note.requestID))
        owed += debts
    }

    /// Writes down what is owed; a disk that refuses is asked again.
    ///
    /// Should the process end before, an item is sent again; its name makes that harmless.
    func payDebts() async {
        // One that has refused is left alone until its time comes.
        if !hasRefused { await repair() }
    }

    /// Whether something is owed of which the disk has not been told; whatever is written at once needs it
    /// before, or it would be undone.
    var isDiskBehind: Bool { owed.contains { $0.refusal == nil } }

    /// Why the disk takes nothing more of an item, though of others; nil when it does.
    func refusal(of requestID: RequestID) -> StoreError? {
        owed.first { $0.note.requestID == requestID && $0.refusal != nil }?.refusal
    }

    /// Tells the disk what it is owed by now.
    ///
    /// - Returns: Why the disk refuses everything; nil when it has heard all, whatever it did with each.
    @discardableResult
    func repair() async -> StoreError? {
        let last = toldCount + owed.count { $0.refusal == nil }
        guard !owed.isEmpty else { return nil }
        repeat {
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
        } while toldCount < last
        return nil
    }

    private func pay() async -> StoreError? {
        let debts = owed
        var refusal: StoreError?
        do throws(StoreError) {
            settle(debts, try await store.note(debts.map(\.note)))
        } catch {
            (refusal, hasRefused) = (error, true)
        }
        // One that is closed takes nothing any more.
        let isLeft = refusal.map { $0.kind != .closed } ?? owed.contains { $0.refusal != nil }
        if isLeft { repairLater() }
        for repairer in repairers ?? [] { repairer.resume(returning: refusal) }
        repairers = nil
        return refusal
    }

    /// The disk has been told of the first that are owed.
    private func settle(_ debts: [Debt], _ receipt: OutboxReceipt) {
        var left = debts
        for place in debts.indices { left[place].refusal = receipt.refused[place] }
        let taken = left.filter { $0.refusal == nil }
        // What the disk said of these items meanwhile was not asked for again.
        let isRelieved = debts.indices.contains {
            debts[$0].refusal != nil && left[$0].refusal == nil
        }
        left.removeAll { $0.refusal == nil }
        toldCount += debts.count { $0.refusal == nil }
        owed.replaceSubrange(..<debts.count, with: left)
        // Once an item, though the disk is asked again.
        let known = Set(debts.filter { $0.refusal != nil }.map(\.note.requestID))
        for requestID in Set(left.map(\.note.requestID)).subtracting(known).sorted() {
            observers.publish(.unrecorded(requestID))
        }
        store.deleteFiles(taken.flatMap(\.copies))
        if receipt.hasNews { hasNews = true }
        if isRelieved || taken.contains(where: \.note.takesPlace) { hasMissedNews = true }
        settle(taken.map(\.note.requestID))
    }

    /// Something the disk has to be told.
    struct Debt {
        let note: OutboxNote
        /// Copies that no item names any more once the disk has been told; before, it does.
        var copies: [CopiedFile] = []
        /// Why the disk took others and not this, when it was told last.
        var refusal: StoreError?
    }
}

extension OutboxNote {
    /// Whether only the disk knows its place in the order, once it has been told.
    fileprivate var takesPlace: Bool {
        switch self {
        case .requeued, .restored: true
        case .attempt, .state, .content, .removal: false
        }
    }
}
