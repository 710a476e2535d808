// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import RoostExecutors

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A file by which processes wake each other: one writes a byte, the others hear it.
///
/// The database's own files will not do. What is written to them comes before the commit can be seen,
/// and that itself happens in shared memory, of which the system tells nobody.
package final class FileBell: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens the bell at `path`, a file that is never replaced; makes it when it is not there.
    package init(file path: String) throws(FileError) {
        // SAFETY: the path is lent for the call.
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw FileError(action: "open \(path)") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Wakes whoever listens, in this process too; to be called after the news can be read.
    ///
    /// A ring that fails is the loss of a hint: the news are found with the next one.
    package func ring() {
        var byte: UInt8 = 0
        // SAFETY: one byte is lent for the call. Always the same place, so the file does not grow.
        _ = unsafe pwrite(descriptor, &byte, 1, 0)
    }

    /// Rings from now on, several of them joined into one while nobody takes them.
    ///
    /// Ends with the task that reads it. Listening has begun when this returns.
    package func rings() throws(FileError) -> AsyncStream<Void> {
        let source = try Self.source(path)
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        source.listen { continuation.yield() }
        continuation.onTermination = { _ in source.cancel() }
        return stream
    }

    #if canImport(Darwin)
    private static func source(_ path: String) throws(FileError) -> BellSource {
        // SAFETY: the path is lent for the call.
        let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(action: "open \(path)") }
        return BellSource(
            descriptor,
            DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: .write, queue: BellSource.queue),
            drains: false)
    }
    #else
    private static func source(_ path: String) throws(FileError) -> BellSource {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileError(action: "watch \(path)") }
        // SAFETY: the path is lent for the call.
        guard unsafe inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
            let error = FileError(action: "watch \(path)")
            close(descriptor)
            throw error
        }
        return BellSource(
            descriptor,
            DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: BellSource.queue),
            drains: true)
    }
    #endif
}

/// What the system wakes, on a queue of its own where nothing waits.
private struct BellSource: Sendable {
    static let queue = DispatchQueue(label: "roost.bell")

    private let descriptor: Int32
    private let source: Guarded<any DispatchSourceProtocol>
    private let drains: Bool

    init(_ descriptor: Int32, _ source: any DispatchSourceProtocol, drains: Bool) {
        self.descriptor = descriptor
        self.source = Guarded(source)
        self.drains = drains
    }

    func listen(_ heard: @escaping @Sendable () -> Void) {
        let (descriptor, drains) = (descriptor, drains)
        let handler: @Sendable () -> Void = {
            // SAFETY: the buffer is lent for each call; what the events say is not looked at.
            while drains {
                let count = unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) {
                    unsafe read(descriptor, $0.baseAddress, $0.count)
                }
                if count <= 0 { break }
            }
            heard()
        }
        source.withLock { source in
            source.setEventHandler(handler: handler)
            source.setCancelHandler { close(descriptor) }
            source.activate()
        }
    }

    func cancel() { source.withLock { $0.cancel() } }
}
