// SPDX-License-Identifier: Apache-2.0

/// The place of a database.
package enum DatabaseLocation: Equatable, Sendable {
    /// In memory, private to its connection.
    case memory
    /// In the file at this path, with its log and shared-memory file beside it.
    case file(String)
}

/// The settings of a connection, fixed at opening.
package struct ConnectionOptions: Equatable, Sendable {
    package enum Access: Equatable, Sendable {
        /// Reads and writes; makes the file if there is none.
        case readWrite
        /// Reads only, and does not make a file.
        case readOnly
    }

    package enum Durability: Equatable, Sendable {
        /// A crash of the process loses nothing; a loss of power may lose the last commits, as
        /// wholes.
        case processCrash
        /// A commit that has returned is on the disk.
        case powerLoss
    }

    package var access: Access
    package var durability: Durability
    /// The number in the header by which the caller recognises its files.
    ///
    /// A database with another number keeps its journal and its rights. Nil for any database.
    package var applicationID: Int32?
    /// The longest wait for another connection's lock before `isBusy`.
    ///
    /// Locks are held for one transaction; five seconds is a hundred slow ones.
    package var busyTimeoutMS: Int32
    /// The size of this connection's page cache: eight megabytes hold some 30,000 messages.
    package var pageCacheKiB: Int
    /// Whether deleted content is overwritten, which costs a write for each freed page.
    package var erasesDeleted: Bool
    /// The number of cached prepared statements; the store has about fifty, each of five to ten
    /// kilobytes.
    package var statementCapacity: Int
    /// The part of the file that is read from the disk at once when it is opened.
    package var readAheadKiB: Int

    package init(
        access: Access = .readWrite, durability: Durability = .processCrash,
        applicationID: Int32? = nil, busyTimeoutMS: Int32 = 5_000, pageCacheKiB: Int = 8 * 1_024,
        erasesDeleted: Bool = false,
        statementCapacity: Int = 64, readAheadKiB: Int = 0
    ) {
        self.access = access
        self.durability = durability
        self.applicationID = applicationID
        self.busyTimeoutMS = busyTimeoutMS
        self.pageCacheKiB = pageCacheKiB
        self.erasesDeleted = erasesDeleted
        self.statementCapacity = statementCapacity
        self.readAheadKiB = readAheadKiB
    }
}
