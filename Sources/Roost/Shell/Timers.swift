// SPDX-License-Identifier: Apache-2.0

/// The timers of one actor: at most one of each kind.
///
/// A timer may be disarmed or armed again while its firing is on the way. Such a firing must have
/// no effect, so each has a number and has to be claimed.
struct Timers<Kind: Hashable & Sendable> {
    private var running: [Kind: (number: Int, task: Task<Void, Never>)] = [:]
    private var lastNumber = 0

    /// The longest duration of a timer.
    ///
    /// Adding a duration of 292 billion years to a clock's instant would trap. The owner of a timer
    /// that fires early arms another one.
    static var longest: Duration { .seconds(86_400) }

    /// Starts a timer; a running timer of the same kind is disarmed.
    ///
    /// - Parameters:
    ///   - kind: The purpose of the timer.
    ///   - duration: The duration, limited to the range from zero to `longest`.
    ///   - world: The source of the clock.
    ///   - fire: The function to call once, with the timer's number to claim.
    mutating func arm(
        _ kind: Kind, for duration: Duration, in world: World,
        then fire: @escaping @Sendable (_ number: Int) async -> Void
    ) {
        disarm(kind)
        lastNumber += 1
        let number = lastNumber
        let duration = min(max(duration, .zero), Self.longest)
        let task = Task(executorPreference: world.executor) { [clock = world.clock] in
            // A cancelled sleep means that the timer was disarmed.
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

    /// Returns whether a firing is that of the armed timer, which then counts as fired.
    mutating func claim(_ kind: Kind, _ number: Int) -> Bool {
        guard running[kind]?.number == number else { return false }
        running[kind] = nil
        return true
    }
}
