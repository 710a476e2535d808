// SPDX-License-Identifier: Apache-2.0

/// Bytes that are overwritten when their owner is done with them, and that nothing copies by accident.
///
/// What a caller made them from, the swap file and a core dump are out of reach.
@safe package struct SecretBytes: ~Copyable, Sendable {
    /// As a number, which is `Sendable`: nobody else knows it, and the bytes never change.
    private let address: UInt
    package let count: Int

    /// Lets a closure fill in so many bytes, zero before.
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

    /// Bytes that nobody can guess.
    package static func random(count: Int) -> SecretBytes {
        // SAFETY: raw memory, of which any bytes are good.
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

    /// Lends the bytes.
    package borrowing func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        // SAFETY: they live as long as this value, which is borrowed during the call.
        unsafe body(
            UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
    }

    /// Whether two secrets are one, in a time that tells nothing of where they differ.
    package borrowing func matches(_ other: borrowing SecretBytes) -> Bool {
        // SAFETY: both are lent for the call.
        unsafe withBytes { one in
            unsafe other.withBytes { other in unsafe Primitive.areEqual(one, other) }
        }
    }
}
