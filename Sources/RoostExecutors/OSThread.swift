// SPDX-License-Identifier: Apache-2.0

internal import CRoostThreads

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// One thread of the operating system, which runs one function and ends.
@safe struct OSThread: Sendable {
    #if canImport(Darwin)
    /// The thread as a number: a pointer is not `Sendable`.
    private let address: UInt
    private var thread: pthread_t? { unsafe pthread_t(bitPattern: address) }
    #else
    private let thread: pthread_t
    #endif

    /// The arguments of a new thread.
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread; nil if the system has none left.
    ///
    /// - Parameters:
    ///   - name: The name in debuggers; Linux cuts it after 15 bytes.
    ///   - body: The function of the thread; the thread ends with it.
    init?(name: String, body: @escaping @Sendable () -> Void) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        // SAFETY: the retained start is released by the thread, or here if there will be none.
        guard unsafe pthread_create(&thread, nil, osThreadMain, start.toOpaque()) == 0 else {
            unsafe start.release()
            return nil
        }
        #if canImport(Darwin)
        address = UInt(bitPattern: thread)
        #else
        self.thread = thread
        #endif
    }

    /// Waits for the end of the thread.
    ///
    /// It is called once, and from another thread.
    func join() {
        // SAFETY: the thread was started joinable and is joined once, as the caller promises.
        #if canImport(Darwin)
        guard let thread = unsafe thread else { return }
        _ = unsafe pthread_join(thread, nil)
        #else
        _ = pthread_join(thread, nil)
        #endif
    }

    /// Lets the thread end by itself, without a join.
    func detach() {
        // SAFETY: as for `join`.
        #if canImport(Darwin)
        guard let thread = unsafe thread else { return }
        _ = unsafe pthread_detach(thread)
        #else
        _ = pthread_detach(thread)
        #endif
    }

    var isCurrent: Bool {
        #if canImport(Darwin)
        // SAFETY: the call compares two pointers and follows neither.
        unsafe pthread_equal(thread, pthread_self()) != 0
        #else
        pthread_equal(thread, pthread_self()) != 0
        #endif
    }

    fileprivate static func run(_ pointer: UnsafeMutableRawPointer) {
        // SAFETY: the pointer was retained by `init` for this one call.
        let start = unsafe Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
        unsafe roost_thread_set_name(start.name)
        start.body()
    }
}

#if canImport(Darwin)
private func osThreadMain(_ start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe OSThread.run(start)
    return nil
}
#else
private func osThreadMain(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let start = unsafe start { unsafe OSThread.run(start) }
    return nil
}
#endif
