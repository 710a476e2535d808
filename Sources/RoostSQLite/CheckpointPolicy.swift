// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

/// The checkpoint policy: a checkpoint each time the log has grown by a number of pages.
///
/// SQLite's own rule, a checkpoint after every commit beyond a length, has a flaw. While readers
/// overlap, the log cannot restart and stays long. From then on each commit writes to the file and
/// waits for the disk twice more.
final class CheckpointPolicy {
    /// The growth in pages between checkpoints, for commits like the next one.
    var stride: Int32 = 1_000
    /// The growth of the log since the last checkpoint, in strides.
    ///
    /// Each commit's pages count by the stride that held for it, so a single message between pages
    /// of history does not shorten their log.
    private var strides = 0.0
    /// The number of pages in the log after the last commit.
    private(set) var last: Int32 = 0

    /// Counts a commit that left `pages` in the log, and returns whether a checkpoint is due.
    func countCommit(leaving pages: Int32) -> Bool {
        // SQLite restarts the log at its beginning once a checkpoint has copied all of it.
        let hasRestarted = pages < last
        if hasRestarted { strides = 0 }
        strides += Double(hasRestarted ? pages : pages - last) / Double(stride)
        last = pages
        return strides >= 1
    }

    /// Notes the result of a checkpoint: the copied pages, of all pages in the log.
    ///
    /// A reader may have blocked the rest, which is tried again after a quarter of the stride. A
    /// try at each commit would wait for the disk twice each time, as long as the reader stays.
    func note(copied: Int32, of pages: Int32) {
        strides = copied >= pages ? 0 : 0.75
    }

    /// Runs a checkpoint.
    ///
    /// A failure loses nothing: the log still has all pages, and a later try copies them.
    func checkpoint(_ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?) {
        var copied: Int32 = -1
        // SAFETY: the caller has the connection, and the name lives as long as the call.
        _ = unsafe sqlite3_wal_checkpoint_v2(
            handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, &copied)
        note(copied: copied, of: last)
    }
}

extension Connection {
    /// Sets the growth of the log between two checkpoints.
    ///
    /// A short log makes single commits fast, a long one bulk loads: a page that changes ten times
    /// is copied once.
    package func checkpoint(every pages: Int32) { checkpoints.stride = pages }

    /// The number of pages in the log after this connection's last commit.
    package var logPages: Int { Int(checkpoints.last) }

    /// Replaces SQLite's own checkpoint policy by `checkpoints`.
    func keep(_ checkpoints: CheckpointPolicy) {
        let context = unsafe Unmanaged.passUnretained(checkpoints).toOpaque()
        // SAFETY: the connection keeps `checkpoints` until its handle is closed; the callback runs on
        // the thread that uses the connection.
        _ = unsafe sqlite3_wal_hook(
            handle,
            { context, handle, name, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                let checkpoints = unsafe Unmanaged<CheckpointPolicy>.fromOpaque(context)
                    .takeUnretainedValue()
                if checkpoints.countCommit(leaving: pages) {
                    unsafe checkpoints.checkpoint(handle, name)
                }
                return SQLITE_OK
            }, context)
    }
}
