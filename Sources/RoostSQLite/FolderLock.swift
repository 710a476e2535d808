// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Keeps a second owner out of a folder, in this process or another, while it lives.
///
/// SQLite lets two processes write by turns, but neither would hear of the other's changes. The system
/// drops the lock with the process, so a crash leaves none behind.
package struct FolderLock: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Throws: `isTaken` when somebody else holds it; other codes when the file cannot be made.
    package init(file path: String) throws(FileError) {
        // SAFETY: the path is lent for the call.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(action: "open \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = FileError(action: "lock \(path)")
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
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
}
