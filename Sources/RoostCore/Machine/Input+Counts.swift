// SPDX-License-Identifier: Apache-2.0

extension SyncMachine.Input {
    /// Returns whether the input may change the unread counts that the app sees.
    ///
    /// Some changes of channels, such as a read mark, count while they wait in the outbox;
    /// `isMarked` is whether any waits.
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
