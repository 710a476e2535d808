// SPDX-License-Identifier: Apache-2.0

// A fetch gets its error at once, and its page follows when there is a connection. The wait ends
// with a page in each missed direction, with the window, and with the client.

import Roost
import RoostDoors
import RoostExecutors
import SendBirdSDK

/// The pages of a window that failed for a passing reason, at most one in each direction (R183).
final class MissedPages: Sendable {
    private struct State {
        var directions: Set<SBSMMessageDirection> = []
        /// The wait for a connection; nil without a missed page.
        var wait: Task<Void, Never>?
        var isClosed = false

        /// Ends the wait without a page.
        mutating func end() {
            wait?.cancel()
            (directions, wait) = ([], nil)
        }
    }

    private let state = Guarded(State())

    func contains(_ direction: SBSMMessageDirection) -> Bool {
        state.withLock { $0.directions.contains(direction) }
    }

    /// Adds a page, and calls `fetch` now if there is a connection, and with each later connection
    /// until no page is missed.
    func insert(_ direction: SBSMMessageDirection, fetch: @escaping @Sendable () -> Void) {
        let client = SBDMain.door.capturedClient
        state.withLock { state in
            guard !state.isClosed else { return }
            state.directions.insert(direction)
            guard state.wait == nil else { return }
            state.wait = Task(executorPreference: SBDMain.door.world.executor) {
                guard let states = try? await client().connectionStates() else { return }
                for await case .connected in states { fetch() }
            }
        }
    }

    /// Removes a page that was fetched or refused.
    func remove(_ direction: SBSMMessageDirection) {
        state.withLock { state in
            state.directions.remove(direction)
            if state.directions.isEmpty { state.end() }
        }
    }

    /// Forgets all pages, because the window shows other messages.
    func forget() { state.withLock { $0.end() } }

    /// Forgets all pages, and takes no others.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.end()
        }
    }
}
