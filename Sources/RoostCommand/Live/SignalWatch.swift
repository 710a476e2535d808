// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The signals that ask the program to end: Ctrl-C, `kill`, a closed terminal.
///
/// Once it is made, these signals no longer end the program by themselves. One that was ignored at
/// the start of the program, as `nohup` arranges it, stays so.
struct SignalWatch {
    /// Yields each signal; for programs that wait with `await`.
    let signals: AsyncStream<Int32>
    private let pipe: WakePipe
    private let sources: [any DispatchSourceSignal]

    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
        let pipe = WakePipe()
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        sources = numbers.filter { Self.takes($0) }.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                continuation.yield(number)
                pipe.wake()
            }
            source.resume()
            return source
        }
        self.pipe = pipe
        signals = stream
    }

    /// Gives a signal to a source, unless it was ignored before.
    private static func takes(_ number: Int32) -> Bool {
        #if canImport(Darwin)
        // On this platform the default action would come first.
        let former = signal(number, SIG_IGN)
        #else
        // The source handles a signal only if nothing else does.
        let former = signal(number, SIG_DFL)
        #endif
        // SAFETY: the address is only compared. It is that of SIG_IGN, whose type differs by system.
        guard unsafe unsafeBitCast(former, to: Int.self) == 1 else { return true }
        signal(number, SIG_IGN)
        return false
    }

    /// Becomes readable with the first signal; for programs that wait with `poll`.
    var descriptor: Int32 { pipe.descriptor }
}
