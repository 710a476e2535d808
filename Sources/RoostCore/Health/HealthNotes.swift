// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The facts of the client that no decision needs, kept for its health.
///
/// Each is noted in the step in which it becomes true, so the health is computed without a search.
package struct HealthNotes: Equatable, Codable, Sendable {
    /// The moments at which the timers that `Health` reports will fire.
    private var moments: [MachineTimer: Timestamp] = [:]
    /// The moment at which the connection began or was lost.
    var connectionSince: Timestamp?
    /// The error of the last commit, if the disk refused it.
    private(set) var refusal: RoostError?
    /// The error of the last write of an unsent item, if the disk refused it; nil after a commit.
    private(set) var unsentRefusal: RoostError?
    var isSuspended = false
    /// The number of checks of the cache that have not ended.
    var checks = 0
    var repairs = 0
    var lostMessages = 0
    var pagesFromDisk = 0
    var pagesFromServer = 0
    var figures = CacheFiguresWatch()

    package init() {}

    mutating func arm(_ timer: MachineTimer, at moment: Timestamp) {
        switch timer {
        case .link(.retry), .outboxRest: moments[timer] = moment
        default: break
        }
    }

    mutating func disarm(_ timer: MachineTimer) {
        if !moments.isEmpty { moments[timer] = nil }
    }

    /// Returns the moment at which a timer fires; nil if it does not run.
    func moment(of timer: MachineTimer) -> Timestamp? { moments[timer] }

    /// Notes the result of a commit.
    mutating func noteCommit(_ failure: RoostError?) {
        guard let failure else {
            (refusal, unsentRefusal) = (nil, nil)
            return
        }
        if failure.isOfDisk { refusal = failure }
    }

    /// Notes the result of a write of an unsent item.
    mutating func noteUnsent(_ failure: RoostError?) {
        unsentRefusal = failure
    }
}

/// The catch-ups of channels that wait for their next attempts, with its moments.
package struct RestingCatchUps: Equatable, Codable, Sendable {
    private var moments: [ChannelURL: Timestamp] = [:]
    /// The moment of the earliest attempt; nil if none waits.
    private(set) var earliest: Timestamp?

    var count: Int { moments.count }

    func contains(_ channel: ChannelURL) -> Bool { moments[channel] != nil }

    mutating func begin(_ channel: ChannelURL, until moment: Timestamp) {
        moments[channel] = moment
        earliest = min(earliest ?? moment, moment)
    }

    mutating func end(_ channel: ChannelURL) {
        guard let moment = moments.removeValue(forKey: channel), moment == earliest else { return }
        earliest = moments.values.min()
    }
}
