// SPDX-License-Identifier: Apache-2.0

/// A name that the server or the client gives to an object; never empty, compared byte by byte.
public protocol Identifier: RawRepresentable<String>, Hashable, Codable, Comparable, Sendable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    /// Creates an identifier from its text on the wire.
    init(_ rawValue: String)
}

extension Identifier {
    /// Creates an identifier from its text on the wire.
    public init(rawValue: String) { self.init(rawValue) }
    /// Creates an identifier from a literal.
    public init(stringLiteral value: String) { self.init(value) }
    /// The text on the wire.
    public var description: String { rawValue }

    // `String` treats "é" and "e" with an accent as equal; a server and a database do not.

    /// Returns whether two identifiers have the same bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.isSameBytes(as: right.rawValue)
    }

    /// Orders identifiers by their bytes.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }

    /// Hashes the bytes, in accordance with `==`.
    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        // SAFETY: the hasher reads the bytes during the call only.
        text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
        hasher.combine(0xFF as UInt8)
    }
}

/// A number that the server gives to an object.
public protocol NumberIdentifier: RawRepresentable<Int64>, Hashable, Codable, Comparable, Sendable,
    ExpressibleByIntegerLiteral, CustomStringConvertible
{
    /// Creates an identifier from its number on the wire.
    init(_ rawValue: Int64)
}

extension NumberIdentifier {
    /// Creates an identifier from its number on the wire.
    @inlinable public init(rawValue: Int64) { self.init(rawValue) }
    /// Creates an identifier from a literal.
    @inlinable public init(integerLiteral value: Int64) { self.init(value) }
    /// The number in decimal digits.
    public var description: String { String(rawValue) }
    // Timelines compare in loops, so the generic code is specialised where it is called.
    /// Orders identifiers by number.
    @inlinable public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension String {
    /// Returns whether both texts have the same bytes; the fast path takes contiguous texts.
    package func isSameBytes(as other: String) -> Bool {
        let (left, right) = (utf8, other.utf8)
        guard left.count == right.count else { return false }
        let isSame = unsafe left.withContiguousStorageIfAvailable { left in
            unsafe right.withContiguousStorageIfAvailable { right in
                // SAFETY: both buffers are valid during the call and equally long.
                unsafe UnsafeRawBufferPointer(left).isSame(as: UnsafeRawBufferPointer(right))
            }
        }
        return (isSame ?? nil) ?? left.elementsEqual(right)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether two buffers of the same length are equal; compares eight bytes at a time.
    fileprivate func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + 8 <= count {
            // SAFETY: eight bytes from this offset on lie inside both buffers.
            let (left, right) = unsafe (
                loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            guard left == right else { return false }
            offset += 8
        }
        while offset < count {
            // SAFETY: the byte lies inside both buffers.
            guard unsafe self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}

/// The identifier of a user within an application.
public struct UserID: Identifier {
    /// The text on the wire.
    public let rawValue: String
    /// Creates an identifier from its text on the wire.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a channel within an application; the protocol calls it `channel_url`.
public struct ChannelURL: Identifier {
    /// The text on the wire.
    public let rawValue: String
    /// Creates an identifier from its text on the wire.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of one send or change; the sender makes it once and keeps it on every retry.
///
/// The server stores a message under it once, however often it arrives (`docs/protocol` 2.3).
public struct RequestID: Identifier {
    /// The text on the wire.
    public let rawValue: String
    /// Creates an identifier from its text on the wire.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a message that the server has accepted; unique in the application, growing in
/// a channel.
public struct MessageID: NumberIdentifier {
    /// The number on the wire; the server uses at most 53 bits.
    public let rawValue: Int64
    /// Creates an identifier from its number on the wire.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The identifier of a poll; unique in the application.
public struct PollID: NumberIdentifier {
    /// The number on the wire.
    public let rawValue: Int64
    /// Creates an identifier from its number on the wire.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The identifier of an option of a poll.
public struct PollOptionID: NumberIdentifier {
    /// The number on the wire.
    public let rawValue: Int64
    /// Creates an identifier from its number on the wire.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The identifier of a scheduled message, which is not its message ID.
public struct ScheduledMessageID: NumberIdentifier {
    /// The number on the wire.
    public let rawValue: Int64
    /// Creates an identifier from its number on the wire.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
}
