// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The first process of a container, which the system treats unlike any other.
enum FirstProcess {
    /// Lets a signal end this process if it is the first one of a container.
    ///
    /// The system does not deliver a signal to the first process that has no handler for it, so a
    /// stop during a slow start would wait until the system kills the process. A `SignalWatch`
    /// takes the place of this handler.
    static func endsWithSignals() {
        guard getpid() == 1 else { return }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // A shell gives this exit status to a process that a signal has ended.
            signal(number) { _exit(128 + $0) }
        }
    }
}
