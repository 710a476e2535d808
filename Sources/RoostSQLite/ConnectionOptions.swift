// SPDX-License-Identifier: Apache-2.0

/// Where a database lies.
package enum DatabaseLocation: Hashable, Sendable {
    /// Nowhere: private to its connection, gone with it.
    case memory
    /// In the file of this path; its log and shared-memory file stand beside it.
    case file(String)
}

/// How a connection treats its database; every value is fixed at opening.
package struct ConnectionOptions: Hashable, Sendable {
    package enum Access: Hashable, Sendable {
        /// Reads and writes; makes the file when there is none.
        case readWrite
        /// Reads only, and does not make a file.
        case readOnly
    }

    package enum Durability: Hashable, Sendable {
        /// A crash of the process loses nothing; a loss of power may lose the last commits, whole ones.
        case processCrash
        /// A commit that has returned is on the disk.
        case powerLoss
    }

    package var access: Access
    package var durability: Durability
    /// How long to wait for another connection's lock before `isBusy`.
    ///
    /// Locks are held for one transaction; five seconds is a hundred slow ones.
    package var busyTimeoutMS: Int32
    /// Memory for pages of this connection: eight megabytes hold some 30,000 messages.
    package var pageCacheKiB: Int
    /// Overwrites what is deleted, which costs a write for each page freed.
    package var erasesDeleted: Bool
    /// Prepared statements kept; the store has about fifty, each of five to ten kilobytes.
    package var statementCapacity: Int
    /// How much of the file's beginning is asked of the disk at once when it is opened.
    package var readAheadKiB: Int

    package init(
        access: Access = .readWrite, durability: Durability = .processCrash,
        busyTimeoutMS: Int32 = 5_000, pageCacheKiB: Int = 8 * 1_024, erasesDeleted: Bool = false,
        statementCapacity: Int = 64, readAheadKiB: Int = 0
    ) {
        self.access = access
        self.durability = durability
        self.busyTimeoutMS = busyTimeoutMS
        self.pageCacheKiB = pageCacheKiB
        self.erasesDeleted = erasesDeleted
        self.statementCapacity = statementCapacity
        self.readAheadKiB = readAheadKiB
    }
}
