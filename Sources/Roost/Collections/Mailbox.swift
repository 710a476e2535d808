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

/// A step, or the end, for a reader that waits.
///
/// It is performed behind the lock of the mailbox. The system cancels a task while it keeps that
/// task from being resumed, and the handler of the cancellation takes the lock: a reader that is
/// resumed under the lock could wait for the handler, and the handler for the lock.
struct StepDelivery<Step: Sendable>: Sendable {
    fileprivate let reader: CheckedContinuation<Step?, Never>
    fileprivate let step: Step?

    func perform() { reader.resume(returning: step) }
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

    mutating func post(_ step: Step) -> StepDelivery<Step>? {
        if !readers.isEmpty { return StepDelivery(reader: readers.removeFirst(), step: step) }
        if steps.count < Self.capacity {
            steps.append(step)
        } else {
            steps[steps.count - 1] = steps[steps.count - 1].followed(by: step)
        }
        return nil
    }

    /// Takes the next step for a reader, now or on arrival; nil when the list is closed.
    mutating func take(_ reader: CheckedContinuation<Step?, Never>) -> StepDelivery<Step>? {
        if !steps.isEmpty { return StepDelivery(reader: reader, step: steps.removeFirst()) }
        if isClosed { return StepDelivery(reader: reader, step: nil) }
        readers.append(reader)
        return nil
    }

    mutating func close() -> [StepDelivery<Step>] {
        isClosed = true
        defer { readers = [] }
        return readers.map { StepDelivery(reader: $0, step: nil) }
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

    mutating func close(_ id: Int) -> [StepDelivery<Step>] {
        guard let index = boxes.firstIndex(where: { $0.id == id }) else { return [] }
        defer { boxes.remove(at: index) }
        return boxes[index].box.close()
    }

    mutating func take(
        _ id: Int, _ reader: CheckedContinuation<Step?, Never>
    ) -> StepDelivery<Step>? {
        guard let index = boxes.firstIndex(where: { $0.id == id }) else {
            return StepDelivery(reader: reader, step: nil)
        }
        return boxes[index].box.take(reader)
    }

    mutating func post(_ step: Step) -> [StepDelivery<Step>] {
        guard !isClosed else { return [] }
        return boxes.indices.compactMap { boxes[$0].box.post(step) }
    }

    /// Accepts no further steps; steps already posted can still be taken.
    mutating func closeAll() -> [StepDelivery<Step>] {
        isClosed = true
        return boxes.indices.flatMap { boxes[$0].box.close() }
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
