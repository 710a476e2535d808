// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension Style {
    /// The style for standard output: with colour if it is a terminal that has it.
    package static var standardOutput: Style {
        Style(
            isTerminal: isatty(STDOUT_FILENO) == 1,
            environment: ProcessInfo.processInfo.environment)
    }
}
