// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

@testable import RoostSimulator

/// The checks of a reported health find what they are for.
struct HealthInvariantsTests {
    private static var rest: Health {
        var health = Health()
        health.connection.state = .connected
        health.catchUp.channelList = .current
        return health
    }

    private static func waiting(_ wait: Health.Wait?) -> Health {
        var health = rest
        health.outbox.pending = 1
        health.outbox.oldest = Health.Unsent(
            id: "r", channel: "c", isChange: false, createdAt: Timestamp(milliseconds: 1),
            wait: wait)
        return health
    }

    @Test func `a message without a reason to wait may be kept for a minute`() throws {
        var checks = HealthInvariants(device: "d")
        try checks.follow(Self.waiting(nil), at: .seconds(1))
        try checks.follow(Self.waiting(nil), at: .seconds(61))
        #expect(throws: Violation.self) {
            try checks.follow(Self.waiting(nil), at: .seconds(62))
        }
        checks.restart()
        try checks.follow(Self.waiting(nil), at: .seconds(63))
        try checks.follow(Self.waiting(.answer), at: .seconds(100))
        try checks.follow(Self.waiting(nil), at: .seconds(160))
        try checks.follow(Self.waiting(nil), at: .seconds(220))
    }

    @Test func `the moment of a next attempt may not stay for longer than any wait`() throws {
        let wait = Health.Wait.retry(at: Timestamp(milliseconds: 5))
        var checks = HealthInvariants(device: "d")
        try checks.follow(Self.waiting(wait), at: .seconds(0))
        try checks.follow(Self.waiting(wait), at: .seconds(90))
        #expect(throws: Violation.self) {
            try checks.follow(Self.waiting(wait), at: .seconds(91))
        }
        var offline = HealthInvariants(device: "d")
        var health = Health()
        health.connection.nextAttempt = Timestamp(milliseconds: 7)
        try offline.follow(health, at: .seconds(0))
        #expect(throws: Violation.self) { try offline.follow(health, at: .seconds(91)) }
    }

    @Test func `a client at rest is settled, apart from what waits for its user`() throws {
        let checks = HealthInvariants(device: "d")
        try checks.checkRest(Self.rest)
        try checks.checkRest(Self.waiting(.user))
        try checks.checkRest(Self.waiting(.arrival("gone")))
        for wait: Health.Wait? in [nil, .answer, .catchUp] {
            #expect(throws: Violation.self) { try checks.checkRest(Self.waiting(wait)) }
        }
        var lost = Self.rest
        lost.outbox.pending = 1
        #expect(throws: Violation.self) { try checks.checkRest(lost) }
        var behind = Self.rest
        behind.catchUp.running = 1
        #expect(throws: Violation.self) { try checks.checkRest(behind) }
    }
}
