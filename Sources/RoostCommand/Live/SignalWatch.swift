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
        sources = numbers.filter { !Self.isIgnored($0) }.map { number in
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

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        // SAFETY: the action is lent for the call, which only fills it in.
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
        let handler = unsafe action.__sigaction_u.__sa_handler
        #else
        let handler = unsafe action.__sigaction_handler.sa_handler
        #endif
        // SAFETY: the address is only compared. It is that of SIG_IGN, whose type differs by system.
        return unsafe unsafeBitCast(handler, to: Int.self) == 1
    }

    /// Becomes readable with the first signal; for programs that wait with `poll`.
    var descriptor: Int32 { pipe.descriptor }
}
