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
    private var carriedAt: Int32 = 0
    /// Pages in the log after the last commit.
    private(set) var last: Int32 = 0

    /// Whether it is time, now that a commit has left so many pages in the log.
    func isDue(at pages: Int32) -> Bool {
        // It was begun anew.
        if pages < last { carriedAt = 0 }
        last = pages
        guard pages - carriedAt >= stride else { return false }
        carriedAt = pages
        return true
    }
}

extension Connection {
    /// Sets by how many pages the log may grow before a commit carries them over into the file.
    ///
    /// A short log makes single commits fast, a long one bulk loads: a page that changes ten times is
    /// carried over once.
    package func carryOver(every pages: Int32) { pace.stride = pages }

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
                if pace.isDue(at: pages) {
                    // What cannot be carried over now is still in the log, and comes with the next.
                    _ = unsafe sqlite3_wal_checkpoint_v2(
                        handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                }
                return SQLITE_OK
            }, context)
    }
}
