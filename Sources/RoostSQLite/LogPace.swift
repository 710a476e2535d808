// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

/// When the log is carried over into the file: each time it has grown by so many pages.
///
/// SQLite's own rule, past so many pages after every commit, has a flaw. While readers overlap the log
/// cannot be begun anew, so it stays long, and from then on each commit writes to the file and waits for
/// the disk twice more.
final class LogPace {
    /// Pages between two times.
    var stride: Int32 = 1_000
    /// The length of the log from which the stride counts.
    private var carriedAt: Int32 = 0
    private var last: Int32 = 0

    /// Whether it is time, now that a commit has left so many pages in the log.
    func isDue(at pages: Int32) -> Bool {
        // It was begun anew.
        if pages < last { carriedAt = 0 }
        last = pages
        return pages - carriedAt >= stride
    }

    /// Notes how far the log was carried over: `carried` of its `pages`.
    ///
    /// A reader may have stood in the way. What is left then is tried again after a quarter of the stride:
    /// at each commit would cost two waits for the disk each time, as long as the reader stays.
    func note(carried: Int32, of pages: Int32) {
        carriedAt = carried >= pages ? pages : pages - stride + max(1, stride / 4)
    }
}

extension Connection {
    /// Sets by how many pages the log may grow before a commit carries them over into the file.
    ///
    /// A short log makes single commits fast, a long one bulk loads: a page that changes ten times is
    /// carried over once.
    package func carryOver(every pages: Int32) { pace.stride = pages }

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
                guard pace.isDue(at: pages) else { return SQLITE_OK }
                // A failure loses nothing: all of it is still in the log, and comes with the next try.
                var carried: Int32 = -1
                _ = unsafe sqlite3_wal_checkpoint_v2(
                    handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, &carried)
                pace.note(carried: carried, of: pages)
                return SQLITE_OK
            }, context)
    }
}
