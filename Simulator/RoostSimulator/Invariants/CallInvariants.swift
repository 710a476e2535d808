// SPDX-License-Identifier: Apache-2.0

import RoostCore

/// The calls of an app: a connected client answers each within the engine's own limits, whatever the
/// network does.
struct CallInvariants {
    /// The longest time of a call while its client is connected: a call waits for its requests for
    /// eight seconds at most, and the creation of a channel for one second more.
    static let limit = InTime.timeLimit + .seconds(2)

    /// The time since which the client is connected without a break; nil while it is not.
    private var connectedSince: Duration?

    /// Notes whether the client is connected; called at each change.
    ///
    /// `now` is virtual time, which no clock of a device changes.
    mutating func follow(isConnected: Bool, at now: Duration) {
        connectedSince = isConnected ? connectedSince ?? now : nil
    }

    /// Checks a call that has just returned, or has not returned yet.
    func check(_ name: String, since: Duration, at now: Duration) throws(Violation) {
        guard let connectedSince else { return }
        let waited = now - max(since, connectedSince)
        try expect(
            waited <= Self.limit,
            "\(name) is not answered for \(waited), although the client is connected")
    }
}
