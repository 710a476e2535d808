// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A switch that interrupts the work of connections, from any thread.
///
/// While it is raised, every statement on its connections ends with `isInterrupted` within
/// milliseconds, also during a wait for a lock, and a transaction is rolled back. It keeps no
/// reference to a connection, so it can be raised at any moment.
package final class Interrupter: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isRaised: Bool { flag.load(ordering: .acquiring) }

    package func raise() { flag.store(true, ordering: .releasing) }

    package func lower() { flag.store(false, ordering: .releasing) }
}

/// The state that SQLite's callbacks read about a connection's waiting.
final class BusyPolicy: Sendable {
    let interrupter: Interrupter
    private let busyTimeoutMS: Int32
    private let waitedMS = Atomic<Int32>(0)
    /// Below zero: the usual time.
    private let shortened = Atomic<Int32>(-1)
    /// Whether a transaction is being committed; a commit is not interrupted.
    private let isCommitting = Atomic(false)

    /// Instructions of SQLite's machine between two checks of the interrupter: some 20 µs.
    static let stride: Int32 = 1_000

    init(_ interrupter: Interrupter, busyTimeoutMS: Int32) {
        self.interrupter = interrupter
        self.busyTimeoutMS = busyTimeoutMS
    }

    /// Shortens waiting to a number of milliseconds from now on; nil restores the usual time.
    func shorten(to milliseconds: Int32?) {
        shortened.store(milliseconds ?? -1, ordering: .relaxed)
    }

    /// Whether the connection's work must end now.
    var isOver: Bool { interrupter.isRaised && !isCommitting.load(ordering: .relaxed) }

    /// Runs a commit, which no interruption ends.
    ///
    /// The index of words writes its pages during the commit, and an interruption there undoes the
    /// whole transaction. Afterwards such a commit could not be distinguished from one that was
    /// interrupted after its end.
    func committing<E>(_ body: () throws(E) -> Void) throws(E) {
        isCommitting.store(true, ordering: .relaxed)
        defer { isCommitting.store(false, ordering: .relaxed) }
        try body()
    }

    /// Waits a little for a lock; returns false when the time for it is over.
    func waits(try count: Int32) -> Bool {
        if count == 0 { waitedMS.store(0, ordering: .relaxed) }
        let limit = shortened.load(ordering: .relaxed)
        guard !isOver,
            waitedMS.load(ordering: .relaxed) < (limit < 0 ? busyTimeoutMS : limit)
        else {
            return false
        }
        // Short at first, because most transactions are short.
        let pauseMS = min(1 + count / 2, 10)
        var pause = timespec(tv_sec: 0, tv_nsec: Int(pauseMS) * 1_000_000)
        // SAFETY: the struct is read during the call.
        _ = unsafe nanosleep(&pause, nil)
        waitedMS.add(pauseMS, ordering: .relaxed)
        return true
    }
}

extension Connection {
    /// Lets SQLite call the policy while it works and while it waits.
    func installHandlers(_ policy: BusyPolicy) {
        let context = unsafe Unmanaged.passUnretained(policy).toOpaque()
        // SAFETY: the connection keeps the policy until its handle is closed; both callbacks run on
        // the thread that uses the connection.
        unsafe sqlite3_progress_handler(
            handle, BusyPolicy.stride,
            { context in
                guard let context = unsafe context else { return 0 }
                let policy = unsafe Unmanaged<BusyPolicy>.fromOpaque(context).takeUnretainedValue()
                return policy.isOver ? 1 : 0
            }, context)
        _ = unsafe sqlite3_busy_handler(
            handle,
            { context, count in
                guard let context = unsafe context else { return 0 }
                let policy = unsafe Unmanaged<BusyPolicy>.fromOpaque(context).takeUnretainedValue()
                return policy.waits(try: count) ? 1 : 0
            }, context)
    }
}
