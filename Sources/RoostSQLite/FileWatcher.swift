// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
internal import Dispatch
internal import Glibc
internal import RoostExecutors

/// Watches any number of files for writes.
///
/// There is one for the process, because the system allows some hundred for all processes of a
/// user.
final class FileWatcher: Sendable {
    private struct Listener {
        let id: Int
        /// The system's number for the file; listeners of one file have the same.
        let watch: Int32
        let handler: @Sendable () -> Void
    }

    private struct State {
        /// Nil before the first listener.
        var descriptor: Int32?
        var source: (any DispatchSourceRead)?
        var listeners: [Listener] = []
        var lastID = 0
    }

    static let ofProcess = FileWatcher()

    private let state = Guarded(State())
    /// The queue that waits for events.
    private let queue = DispatchQueue(label: "roost.files")

    /// Calls a closure after each write to a file; writes during a call are joined into one.
    ///
    /// - Returns: The ID for `leave`.
    func listen(
        to path: String, _ handler: @escaping @Sendable () -> Void
    ) throws(FileError) -> Int {
        let outcome: Result<Int, FileError> = state.withLock { state in
            if state.descriptor == nil { state.descriptor = begin(&state) }
            guard let descriptor = state.descriptor else {
                return .failure(FileError(action: "watch \(path)"))
            }
            // SAFETY: the path is lent for the call.
            let watch = unsafe inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
            guard watch >= 0 else { return .failure(FileError(action: "watch \(path)")) }
            state.lastID += 1
            state.listeners.append(Listener(id: state.lastID, watch: watch, handler: handler))
            return .success(state.lastID)
        }
        return try outcome.get()
    }

    /// Ends a listener; its closure may be called once more.
    func leave(_ id: Int) {
        state.withLock { state in
            guard let descriptor = state.descriptor,
                let index = state.listeners.firstIndex(where: { $0.id == id })
            else { return }
            let watch = state.listeners.remove(at: index).watch
            guard !state.listeners.contains(where: { $0.watch == watch }) else { return }
            // Fails for a deleted file, whose watch is gone.
            _ = inotify_rm_watch(descriptor, watch)
        }
    }

    private func begin(_ state: inout State) -> Int32? {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let handler: @Sendable () -> Void = { [self] in notify(Self.written(descriptor)) }
        source.setEventHandler(handler: handler)
        source.activate()
        state.source = source
        return descriptor
    }

    private func notify(_ watches: Set<Int32>) {
        // The system's own queue was too short: any file may have been written.
        let isAny = watches.contains(-1)
        let meant = state.withLock { state in
            state.listeners.filter { isAny || watches.contains($0.watch) }
        }
        for listener in meant { listener.handler() }
    }

    /// Returns the watches of the waiting events.
    private static func written(_ descriptor: Int32) -> Set<Int32> {
        var watches: Set<Int32> = []
        // SAFETY: the buffer is lent to each `read`; what is loaded from it lies within what was read,
        // because the system writes whole events, each with its length at byte 12.
        unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
            while case let count = unsafe read(descriptor, buffer.baseAddress, buffer.count),
                count > 0
            {
                var offset = 0
                while offset + 16 <= count {
                    watches.insert(unsafe buffer.load(fromByteOffset: offset, as: Int32.self))
                    let name = unsafe buffer.load(fromByteOffset: offset + 12, as: UInt32.self)
                    offset += 16 + Int(name)
                }
            }
        }
        return watches
    }
}
#endif
