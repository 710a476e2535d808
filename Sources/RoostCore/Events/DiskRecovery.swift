// SPDX-License-Identifier: Apache-2.0

// After a refusal, the disk is tried until it accepts a commit: then events that it refused are
// fetched again, and the client no longer reports a full disk.

package import RoostModel

/// The retries until the disk accepts a commit, and the catch-up for the refused commits.
package struct DiskRecovery: SyncOperation {
    /// The pause after a refusal of the disk.
    private static let pause = Duration.seconds(5)

    private enum State: Equatable, Codable, Sendable { case beginning, pausing, trying }

    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return wait()
        case (.pausing, .paused):
            state = .trying
            return .need(.commit([], .upkeep))
        case (.trying, .committed(.failure(let error))) where error.mayPassWithDisk:
            return wait()
        case (.trying, .committed):
            sync.recover()
            return .end(.done)
        default: return .fail(reply)
        }
    }

    private mutating func wait() -> Step {
        state = .pausing
        return .need(.pause(Self.pause, .retry))
    }
}

extension SyncState {
    /// Requests a catch-up of a channel once the disk accepts a commit; nil is the list of
    /// channels.
    package mutating func repairLater(_ channel: ChannelURL?) {
        refused.insert(channel)
        tryDisk()
    }

    /// Notes the result of a commit.
    mutating func noteResult(ofCommit failure: RoostError?) {
        notes.noteCommit(failure)
        if failure?.mayPassWithDisk ?? false { tryDisk() }
    }

    /// Notes the result of a write of an unsent item; the disk is tried until it accepts a commit.
    mutating func noteResult(ofUnsent failure: RoostError?) {
        guard let failure else { return notes.noteUnsent(nil) }
        guard failure.mayPassWithDisk else { return }
        notes.noteUnsent(failure)
        tryDisk()
    }

    private mutating func tryDisk() {
        guard !isTryingDisk else { return }
        isTryingDisk = true
        start(.diskRecovery(DiskRecovery()))
    }

    fileprivate mutating func recover() {
        isTryingDisk = false
        let channels = refused.compactMap { $0 }.sorted()
        let isListConcerned = refused.contains(nil)
        refused = []
        // Without a connection the next login repairs everything.
        guard session != nil else { return }
        for channel in channels {
            catchUp(channel, .anyway)
            lookUp(channel)
            lookForMessages(in: channel)
        }
        if isListConcerned { catchUpChannels() }
    }
}
