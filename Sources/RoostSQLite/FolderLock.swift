// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A lock on a folder, held by many users of its files or by one who replaces them, while it lives.
///
/// SQLite's own locks order what is read and written; this one keeps files from being moved, migrated
/// or deleted below somebody who has them open. The system drops it with the process, so a crash leaves
/// none behind.
package struct FolderLock: ~Copyable, Sendable {
    package enum Mode: Hashable, Sendable {
        /// Beside any number of others of this kind.
        case shared
        /// Beside nobody.
        case exclusive
    }

    private let descriptor: Int32
    private let path: String

    /// Between two tries; the system's own waiting has no end that we could set.
    private static let pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - path: Made when it is not there, and never deleted.
    ///   - mode: Who else may hold it.
    ///   - patience: How long the calling thread waits for others to let go.
    /// - Throws: `isTaken` when they did not; other codes when the file cannot be made.
    package init(
        file path: String, _ mode: Mode = .exclusive, patience: Duration = .zero
    ) throws(FileError) {
        // SAFETY: the path is lent for the call.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(action: "open \(path)") }
        do throws(FileError) {
            try Self.take(mode, descriptor, path, patience)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Trades the lock for one of the other kind; others can hold it in between.
    ///
    /// - Throws: As `init`; then the lock is gone.
    package consuming func changed(
        to mode: Mode, patience: Duration = .zero
    ) throws(FileError) -> FolderLock {
        // Two who hold a share and wait for the whole would wait for each other.
        _ = flock(descriptor, LOCK_UN)
        try Self.take(mode, descriptor, path, patience)
        return self
    }

    private static func take(
        _ mode: Mode, _ descriptor: Int32, _ path: String, _ patience: Duration
    ) throws(FileError) {
        let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
        let deadline = ContinuousClock.now + patience
        while flock(descriptor, operation) != 0 {
            let error = FileError(action: "lock \(path)")
            guard error.isTaken || error.code == EINTR, ContinuousClock.now < deadline else {
                throw error
            }
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
    /// Somebody else holds the lock.
    package var isTaken: Bool { code == EWOULDBLOCK }
    /// A folder of the path is missing.
    package var isNotThere: Bool { code == ENOENT }
}
