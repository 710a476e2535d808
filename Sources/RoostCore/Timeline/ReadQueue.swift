// SPDX-License-Identifier: Apache-2.0

/// The reads of one collection: one running, the others queued.
package struct ReadQueue: Equatable, Codable, Sendable {
    package private(set) var isUnderWay = false
    private var waiting = 0

    package init() {}

    /// Whether a read waits for the running one.
    var hasWaiting: Bool { waiting > 0 }

    /// Begins a read, or queues it behind the running one.
    ///
    /// - Returns: Whether the read may begin now.
    mutating func enter() -> Bool {
        if isUnderWay {
            waiting += 1
            return false
        }
        isUnderWay = true
        return true
    }

    /// Ends the running read.
    ///
    /// - Returns: Whether a queued read begins in its place.
    mutating func leave() -> Bool {
        guard waiting > 0 else {
            isUnderWay = false
            return false
        }
        waiting -= 1
        return true
    }
}

extension SyncState {
    /// Starts a read of a collection, unless a read that has not begun will show the same.
    ///
    /// Otherwise pages would wait behind the reads for any number of commits.
    mutating func start(_ read: Operation, unlessWaitingIn reads: ReadQueue?) {
        guard reads?.hasWaiting != true, !step.starts.contains(read) else { return }
        start(read)
    }
}
