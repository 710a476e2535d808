// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import RoostExecutors

/// A body as URLSession reads it: asked for more, it asks the caller.
final class BodyStream: InputStream {
    private struct State {
        /// Bytes that were handed over and not read yet.
        var rest: ArraySlice<UInt8> = []
        var isAtEnd = false
        var hasFailed = false
        var status = Stream.Status.notOpen
    }

    private let body: HTTPBody
    private let state = Guarded(State())
    /// How often something was read: while it grows, the request goes on.
    private let readCount: Guarded<Int>

    init(_ body: HTTPBody, countingIn readCount: Guarded<Int>) {
        self.body = body
        self.readCount = readCount
        super.init(data: Data())
    }

    override var hasBytesAvailable: Bool { state.withLock { !$0.isAtEnd && !$0.hasFailed } }
    override var streamStatus: Stream.Status { state.withLock { $0.status } }
    override var streamError: (any Error)? {
        state.withLock { $0.hasFailed } ? URLError(.cannotDecodeRawData) : nil
    }

    override func open() { state.withLock { $0.status = .open } }
    override func close() { state.withLock { $0.status = .closed } }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        // SAFETY: the caller's buffer has room for so many bytes, and is ours during the call.
        let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: maxLength)
        guard let bytes = take(maxLength) else { return -1 }
        unsafe target.copyBytes(from: bytes)
        return bytes.count
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    private func take(_ limit: Int) -> ArraySlice<UInt8>? {
        readCount.withLock { $0 += 1 }
        return state.withLock { state in
            if state.rest.isEmpty, !state.isAtEnd {
                guard let bytes = body.next() else {
                    state.hasFailed = true
                    state.status = .error
                    return nil
                }
                state.rest = bytes[...]
                state.isAtEnd = bytes.isEmpty
                if bytes.isEmpty { state.status = .atEnd }
            }
            defer { state.rest = state.rest.dropFirst(limit) }
            return state.rest.prefix(limit)
        }
    }
}
