// SPDX-License-Identifier: Apache-2.0

/// The virtual clock of a world; it stands still while there is work to do.
public struct TestClock: Clock {
    /// A moment of virtual time.
    public struct Instant: InstantProtocol {
        /// The virtual time since the story began.
        public let offset: Duration

        /// Returns the moment that is later by a duration.
        public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }

        /// Returns the time from this moment to another; negative if the other one is earlier.
        public func duration(to other: Self) -> Duration { other.offset - offset }

        /// Whether the first moment is earlier than the second.
        public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }

    private let executor: SimulatedExecutor

    init(_ executor: SimulatedExecutor) { self.executor = executor }

    /// The present moment.
    public var now: Instant { Instant(offset: executor.now) }

    /// Zero: virtual time knows no smallest step.
    public var minimumResolution: Duration { .zero }

    /// Waits until a moment of virtual time.
    ///
    /// - Parameters:
    ///   - deadline: The moment; an earlier one than now ends the wait at once.
    ///   - tolerance: Has no effect: the wait ends at the very moment.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await executor.sleep(for: deadline.offset - executor.now)
    }
}
