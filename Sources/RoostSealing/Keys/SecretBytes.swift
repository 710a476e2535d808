// SPDX-License-Identifier: Apache-2.0

/// Bytes that are overwritten before they are freed and cannot be copied implicitly.
///
/// The caller's original, the swap file and a core dump are not affected.
@safe package struct SecretBytes: ~Copyable, Sendable {
    /// The address as a number, which is `Sendable`: it is private, and the bytes never change.
    private let address: UInt
    package let count: Int

    /// Creates bytes that a closure fills; they are zero before.
    package init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        // SAFETY: just allocated, and freed in `deinit` only.
        _ = unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe fill(bytes)
        address = UInt(bitPattern: bytes.baseAddress)
        self.count = count
    }

    package init(copying source: Span<UInt8>) {
        // SAFETY: both are as long as the source.
        unsafe self.init(count: source.count) { bytes in
            unsafe source.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) }
        }
    }

    /// Returns random bytes.
    package static func random(count: Int) -> SecretBytes {
        // SAFETY: raw memory, for which all values are valid.
        unsafe SecretBytes(count: count) { bytes in
            unsafe Primitive.fillRandomly(bytes.bindMemory(to: UInt8.self))
        }
    }

    deinit {
        let bytes = unsafe UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(bitPattern: address), count: count)
        // SAFETY: allocated in `init`; this is the last use.
        unsafe Primitive.wipe(bytes)
        unsafe bytes.deallocate()
    }

    /// Lends the bytes to a closure.
    package borrowing func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        // SAFETY: the bytes live as long as this value, which is borrowed during the call.
        unsafe body(
            UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
    }

    /// Compares two secrets in constant time.
    package borrowing func matches(_ other: borrowing SecretBytes) -> Bool {
        // SAFETY: both are valid during the call.
        unsafe withBytes { one in
            unsafe other.withBytes { other in unsafe Primitive.areEqual(one, other) }
        }
    }
}
