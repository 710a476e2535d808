// SPDX-License-Identifier: Apache-2.0

// Performs the queue of reads and writes of the outbox's file.
//
// A result is applied to memory here, in the order of the queue. The operation that waits for the
// result is resumed afterwards.

import RoostModel

/// Works through the queue; runs while there are jobs.
package struct OutboxWriting: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case writing([OutboxDisk.Job], through: Int)
        case reading(ticket: Int, isRegardless: Bool)
        /// The read is applied; missing items are looked up.
        case applying(ticket: Int)
    }

    private var state = State.beginning

    package init() {}

    /// The operation without the bytes of files in memory, for a recording.
    var withoutBytes: OutboxWriting {
        guard case .writing(let jobs, let through) = state else { return self }
        var copy = self
        copy.state = .writing(jobs.withoutBytes, through: through)
        return copy
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return next(&sync)
        case (.writing(let jobs, let through), .outbox(.success(.written(let results)))):
            guard results.count == jobs.count else { return fail(&sync) }
            for (job, result) in zip(jobs, results) { sync.finish(job, result, through) }
            return next(&sync)
        case (.writing(let jobs, let through), .outbox(.failure(let error))):
            for job in jobs { sync.finish(job, .failed(error), through) }
            return next(&sync)
        case (.reading(let ticket, _), .outbox(.success(.news(let items)))):
            sync.outbox.disk.readsAgainByItself = true
            guard let items else { return endReading(ticket, &sync) }
            state = .applying(ticket: ticket)
            let missing = sync.adopt(items)
            return .need(.run(.outbox(.missing(OutboxMissingItems(missing, in: items)))))
        case (.reading(let ticket, let isRegardless), .outbox(.failure)):
            // The next reason to read repeats the read.
            if isRegardless { sync.outbox.disk.mustReadAgain = true }
            sync.outbox.disk.readsAgainByItself = false
            return endReading(ticket, &sync)
        case (.applying(let ticket), .ended(let outcome)):
            if outcome != .done {
                // The state of an item is unknown; the next reason to read repeats the read.
                sync.outbox.disk.mustReadAgain = true
                sync.outbox.disk.readsAgainByItself = false
            }
            sync.start(.outbox(.matching(OutboxUnsureMessages())))
            return endReading(ticket, &sync)
        default: return fail(&sync)
        }
    }

    private mutating func next(_ sync: inout SyncState) -> Step {
        if sync.outbox.disk.queue.isEmpty, sync.outbox.disk.isToBeReadAgain { sync.requestRead() }
        let jobs = sync.outbox.disk.takeBatch()
        guard let first = jobs.first else {
            sync.outbox.disk.isWorking = false
            return .end(.done)
        }
        if first.work == .news {
            let isRegardless = sync.outbox.disk.mustReadAgain
            state = .reading(ticket: first.ticket, isRegardless: isRegardless)
            sync.outbox.disk.beginReading()
            return .need(.outbox(.news(regardless: isRegardless)))
        }
        var through = 0
        let writes = jobs.map { job -> OutboxWrite in
            if case .notes(let last) = job.work { through = last }
            return OutboxWrite(job.work, sync.outbox.disk)
        }
        state = .writing(jobs, through: through)
        return .need(.outbox(.write(writes)))
    }

    private mutating func endReading(_ ticket: Int, _ sync: inout SyncState) -> Step {
        sync.endReading()
        sync.end(ticket)
        return next(&sync)
    }

    private func fail(_ sync: inout SyncState) -> Step {
        sync.outbox.disk.isWorking = false
        return .fail(.outOfStep)
    }
}

extension OutboxWrite {
    fileprivate init(_ work: OutboxDisk.Work, _ disk: OutboxDisk) {
        switch work {
        case .notes(let through): self = .notes(disk.unwritten(through: through).map(\.note))
        case .news: preconditionFailure("A read is no write.")
        case .reserve(let id): self = .reserve(id)
        case .append(let draft): self = .append(draft)
        case .fold(let edit, let id, let at, _, _): self = .fold(edit, into: id, at: at)
        case .requeue(let id, let createdAt): self = .requeue(id, createdAt: createdAt)
        case .takeBack(let id), .discard(let id): self = .takeBack(id)
        case .keep(let draft): self = .keep(draft)
        }
    }
}

extension OutboxDisk {
    /// Whether the file is to be read without a new reason.
    var isToBeReadAgain: Bool { mustReadAgain && readsAgainByItself && !isBehind }

    mutating func beginReading() { (isReading, mustReadAgain, hasNews) = (true, false, false) }
}

// MARK: - Requests

extension SyncState {
    /// Adds a job to the queue.
    @discardableResult
    mutating func enqueue(_ work: OutboxDisk.Work) -> Int {
        let ticket = outbox.disk.enqueue(work)
        if !outbox.disk.isWorking {
            outbox.disk.isWorking = true
            start(.outbox(.writing(OutboxWriting())))
        }
        return ticket
    }

    /// Writes the notes that would undo a later write of an item; nil if there are none.
    mutating func flushNotes() -> Step? {
        guard outbox.disk.isBehind else { return nil }
        return .need(.wait(.outboxDisk(enqueue(outbox.disk.allNotes))))
    }

    /// Writes the unwritten notes; nil while writing pauses after a refusal.
    ///
    /// If the process ends first, an item may be sent again; its request ID makes the duplicate
    /// harmless.
    mutating func writeNotes() -> Int? {
        if outbox.disk.refusal != nil { return nil }
        return enqueue(outbox.disk.allNotes)
    }

    /// Reads the items that another process wrote, and drops the ones it has removed.
    @discardableResult
    mutating func requestRead() -> Int {
        outbox.disk.readsAgainByItself = true
        return enqueue(.news)
    }

    /// Resumes writing after a pause.
    mutating func repairOutbox() {
        if !outbox.disk.unwritten.isEmpty { enqueue(outbox.disk.allNotes) }
    }
}

// MARK: - Results

extension SyncState {
    /// Ends a job: carries out its follow-ups and resumes the operations that wait for it.
    mutating func end(_ ticket: Int, _ error: RoostError? = nil) {
        follow(outbox.disk.end(ticket))
        wakeAll(.outboxDisk(ticket), error)
    }

    mutating func endReading() {
        outbox.disk.isReading = false
        let leaving = outbox.disk.leaving
        outbox.disk.leaving = []
        for requestID in leaving { start(.outbox(.delivery(OutboxDelivery(requestID)))) }
    }

    mutating func finish(_ job: OutboxDisk.Job, _ result: OutboxWritten, _ through: Int) {
        // Notes have a refusal and a retry of their own.
        if case .notes = job.work {} else { noteResult(ofUnsent: result.failure) }
        switch (job.work, result) {
        case (.notes, .noted(let hasNews, let refused)):
            finishNotes(through: through, refused)
            if hasNews {
                outbox.disk.hasNews = true
                requestRead()
            }
            return end(job.ticket)
        case (.notes, .failed(let error)):
            outbox.disk.refusal = error
            repairLater()
            return end(job.ticket, error)
        case (.append(let draft), .item(let item?)): adopt(item, draft)
        case (.append(let draft), .failed): abandon(draft)
        case (.fold(_, let id, _, let before, let after), .item(let item)):
            finishFold(of: id, item, before, after)
        case (.fold(_, let id, _, let before, let after), .failed):
            finishFold(of: id, nil, before, after)
        case (.requeue(let id, let createdAt), .item(let item?)): requeue(id, item, createdAt)
        case (.requeue, .item(nil)):
            // Another process has changed the item.
            outbox.disk.mustReadAgain = true
            requestRead()
        case (.requeue(let id, let createdAt), .failed):
            // The item is queued in memory only. If the process ends before the write, it is failed
            // again at the next start.
            requeueUnwritten(id, createdAt)
        case (.keep, .item(let item?)): keepItem(item)
        case (.discard(let id), .takenBack):
            forgetItem(id)
            return end(job.ticket)
        case (.discard, .failed(let error)): return end(job.ticket, error)
        default: break
        }
        if case .requeue(let id, _) = job.work { outbox.disk.requeuing.remove(id) }
        outbox.disk.answers[job.ticket] = result
        end(job.ticket)
    }

    /// Removes the notes that are on disk, and marks the refused ones.
    private mutating func finishNotes(through number: Int, _ refused: [Int: RoostError]) {
        outbox.disk.refusal = nil
        let notes = outbox.disk.unwritten(through: number)
        var left: [OutboxDisk.UnwrittenNote] = []
        for (place, var note) in notes.enumerated() {
            let wasRefused = note.refusal != nil
            note.refusal = refused[place]
            guard note.refusal == nil else {
                left.append(note)
                continue
            }
            if let address = note.address, let copy = note.copies.first {
                step.notices.append(.keepUploaded(copy, at: address))
            } else if !note.copies.isEmpty {
                step.notices.append(.deleteFiles(note.copies))
            }
            // Only the disk has the item's place, or an earlier read of the item was ignored.
            if wasRefused || note.note.takesPlace { outbox.disk.mustReadAgain = true }
        }
        let known = Set(notes.filter { $0.refusal != nil }.map(\.note.requestID))
        for requestID in Set(left.map(\.note.requestID)).subtracting(known).sorted() {
            publish(.unrecorded(requestID))
        }
        outbox.disk.unwritten = left + outbox.disk.unwritten.filter { $0.number > number }
        if !left.isEmpty { repairLater() }
        for note in notes {
            if case .state(let requestID, .failed) = note.note { moveOutbox(.recorded(requestID)) }
        }
    }

    private mutating func repairLater() {
        if !isClosed { arm(.outboxDisk, for: Outbox.repairDelay) }
    }

    // MARK: Appending

    /// Inserts an item that is on disk, and publishes it.
    private mutating func adopt(_ item: OutboxItem, _ draft: OutboxDraft) {
        // An overlapping call with the same request ID was first and has copies of its own.
        if let sequence = draft.sequence, sequence != item.sequence, !draft.copies.isEmpty {
            step.notices.append(.deleteFiles(draft.copies))
        }
        guard !outbox.order.contains(item.requestID) else { return }
        outbox.order.place(item)
        let isNoted = draft.leaves && item.createdAt == draft.createdAt
        let effects = moveLanes(.queued(OutboxMachine.Item(item, isNoted: isNoted)))
        if let message = outbox.message(item) {
            show(message, of: item)
            publish(.queued(message))
        }
        if let change = item.change { publish(.changeQueued(change)) }
        carryOut(effects)
    }

    private mutating func abandon(_ draft: OutboxDraft) {
        if !draft.copies.isEmpty { step.notices.append(.deleteFiles(draft.copies)) }
        if draft.content.awaited == nil {
            moveOutbox(.abandoned(draft.requestID, draft.lane))
        }
    }

    // MARK: Merging edits

    private mutating func finishFold(
        of requestID: RequestID, _ stored: OutboxItem?, _ before: OutboxContent,
        _ after: OutboxContent
    ) {
        if outbox.order[requestID]?.content == after {
            // Another process may have merged an edit of its own.
            outbox.order.change(requestID) { $0.content = stored?.content ?? before }
            // A list that was made during the write shows the refused text.
            if stored == nil, let item = outbox.order[requestID], item.change == nil {
                showUnsent(of: item.channel)
            }
        }
        guard let stored else { return }
        guard let change = stored.change else { return showUnsent(of: stored.channel) }
        outbox.order.change(requestID) { $0.createdAt = stored.createdAt }
        publish(.changeQueued(change))
        moveOutbox(.revised(OutboxMachine.Item(stored), isMoved: false))
    }

    // MARK: Requeuing

    /// Queues a failed item again although the disk refuses the write.
    @discardableResult
    mutating func requeueUnwritten(_ requestID: RequestID, _ now: Timestamp) -> Bool {
        guard case .failed? = outbox.order[requestID]?.state else { return false }
        // Noted first, so that it is written before the notes of the lanes.
        outbox.disk.note(.requeued(requestID, createdAt: now))
        _ = writeNotes()
        return requeue(requestID, nil, now)
    }

    /// Moves a failed item to the end of its lane; false if it is no longer failed.
    @discardableResult
    mutating func requeue(
        _ requestID: RequestID, _ stored: OutboxItem?, _ now: Timestamp
    ) -> Bool {
        guard case .failed? = outbox.order[requestID]?.state,
            var item = outbox.order.takeOut(requestID)
        else { return false }
        item.state = .pending
        item.createdAt = now
        if let stored {
            item.sequence = stored.sequence
            // Another process may have edited the item meanwhile.
            item.content = stored.content
        }
        outbox.order.place(item)
        outbox.reasons[requestID] = nil
        if item.change == nil { showUnsent(of: item.channel) }
        if let message = outbox.message(item) { publish(.retried(message)) }
        moveOutbox(.retried(requestID, now: now))
        return true
    }
}

extension Outbox {
    /// The pause after the disk refused every write.
    static let repairDelay = Duration.seconds(5)
}

extension OutboxDraft {
    var lane: OutboxMachine.Lane {
        OutboxMachine.Lane(channel, isForChanges: content.isChange)
    }
}

extension OutboxNote {
    /// Whether the item's place in the order is assigned by the write.
    fileprivate var takesPlace: Bool {
        switch self {
        case .requeued, .restored: true
        case .attempt, .state, .content, .removal, .dropped: false
        }
    }
}
