// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// Standard output in whole lines, from any task.
package struct StandardOutput: Sendable {
    private let queue = DispatchQueue(label: "roost.stdout")
    private let whenLost: @Sendable () -> Void

    /// Creates the output.
    ///
    /// - Parameter whenLost: Called after each line that could not be written, so that one place
    ///   sees the end of the output and not every writer has to.
    package init(whenLost: @escaping @Sendable () -> Void = {}) {
        self.whenLost = whenLost
    }

    /// Writes a line and returns when the system has it; the reader may block the write.
    ///
    /// Returns false if the output is closed, or the system has no room for it.
    @discardableResult
    package func write(_ line: String) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { [whenLost] in
                let isWritten = Self.writeNow(line)
                if !isWritten { whenLost() }
                continuation.resume(returning: isWritten)
            }
        }
    }

    /// Writes like `write`, for programs without other work.
    @discardableResult
    package static func writeNow(_ line: String) -> Bool {
        guard let code = OutputDescriptor.standardOutput.put(line + "\n") else { return true }
        note(code)
        return false
    }

    /// Whether a part of the output is lost, as on a full disk; a closed output does not count.
    ///
    /// It holds for the whole program: few commands check every write, and none may end as if its
    /// output were complete.
    package static var isIncomplete: Bool { hasFailed.withLock { $0 } }

    private static let hasFailed = Mutex(false)

    /// Reports lost output at once, and only once; a reader that closed the output has all it
    /// needs.
    private static func note(_ code: Int32) {
        if code == EPIPE { return }
        let isFirst = hasFailed.withLock { hasFailed in
            defer { hasFailed = true }
            return !hasFailed
        }
        guard isFirst else { return }
        let reason = OutputDescriptor.reason(of: code)
        StandardError.write(
            "\(ProcessInfo.processInfo.processName): The output cannot be written (\(reason)). It is "
                + "incomplete: make room, or name another place, and run the command again.")
    }
}

/// Standard error, for sentences.
package enum StandardError {
    /// Writes a line.
    package static func write(_ line: String) {
        // An error of standard error itself cannot be reported.
        _ = OutputDescriptor.standardError.put(line + "\n")
    }
}
