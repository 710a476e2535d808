// SPDX-License-Identifier: Apache-2.0

/// The timers of one actor: at most one of each kind.
///
/// A timer that was disarmed or armed anew while its firing was already on its way must not fire, so
/// each carries a number and has to be claimed.
struct Timers<Kind: Hashable & Sendable> {
    private var running: [Kind: (number: Int, task: Task<Void, Never>)] = [:]
    private var lastNumber = 0

    /// The longest wait.
    ///
    /// A clock's moment in 292 billion years is none, and adding to it ends the process.
    ///
    /// A timer that fires early finds its owner asking again.
    static var longest: Duration { .seconds(86_400) }

    /// Starts a timer; one of the same kind that still runs is disarmed.
    ///
    /// - Parameters:
    ///   - kind: What it is for.
    ///   - duration: How long it runs, kept within zero and `longest`.
    ///   - world: Whose clock it runs on.
    ///   - fire: Called once with the timer's number, to be claimed.
    mutating func arm(
        _ kind: Kind, for duration: Duration, in world: World,
        then fire: @escaping @Sendable (_ number: Int) async -> Void
    ) {
        disarm(kind)
        lastNumber += 1
        let number = lastNumber
        let duration = min(max(duration, .zero), Self.longest)
        let task = Task(executorPreference: world.executor) { [clock = world.clock] in
            // Cancelled means disarmed: nothing to report.
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            await fire(number)
        }
        running[kind] = (number, task)
    }

    mutating func disarm(_ kind: Kind) {
        running.removeValue(forKey: kind)?.task.cancel()
    }

    mutating func disarmAll() {
        for timer in running.values { timer.task.cancel() }
        running = [:]
    }

    /// Whether this firing is that of the timer that is armed now; it counts as fired then.
    mutating func claim(_ kind: Kind, _ number: Int) -> Bool {
        guard running[kind]?.number == number else { return false }
        running[kind] = nil
        return true
    }
}
