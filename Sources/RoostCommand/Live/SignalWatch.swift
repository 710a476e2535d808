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
/// Once it is made, these signals no longer end the program by themselves.
struct SignalWatch {
    /// Yields each signal; for programs that wait with `await`.
    let signals: AsyncStream<Int32>
    private let pipe: WakePipe
    private let sources: [any DispatchSourceSignal]

    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
        let pipe = WakePipe()
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        sources = numbers.map { number in
            #if canImport(Darwin)
            // On this platform the default action would come first.
            signal(number, SIG_IGN)
            #else
            // The source handles a signal only if nothing else does.
            signal(number, SIG_DFL)
            #endif
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

    /// Becomes readable with the first signal; for programs that wait with `poll`.
    var descriptor: Int32 { pipe.descriptor }
}
