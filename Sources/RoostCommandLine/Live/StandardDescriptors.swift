// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The numbers of the standard streams.
enum StandardDescriptors {
    /// Keeps the numbers of closed streams from files that the program opens later.
    ///
    /// Otherwise such a file would be read as input, or get the output. Afterwards a closed stream
    /// still refuses each read and write.
    static func reserve() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 {
            // SAFETY: the path is valid during the call, which takes the lowest free number.
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
