// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostCommandLine

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Standard input, line by line.
///
/// The blocking read happens on a queue of its own and only on demand. So a script that writes
/// faster than its requests are served is held up by the pipe, and memory does not grow.
actor StandardInput {
    private enum Part {
        case bytes([UInt8])
        case end
        case interruption
        case failure(SystemError)
    }

    private let queue = DispatchQueue(label: "roost.stdin")
    private let interruption = WakePipe()
    private var splitter = LineSplitter()
    private var lines: [LineSplitter.Line] = []
    private var hasEnded = false
    /// The failure that has ended the input.
    private(set) var failure: CommandFailure?

    /// Returns the next line; nil at the end of input.
    func next() async -> LineSplitter.Line? {
        while lines.isEmpty, !hasEnded {
            switch await part() {
            case .bytes(let bytes): lines = splitter.split(bytes)
            case .end:
                hasEnded = true
                if let last = splitter.finish() { lines.append(last) }
            case .interruption: hasEnded = true
            case .failure(let error):
                hasEnded = true
                failure = CommandFailure(ofInput: error)
            }
        }
        return lines.isEmpty ? nil : lines.removeFirst()
    }

    /// Ends the input in the middle, and with it a wait for its next line.
    nonisolated func end() { interruption.wake() }

    private func part() async -> Part {
        let interruption = interruption.descriptor
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Self.part(or: interruption)) }
        }
    }

    private static func part(or interruption: Int32) -> Part {
        let readable = Descriptors.readable([STDIN_FILENO, interruption], until: nil)
        guard !readable.contains(interruption) else { return .interruption }
        do throws(SystemError) {
            let bytes = try Descriptors.bytes(of: STDIN_FILENO)
            return bytes.isEmpty ? .end : .bytes(bytes)
        } catch {
            return .failure(error)
        }
    }
}

extension CommandFailure {
    fileprivate init(ofInput error: SystemError) {
        self.init(
            .storage,
            "Standard input cannot be read (\(error.reason)): give the requests in a file or through "
                + "a pipe.")
    }
}
