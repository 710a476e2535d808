// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RoostCommandLine

/// Standard input, line by line.
///
/// The blocking read happens on a queue of its own and only on demand. So a script that writes
/// faster than its requests are served is held up by the pipe, and memory does not grow.
actor StandardInput {
    private let queue = DispatchQueue(label: "roost.stdin")
    private var splitter = LineSplitter()
    private var lines: [LineSplitter.Line] = []
    private var hasEnded = false

    /// Returns the next line; nil at the end of input.
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
