// SPDX-License-Identifier: Apache-2.0

/// The faults that a server makes on purpose: rates of kinds, and single faults by their place.
package struct ChaosPlan: Equatable, Sendable {
    /// A fault at a fixed place.
    package struct FixedFault: Hashable, Sendable {
        package var kind: ChaosKind
        /// The user; nil for each user, and empty for the unknown one.
        package var user: String?
        /// The number of the occasion among those of its kind and user, from 1.
        package var place: Int

        package init(_ kind: ChaosKind, user: String? = nil, nth place: Int) {
            self.kind = kind
            self.user = user
            self.place = place
        }
    }

    package var seed: UInt64
    /// The share of occasions with a fault, by kind; a kind without a rate has none.
    package var rates: [ChaosKind: Double] = [:]
    package var faults: Set<FixedFault> = []
    /// The number of faults of a user after which the server makes none for this user; nil for no
    /// end.
    package var most: Int?
    /// The time of late acknowledgements and slow pages, in milliseconds.
    package var delayMS: ClosedRange<Int64> = 100...3_000
    /// The time by which a clock is behind, in milliseconds.
    package var stepMS: ClosedRange<Int64> = 1_000...600_000
    /// The pause that a busy server asks for, in seconds.
    package var busySeconds: ClosedRange<Int64> = 1...3

    /// Creates a plan without faults.
    package init(seed: UInt64) { self.seed = seed }

    /// Returns the plan of a seed alone: every kind at its standard rate.
    package static func standard(seed: UInt64) -> ChaosPlan {
        var plan = ChaosPlan(seed: seed)
        for kind in ChaosKind.allCases { plan.rates[kind] = kind.standardRate }
        return plan
    }

    // MARK: Bounds

    /// The seeds that every reader of JSON reads exactly.
    package static let seeds: ClosedRange<Int64> = 0...9_007_199_254_740_991
    /// The places of fixed faults; a test that needs more is no test.
    package static let places: ClosedRange<Int64> = 1...1_000_000
    /// The most fixed faults of a plan.
    package static let faultLimit = 1_000
    /// The bytes of a user ID, as at the server.
    package static let userBytes = 256
    /// The delays: a client gives a request or a command up before a minute.
    package static let delays: ClosedRange<Int64> = 0...60_000
    /// The steps of clocks: the clocks of one service differ by an hour at most.
    package static let steps: ClosedRange<Int64> = 1...3_600_000
    package static let pauses: ClosedRange<Int64> = 1...60
    /// The bytes of a plan's file.
    package static let fileBytes = 1_048_576
}
