// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors

/// The numbers of transactions that no failover gives again.
///
/// A transaction that has changed nothing, or only tables without a log, has a number, too, but its
/// commit waits for no standby. A promoted standby that has never heard of the number gives it to
/// another transaction. Whoever has seen all changes up to that number would miss those of the other
/// transaction. A logged commit proves that the standbys have heard of all numbers up to its own.
package final class PostgresProof: Sendable {
    private enum Phase { case idle, proving, resting }

    private enum Turn {
        case done(Int64)
        case wait, prove
    }

    private struct State {
        var through: Int64 = 0
        var phase = Phase.idle
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let pool: PostgresPool
    /// The pause after a failed proof.
    ///
    /// Until its wait for the standbys is over, each proof holds a session.
    private let rest: Duration
    private let state = Guarded(State())

    package init(_ pool: PostgresPool, rest: Duration = .seconds(5)) {
        self.pool = pool
        self.rest = rest
    }

    /// Returns the number up to which no number is given again, at most the given one.
    ///
    /// The call waits for a commit, one for all callers. If the standbys do not confirm it within a
    /// second, the answer is the number of the last proof.
    package func through(_ number: Int64) async -> Int64 {
        // A caller waits for at most one proof of others; its own is of a higher number or fails.
        while true {
            switch turn(number) {
            case .done(let through): return through
            case .wait: await waitForProof()
            case .prove: end(await pool.commitMark())
            }
        }
    }

    private func turn(_ number: Int64) -> Turn {
        state.withLock { state in
            if number <= state.through { return .done(number) }
            switch state.phase {
            case .resting: return .done(state.through)
            case .proving: return .wait
            case .idle:
                state.phase = .proving
                return .prove
            }
        }
    }

    private func waitForProof() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                guard state.phase == .proving else { return true }
                state.waiters.append(waiter)
                return false
            }
            if isOver { waiter.resume() }
        }
    }

    private func end(_ number: Int64?) {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.phase = number == nil ? .resting : .idle
            state.through = max(state.through, number ?? 0)
            return state.waiters
        }
        if number == nil {
            Task { [pool, rest, state] in
                await pool.pause(rest)
                state.withLock { $0.phase = .idle }
            }
        }
        for waiter in waiters { waiter.resume() }
    }
}
