// SPDX-License-Identifier: Apache-2.0

/// A name that the server or the client gave to something; never empty, compared byte by byte.
public protocol Identifier: RawRepresentable<String>, Hashable, Codable, Comparable, Sendable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    /// Wraps a name as it stands on the wire.
    init(_ rawValue: String)
}

extension Identifier {
    public init(rawValue: String) { self.init(rawValue) }
    public init(stringLiteral value: String) { self.init(value) }
    public var description: String { rawValue }

    // A `String` counts "é" and "e" with an accent as equal; a server and a database do not.

    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.isSameBytes(as: right.rawValue)
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        // SAFETY: the hasher reads the bytes during the call.
        text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// Whether the two have the same bytes; by far most names are stored contiguously.
    fileprivate func isSameBytes(as other: String) -> Bool {
        let (left, right) = (utf8, other.utf8)
        guard left.count == right.count else { return false }
        let isSame = unsafe left.withContiguousStorageIfAvailable { left in
            unsafe right.withContiguousStorageIfAvailable { right in
                // SAFETY: both buffers are lent for the call and equally long.
                unsafe UnsafeRawBufferPointer(left).isSame(as: UnsafeRawBufferPointer(right))
            }
        }
        return (isSame ?? nil) ?? left.elementsEqual(right)
    }
}

extension UnsafeRawBufferPointer {
    /// Compares with a buffer of the same length, eight bytes at a time.
    fileprivate func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + 8 <= count {
            // SAFETY: eight bytes from here on are there, in both.
            let (left, right) = unsafe (
                loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            guard left == right else { return false }
            offset += 8
        }
        while offset < count {
            // SAFETY: the byte is there, in both.
            guard unsafe self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}

/// Names a user within an application.
public struct UserID: Identifier {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Names a channel within an application; the protocol calls it `channel_url`.
public struct ChannelURL: Identifier {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Names one act of sending, for ever: made once by the sender, the same on every try.
///
/// The server stores a message under it once, however often it arrives (`docs/protocol` 2.3).
public struct RequestID: Identifier {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Names a message the server has accepted; unique in the application, growing within a channel.
public struct MessageID: RawRepresentable, Hashable, Codable, Comparable, Sendable,
    ExpressibleByIntegerLiteral, CustomStringConvertible
{
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
    public init(integerLiteral value: Int64) { self.rawValue = value }
    public var description: String { String(rawValue) }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
