// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The transactions in the order of their decisions, of which one at a time is performed.
///
/// The open collections learn of a commit before the next one begins, so they see all commits in
/// order.
struct CommitQueue: Codable, Sendable {
    enum Entry: Codable, Sendable {
        case commit(SyncMachine.OperationID, [Mutation], ChangeOrigin, unless: CommitCondition?)
        case task(SyncMachine.OperationID, CacheTask)
        /// An operation that continues once the commits before it are delivered.
        case delivery(SyncMachine.OperationID)
        /// Other processes have made commits; a commit in progress may be older than theirs.
        case missedCommits

        /// The operation whose reply ends the entry.
        fileprivate var answered: SyncMachine.OperationID? {
            switch self {
            case .commit(let id, _, _, unless: _), .task(let id, _): id
            case .delivery, .missedCommits: nil
            }
        }
    }

    private var entries: [Entry] = []
    private(set) var isBusy = false

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Appends a notice of other processes' commits; a last one that waits already suffices.
    mutating func appendMissedCommits() {
        if case .missedCommits? = entries.last { return }
        entries.append(.missedCommits)
    }

    /// Begins the next entry, unless one is in progress.
    mutating func next() -> Entry? {
        guard !isBusy, let entry = entries.first else { return nil }
        isBusy = entry.answered != nil
        if !isBusy { entries.removeFirst() }
        return entry
    }

    /// Ends the entry whose reply has come.
    ///
    /// - Returns: The origin of its commit; nil for a reply to no entry in progress.
    mutating func end(_ id: SyncMachine.OperationID) -> ChangeOrigin? {
        guard isBusy, let entry = entries.first, entry.answered == id else { return nil }
        entries.removeFirst()
        isBusy = false
        if case .commit(_, _, let origin, unless: _) = entry { return origin }
        return .upkeep
    }
}
