// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
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
    private let monitor: UploadMonitor

    init(_ body: HTTPBody, watchedBy monitor: UploadMonitor) {
        self.body = body
        self.monitor = monitor
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
        let bytes = state.withLock { state -> ArraySlice<UInt8>? in
            guard !state.hasFailed else { return nil }
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
        // URLSession itself would go on asking, and the server go on waiting.
        guard let bytes else {
            monitor.fail()
            return nil
        }
        if !bytes.isEmpty { monitor.advance() }
        return bytes
    }
}

/// Knows how an upload goes on, and ends one whose body cannot be read.
final class UploadMonitor: Sendable {
    private let readCount = Guarded(0)
    private let end = Guarded<@Sendable () -> Void>({})

    /// Grows while the request goes on.
    var progress: Int { readCount.withLock { $0 } }

    func advance() { readCount.withLock { $0 += 1 } }

    func fail() { end.withLock { $0 }() }

    /// What to do when the body cannot be read.
    func onFailure(_ action: @escaping @Sendable () -> Void) { end.withLock { $0 = action } }
}
#endif
