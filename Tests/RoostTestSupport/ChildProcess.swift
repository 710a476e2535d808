// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A process started by a test; threads of its own read its output.
///
/// Foundation's `Process` reads past its list of open files if there are more than 1,350
/// (swift-corelibs-foundation, pull request 5472), and the suite has as many.
package final class ChildProcess: Sendable {
    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// The action that the system refused, with its error code.
    package struct Refusal: Error {
        let action: String
        let code: Int32
    }

    private let id: pid_t
    /// The descriptor of its output; nil if a file gets it.
    private let output: Int32?
    private let text = Mutex("")
    private let ending = Mutex<Ending?>(nil)
    private let hasEnded = Gate()

    /// The lock of starts: a child must not inherit another one's pipe, whose end would then never
    /// come.
    private static let starts = Mutex(())

    /// Starts a program, whose signals have their default actions.
    ///
    /// - Parameters:
    ///   - program: The program's file, as an absolute path.
    ///   - arguments: The arguments behind its name.
    ///   - input: The file of its input; nil for none.
    ///   - output: The file of its output; nil for `text`.
    ///   - errors: The file of its standard error; nil for that of this process.
    ///   - environment: The variables that differ from those of this process.
    /// - Throws: The system's refusal.
    package init(
        _ program: String, _ arguments: [String], input: String? = nil, output: String? = nil,
        errors: String? = nil, environment: [String: String] = [:]
    ) throws {
        (id, self.output) = try Self.starts.withLock { _ in
            try Self.start([program] + arguments, input, output, errors, environment)
        }
        Thread.run { self.awaitEnding() }
    }

    private static func start(
        _ words: [String], _ input: String?, _ output: String?, _ errors: String?,
        _ changes: [String: String]
    ) throws(Refusal) -> (pid_t, reading: Int32?) {
        // This end is closed with this call; the child has a copy.
        let pipe = output == nil ? try pipe() : nil
        defer { if let pipe { close(pipe.writing) } }
        // SAFETY: here and below: both are initialised here, valid during each call, and destroyed
        // at the end.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, input ?? "/dev/null", O_RDONLY, 0)
        if let pipe { unsafe posix_spawn_file_actions_adddup2(&actions, pipe.writing, 1) }
        for (number, path) in [(Int32(1), output), (2, errors)] {
            guard let path else { continue }
            let flags = O_WRONLY | O_CREAT | O_TRUNC
            unsafe posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o600)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Threads of the pool block signals, and a child would inherit that.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        // A test runner that ignores a signal, such as one under `nohup`, would pass that on.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let environment = ProcessInfo.processInfo.environment
            .merging(changes) { _, change in change }.map { "\($0.key)=\($0.value)" }
        var id = pid_t()
        let code = unsafe withWords(words) { arguments in
            unsafe withWords(environment) { environment in
                unsafe posix_spawn(&id, words[0], &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else {
            if let pipe { close(pipe.reading) }
            throw Refusal(action: "start \(words[0])", code: code)
        }
        return (id, pipe?.reading)
    }

    deinit {
        if let output { close(output) }
    }

    private static func pipe() throws(Refusal) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        // SAFETY: two numbers are valid during the call.
        guard unsafe Glibc.pipe(&ends) == 0 else {
            throw Refusal(action: "make a pipe", code: errno)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Lends texts as a C array of copies with a nil at the end.
    private static func withWords(
        _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        // SAFETY: the copies live until the call has returned.
        var copies = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        return unsafe body(&copies)
    }

    /// Waits for the end of the child; the waiting thread keeps this object.
    private func awaitEnding() {
        var news = unsafe siginfo_t()
        // SAFETY: here and below: the filled values are valid during the call. The child keeps its
        // ID until the second call, so no signal meets another process.
        while unsafe waitid(P_PID, id_t(id), &news, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        ending.withLock { ending in
            var status: Int32 = 0
            // Without a status the way of ending is unknown.
            guard unsafe waitpid(id, &status, 0) == id else { return }
            let signal = status & 0x7F
            ending = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
        }
        hasEnded.open()
    }

    /// Sends a signal; does nothing after the end of the child.
    package func signal(_ number: Int32) {
        ending.withLock { if $0 == nil { kill(id, number) } }
    }

    /// Waits for the end of the child.
    package func end() async -> Ending? {
        await hasEnded.wait()
        return ending.withLock { $0 }
    }

    /// Reads until the output since the start suffices, or ends; one call at a time.
    package func text(until isEnough: @escaping @Sendable (String) -> Bool) async -> String {
        await withCheckedContinuation { read in
            Thread.run {
                var text = self.text.withLock { $0 }
                while !isEnough(text), let more = self.next() { text += more }
                self.text.withLock { $0 = text }
                read.resume(returning: text)
            }
        }
    }

    /// Returns the next part of the output; nil at its end.
    private func next() -> String? {
        guard let output else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var count = 0
        // SAFETY: the array is valid during the call.
        repeat {
            count = unsafe read(output, &bytes, bytes.count)
        } while count < 0 && errno == EINTR
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    /// Reads the output to its end and returns its lines.
    package func lines() async -> [String] {
        await text { _ in false }.split(separator: "\n").map { String($0) }
    }
}

extension ChildProcess {
    /// Returns the path of a program that was built with the tests and lies beside them.
    package static func built(_ name: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: own).deletingLastPathComponent().appending(path: name).path
    }
}
