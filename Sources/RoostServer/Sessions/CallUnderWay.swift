// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel

/// The numbers of calls under way, by user.
final class CallCounts: Sendable {
    private let counts = Guarded<[UserID: Int]>([:])

    /// Counts a call of a user; returns false if the user has too many.
    func begin(_ user: UserID, atMost limit: Int) -> Bool {
        counts.withLock { counts in
            guard counts[user, default: 0] < limit else { return false }
            counts[user, default: 0] += 1
            return true
        }
    }

    func end(_ user: UserID) {
        counts.withLock { counts in
            let left = counts[user, default: 1] - 1
            counts[user] = left > 0 ? left : nil
        }
    }
}

/// A call under way; it counts for its user from the proof of identity until its last reference is
/// dropped.
///
/// The host keeps it until the answer has left. Otherwise a user with many connections that read
/// slowly would have as many answers in memory.
package final class CallUnderWay: Sendable, Equatable {
    private let counts: CallCounts
    private let user = Guarded<UserID?>(nil)

    init(_ counts: CallCounts) { self.counts = counts }

    deinit {
        if let user = user.withLock({ $0 }) { counts.end(user) }
    }

    /// Counts the call, once; returns false if its user has too many.
    func begin(by id: UserID, atMost limit: Int) -> Bool {
        user.withLock { user in
            if user != nil { return true }
            guard counts.begin(id, atMost: limit) else { return false }
            user = id
            return true
        }
    }

    package static func == (one: CallUnderWay, other: CallUnderWay) -> Bool { one === other }
}
