// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

/// A step that can become one with the step after it.
protocol JoinableStep: Sendable {
    func followed(by later: Self) -> Self
}

extension ListDiff: JoinableStep {}

extension ChatEvent: JoinableStep {
    func followed(by later: ChatEvent) -> ChatEvent { .missed(count + later.count) }

    private var count: Int { if case .missed(let count) = self { count } else { 1 } }
}

/// The steps one reader has not taken yet.
///
/// Holds at most `capacity` steps; beyond that the newest two become one. So a reader that sleeps
/// costs no more than the list itself, and still learns of every change (scar 86).
struct Mailbox<Step: JoinableStep> {
    /// Enough that a reader which keeps up sees every step as it happened.
    private static var capacity: Int { 256 }

    private var steps: [Step] = []
    private var reader: CheckedContinuation<Step?, Never>?
    private var isClosed = false

    mutating func post(_ step: Step) {
        if let reader {
            self.reader = nil
            reader.resume(returning: step)
        } else if steps.count < Self.capacity {
            steps.append(step)
        } else {
            steps[steps.count - 1] = steps[steps.count - 1].followed(by: step)
        }
    }

    /// Hands the next step to a reader, now or when there is one; nil when the list is closed.
    mutating func take(_ reader: CheckedContinuation<Step?, Never>) {
        precondition(self.reader == nil, "One task at a time reads a stream.")
        if !steps.isEmpty {
            reader.resume(returning: steps.removeFirst())
        } else if isClosed {
            reader.resume(returning: nil)
        } else {
            self.reader = reader
        }
    }

    mutating func close() {
        isClosed = true
        reader?.resume(returning: nil)
        reader = nil
    }
}

/// The mailboxes of everybody who reads the same steps.
struct Mailboxes<Step: JoinableStep> {
    // Kept in the order they came, so that no dictionary order shows.
    private var boxes: [(id: Int, box: Mailbox<Step>)] = []
    private var lastID = 0
    private var isClosed = false

    var count: Int { boxes.count }

    /// Opens a mailbox for a reader that may skip nothing.
    mutating func open() -> Int {
        lastID += 1
        if !isClosed { boxes.append((lastID, Mailbox())) }
        return lastID
    }

    mutating func close(_ id: Int) {
        guard let index = boxes.firstIndex(where: { $0.id == id }) else { return }
        boxes[index].box.close()
        boxes.remove(at: index)
    }

    mutating func take(_ id: Int, _ reader: CheckedContinuation<Step?, Never>) {
        guard let index = boxes.firstIndex(where: { $0.id == id }) else {
            return reader.resume(returning: nil)
        }
        boxes[index].box.take(reader)
    }

    mutating func post(_ step: Step) {
        for index in boxes.indices { boxes[index].box.post(step) }
    }

    /// No step comes any more; what was posted can still be taken.
    mutating func closeAll() {
        isClosed = true
        for index in boxes.indices { boxes[index].box.close() }
    }
}

/// Closes a mailbox when its reader ends, or lets go of the stream: a loop that is left by `break` tells nobody.
final class ReadersTicket: Sendable {
    /// Closes the mailbox; doing so again changes nothing.
    let giveBack: @Sendable () -> Void

    init(_ giveBack: @escaping @Sendable () -> Void) { self.giveBack = giveBack }

    deinit { giveBack() }
}

/// Everybody who watches one list: some want the newest state, some want every step.
struct Observers<Snapshot: Sendable, Element: ListElement> {
    private var snapshots: [AsyncStream<Snapshot>.Continuation] = []
    private var mailboxes = Mailboxes<ListDiff<Element>>()
    private var isClosed = false

    /// A stream of states, newest wins: a slow reader skips some and always ends with the last.
    mutating func watchSnapshots(from snapshot: Snapshot) -> AsyncStream<Snapshot> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(snapshot)
        if isClosed { continuation.finish() } else { snapshots.append(continuation) }
        return stream
    }

    var mailboxCount: Int { mailboxes.count }

    mutating func openMailbox() -> Int { mailboxes.open() }

    mutating func closeMailbox(_ id: Int) { mailboxes.close(id) }

    mutating func take(_ id: Int, _ reader: CheckedContinuation<ListDiff<Element>?, Never>) {
        mailboxes.take(id, reader)
    }

    /// Tells everybody; the snapshot is made only when somebody wants it.
    mutating func publish(
        _ snapshot: @autoclosure () -> Snapshot, after step: ListDiff<Element>
    ) {
        if !snapshots.isEmpty {
            let snapshot = snapshot()
            snapshots.removeAll { continuation in
                if case .terminated = continuation.yield(snapshot) { true } else { false }
            }
        }
        if !step.isEmpty { mailboxes.post(step) }
    }

    mutating func close() {
        isClosed = true
        for continuation in snapshots { continuation.finish() }
        snapshots = []
        mailboxes.closeAll()
    }
}
