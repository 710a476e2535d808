// SPDX-License-Identifier: Apache-2.0

/// Received bytes that are not parsed yet, as lines and runs of bytes.
///
/// - Invariant: `start <= scanned <= bytes.count`, and there is no line feed in `start..<scanned`.
///   So each byte is scanned for a line's end once, however slowly the bytes arrive.
struct HTTPLineBuffer {
    private var bytes: [UInt8] = []
    private var start = 0
    private var scanned = 0

    var count: Int { bytes.count - start }

    mutating func append(_ more: Span<UInt8>) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            start = 0
            scanned = 0
        } else if start > 65_536 {
            bytes.removeSubrange(..<start)
            scanned -= start
            start = 0
        }
        // SAFETY: the bytes are valid during the call, which copies them; copying one by one takes
        // ten times as long.
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Returns the next line without its end; nil if it is incomplete.
    ///
    /// - Throws: `tooLong` as soon as the line exceeds its limit; 400 for a line feed or a carriage
    ///   return without the other, or a NUL, which two servers could read differently.
    mutating func line(
        limit: Int, tooLong: @autoclosure () -> HTTPRefusal
    ) throws(HTTPRefusal) -> ArraySlice<UInt8>? {
        guard let end = bytes[scanned...].firstIndex(of: 0x0A) else {
            scanned = bytes.count
            guard count <= limit + 1 else { throw tooLong() }
            return nil
        }
        guard end - start <= limit + 1 else { throw tooLong() }
        guard end > start, bytes[end - 1] == 0x0D else {
            throw HTTPRefusal(400, "Lines must end with a carriage return and a line feed.")
        }
        let line = bytes[start..<(end - 1)]
        guard !line.contains(where: { $0 == 0x0D || $0 == 0 }) else {
            throw HTTPRefusal(400, "A line holds a carriage return or a NUL.")
        }
        start = end + 1
        scanned = start
        return line
    }

    /// Returns up to `limit` bytes, as many as there are.
    mutating func take(upTo limit: Int) -> ArraySlice<UInt8> {
        let taken = bytes[start..<(start + min(limit, count))]
        start = taken.endIndex
        scanned = start
        return taken
    }
}
