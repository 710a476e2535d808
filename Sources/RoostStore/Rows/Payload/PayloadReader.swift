// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

/// The reason why a payload could not be read; a payload is read fully or not at all.
package enum PayloadError: Error, Hashable, Sendable {
    /// The payload ends before its last field.
    case truncated
    /// The payload has bytes after its last field.
    case trailingBytes
    /// A later release wrote the payload.
    case version(UInt8)
    /// A number, tag or count that no release writes.
    case invalid

    /// Whether a later release probably wrote the payload.
    ///
    /// Versions count up by one, so a number far beyond the present one is damage.
    var isOfLaterRelease: Bool {
        guard case .version(let version) = self else { return false }
        return (1...Self.lastPlausibleVersion).contains(version)
    }

    /// Far more versions than expected.
    static let lastPlausibleVersion: UInt8 = 32

    /// Returns the error to report about a stored value.
    func asSQLiteError(reading what: String) -> SQLiteError {
        let reason =
            switch self {
            case .truncated: "its payload ends too early"
            case .trailingBytes: "its payload has surplus bytes"
            case .version(let version): "its payload has the unknown version \(version)"
            case .invalid: "its payload is garbled"
            }
        return .malformed(what, because: reason)
    }
}

/// A reader's place in a payload; the bytes are passed to each step.
///
/// For any bytes, reading ends with a value or an error: every length is compared with the rest
/// before memory is allocated.
package struct PayloadReader {
    private(set) var offset = 0

    package init() {}

    mutating func byte(_ bytes: Span<UInt8>) throws(PayloadError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func number(_ bytes: Span<UInt8>) throws(PayloadError) -> UInt64 {
        if offset < bytes.count, bytes[offset] < 0x80 {
            defer { offset += 1 }
            return UInt64(bytes[offset])
        }
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte(bytes)
            // The tenth group has room for one bit.
            guard shift < 63 || (shift == 63 && byte <= 1) else { throw .invalid }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    mutating func signed(_ bytes: Span<UInt8>) throws(PayloadError) -> Int64 {
        let value = try number(bytes)
        return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
    }

    /// Skips bytes that the caller has checked to be there.
    mutating func skip(_ count: Int) { offset += count }

    /// Reads a count of elements that each take one byte or more.
    mutating func count(_ bytes: Span<UInt8>) throws(PayloadError) -> Int {
        guard let count = Int(exactly: try number(bytes)), count <= bytes.count - offset else {
            throw .truncated
        }
        return count
    }

    mutating func text(_ bytes: Span<UInt8>) throws(PayloadError) -> String {
        let count = try count(bytes)
        if count == 0 { return "" }
        defer { offset += count }
        return bytes.text(in: offset..<(offset + count))
    }

    /// Skips the count of an empty list; returns false and reads nothing if the list is not empty.
    ///
    /// A generic function would take as long for this check as for reading a short text.
    mutating func isAtEmptyList(_ bytes: Span<UInt8>) -> Bool {
        guard offset < bytes.count, bytes[offset] == 0 else { return false }
        offset += 1
        return true
    }

    /// Reads the byte in front of an optional value.
    mutating func isPresent(_ bytes: Span<UInt8>) throws(PayloadError) -> Bool {
        switch try byte(bytes) {
        case 0: false
        case 1: true
        default: throw .invalid
        }
    }

    mutating func optional<T>(
        _ bytes: Span<UInt8>,
        _ read: (inout PayloadReader, Span<UInt8>) throws(PayloadError) -> T
    ) throws(PayloadError) -> T? {
        try isPresent(bytes) ? try read(&self, bytes) : nil
    }

    mutating func list<T>(
        _ bytes: Span<UInt8>,
        _ read: (inout PayloadReader, Span<UInt8>) throws(PayloadError) -> T
    ) throws(PayloadError) -> [T] {
        let count = try count(bytes)
        var values: [T] = []
        values.reserveCapacity(min(count, 1_024))
        for _ in 0..<count { values.append(try read(&self, bytes)) }
        return values
    }

    /// Reads the version at the beginning; throws `.version` for one beyond `newest`.
    @discardableResult
    package mutating func version(
        _ bytes: Span<UInt8>, newest: UInt8
    ) throws(PayloadError) -> UInt8 {
        let version = try byte(bytes)
        guard (1...newest).contains(version) else { throw .version(version) }
        return version
    }

    /// Checks that all bytes were read; called after the last field.
    package func finish(_ bytes: Span<UInt8>) throws(PayloadError) {
        guard offset == bytes.count else { throw .trailingBytes }
    }
}

extension PayloadReader {
    mutating func timestamp(_ bytes: Span<UInt8>) throws(PayloadError) -> Timestamp {
        Timestamp(milliseconds: try signed(bytes))
    }

    mutating func moment(_ bytes: Span<UInt8>) throws(PayloadError) -> Timestamp? {
        try isPresent(bytes) ? try timestamp(bytes) : nil
    }

    mutating func int(_ bytes: Span<UInt8>) throws(PayloadError) -> Int {
        Int(clamping: try signed(bytes))
    }

    mutating func optionalInt(_ bytes: Span<UInt8>) throws(PayloadError) -> Int? {
        try optional(bytes) { reader, bytes throws(PayloadError) in try reader.int(bytes) }
    }

    mutating func optionalText(_ bytes: Span<UInt8>) throws(PayloadError) -> String? {
        try optional(bytes) { reader, bytes throws(PayloadError) in try reader.text(bytes) }
    }

    mutating func texts(_ bytes: Span<UInt8>) throws(PayloadError) -> [String: String] {
        if isAtEmptyList(bytes) { return [:] }
        let entries = try list(bytes) { reader, bytes throws(PayloadError) in
            (key: try reader.text(bytes), value: try reader.text(bytes))
        }
        var texts: [String: String] = [:]
        for entry in entries { texts[entry.key] = entry.value }
        return texts
    }

    mutating func optionalUser(
        _ bytes: Span<UInt8>, _ user: (Int64) -> User
    ) throws(PayloadError) -> User? {
        try optional(bytes) { reader, bytes throws(PayloadError) in user(try reader.signed(bytes)) }
    }

    mutating func users(
        _ bytes: Span<UInt8>, _ user: (Int64) -> User
    ) throws(PayloadError) -> [User] {
        try list(bytes) { reader, bytes throws(PayloadError) in user(try reader.signed(bytes)) }
    }
}
