// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// Standard output, in whole lines, whoever writes them.
package struct StandardOutput: Sendable {
    private let queue = DispatchQueue(label: "roost.stdout")

    package init() {}

    /// Writes a line and returns when the system has it; the reader may take its time.
    ///
    /// Returns false when nobody reads any more, or the system has no room for it.
    @discardableResult
    package func write(_ line: String) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Self.writeNow(line)) }
        }
    }

    /// As `write`, for programs that have nothing else to do meanwhile.
    @discardableResult
    package static func writeNow(_ line: String) -> Bool {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
            return true
        } catch {
            note(error)
            return false
        }
    }

    /// Whether something of the output is lost that somebody waits for, as on a full disk.
    ///
    /// It holds for the whole program: few commands look at every write, and none may end as if all of its
    /// output were there.
    package static var isIncomplete: Bool { hasFailed.withLock { $0 } }

    private static let hasFailed = Mutex(false)

    /// Says at once that output is lost, and once only; a reader that went away has all it wanted.
    private static func note(_ error: any Error) {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        if let cause, cause.domain == NSPOSIXErrorDomain, cause.code == Int(EPIPE) { return }
        let isFirst = hasFailed.withLock { hasFailed in
            defer { hasFailed = true }
            return !hasFailed
        }
        guard isFirst else { return }
        let reason = cause.map { ": \($0.localizedDescription)" } ?? ""
        StandardError.write(
            "\(ProcessInfo.processInfo.processName): The output cannot be written\(reason). What is there of it is incomplete: make "
                + "room, or name another place, and run the command again.")
    }
}

/// Standard error, for sentences.
package enum StandardError {
    /// Writes a line.
    package static func write(_ line: String) {
        // Nobody is left to be told when even this fails.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
