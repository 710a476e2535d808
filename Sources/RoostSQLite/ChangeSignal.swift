// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
internal import Dispatch
internal import RoostExecutors
#else
internal import Glibc
#endif

/// A file by which processes notify each other of a commit: one writes a byte, and the system
/// notifies the others.
///
/// The database's own files do not serve: they are written before the commit is visible. The commit
/// itself happens in shared memory, whose changes the system does not report.
package final class ChangeSignal: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens the file at `path`, which is never replaced; makes it if it is missing.
    package init(file path: String) throws(FileError) {
        // SAFETY: the path is lent for the call.
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw FileError(action: "open \(path)") }
        markPresence()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Notifies all other openings of the file, in this process too.
    ///
    /// The call comes after a commit, when its changes can be read. Without another opening nothing
    /// is written, because a later one begins by reading the database. An error loses only a hint:
    /// the next notification leads to the same changes.
    package func send() {
        guard mayHaveListeners else { return }
        var byte: UInt8 = 0
        // SAFETY: one byte is lent for the call. Always the same place, so the file does not grow.
        _ = unsafe pwrite(descriptor, &byte, 1, 0)
    }

    /// Returns a stream of the notifications from now on, joined into one while its reader is busy.
    ///
    /// The stream ends with the task that reads it. Listening has begun when this returns.
    package func signals() throws(FileError) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let leave = try listen { continuation.yield() }
        continuation.onTermination = { _ in leave() }
        return stream
    }

    #if canImport(Darwin)
    private func markPresence() {}

    /// Always true: this platform has no locks that belong to one opening of a file.
    private var mayHaveListeners: Bool { true }

    private static let queue = DispatchQueue(label: "roost.signal")

    /// Calls a closure for each notification from now on, from a thread of the system; returns the
    /// closure that ends this.
    package func listen(
        _ handler: @escaping @Sendable () -> Void
    ) throws(FileError) -> @Sendable () -> Void {
        // SAFETY: the path is lent for the call.
        let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(action: "open \(path)") }
        let source = Guarded<any DispatchSourceProtocol>(
            DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: .write, queue: Self.queue))
        source.withLock { source in
            source.setEventHandler(handler: handler)
            source.setCancelHandler { close(descriptor) }
            source.activate()
        }
        return { source.withLock { $0.cancel() } }
    }
    #else
    /// Marks the presence of this opening by a lock that goes with the descriptor.
    private func markPresence() {
        var presence = Self.presence(F_RDLCK)
        // SAFETY: the struct is read during the call. A failure is covered by `mayHaveListeners`.
        _ = unsafe fcntl(descriptor, Self.setOwnLock, &presence)
    }

    private var mayHaveListeners: Bool {
        var others = Self.presence(F_WRLCK)
        // SAFETY: the struct is read and filled in during the call. The lock of this opening does
        // not count as another's.
        let code = unsafe fcntl(descriptor, Self.getOthersLock, &others)
        return code != 0 || others.l_type != F_UNLCK
    }

    /// `F_OFD_GETLK` and `F_OFD_SETLK`, which Swift does not import.
    private static let (getOthersLock, setOwnLock): (Int32, Int32) = (36, 37)

    /// A range beyond the written byte, separate from the `flock` that others hold on the same
    /// file.
    private static func presence(_ type: Int32) -> flock {
        flock(
            l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: 1, l_len: 1, l_pid: 0)
    }

    /// Calls a closure for each notification from now on, from a thread of the system; returns the
    /// closure that ends this.
    package func listen(
        _ handler: @escaping @Sendable () -> Void
    ) throws(FileError) -> @Sendable () -> Void {
        let listener = try FileWatcher.ofProcess.listen(to: path, handler)
        return { FileWatcher.ofProcess.leave(listener) }
    }
    #endif
}
