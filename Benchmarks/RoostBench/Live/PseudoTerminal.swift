// SPDX-License-Identifier: Apache-2.0

import Foundation
internal import RoostChat

/// A terminal that shows nothing, in place of this process's input and output.
///
/// A thread of its own reads everything that is written to it, as fast as it comes.
struct PseudoTerminal {
    /// The input and the output of the process before.
    private let before: (input: CInt, output: CInt)
    /// Yields the number of bytes that were written, once the process has its own output again.
    private let totals: AsyncStream<Int>

    init(_ size: GridSize) throws(BenchError) {
        var (screen, program): (CInt, CInt) = (-1, -1)
        var window = winsize(
            ws_row: UInt16(clamping: size.rows), ws_col: UInt16(clamping: size.columns),
            ws_xpixel: 0, ws_ypixel: 0)
        // SAFETY: the numbers and the size are lent for the call; here and below, so are texts.
        guard unsafe openpty(&screen, &program, nil, nil, &window) == 0 else {
            throw BenchError("The system has no free pseudo-terminals.")
        }
        unsafe setenv("TERM", "xterm-256color", 1)
        fflush(nil)
        before = (dup(STDIN_FILENO), dup(STDOUT_FILENO))
        dup2(program, STDIN_FILENO)
        dup2(program, STDOUT_FILENO)
        close(program)
        let (totals, feed) = AsyncStream.makeStream(of: Int.self)
        self.totals = totals
        Thread.detachNewThread { [screen] in
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            var total = 0
            while true {
                // SAFETY: the array is lent for the call.
                let count = unsafe read(screen, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                total += count
            }
            close(screen)
            feed.yield(total)
            feed.finish()
        }
    }

    /// Runs a body that blocks, on a thread of its own.
    func run(_ body: @escaping @Sendable () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    /// Gives the process its own input and output back, and returns the number of written bytes.
    func end() async -> Int {
        fflush(nil)
        dup2(before.input, STDIN_FILENO)
        dup2(before.output, STDOUT_FILENO)
        close(before.input)
        close(before.output)
        // The last descriptor of the terminal is closed, so the thread comes to its end.
        return await totals.first { _ in true } ?? 0
    }
}
