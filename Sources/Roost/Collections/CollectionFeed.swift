// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel

/// The readers of one collection, and its state after it was closed.
final class CollectionFeed<Snapshot: Sendable, Element: ListElement>: Sendable {
    private struct State {
        var observers = Observers<Snapshot, Element>()
        var last: Snapshot?
    }

    private let state = Guarded(State())

    /// The state when the collection was closed; nil while it is open.
    var last: Snapshot? { state.withLock { $0.last } }

    var readerCount: Int { state.withLock { $0.observers.mailboxCount } }

    /// Returns a stream that begins with a snapshot; a slow reader gets the newest one only.
    func snapshots(from snapshot: Snapshot) -> AsyncStream<Snapshot> {
        state.withLock { $0.observers.watchSnapshots(from: snapshot) }
    }

    /// Returns a stream of the changes from now on; it ends when the collection is closed.
    ///
    /// The stream keeps the collection open, even if the app has no other reference to it.
    func changes(
        of collection: some AnyObject & Sendable
    ) -> AsyncStream<ListDiff<Element>> {
        let mailbox = state.withLock { $0.observers.openMailbox() }
        let ticket = ReadersTicket { [weak self] in self?.closeMailbox(mailbox) }
        return AsyncStream { [self, collection] in
            defer { withExtendedLifetime(collection) {} }
            return await nextChange(in: mailbox)
        } onCancel: {
            ticket.giveBack()
        }
    }

    /// Publishes a change to all readers; makes the snapshot only if a reader of snapshots exists.
    func publish(_ snapshot: () -> Snapshot, after step: ListDiff<Element>) {
        state.withLock { $0.observers.publish(snapshot(), after: step) }
    }

    /// Ends all streams; does nothing if the feed is closed.
    func close(at last: Snapshot) {
        state.withLock { state in
            guard state.last == nil else { return }
            state.last = last
            state.observers.close()
        }
    }

    private func nextChange(in mailbox: Int) async -> ListDiff<Element>? {
        await withCheckedContinuation { reader in
            state.withLock { $0.observers.take(mailbox, reader) }
        }
    }

    private func closeMailbox(_ mailbox: Int) {
        state.withLock { $0.observers.closeMailbox(mailbox) }
    }
}

/// The streams of the server's refusals.
final class RefusalFeed: Sendable {
    /// Nil once the feed is closed.
    private let listeners = Guarded<[AsyncStream<RoostError>.Continuation]?>([])

    /// Returns a stream of the refusals from now on; a slow reader gets the newest one only.
    func listen() -> AsyncStream<RoostError> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RoostError.self, bufferingPolicy: .bufferingNewest(1))
        let isOpen = listeners.withLock { listeners in
            listeners?.append(continuation)
            return listeners != nil
        }
        if !isOpen { continuation.finish() }
        return stream
    }

    func publish(_ error: RoostError) {
        listeners.withLock { listeners in
            for listener in listeners ?? [] { listener.yield(error) }
        }
    }

    func close() {
        listeners.withLock { listeners in
            for listener in listeners ?? [] { listener.finish() }
            listeners = nil
        }
    }
}
