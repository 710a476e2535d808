// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The refusal of a call by the system.
struct SystemError: Error, Hashable {
    let code: Int32

    /// Opens a folder for reading and closes it again.
    ///
    /// - Returns: The refusal of the system; nil if it lets the folder be read.
    static func ofOpening(folder: String) -> SystemError? {
        // SAFETY: the path is valid during the call.
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return SystemError(code: errno) }
        close(descriptor)
        return nil
    }

    /// Whether a path leads to no folder.
    var isAbsence: Bool { code == ENOENT || code == ENOTDIR }

    /// The reason in the system's words.
    var reason: String {
        // SAFETY: the system's text is copied at once.
        unsafe String(cString: strerror(code))
    }
}
