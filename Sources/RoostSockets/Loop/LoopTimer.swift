// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV

/// A restartable timer; costs one heap entry while it runs.
///
/// It lives until `close()`, so its action must not keep its owner alive.
@safe package final class LoopTimer: LoopHandle, @unchecked Sendable {
    private let action: @Sendable () -> Void
    private let onStop: (@Sendable () -> Void)?

    /// Makes a timer; `onStop` is called if the loop ends before `close()`.
    package init(
        on loop: EventLoop, onStop: (@Sendable () -> Void)? = nil,
        action: @escaping @Sendable () -> Void
    ) throws(SocketError) {
        self.action = action
        self.onStop = onStop
        // SAFETY: `handle` has the size of a timer.
        try unsafe super.init(on: loop, type: UV_TIMER) { loop, handle in
            unsafe uv_timer_init(loop, roost_uv_timer(handle))
        }
    }

    override func loopWillStop() {
        close()
        onStop?()
    }

    /// Starts the timer, which fires once after `delay`; replaces an earlier start.
    ///
    /// A closed timer does nothing.
    package func start(after delay: Duration) {
        guard let raw = unsafe raw else { return }
        let (seconds, attoseconds) = delay.components
        // Rounded up, so that a deadline may be late but never early. A day serves as no limit
        // here.
        let milliseconds =
            UInt64(clamping: min(max(seconds, 0), 86_400)) * 1_000
            + UInt64(clamping: max(attoseconds, 0) / 1_000_000_000_000_000) + 1
        // SAFETY: the handle is open, because `raw` is set. The clock is updated, because a turn
        // may have been long.
        unsafe uv_update_time(loop.loop)
        unsafe uv_timer_start(
            roost_uv_timer(raw),
            { handle in unsafe LoopHandle.owner(LoopTimer.self, of: handle)?.action() },
            milliseconds, 0)
    }

    /// The remaining time; zero if the timer was not started.
    var timeLeft: Duration {
        guard let raw = unsafe raw else { return .zero }
        // SAFETY: the handle is open, because `raw` is set. The clock is updated, as in `start`.
        unsafe uv_update_time(loop.loop)
        return unsafe .milliseconds(uv_timer_get_due_in(roost_uv_timer(raw)))
    }

    package func stop() {
        guard let raw = unsafe raw else { return }
        // SAFETY: the handle is open, because `raw` is set.
        unsafe uv_timer_stop(roost_uv_timer(raw))
    }
}
