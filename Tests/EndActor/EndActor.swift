// SPDX-License-Identifier: Apache-2.0

// A process that ends while a client works: `EndActor DOOR WAY SERVER FOLDER SENDS`.

import Foundation
import Glibc

@main
enum EndActor {
    /// The ways in which the process ends itself; a test that sends a signal uses `wait`.
    enum Way: String, CaseIterable {
        case `return`, exit, error, wait
    }

    /// The error that no code catches.
    struct Uncaught: Error {}

    /// The error of a client that could not connect; it ends the process as well.
    struct NoServer: Error {}

    /// The status of a process that calls `exit`.
    static let status: Int32 = 7

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let way = Way(rawValue: arguments[2]),
            let sends = Int(arguments[5])
        else {
            print("usage: EndActor none|native|v4|v3 return|exit|error|wait SERVER FOLDER SENDS")
            Glibc.exit(2)
        }
        let run = Run(server: arguments[3], folder: arguments[4], sends: sends)
        let client: AnyObject? =
            switch arguments[1] {
            case "native": try await Native(run)
            case "v4": try await V4(run)
            case "v3": try await V3(run)
            default: nil
            }
        printLines()
        switch way {
        case .return: break
        case .exit: Glibc.exit(status)
        case .error:
            fflush(nil)
            throw Uncaught()
        case .wait:
            fflush(nil)
            while true { pause() }
        }
        withExtendedLifetime(client) {}
    }

    /// Prints more than a pipe holds, into a buffer that the exit handlers write; the other threads
    /// run on meanwhile.
    private static func printLines() {
        // SAFETY: the stream stays open, and this thread alone uses it.
        let stream = unsafe fdopen(1, "w")
        unsafe setvbuf(stream, nil, _IOFBF, 1 << 20)
        for number in 1...5_000 { unsafe fputs("line \(number) of 5000\n", stream) }
    }
}

/// The work of one process.
struct Run {
    let server: String
    let folder: String
    /// The number of messages that are on their way at the end.
    let sends: Int
}
