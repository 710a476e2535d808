// SPDX-License-Identifier: Apache-2.0

/// A number of bytes.
public struct ByteCount: Hashable, Comparable, Codable, Sendable {
    /// The number.
    public let bytes: Int64
    /// Creates a number of bytes.
    public init(bytes: Int64) { self.bytes = bytes }
    /// Creates a number of bytes from mebibytes, each of 1,048,576 bytes.
    ///
    /// A product that does not fit becomes the nearest number that does.
    public init(mebibytes: Int64) { bytes = mebibytes.multipliedSaturated(by: 1_048_576) }
    /// Orders by number.
    public static func < (left: Self, right: Self) -> Bool { left.bytes < right.bytes }
}
