// SPDX-License-Identifier: Apache-2.0

import RoostWire

/// A place in the files of a check.
package struct HistoryPlace: Hashable, Comparable, Sendable {
    /// The number of the file, from zero, in the order in which the files were given.
    package var file: Int32
    /// The number of the line, from one.
    package var line: Int32

    package init(file: Int, line: Int) {
        self.file = Int32(clamping: file)
        self.line = Int32(clamping: line)
    }

    package static func < (one: Self, other: Self) -> Bool {
        (one.file, one.line) < (other.file, other.line)
    }
}

/// A line that is no line of a history.
package struct HistoryFault: Error, Hashable, Sendable {
    /// The number of the line, from one.
    package let line: Int
    package let message: String

    package init(line: Int, _ message: String) {
        self.line = line
        self.message = message
    }
}

/// The bytes of one file, taken in parts and given to a judge line by line.
///
/// A part is read in place. Only a line that spans two parts is copied, so memory is bounded by the
/// longest line.
package struct HistoryReader {
    private let file: Int
    private let limit: Int
    private var partial: [UInt8] = []
    private var lineCount = 0
    /// Whether the file has a line of a history.
    private var isJudged = false

    /// - Parameters:
    ///   - file: The number of the file, from zero.
    ///   - limit: The most bytes of a line.
    package init(file: Int, limit: Int = HistoryLimits.lineBytes) {
        self.file = file
        self.limit = limit
    }

    /// Takes the next bytes of the file.
    ///
    /// - Throws: The first line that is too long, or that the judge cannot read.
    package mutating func take(
        _ bytes: [UInt8], to judge: inout HistoryJudge
    ) throws(HistoryFault) {
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if partial.isEmpty {
                try check(end - start)
                try judgeLine(bytes, start..<end, &judge)
            } else {
                try check(partial.count + end - start)
                partial += bytes[start..<end]
                let line = partial
                partial = []
                try judgeLine(line, 0..<line.count, &judge)
            }
            start = end + 1
        }
        try check(partial.count + bytes.count - start)
        partial += bytes[start...]
    }

    /// Ends the file, whose last line may lack its end.
    ///
    /// - Returns: The number of a last line that is torn, as a killed process leaves it; nil if there
    ///   is none.
    /// - Throws: An error for a last line out of order, and for a file without any line: nothing of
    ///   it was judged.
    package mutating func finish(to judge: inout HistoryJudge) throws(HistoryFault) -> Int? {
        let bytes = partial
        partial = []
        if bytes.contains(where: { $0 > 0x20 }) {
            if let line = try? Self.line(bytes, 0..<bytes.count) {
                try take(line, &judge)
            } else if isJudged {
                return lineCount + 1
            }
        }
        guard isJudged else {
            throw HistoryFault(
                line: 1,
                "The file has no line of a history: give one that roost client --history wrote.")
        }
        return nil
    }

    private func check(_ count: Int) throws(HistoryFault) {
        guard count <= limit else {
            throw HistoryFault(
                line: lineCount + 1, "The line is longer than \(limit) bytes.")
        }
    }

    private mutating func judgeLine(
        _ bytes: [UInt8], _ range: Range<Int>, _ judge: inout HistoryJudge
    ) throws(HistoryFault) {
        // An empty line says nothing.
        guard bytes[range].contains(where: { $0 > 0x20 }) else {
            lineCount += 1
            return
        }
        let line: HistoryLine
        do throws(WireError) {
            line = try Self.line(bytes, range)
        } catch {
            throw HistoryFault(line: lineCount + 1, error.sentence(from: range.lowerBound))
        }
        try take(line, &judge)
    }

    private mutating func take(
        _ line: HistoryLine, _ judge: inout HistoryJudge
    ) throws(HistoryFault) {
        lineCount += 1
        isJudged = true
        try judge.take(line, at: HistoryPlace(file: file, line: lineCount))
    }

    private static func line(
        _ bytes: [UInt8], _ range: Range<Int>
    ) throws(WireError) -> HistoryLine {
        var reader = try JSONReader(bytes: bytes, range: range)
        return try HistoryLine(&reader)
    }
}

extension WireError {
    /// The error with its place in the line.
    fileprivate func sentence(from start: Int) -> String {
        let place = path.isEmpty ? "" : "\(path), "
        return "\(message) (\(place)byte \(max(0, offset - start)) of the line)"
    }
}
