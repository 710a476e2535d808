// SPDX-License-Identifier: Apache-2.0

/// A time limit that has begun.
package struct Countdown: Sendable {
    private let end: ContinuousClock.Instant

    package init(_ limit: Duration) { end = ContinuousClock().now + limit }

    /// The remaining time, not below zero.
    package var remaining: Duration { max(.zero, ContinuousClock().now.duration(to: end)) }
    package var isOver: Bool { remaining == .zero }

    /// Waits, at most to the end of the limit.
    package func pause(_ duration: Duration) async {
        // A canceled pause is a short one.
        try? await Task.sleep(for: min(duration, remaining), clock: .continuous)
    }

    /// Returns the result of a call, nil if the limit is over first; the call is then canceled.
    package func bound<Value: Sendable>(
        _ call: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let limit = remaining
        return await withTaskGroup(of: Value?.self) { group in
            group.addTask { await call() }
            group.addTask {
                // Canceled by the result of the call.
                try? await Task.sleep(for: limit, clock: .continuous)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// Work that a cancellation of its caller does not reach.
enum Uncanceled {
    /// Does the work in a task of its own, and waits for its end.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        await Task.detached { await work() }.value
    }
}

/// A measurement of the time that a check takes.
struct Watch {
    private let start = ContinuousClock().now

    var elapsed: Duration { start.duration(to: ContinuousClock().now) }
}

/// Names that no other run has.
enum RunName {
    static func fresh() -> String { String(UInt64.random(in: 0...0xFFFF_FFFF_FFFF), radix: 36) }
}
