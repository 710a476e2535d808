// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// Standard input, line by line.
///
/// The blocking read happens on a queue of its own and only when a line is asked for, so that a script
/// which writes faster than it is served is held up by the pipe and by nothing in memory.
actor StandardInput {
    private let queue = DispatchQueue(label: "roost.stdin")
    private var splitter = LineSplitter()
    private var lines: [LineSplitter.Line] = []
    private var hasEnded = false

    /// The next line; nil at the end of input.
    func next() async -> LineSplitter.Line? {
        while lines.isEmpty, !hasEnded {
            let bytes = await read()
            if bytes.isEmpty {
                hasEnded = true
                if let last = splitter.finish() { lines.append(last) }
            } else {
                lines = splitter.split(bytes)
            }
        }
        return lines.isEmpty ? nil : lines.removeFirst()
    }

    private func read() async -> Data {
        await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: FileHandle.standardInput.availableData)
            }
        }
    }
}

/// Standard output, in whole lines, whoever writes them.
struct StandardOutput: Sendable {
    private let queue = DispatchQueue(label: "roost.stdout")

    /// Writes a line and returns when the system has it; the reader may take its time.
    ///
    /// Returns false when nobody reads any more, or the system has no room for it.
    @discardableResult
    func write(_ line: String) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Self.writeNow(line)) }
        }
    }

    /// As `write`, for programs that have nothing else to do meanwhile.
    @discardableResult
    static func writeNow(_ line: String) -> Bool {
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
    static var isIncomplete: Bool { hasFailed.withLock { $0 } }

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
            "roost: The output cannot be written\(reason). What is there of it is incomplete: make "
                + "room, or name another place, and run the command again.")
    }
}

/// Standard error, for sentences.
enum StandardError {
    /// Says how far a cache has been brought up to date, which takes a while for a large one.
    static func tellOfMoving(_ done: Int, of total: Int) {
        write("roost: bringing the cache up to date, \(done) of \(total) messages")
    }

    static func write(_ line: String) {
        // Nobody is left to be told when even this fails.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
