// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

/// When the log is carried over into the file: each time it has grown by so many pages.
///
/// SQLite's own rule, past so many pages after every commit, has a flaw. While readers overlap the log
/// cannot be begun anew, so it stays long, and from then on each commit writes to the file and waits for
/// the disk twice more.
final class LogPace {
    /// How many pages may be in the log, were all commits like the next.
    var stride: Int32 = 1_000
    /// What the log has grown by since it was carried over, in strides: each commit's pages count by the
    /// stride that held for it, so that a single message between pages of history does not cut theirs short.
    private var strides = 0.0
    /// Pages in the log after the last commit.
    private(set) var last: Int32 = 0

    /// Whether it is time, now that a commit has left so many pages in the log.
    func isDue(at pages: Int32) -> Bool {
        let isBegunAnew = pages < last
        if isBegunAnew { strides = 0 }
        strides += Double(isBegunAnew ? pages : pages - last) / Double(stride)
        last = pages
        return strides >= 1
    }

    /// Notes how far the log was carried over: `carried` of its `pages`.
    ///
    /// A reader may have stood in the way. What is left then is tried again after a quarter of the stride:
    /// at each commit would cost two waits for the disk each time, as long as the reader stays.
    func note(carried: Int32, of pages: Int32) {
        strides = carried >= pages ? 0 : 0.75
    }

    /// Carries the log of a connection over.
    ///
    /// A failure loses nothing: all of it is still in the log, and comes with a later try.
    func carryOver(_ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?) {
        var carried: Int32 = -1
        // SAFETY: whoever calls has the connection, and the name lives as long as the call.
        _ = unsafe sqlite3_wal_checkpoint_v2(
            handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, &carried)
        note(carried: carried, of: last)
    }
}

extension Connection {
    /// Sets by how many pages the log may grow before a commit carries them over into the file.
    ///
    /// A short log makes single commits fast, a long one bulk loads: a page that changes ten times is
    /// carried over once.
    package func carryOver(every pages: Int32) { pace.stride = pages }

    /// Carries the log over into the file, as far as no reader stands in the way.
    package func carryOverNow() { unsafe pace.carryOver(handle, nil) }

    /// Pages that the log had after this connection's last commit.
    package var logPages: Int { Int(pace.last) }

    /// Lets `pace` decide instead of SQLite.
    func keep(_ pace: LogPace) {
        let context = unsafe Unmanaged.passUnretained(pace).toOpaque()
        // SAFETY: the connection keeps `pace` until its handle is closed; the callback runs on the thread
        // that uses the connection.
        _ = unsafe sqlite3_wal_hook(
            handle,
            { context, handle, name, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                let pace = unsafe Unmanaged<LogPace>.fromOpaque(context).takeUnretainedValue()
                if pace.isDue(at: pages) { unsafe pace.carryOver(handle, name) }
                return SQLITE_OK
            }, context)
    }
}
