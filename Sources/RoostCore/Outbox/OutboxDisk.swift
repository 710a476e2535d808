// SPDX-License-Identifier: Apache-2.0

// The queue to the outbox's file.
//
// Everything that is read from the file or written to it goes one after another, in the order in which it was
// decided. So the machine knows for each answer which of its own writes the answer contains: all those before it in
// the queue, and none behind it. News of an item with a write behind it are ignored and read again later.
//
// What happened to items is owed to the disk until the disk has taken it. A disk that refuses everything is left
// alone for a while. What it refuses of one item alone, because of a damaged row, holds up only later notes of that
// item: they stay owed and are told again with all that follows.

package import RoostModel

/// The work for the outbox's file that is not done yet.
package struct OutboxDisk: Codable, Sendable {
    /// One piece of work in the queue; its number is its place in the order of all.
    package struct Job: Hashable, Codable, Sendable {
        let ticket: Int
        let work: Work
    }

    enum Work: Hashable, Codable, Sendable {
        /// Tells the disk what is owed, up to a debt.
        case notes(through: Int)
        case news
        case reserve(RequestID)
        case append(OutboxDraft)
        /// The content before and after the edit.
        case fold(MessageEdit, RequestID, at: Timestamp, OutboxContent, OutboxContent)
        case requeue(RequestID, createdAt: Timestamp)
        case takeBack(RequestID)
    }

    /// Something that happened to an item and that the disk has not been told.
    package struct Debt: Hashable, Codable, Sendable {
        /// The place in the order of all debts.
        let number: Int
        package let note: OutboxNote
        /// Copies of files that no item names once the disk has been told.
        let copies: [CopiedFile]
        /// The reason why the disk took other notes and not this one.
        package var refusal: RoostError?
    }

    /// The work that is not begun, oldest first.
    package var queue: [Job] = []
    /// Whether the operation that does the work runs.
    var isWorking = false
    /// Whether the file is being read or its news are being applied.
    var isReading = false
    package var owed: [Debt] = []
    /// The last refusal of everything; nil once the disk has taken something.
    package var refusal: RoostError?
    /// The results of writes whose operations have not been resumed yet.
    var answers: [Int: OutboxWritten] = [:]
    /// The number of the last piece of work that is done.
    package private(set) var lastDone = 0
    /// What is to follow when a piece of work is done, in order.
    private var followUps: [Due] = []

    private struct Due: Codable, Sendable {
        let ticket: Int
        let followUp: OutboxFollowUp
    }
    /// The failed items that are being queued again.
    var requeuing: Set<RequestID> = []
    /// Items that leave once the news of other processes are known.
    var leaving: [RequestID] = []
    /// Another process has written.
    var hasNews = false
    /// The last read had news of an item with a write behind the read, or memory lacks the place of an item.
    var mustReadAgain = false
    /// Whether the queue reads again by itself; after a failed read it waits for the next reason to.
    var readsAgainByItself = true
    private var lastTicket = 0
    private var lastDebt = 0

    package init() {}

    // MARK: The queue

    mutating func enqueue(_ work: Work) -> Int {
        if case .notes = work, case .notes? = queue.last?.work {
            // The last transaction that has not begun takes it along.
            let ticket = queue.removeLast().ticket
            queue.append(Job(ticket: ticket, work: work))
            return ticket
        }
        if work == .news, let job = queue.last, job.work == .news { return job.ticket }
        lastTicket += 1
        queue.append(Job(ticket: lastTicket, work: work))
        return lastTicket
    }

    /// Takes the pieces of work that go to the disk together: one read, or several writes.
    ///
    /// A batch tells of what is owed once: what the disk refuses of one item holds up later notes of the item.
    mutating func takeBatch() -> [Job] {
        guard let first = queue.first else { return [] }
        if first.work == .news { return [queue.removeFirst()] }
        var count = 0
        var hasNotes = false
        for job in queue.prefix(Self.batchLimit) {
            if job.work == .news { break }
            if case .notes = job.work {
                if hasNotes { break }
                hasNotes = true
            }
            count += 1
        }
        defer { queue.removeFirst(count) }
        return Array(queue.prefix(count))
    }

    private static let batchLimit = 64

    /// Whether another process may have written something that is not known yet.
    var mayHaveNews: Bool {
        hasNews || mustReadAgain || isReading || queue.contains { $0.work == .news }
    }

    // MARK: Debts

    mutating func owe(_ note: OutboxNote, _ copies: [CopiedFile] = []) {
        lastDebt += 1
        owed.append(Debt(number: lastDebt, note: note, copies: copies, refusal: nil))
    }

    var allDebts: Work { .notes(through: lastDebt) }

    func debts(through number: Int) -> [Debt] { owed.filter { $0.number <= number } }

    /// Whether something is owed that the disk has not been asked to take.
    ///
    /// A write of the same item has to wait for it, or it would be undone.
    var isBehind: Bool { owed.contains { $0.refusal == nil } }

    /// The reason why the disk takes nothing more of an item; nil when it does.
    func refusal(of requestID: RequestID) -> RoostError? {
        owed.first { $0.note.requestID == requestID && $0.refusal != nil }?.refusal
    }

    /// Whether the disk says of an item what memory knows: no write of it waits.
    func isSettled(_ requestID: RequestID) -> Bool {
        !owed.contains { $0.note.requestID == requestID }
            && !queue.contains { $0.work.requestID == requestID }
    }

    /// The disk had news of an item that it may have forgotten by now: it is asked again.
    ///
    /// Of an item of which the disk takes nothing, it is asked when it takes something again.
    mutating func missNews(of requestID: RequestID) {
        if refusal(of: requestID) == nil { mustReadAgain = true }
    }

    // MARK: What follows

    mutating func follow(_ ticket: Int, _ followUps: [OutboxFollowUp]) {
        self.followUps += followUps.map { Due(ticket: ticket, followUp: $0) }
    }

    mutating func end(_ ticket: Int) -> [OutboxFollowUp] {
        lastDone = ticket
        let due = followUps.prefix { $0.ticket <= ticket }
        followUps.removeFirst(due.count)
        return due.map(\.followUp)
    }
}

extension OutboxDisk.Work {
    /// The item that is written; nil for work on no item or on several.
    var requestID: RequestID? {
        switch self {
        case .notes, .news, .reserve: nil
        case .append(let draft): draft.requestID
        case .fold(_, let id, _, _, _), .requeue(let id, _), .takeBack(let id): id
        }
    }
}

/// A thing to do once the disk has been told of what happened, or refuses to hear it.
enum OutboxFollowUp: Hashable, Codable, Sendable {
    /// The outbox has given up on an item.
    case failed(OutboxItem, RoostError.Code)
    case removed(OutboxItem)
    case dropped(OutboxItem)
    case event(OutboxEvent)
    case leave(RequestID)
}
