// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RoostCommandLine
import Testing

struct OutputDescriptorTests {
    /// Runs a blocking closure on a thread of its own.
    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    @Test
    func `a stream that another process made non-blocking gets the whole text`() async throws {
        let pipe = Pipe()
        // No process of another test may hold an end.
        let start = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        let end = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        try pipe.fileHandleForReading.close()
        try pipe.fileHandleForWriting.close()
        #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0)
        // Far more than a pipe holds.
        let text = String(repeating: "all of it ", count: 1 << 18)
        async let writing = Self.onThread {
            let refusal = OutputDescriptor(end).put(text)
            close(end)
            return refusal
        }
        let received = await Self.onThread {
            let reader = FileHandle(fileDescriptor: start, closeOnDealloc: true)
            return (try? reader.readToEnd())?.count ?? 0
        }
        let refusal = await writing
        #expect(refusal == nil && received == text.utf8.count)
    }

    @Test func `a stream that never has room is a refusal`() throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let refusal = OutputDescriptor(full.fileDescriptor).put("lost")
        try full.close()
        #expect(refusal == ENOSPC)
    }
}
