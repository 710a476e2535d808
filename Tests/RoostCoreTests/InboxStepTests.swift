// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

/// The next step of an inbox in one channel.
struct InboxStepTests {
    private typealias Script = MachineScript

    private static func range(_ lower: Int64, _ upper: Int64) -> CoveredRange {
        CoveredRange(lower: Script.position(lower), upper: Script.position(upper))
    }

    @Test func `a place behind the newest range is reached from that range`() {
        #expect(
            Self.step([Self.range(2, 5)], isCaughtUp: false) == .fetch(after: Script.position(5)))
        #expect(Self.step([Self.range(2, 5)]) == .rest)
    }

    @Test func `an end that the cache has lost is fetched again`() {
        #expect(
            Self.step([Self.range(5, 10)], liveEnd: Script.position(11))
                == .fetch(after: Script.position(10)))
    }

    /// Returns the step after message 10.
    private static func step(
        _ ranges: [CoveredRange], messages: [Int64] = [], isChecked: Bool = true,
        isCaughtUp: Bool = true, liveEnd: Position? = nil, isConnected: Bool = true
    ) -> InboxStep {
        let messages = messages.map { Script.message($0) }
        let extent = messages.last.map { last in
            CacheWindow.Extent(
                lower: messages.first?.position ?? .distantPast,
                upper: last.position ?? .distantFuture)
        }
        let coverage = Coverage(ranges)
        return InboxStep(
            CacheWindow(extent: extent, messages: messages, coverage: coverage, sequence: 1),
            after: Script.position(10), isChecked: isChecked,
            liveEnd: liveEnd ?? (isCaughtUp ? coverage.newest?.upper : nil),
            isConnected: isConnected)
    }

    @Test func `messages right after the place are handed over, also without a connection`() {
        let messages = [11, 12].map { Script.message($0) }
        for isConnected in [true, false] {
            #expect(
                Self.step(
                    [Self.range(5, 12)], messages: [11, 12], isCaughtUp: false,
                    isConnected: isConnected) == .hand(messages))
        }
    }

    @Test func `messages of an earlier connection are checked first`() {
        #expect(
            Self.step([Self.range(5, 12)], messages: [11, 12], isChecked: false) == .check)
        #expect(
            Self.step(
                [Self.range(5, 12)], messages: [11, 12], isChecked: false, isConnected: false)
                == .wait)
    }

    @Test func `messages behind a hole wait for the page after the covered end`() {
        let end = Script.position(10)
        #expect(
            Self.step([Self.range(5, 10), Self.range(20, 21)], messages: [20, 21])
                == .fetch(after: end))
        // The covered part ends later than the place, and has no message.
        #expect(
            Self.step([Self.range(5, 15), Self.range(20, 21)]) == .fetch(after: Script.position(15))
        )
        #expect(
            Self.step([Self.range(5, 10), Self.range(20, 21)], isConnected: false) == .wait)
    }

    @Test func `an uncovered place is fetched from there`() {
        #expect(Self.step([]) == .fetch(after: Script.position(10)))
        #expect(
            Self.step([Self.range(20, 21)], messages: [20]) == .fetch(after: Script.position(10)))
    }

    @Test func `the end of the newest range is the end only if the server has named it`() {
        #expect(Self.step([Self.range(5, 10)]) == .rest)
        #expect(Self.step([Self.range(5, 14)]) == .rest)
        #expect(
            Self.step([Self.range(5, 10)], isCaughtUp: false) == .fetch(after: Script.position(10)))
        #expect(
            Self.step([Self.range(5, 10)], isCaughtUp: false, isConnected: false) == .wait)
    }
}
