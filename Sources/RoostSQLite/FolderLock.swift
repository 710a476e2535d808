// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A lock on a folder while it lives: shared by the users of its files, or exclusive to replace
/// them.
///
/// SQLite's own locks order reads and writes. This one prevents that files are moved, migrated or
/// deleted while another process has them open. The system drops it with the process, so a crash
/// leaves none.
package struct FolderLock: ~Copyable, Sendable {
    package enum Mode: Equatable, Sendable {
        /// Any number of others can hold it too.
        case shared
        /// No other can hold it.
        case exclusive
    }

    private let descriptor: Int32
    private let path: String

    /// The pause between two tries; the system's own waiting has no time limit.
    private static let pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - path: The lock's file, made if it is missing and never deleted; no file of a database,
    ///     because on Apple's systems the lock conflicts with those of SQLite.
    ///   - mode: Whether others may hold it too.
    ///   - patience: The longest wait of the calling thread for others.
    ///   - interrupter: Ends the wait while it is raised.
    ///   - owner: The owner of a file that is made; nil for this user.
    /// - Throws: `isTaken` if others kept it; other codes if the file cannot be made.
    package init(
        file path: String, _ mode: Mode = .exclusive, patience: Duration = .zero,
        interrupter: Interrupter? = nil, owner: FileOwner? = nil
    ) throws(FileError) {
        if let owner { try Self.make(path, for: owner) }
        // SAFETY: the path is lent for the call.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(action: "open \(path)") }
        do throws(FileError) {
            try Self.take(mode, descriptor, path, patience, interrupter)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Makes the lock's file for an owner, unless it is there already.
    private static func make(_ path: String, for owner: FileOwner) throws(FileError) {
        do throws(FileError) {
            try PlainFile(making: path).give(to: owner)
        } catch {
            guard error.code == EEXIST else { throw error }
        }
    }

    /// Trades the lock for one of the other kind; another owner can take it in between.
    ///
    /// - Throws: As `init`; then the lock is released.
    package consuming func changed(
        to mode: Mode, patience: Duration = .zero, interrupter: Interrupter? = nil
    ) throws(FileError) -> FolderLock {
        // Two shared owners that both wait to be exclusive would wait for each other.
        _ = flock(descriptor, LOCK_UN)
        try Self.take(mode, descriptor, path, patience, interrupter)
        return self
    }

    /// Trades the lock for one of the other kind, unless other owners keep theirs.
    ///
    /// - Returns: Whether the lock is of that kind now; if not, it is released, and the call may be
    ///   repeated.
    /// - Throws: Other codes than `isTaken`; then the lock is released.
    package func trade(
        for mode: Mode, patience: Duration, interrupter: Interrupter? = nil
    ) throws(FileError) -> Bool {
        _ = flock(descriptor, LOCK_UN)
        do throws(FileError) {
            try Self.take(mode, descriptor, path, patience, interrupter)
            return true
        } catch  where error.isTaken {
            return false
        }
    }

    private static func take(
        _ mode: Mode, _ descriptor: Int32, _ path: String, _ patience: Duration,
        _ interrupter: Interrupter?
    ) throws(FileError) {
        let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
        let deadline = LockDeadline(after: patience)
        while flock(descriptor, operation) != 0 {
            let error = FileError(action: "lock \(path)")
            guard error.isTaken || error.code == EINTR, !deadline.isOver,
                interrupter?.isRaised != true
            else { throw error }
            var pause = pause
            // SAFETY: the struct is read during the call.
            _ = unsafe nanosleep(&pause, nil)
        }
    }

    deinit {
        // A child that is being started holds a copy of the descriptor until it runs its own program;
        // unlocking frees the lock for all copies, closing would leave it to the last.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

extension FileError {
    /// Another owner holds the lock.
    package var isTaken: Bool { code == EWOULDBLOCK }
    /// A folder of the path is missing.
    package var isNotThere: Bool { code == ENOENT }
}
