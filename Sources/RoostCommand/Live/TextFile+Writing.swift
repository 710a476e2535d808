// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension TextFile {
    /// Writes a text to a file, which only its owner can read then, or to a pipe or a device.
    ///
    /// A link stays, and its target gets the text: no other file takes its place.
    ///
    /// - Returns: Whether the system has taken the whole text.
    static func write(_ text: String, to path: String) -> Bool {
        // SAFETY: the path is valid during the call.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var found = stat()
        // SAFETY: the structure is lent for the call.
        guard unsafe fstat(descriptor, &found) == 0 else { return false }
        if found.st_mode & S_IFMT == S_IFREG {
            // Before the text is in it: other users may have been able to read the file.
            guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
                return false
            }
        }
        return OutputDescriptor(descriptor).put(text) == nil
    }

    /// Whether a second text replaces the first one at a path; a pipe or a device would get both.
    ///
    /// A link counts as its target.
    static func mayBeRewritten(_ path: String) -> Bool {
        var found = stat()
        // SAFETY: the path is valid during the call, and the structure is lent for it.
        guard unsafe stat(path, &found) == 0 else { return true }
        return [S_IFREG, S_IFDIR].contains(found.st_mode & S_IFMT)
    }
}
