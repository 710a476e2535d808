// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The health that a client reports: it names a reason for every wait, and none at rest.
struct HealthInvariants {
    /// The longest time for which a connected client may keep a message without a reason, and for
    /// which a named moment may be over.
    private static let patience: (reason: Duration, moment: Duration) = (.seconds(60), .seconds(90))

    private let device: String
    /// The oldest message without a reason to wait, and the time since which it has none.
    private var unexplained: (id: RequestID, since: Duration)?
    /// The moments of next attempts, each with the time at which it was named.
    private var named: [Timestamp: Duration] = [:]

    init(device: String) { self.device = device }

    /// Forgets the waits, because the process was stopped or ended.
    mutating func restart() { (unexplained, named) = (nil, [:]) }

    /// Checks the health of a running client; called often.
    ///
    /// `now` is virtual time, which no clock of a device changes.
    mutating func follow(_ health: Health, at now: Duration) throws(Violation) {
        if health.connection.state == .connected, let oldest = health.outbox.oldest,
            oldest.wait == nil
        {
            let since = unexplained?.id == oldest.id ? unexplained?.since ?? now : now
            unexplained = (oldest.id, since)
            try expect(
                now - since <= Self.patience.reason,
                "\(device) is connected and keeps \(oldest.id) for no reason")
        } else {
            unexplained = nil
        }
        let moments = [
            health.connection.nextAttempt, health.catchUp.nextAttempt,
            health.outbox.oldest?.wait?.nextAttempt,
        ].compactMap { $0 }
        var present: [Timestamp: Duration] = [:]
        for moment in moments {
            let since = named[moment] ?? now
            present[moment] = since
            // No attempt is further away than the longest wait, which is about a minute.
            try expect(
                now - since <= Self.patience.moment,
                "\(device) still waits for the moment \(moment): \(health)")
        }
        named = present
    }

    /// Checks the health of a client that has had minutes to do everything.
    func checkRest(_ health: Health) throws(Violation) {
        var healthy = health
        switch health.outbox.oldest?.wait {
        // Changes of failed messages wait for their user, and those of messages that were given up on
        // their way for days.
        case .user, .arrival: healthy.outbox.pending = 0
        default: break
        }
        try expect(healthy.isSettled, "\(device) does not report that it rests: \(health)")
        try expect(
            (health.outbox.oldest == nil) == (health.outbox.pending == 0),
            "\(device) contradicts itself: \(health.outbox)")
    }
}
