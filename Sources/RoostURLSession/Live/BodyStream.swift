// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import RoostExecutors
internal import RoostTransport

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A stream for URLSession that asks the caller for more bytes.
final class BodyStream: InputStream {
    private struct State {
        /// Bytes of the last piece that URLSession has not read yet.
        var rest: ArraySlice<UInt8> = []
        var isAtEnd = false
        var hasFailed = false
        var status = Stream.Status.notOpen

        /// Whether the next piece of the body is to be read.
        var isWaiting: Bool { rest.isEmpty && !isAtEnd && !hasFailed && status != .closed }

        /// Adds a piece; an empty one is the end, and nil a failure.
        mutating func add(_ piece: [UInt8]?) {
            // A piece that was read during the close comes too late.
            guard status != .closed else { return }
            guard let piece else {
                hasFailed = true
                status = .error
                return
            }
            rest = piece[...]
            isAtEnd = piece.isEmpty
            if isAtEnd { status = .atEnd }
        }
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
        // SAFETY: the caller's buffer has room for this many bytes and is ours during the call.
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
        // URLSession reads on one thread at a time. Its others do not wait for the disk, so the
        // piece is read without the lock.
        if state.withLock({ $0.isWaiting }) {
            let piece = body.next()
            state.withLock { $0.add(piece) }
        }
        let (bytes, hasFailed) = state.withLock { state -> (ArraySlice<UInt8>?, Bool) in
            // A closed stream belongs to a request that has ended.
            guard state.status != .closed, !state.hasFailed else {
                return (nil, state.status != .closed)
            }
            defer { state.rest = state.rest.dropFirst(limit) }
            return (state.rest.prefix(limit), false)
        }
        // URLSession itself would keep asking, and the server keep waiting.
        if hasFailed { monitor.fail() }
        guard let bytes else { return nil }
        if !bytes.isEmpty { monitor.advance() }
        return bytes
    }
}

/// The progress of an upload, and its end if the body cannot be read.
final class UploadMonitor: Sendable {
    private let readCount = Guarded(0)
    private let end = Guarded<@Sendable () -> Void>({})

    /// The number of reads so far; it grows while the request makes progress.
    var progress: Int { readCount.withLock { $0 } }

    func advance() { readCount.withLock { $0 += 1 } }

    func fail() { end.withLock { $0 }() }

    /// Sets the handler for a body that cannot be read.
    func onFailure(_ action: @escaping @Sendable () -> Void) { end.withLock { $0 = action } }
}
