// SPDX-License-Identifier: Apache-2.0

// The queue of reads and writes of the outbox's file.
//
// Reads and writes happen one after another, in the order of their decisions. The result of a read
// therefore contains the writes before it in the queue, and none behind it. If an item has a write
// behind the read, the read's state of that item is ignored, and the file is read again later.
//
// A note records a change of an item in memory; it stays in `unwritten` until it is on disk. If the
// disk refuses every write, writing pauses for `repairDelay`. If the disk refuses one note, because
// of a damaged row, only later notes of that item wait. The next batch of notes tries them again.

package import RoostModel

/// The work on the outbox's file that is not done yet.
package struct OutboxDisk: Codable, Sendable {
    /// One read or write in the queue; its number is its place in the order of all.
    package struct Job: Equatable, Codable, Sendable {
        let ticket: Int
        let work: Work
    }

    enum Work: Equatable, Codable, Sendable {
        /// Writes the unwritten notes, up to a number.
        case notes(through: Int)
        case news
        case reserve(RequestID)
        case append(OutboxDraft)
        case fold(
            MessageEdit, RequestID, at: Timestamp, before: OutboxContent, after: OutboxContent)
        case requeue(RequestID, createdAt: Timestamp)
        case takeBack(RequestID)
        /// Writes an item of this device in place of the older one.
        case keep(OutboxDraft)
        /// Deletes an item of this device.
        case discard(RequestID)
    }

    /// A note that is not on disk yet.
    package struct UnwrittenNote: Equatable, Codable, Sendable {
        /// The number of the note, in the order of all notes.
        let number: Int
        package let note: OutboxNote
        /// Copies of files that no item names once the note is on disk.
        let copies: [CopiedFile]
        /// The address under which the only copy was uploaded; nil for copies that are given up.
        var address: String?
        /// The reason why this note could not be written although others could.
        package var refusal: RoostError?
    }

    /// The work that has not begun, oldest first.
    package var queue: [Job] = []
    /// Whether the operation that does the work is running.
    var isWorking = false
    /// Whether the file is being read or the result is being applied.
    var isReading = false
    package var unwritten: [UnwrittenNote] = []
    /// The error of the last write if it refused all notes; nil after a success.
    package var refusal: RoostError?
    /// The results of writes whose operations have not been resumed yet.
    var answers: [Int: OutboxWritten] = [:]
    /// The number of the last job that is done.
    package private(set) var lastDone = 0
    /// The effects to carry out when a job is done, in order.
    private var followUps: [Due] = []

    private struct Due: Codable, Sendable {
        let ticket: Int
        let followUp: OutboxFollowUp
    }
    /// The failed items that are being queued again.
    var requeuing: Set<RequestID> = []
    /// The items to send once the writes of other processes are read.
    var leaving: [RequestID] = []
    /// Whether another process has written.
    var hasNews = false
    /// Whether the last read is out of date: an item had a write behind it, or memory lacks an
    /// item's place.
    var mustReadAgain = false
    /// Whether the queue reads again without a new reason; false after a failed read.
    var readsAgainByItself = true
    private var lastTicket = 0
    private var lastNote = 0

    package init() {}

    // MARK: The queue

    mutating func enqueue(_ work: Work) -> Int {
        if case .notes = work, case .notes? = queue.last?.work {
            // The last transaction of notes has not begun, so it takes the new notes too.
            let ticket = queue.removeLast().ticket
            queue.append(Job(ticket: ticket, work: work))
            return ticket
        }
        if work == .news, let job = queue.last, job.work == .news { return job.ticket }
        lastTicket += 1
        queue.append(Job(ticket: lastTicket, work: work))
        return lastTicket
    }

    /// Takes the jobs of the next transaction: one read, or several writes.
    ///
    /// A batch writes the unwritten notes at most once, because a refused note holds up later notes
    /// of its item.
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

    /// Whether another process may have written changes that are not read yet.
    var mayHaveNews: Bool {
        hasNews || mustReadAgain || isReading || queue.contains { $0.work == .news }
    }

    // MARK: Unwritten notes

    mutating func note(
        _ note: OutboxNote, _ copies: [CopiedFile] = [], uploadedTo address: String? = nil
    ) {
        lastNote += 1
        unwritten.append(
            UnwrittenNote(
                number: lastNote, note: note, copies: copies, address: address, refusal: nil))
    }

    var allNotes: Work { .notes(through: lastNote) }

    func unwritten(through number: Int) -> [UnwrittenNote] {
        unwritten.filter { $0.number <= number }
    }

    /// Whether a note is unwritten that the disk has not refused.
    ///
    /// A write of the same item waits for that note, which would otherwise undo the write.
    var isBehind: Bool { unwritten.contains { $0.refusal == nil } }

    /// Returns the reason why the notes of an item cannot be written; nil if they can.
    func refusal(of requestID: RequestID) -> RoostError? {
        unwritten.first { $0.note.requestID == requestID && $0.refusal != nil }?.refusal
    }

    /// Whether the item on disk equals the item in memory: no write of it waits.
    func isSettled(_ requestID: RequestID) -> Bool {
        !unwritten.contains { $0.note.requestID == requestID }
            && !queue.contains { $0.work.requestID == requestID }
    }

    /// Requests another read, because the result of the last one for an item was ignored.
    ///
    /// An item with a refused note is read again after its next write.
    mutating func missNews(of requestID: RequestID) {
        if refusal(of: requestID) == nil { mustReadAgain = true }
    }

    // MARK: Follow-ups

    mutating func follow(_ ticket: Int, _ followUps: [OutboxFollowUp]) {
        self.followUps += followUps.map { Due(ticket: ticket, followUp: $0) }
    }

    mutating func end(_ ticket: Int) -> [OutboxFollowUp] {
        lastDone = ticket
        let due = followUps.prefix { $0.ticket <= ticket }
        followUps.removeFirst(due.count)
        return due.map(\.followUp)
    }

    /// Empties the files in memory, for a recording.
    mutating func dropBytes() {
        queue = queue.withoutBytes
        unwritten = unwritten.withoutBytes
        answers = answers.mapValues { $0.withoutBytes }
        followUps = followUps.map { Due(ticket: $0.ticket, followUp: $0.followUp.withoutBytes) }
    }
}

extension OutboxDisk.Work {
    /// The item that is written; nil for work on no item or on several.
    var requestID: RequestID? {
        switch self {
        case .notes, .news, .reserve: nil
        case .append(let draft), .keep(let draft): draft.requestID
        case .fold(_, let id, _, _, _), .requeue(let id, _), .takeBack(let id), .discard(let id):
            id
        }
    }
}

/// An effect that follows a write, or the refusal of the write.
enum OutboxFollowUp: Equatable, Codable, Sendable {
    /// The outbox has given up on an item.
    case failed(OutboxItem, RoostError.Code)
    /// The item has left the outbox: delivered, made or canceled.
    case removed(OutboxItem)
    /// The change has lost its message.
    case dropped(OutboxItem)
    case event(OutboxEvent)
    /// The item is sent now.
    case leave(RequestID)
}
