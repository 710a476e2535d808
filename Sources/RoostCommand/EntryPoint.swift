// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Where the program starts.
///
/// Everything runs in a detached task: an `async main` would run on the main actor, where each hop costs
/// a change of threads.
@main
enum EntryPoint {
    static func main() {
        SignalWatch.ignoreBrokenPipes()
        let words = Array(CommandLine.arguments.dropFirst())
        let ended = DispatchSemaphore(value: 0)
        // Owned by this function, which waits for it; it leaves the process by itself.
        Task.detached {
            let code = await run(words)
            // Whatever else happened, who called has not got all of the output.
            exit((StandardOutput.isIncomplete ? ExitCode.storage : code).rawValue)
        }
        ended.wait()
    }

    private static func run(_ words: [String]) async -> ExitCode {
        do {
            switch try CommandLineParser(Command.all).parse(words) {
            case .help(let topic):
                StandardOutput.writeNow(HelpText.about(topic, among: Command.all))
            case .version: StandardOutput.writeNow("roost \(Command.version)")
            case .run(let command, let arguments): try await command.run(arguments)
            }
            return .done
        } catch {
            for line in error.message.split(separator: "\n") {
                StandardError.write("roost: \(line)")
            }
            return error.code
        }
    }
}

extension Command {
    static let version = "0.1.0"

    /// Every command, in the order the help shows them.
    package static let all: [Command] = [
        .demo, .serve, .backup, .client, .cacheInspect, .cacheSearch, .cacheExport, .cacheVerify,
        .cacheClear, .journal, .benchCache, .benchDoors, .benchEngine, .benchOutbox, .benchServer,
        .simulate,
    ]
}
