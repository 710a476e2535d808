// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import Testing

/// The decision on the calls of connection delegates, which both doors share.
struct ConnectionStepTests {
    private static let error = RoostError(.networkError, remedy: .retry, message: "down")
    private static let states: [ConnectionState] = [
        .disconnected, .connecting, .connected, .reconnecting(error), .refused(error),
    ]

    /// The steps from the state of a row to the states in the order of `states`.
    private static let steps: [(from: ConnectionState, steps: [ConnectionStep?])] = [
        (.disconnected, [nil, nil, .connected, .lost, .refused]),
        (.connecting, [.disconnected, nil, .connected, .lost, .refused]),
        (.connected, [.disconnected, nil, nil, .lost, .givenUp]),
        (.reconnecting(error), [.disconnected, nil, .regained, nil, .givenUp]),
        (.refused(error), [.disconnected, nil, .connected, .lost, .refused]),
    ]

    @Test
    func `a loss comes before each regained connection, and no end before a beginning (scar 130)`()
    {
        for row in Self.steps {
            for (state, step) in zip(Self.states, row.steps) {
                #expect(
                    ConnectionStep(from: row.from, to: state) == step,
                    "\(row.from.name) to \(state.name)")
            }
        }
    }
}
