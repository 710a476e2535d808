// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Ends from outside what connections are doing, and keeps them from beginning anything.
///
/// While it is raised, every statement on its connections ends with `isInterrupted`, those that run and
/// those that wait for a lock within milliseconds; a transaction is rolled back. It knows no connection,
/// so it can be raised at any moment of their lives.
package final class Interrupter: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isRaised: Bool { flag.load(ordering: .acquiring) }

    package func raise() { flag.store(true, ordering: .releasing) }

    package func lower() { flag.store(false, ordering: .releasing) }
}

/// What SQLite's callbacks are told about a connection's patience.
final class Patience: Sendable {
    let interrupter: Interrupter
    private let busyTimeoutMS: Int32
    private let waitedMS = Atomic<Int32>(0)
    /// Below zero: the usual time.
    private let shortened = Atomic<Int32>(-1)
    /// Whether a transaction is being committed: that is done to its end.
    private let isCommitting = Atomic(false)

    /// Instructions of SQLite's machine between two looks at the interrupter: some 20 µs.
    static let stride: Int32 = 1_000

    init(_ interrupter: Interrupter, busyTimeoutMS: Int32) {
        self.interrupter = interrupter
        self.busyTimeoutMS = busyTimeoutMS
    }

    /// Waits no longer than so many milliseconds from now on; nil: as long as usual.
    func shorten(to milliseconds: Int32?) {
        shortened.store(milliseconds ?? -1, ordering: .relaxed)
    }

    /// Whether the connection's work is to end now.
    var isOver: Bool { interrupter.isRaised && !isCommitting.load(ordering: .relaxed) }

    /// Runs a commit, which no interruption ends.
    ///
    /// The index of words writes its pages during the commit. An interruption there undoes all of the transaction,
    /// and afterwards nothing tells such a commit from one that was interrupted behind its end.
    func committing<E>(_ body: () throws(E) -> Void) throws(E) {
        isCommitting.store(true, ordering: .relaxed)
        defer { isCommitting.store(false, ordering: .relaxed) }
        try body()
    }

    /// Waits a little for somebody's lock; false when that is over.
    func waits(try count: Int32) -> Bool {
        if count == 0 { waitedMS.store(0, ordering: .relaxed) }
        let limit = shortened.load(ordering: .relaxed)
        guard !isOver,
            waitedMS.load(ordering: .relaxed) < (limit < 0 ? busyTimeoutMS : limit)
        else {
            return false
        }
        // Short at first, because most transactions are.
        let pauseMS = min(1 + count / 2, 10)
        var pause = timespec(tv_sec: 0, tv_nsec: Int(pauseMS) * 1_000_000)
        // SAFETY: the struct is read during the call.
        _ = unsafe nanosleep(&pause, nil)
        waitedMS.add(pauseMS, ordering: .relaxed)
        return true
    }
}

extension Connection {
    /// Lets SQLite ask `patience` while it works and while it waits.
    func heed(_ patience: Patience) {
        let context = unsafe Unmanaged.passUnretained(patience).toOpaque()
        // SAFETY: the connection keeps `patience` until its handle is closed; both callbacks run on the
        // thread that uses the connection.
        unsafe sqlite3_progress_handler(
            handle, Patience.stride,
            { context in
                guard let context = unsafe context else { return 0 }
                let patience = unsafe Unmanaged<Patience>.fromOpaque(context).takeUnretainedValue()
                return patience.isOver ? 1 : 0
            }, context)
        _ = unsafe sqlite3_busy_handler(
            handle,
            { context, count in
                guard let context = unsafe context else { return 0 }
                let patience = unsafe Unmanaged<Patience>.fromOpaque(context).takeUnretainedValue()
                return patience.waits(try: count) ? 1 : 0
            }, context)
    }
}
