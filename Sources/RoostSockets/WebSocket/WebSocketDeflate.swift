// SPDX-License-Identifier: Apache-2.0

internal import CRoostZlib

/// Compression of messages, each by itself (RFC 7692 without context takeover).
///
/// One object serves all connections of a loop, so that an idle socket holds none of its 300 KB.
/// - Invariant: Used on the thread of its loop only.
@safe package final class WebSocketDeflate: @unchecked Sendable {
    package enum Failure: Error { case malformed, tooLarge }

    /// The bytes at the end of a message, which are left out of every message (RFC 7692, 7.2.1).
    private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]
    private static let chunk = 16_384
    /// The greatest size of a message that is kept with its result, in bytes.
    private static let keptBytes = 65_536

    /// The last message and its result: a broadcast goes to many connections in a row.
    ///
    /// Comparing 700 bytes takes a thousandth of the time of compressing them.
    private var last: (message: [UInt8], result: [UInt8]?)?
    /// The number of messages that were compressed, and not found.
    package private(set) var deflatedCount = 0

    // On the heap, because zlib keeps the address.
    private let deflating = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let inflating = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    package init() {
        unsafe deflating.initialize(to: z_stream())
        unsafe inflating.initialize(to: z_stream())
        // SAFETY: both are ended in `deinit`.
        let results = unsafe (roost_zlib_deflate(deflating), roost_zlib_inflate(inflating))
        precondition(results == (Z_OK, Z_OK), "zlib is out of memory.")
    }

    deinit {
        // SAFETY: made in `init`, ended once.
        unsafe deflateEnd(deflating)
        unsafe inflateEnd(inflating)
        unsafe deflating.deallocate()
        unsafe inflating.deallocate()
    }

    /// Returns the compressed message; nil if it would not be shorter.
    package func deflate(_ message: [UInt8]) -> [UInt8]? {
        if let last, last.message == message { return last.result }
        let result = deflateAnew(message)
        last = nil
        if message.count <= Self.keptBytes { last = (message: message, result: result) }
        return result
    }

    private func deflateAnew(_ message: [UInt8]) -> [UInt8]? {
        deflatedCount += 1
        var output = [UInt8](repeating: 0, count: message.count)
        // SAFETY: both arrays are valid during the call, with their lengths; zlib does not write
        // into its input.
        let count = unsafe message.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output -> Int? in
                unsafe deflateReset(deflating)
                unsafe deflating.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe deflating.pointee.avail_in = UInt32(input.count)
                unsafe deflating.pointee.next_out = output.baseAddress
                unsafe deflating.pointee.avail_out = UInt32(output.count)
                let result = unsafe CRoostZlib.deflate(deflating, Z_SYNC_FLUSH)
                let left = unsafe Int(deflating.pointee.avail_out)
                // Without room left the output may be incomplete.
                return result == Z_OK && left > 0 ? output.count - left - Self.tail.count : nil
            }
        }
        guard let count else { return nil }
        output.removeLast(output.count - count)
        return output
    }

    /// Returns the original message.
    ///
    /// - Throws: `.tooLarge` if it exceeds `limit` bytes; `.malformed`, also if its end is missing.
    package func inflate(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        var input = bytes + Self.tail
        var message: [UInt8] = []
        // SAFETY: the array is valid during the calls, with its length.
        let failure = unsafe input.withUnsafeMutableBufferPointer { input -> Failure? in
            unsafe inflateReset(inflating)
            unsafe inflating.pointee.next_in = input.baseAddress
            unsafe inflating.pointee.avail_in = UInt32(input.count)
            var chunk = [UInt8](repeating: 0, count: Self.chunk)
            while true {
                // SAFETY: as above.
                let (result, count) = unsafe chunk.withUnsafeMutableBufferPointer { output in
                    unsafe inflating.pointee.next_out = output.baseAddress
                    unsafe inflating.pointee.avail_out = UInt32(output.count)
                    let result = unsafe CRoostZlib.inflate(inflating, Z_SYNC_FLUSH)
                    return unsafe (result, output.count - Int(inflating.pointee.avail_out))
                }
                // zlib reports no progress if nothing is left to read.
                guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else { return .malformed }
                message += chunk[..<count]
                if message.count > limit { return .tooLarge }
                if result == Z_STREAM_END {
                    return unsafe isEnd(input.suffix(Int(inflating.pointee.avail_in)))
                        ? nil : .malformed
                }
                guard count == chunk.count else {
                    // Everything is read, and the next block would begin here.
                    let stream = unsafe inflating.pointee
                    return unsafe stream.avail_in == 0 && stream.data_type & 128 != 0
                        ? nil : .malformed
                }
            }
        }
        if let failure { throw failure }
        return message
    }

    /// Returns whether these bytes may follow a last block: the tail, preceded by the zero of RFC
    /// 7692, 7.2.3.4, which zlib's own streams lack.
    private func isEnd(_ rest: Slice<UnsafeMutableBufferPointer<UInt8>>) -> Bool {
        unsafe rest.elementsEqual(Self.tail) || rest.elementsEqual([0] + Self.tail)
    }
}
