// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

/// The steps one reader of a list has not taken yet.
///
/// Holds at most `capacity` steps; beyond that the newest two become one. So a reader that sleeps
/// costs no more than the list itself, and still learns of every change (scar 86).
struct Mailbox<Element: ListElement> {
    /// Enough that a reader which keeps up sees every step as it happened.
    private static var capacity: Int { 256 }

    private var steps: [ListDiff<Element>] = []
    private var reader: CheckedContinuation<ListDiff<Element>?, Never>?
    private var isClosed = false

    mutating func post(_ step: ListDiff<Element>) {
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
    mutating func take(_ reader: CheckedContinuation<ListDiff<Element>?, Never>) {
        precondition(self.reader == nil, "One task at a time reads the changes of a list.")
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

/// A collection whose changes can be read one by one.
protocol ChangeSource: Actor {
    associatedtype Element: ListElement

    nonisolated var executor: any WorldExecutor { get }
    func nextChange(in mailbox: Int) async -> ListDiff<Element>?
    func closeMailbox(_ id: Int)
}

extension ChangeSource {
    /// The steps that come into a mailbox; ends when the collection is closed.
    func changes(in mailbox: Int) -> AsyncStream<ListDiff<Element>> {
        AsyncStream { [weak self] in
            await self?.nextChange(in: mailbox)
        } onCancel: { [weak self] in
            guard let self else { return }
            // Ends at once: it only closes the mailbox.
            Task(executorPreference: self.executor) { await self.closeMailbox(mailbox) }
        }
    }
}

/// Everybody who watches one list: some want the newest state, some want every step.
struct Observers<Snapshot: Sendable, Element: ListElement> {
    private var snapshots: [AsyncStream<Snapshot>.Continuation] = []
    // Kept in the order they came, so that no dictionary order shows.
    private var mailboxes: [(id: Int, box: Mailbox<Element>)] = []
    private var lastID = 0
    private var isClosed = false

    /// A stream of states, newest wins: a slow reader skips some and always ends with the last.
    mutating func watchSnapshots(from snapshot: Snapshot) -> AsyncStream<Snapshot> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(snapshot)
        if isClosed { continuation.finish() } else { snapshots.append(continuation) }
        return stream
    }

    /// Opens a mailbox for a reader that may skip nothing.
    mutating func openMailbox() -> Int {
        lastID += 1
        if !isClosed { mailboxes.append((lastID, Mailbox())) }
        return lastID
    }

    mutating func closeMailbox(_ id: Int) {
        guard let index = index(of: id) else { return }
        mailboxes[index].box.close()
        mailboxes.remove(at: index)
    }

    mutating func take(_ id: Int, _ reader: CheckedContinuation<ListDiff<Element>?, Never>) {
        guard let index = index(of: id) else { return reader.resume(returning: nil) }
        mailboxes[index].box.take(reader)
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
        guard !step.isEmpty else { return }
        for index in mailboxes.indices { mailboxes[index].box.post(step) }
    }

    mutating func close() {
        isClosed = true
        for continuation in snapshots { continuation.finish() }
        snapshots = []
        // What was posted before the end can still be taken.
        for index in mailboxes.indices { mailboxes[index].box.close() }
    }

    private func index(of id: Int) -> Int? { mailboxes.firstIndex { $0.id == id } }
}
