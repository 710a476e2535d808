// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
internal import Dispatch
internal import RoostExecutors
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
        stepIn()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Wakes all others who have this file as a bell, in this process too; to be called after the news
    /// can be read.
    ///
    /// Nothing is done while nobody else has it: whoever comes later reads the news when they come. A ring
    /// that fails is the loss of a hint: the news are found with the next one.
    package func ring() {
        guard mayBeHeard else { return }
        var byte: UInt8 = 0
        // SAFETY: one byte is lent for the call. Always the same place, so the file does not grow.
        _ = unsafe pwrite(descriptor, &byte, 1, 0)
    }

    /// Rings from now on, several of them joined into one while nobody takes them.
    ///
    /// Ends with the task that reads it. Listening has begun when this returns.
    package func rings() throws(FileError) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let leave = try listen { continuation.yield() }
        continuation.onTermination = { _ in leave() }
        return stream
    }

    #if canImport(Darwin)
    private func stepIn() {}

    /// There are no locks here that tell one opening of a file from another.
    private var mayBeHeard: Bool { true }

    private static let queue = DispatchQueue(label: "roost.bell")

    /// Calls from now on for each ring, from a thread of the system's; returns what ends it.
    package func listen(
        _ heard: @escaping @Sendable () -> Void
    ) throws(FileError) -> @Sendable () -> Void {
        // SAFETY: the path is lent for the call.
        let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(action: "open \(path)") }
        let source = Guarded<any DispatchSourceProtocol>(
            DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: .write, queue: Self.queue))
        source.withLock { source in
            source.setEventHandler(handler: heard)
            source.setCancelHandler { close(descriptor) }
            source.activate()
        }
        return { source.withLock { $0.cancel() } }
    }
    #else
    /// Says that somebody is here, by a lock that goes with the descriptor.
    private func stepIn() {
        var presence = Self.presence(F_RDLCK)
        // SAFETY: the struct is read during the call. One that fails is made up for by `mayBeHeard`.
        _ = unsafe fcntl(descriptor, Self.setOwnLock, &presence)
    }

    private var mayBeHeard: Bool {
        var others = Self.presence(F_WRLCK)
        // SAFETY: the struct is read and filled in during the call. Our own lock is none of others.
        let code = unsafe fcntl(descriptor, Self.getOthersLock, &others)
        return code != 0 || others.l_type != F_UNLCK
    }

    /// `F_OFD_GETLK` and `F_OFD_SETLK`, which Swift does not import.
    private static let (getOthersLock, setOwnLock): (Int32, Int32) = (36, 37)

    /// Beyond what is written, and apart from the `flock` that others hold on the same file.
    private static func presence(_ type: Int32) -> flock {
        flock(
            l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: 1, l_len: 1, l_pid: 0)
    }

    /// Calls from now on for each ring, from a thread of the system's; returns what ends it.
    package func listen(
        _ heard: @escaping @Sendable () -> Void
    ) throws(FileError) -> @Sendable () -> Void {
        let listener = try FileWatcher.ofProcess.listen(to: path, heard)
        return { FileWatcher.ofProcess.leave(listener) }
    }
    #endif
}
