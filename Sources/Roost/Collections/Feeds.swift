// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel

/// The streams of all readers of the same elements; safe to call from any thread.
final class StreamFeed<Element: Sendable>: Sendable {
    private typealias Reader = AsyncStream<Element>.Continuation

    private struct State {
        /// In the order of their beginning.
        var readers: [(id: Int, reader: Reader)] = []
        var lastID = 0
        var isFinished = false
    }

    private let policy: Reader.BufferingPolicy
    private let state = Guarded(State())
    /// Keeps elements in the order of their calls.
    ///
    /// Readers get them without the lock of the state, which the handler of a reader's cancellation
    /// takes (`StepDelivery`).
    private let turn = Guarded(())

    /// Creates a feed; the policy says which elements a slow reader gets.
    init(_ policy: AsyncStream<Element>.Continuation.BufferingPolicy) { self.policy = policy }

    /// Readers of a released feed get no more elements, so their streams end.
    deinit { finish() }

    var readerCount: Int { state.withLock { $0.readers.count } }

    /// Returns a stream of the elements from now on, after a first one.
    ///
    /// The closure runs once when the stream has lost its reader, unless the feed is finished
    /// before the stream begins.
    func open(
        beginningWith first: Element? = nil, onEnd: @escaping @Sendable () -> Void = {}
    ) -> AsyncStream<Element> {
        let (stream, reader) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
        if let first { reader.yield(first) }
        let id = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.lastID += 1
            state.readers.append((state.lastID, reader))
            return state.lastID
        }
        guard let id else {
            reader.finish()
            return stream
        }
        reader.onTermination = { [weak self] _ in
            self?.state.withLock { state in state.readers.removeAll { $0.id == id } }
            onEnd()
        }
        return stream
    }

    /// Publishes an element; makes it only if a reader exists.
    func publish(_ element: @autoclosure () -> Element) {
        turn.withLock { _ in
            let readers = state.withLock { $0.readers }
            guard !readers.isEmpty else { return }
            let element = element()
            for (_, reader) in readers { reader.yield(element) }
        }
    }

    /// Ends all streams, those to be opened later included.
    func finish() {
        let ending = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [] }
            return state.readers
        }
        for (_, reader) in ending { reader.finish() }
    }
}

/// The readers of every step, none of which is lost; safe to call from any thread.
final class StepFeed<Step: JoinableStep>: Sendable {
    private let mailboxes = Guarded(Mailboxes<Step>())

    var readerCount: Int { mailboxes.withLock { $0.count } }

    /// Returns a stream of the steps from now on, which keeps an object alive.
    func open(keeping owner: (any AnyObject & Sendable)? = nil) -> AsyncStream<Step> {
        let mailbox = mailboxes.withLock { $0.open() }
        let ticket = MailboxCloser { [mailboxes] in
            for delivery in mailboxes.withLock({ $0.close(mailbox) }) { delivery.perform() }
        }
        return AsyncStream { [mailboxes, owner] in
            defer { withExtendedLifetime(owner) {} }
            return await withCheckedContinuation { reader in
                mailboxes.withLock { $0.take(mailbox, reader) }?.perform()
            }
        } onCancel: {
            ticket.close()
        }
    }

    func publish(_ step: Step) {
        for delivery in mailboxes.withLock({ $0.post(step) }) { delivery.perform() }
    }

    /// Ends all streams; their readers can still take earlier steps.
    func finish() {
        for delivery in mailboxes.withLock({ $0.closeAll() }) { delivery.perform() }
    }
}

/// The readers of one collection, and its state after it was closed.
final class CollectionFeed<Snapshot: Sendable, Element: ListElement>: Sendable {
    private let snapshots = StreamFeed<Snapshot>(.bufferingNewest(1))
    private let changes = StepFeed<ListDiff<Element>>()
    private let closing = Guarded<Snapshot?>(nil)

    /// The state when the collection was closed; nil while it is open.
    var last: Snapshot? { closing.withLock { $0 } }

    var readerCount: Int { changes.readerCount }

    /// Returns a stream that begins with a snapshot; a slow reader gets the newest one only.
    func snapshots(from snapshot: Snapshot) -> AsyncStream<Snapshot> {
        snapshots.open(beginningWith: snapshot)
    }

    /// Returns a stream of the changes from now on; it ends when the collection is closed.
    ///
    /// The stream keeps the collection open, even if the app has no other reference to it.
    func changes(of collection: some AnyObject & Sendable) -> AsyncStream<ListDiff<Element>> {
        changes.open(keeping: collection)
    }

    /// Publishes a change to all readers; makes the snapshot only if a reader of snapshots exists.
    func publish(_ step: ListDiff<Element>, _ snapshot: () -> Snapshot) {
        snapshots.publish(snapshot())
        if !step.isEmpty { changes.publish(step) }
    }

    /// Ends all streams; does nothing if the feed is closed.
    func close(at last: Snapshot) {
        let isFirst = closing.withLock { closing in
            defer { closing = closing ?? last }
            return closing == nil
        }
        guard isFirst else { return }
        snapshots.finish()
        changes.finish()
    }
}
