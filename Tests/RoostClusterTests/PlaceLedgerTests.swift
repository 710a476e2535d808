// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import Testing

@testable import RoostCluster

struct PlaceLedgerTests {
    private static let parent = MessageID(1)
    private static let name = MessageName(channel: "g", message: parent)

    private static func place(_ sequence: Int64, by change: Int64, era: String = "") -> LogPlace {
        LogPlace(
            channel: "g", sequence: sequence, first: sequence, change: change, previousChange: 0,
            era: era)
    }

    @Test func `each reply of a batch has its own place`() {
        let places = PlaceLedger()
        for number in 1...2 {
            places.noteThread(Self.parent, Self.place(Int64(number), by: 9))
        }
        let taken = (0..<3).map { _ in places.takeThread(of: Self.name)?.sequence }
        #expect(taken == [1, 2, nil])
    }

    @Test func `the place of a batch that failed for good is not that of a later notice`() {
        let places = PlaceLedger()
        places.noteThread(Self.parent, Self.place(5, by: 1))
        places.noteThread(Self.parent, Self.place(7, by: 2))
        #expect(places.takeThread(of: Self.name)?.sequence == 7)
        places.noteThread(Self.parent, Self.place(8, by: 3, era: "a"))
        places.noteThread(Self.parent, Self.place(9, by: 3, era: "b"))
        #expect(places.takeThread(of: Self.name)?.sequence == 9)
        #expect(places.takeThread(of: Self.name) == nil)
    }
}
