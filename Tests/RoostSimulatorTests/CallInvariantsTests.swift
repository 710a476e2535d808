// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostSimulator

/// The check of an app's calls finds a call that takes too long.
struct CallInvariantsTests {
    @Test func `a call of a connected client may take ten seconds and no longer`() throws {
        var calls = CallInvariants()
        calls.follow(isConnected: true, at: .seconds(5))
        try calls.check("a call", since: .seconds(20), at: .seconds(30))
        #expect(throws: Violation.self) {
            try calls.check("a call", since: .seconds(20), at: .milliseconds(30_001))
        }
    }

    @Test func `time without a connection does not count`() throws {
        var calls = CallInvariants()
        try calls.check("a call", since: .zero, at: .seconds(200))
        calls.follow(isConnected: true, at: .seconds(200))
        calls.follow(isConnected: true, at: .seconds(205))
        try calls.check("a call", since: .zero, at: .seconds(210))
        calls.follow(isConnected: false, at: .seconds(210))
        calls.follow(isConnected: true, at: .seconds(211))
        try calls.check("a call", since: .zero, at: .seconds(221))
        #expect(throws: Violation.self) {
            try calls.check("a call", since: .zero, at: .milliseconds(221_001))
        }
    }
}
