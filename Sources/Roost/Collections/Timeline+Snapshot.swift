// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension Timeline {
    /// The state of a timeline at one moment.
    public struct Snapshot: Hashable, Sendable {
        /// Delivered messages by place, oldest first, then the unsent by age.
        public let messages: [Message]
        /// Whether `loadOlder` may find more.
        public let hasOlder: Bool
        /// Whether `loadNewer` may find more; false while the list follows the newest end.
        public let hasNewer: Bool
        /// More than 300 messages are missing after the last one shown (R113).
        ///
        /// The list stopped following. Page forward with `loadNewer`, or open the timeline again.
        public let hasHugeGap: Bool
    }

    /// The present state and every later one; a slow reader skips some and ends with the last.
    public func snapshots() -> AsyncStream<Snapshot> { observers.watchSnapshots(from: snapshot) }

    /// Every change from now on, none skipped; a slow reader gets several joined into one.
    public func changes() -> AsyncStream<ListDiff<Message>> {
        changes(in: observers.openMailbox())
    }

    /// Who reads the changes now.
    package var changeReaderCount: Int { observers.mailboxCount }
}

extension Timeline: ChangeSource {
    func nextChange(in mailbox: Int) async -> ListDiff<Message>? {
        await withCheckedContinuation { observers.take(mailbox, $0) }
    }

    func closeMailbox(_ id: Int) { observers.closeMailbox(id) }
}
