// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The refusal of a call by the system.
struct SystemError: Error, Hashable {
    let code: Int32

    init(code: Int32) { self.code = code }

    /// Asks the system for a folder's content; nil if it can be read.
    init?(reading folder: String) {
        // SAFETY: the path is valid during the call.
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        code = errno
    }

    /// Whether a path leads to no folder.
    var isAbsence: Bool { code == ENOENT || code == ENOTDIR }

    /// The reason in the system's words.
    var reason: String {
        // SAFETY: the system's text is copied at once.
        unsafe String(cString: strerror(code))
    }
}
