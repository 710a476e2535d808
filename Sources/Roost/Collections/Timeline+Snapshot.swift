// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension Timeline {
    /// The state of a timeline at one moment.
    public struct Snapshot: Hashable, Sendable {
        /// The delivered messages by position, oldest first, then the unsent ones by age.
        public let messages: [Message]
        /// Whether `loadOlder()` may find more.
        public let hasOlder: Bool
        /// Whether `loadNewer()` may find more; false while the list follows the newest message.
        public let hasNewer: Bool
        /// Whether more than 300 messages are missing after the last one (R113).
        ///
        /// The list has stopped following. Page forward with `loadNewer()`, or jump to
        /// `.distantFuture`.
        public let hasHugeGap: Bool
    }

    /// Returns a stream of the present state and all later ones; a slow reader misses some but gets
    /// the last.
    public func snapshots() -> AsyncStream<Snapshot> { observers.watchSnapshots(from: snapshot) }

    /// Returns a stream of all later changes without losses; changes are joined for a slow reader.
    public func changes() -> AsyncStream<ListDiff<Message>> {
        changes(in: observers.openMailbox())
    }

    /// The number of readers of changes.
    package var changeReaderCount: Int { observers.mailboxCount }
}

extension Timeline: ChangeSource {
    func nextChange(in mailbox: Int) async -> ListDiff<Message>? {
        await withCheckedContinuation { observers.take(mailbox, $0) }
    }

    func closeMailbox(_ id: Int) { observers.closeMailbox(id) }
}
