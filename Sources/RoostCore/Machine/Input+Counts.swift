// SPDX-License-Identifier: Apache-2.0

extension SyncMachine.Input {
    /// Whether the input may change the unread counts that the app sees.
    ///
    /// - Parameter isMarked: Whether changes of channels wait in the outbox; some, such as a read
    ///   mark, count before they are made.
    package func mayChangeCounts(whileMarked isMarked: Bool) -> Bool {
        switch self {
        case .missedCommits, .reply(_, .kept): true
        case .reply(_, .committed(.success(let commit))): commit?.changesChannels == true
        case .reply(_, .outbox): isMarked
        default: false
        }
    }
}

extension Commit {
    fileprivate var changesChannels: Bool {
        changes.contains { if case .channels = $0 { true } else { false } }
    }
}
