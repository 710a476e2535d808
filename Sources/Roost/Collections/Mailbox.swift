// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel

/// A step that can be joined with the next one.
protocol JoinableStep: Sendable {
    func followed(by later: Self) -> Self
}

extension ListDiff: JoinableStep {}

extension ChatEvent: JoinableStep {
    func followed(by later: ChatEvent) -> ChatEvent { .missed(count + later.count) }

    private var count: Int { if case .missed(let count) = self { count } else { 1 } }
}

/// The steps of one stream that have not been taken yet.
///
/// Several tasks may read the stream; each step goes to one of them, and every one gets the end.
///
/// Holds at most `capacity` steps; beyond that the newest two are joined. A reader that pauses
/// therefore costs no more memory than the list, and still receives every change (scar 86).
struct Mailbox<Step: JoinableStep> {
    /// Large enough for a reader that keeps up to receive each step by itself.
    private static var capacity: Int { 256 }

    private var steps: [Step] = []
    /// The tasks that wait for a step, the first one first.
    private var readers: [CheckedContinuation<Step?, Never>] = []
    private var isClosed = false

    mutating func post(_ step: Step) {
        if !readers.isEmpty {
            readers.removeFirst().resume(returning: step)
        } else if steps.count < Self.capacity {
            steps.append(step)
        } else {
            steps[steps.count - 1] = steps[steps.count - 1].followed(by: step)
        }
    }

    /// Delivers the next step to a reader, now or on arrival; nil when the list is closed.
    mutating func take(_ reader: CheckedContinuation<Step?, Never>) {
        if !steps.isEmpty {
            reader.resume(returning: steps.removeFirst())
        } else if isClosed {
            reader.resume(returning: nil)
        } else {
            readers.append(reader)
        }
    }

    mutating func close() {
        isClosed = true
        for reader in readers { reader.resume(returning: nil) }
        readers = []
    }
}

/// The mailboxes of all readers of the same steps.
struct Mailboxes<Step: JoinableStep> {
    // An array in the order of opening; the order of a dictionary differs between runs.
    private var boxes: [(id: Int, box: Mailbox<Step>)] = []
    private var lastID = 0
    private var isClosed = false

    var count: Int { boxes.count }

    /// Opens a mailbox for a reader of every step.
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
        guard !isClosed else { return }
        for index in boxes.indices { boxes[index].box.post(step) }
    }

    /// Accepts no further steps; steps already posted can still be taken.
    mutating func closeAll() {
        isClosed = true
        for index in boxes.indices { boxes[index].box.close() }
    }
}

/// Closes a mailbox when its stream is released, as after `break` in a reader's loop.
final class MailboxCloser: Sendable {
    private let closeMailbox: @Sendable () -> Void

    init(_ closeMailbox: @escaping @Sendable () -> Void) { self.closeMailbox = closeMailbox }

    /// Closes the mailbox; further calls do nothing.
    func close() { closeMailbox() }

    deinit { close() }
}
