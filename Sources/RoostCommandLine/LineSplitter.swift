// SPDX-License-Identifier: Apache-2.0

/// A splitter of a stream of bytes into lines.
///
/// A line longer than `limit` is dropped up to its end and reported as too long, so a stream
/// without line ends needs bounded memory.
package struct LineSplitter: Sendable {
    package enum Line: Equatable, Sendable {
        case text([UInt8])
        case tooLong
    }

    package let limit: Int
    private var partial: [UInt8] = []
    private var isSkipping = false

    /// - Parameter limit: The most bytes of a line; 1 MiB is far more than a message may have.
    package init(limit: Int = 1 << 20) {
        self.limit = limit
    }

    /// Takes the next bytes and returns the completed lines without their ends.
    package mutating func split(_ bytes: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(endLine())
            } else if !isSkipping {
                if partial.count < limit {
                    partial.append(byte)
                } else {
                    partial = []
                    isSkipping = true
                }
            }
        }
        return lines
    }

    /// Returns the last line of a stream if it has no end; otherwise nil.
    package mutating func finish() -> Line? {
        partial.isEmpty && !isSkipping ? nil : endLine()
    }

    private mutating func endLine() -> Line {
        defer { (partial, isSkipping) = ([], false) }
        if isSkipping { return .tooLong }
        if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
        return .text(partial)
    }
}
