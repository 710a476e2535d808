// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension Program {
    /// Runs the command that the arguments of this process name, and ends the process with its exit code.
    ///
    /// The command runs in a detached task: an `async main` would run on the main actor, where each hop costs
    /// a change of threads.
    package func main() {
        StandardDescriptors.reserve()
        // A closed output is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        FirstProcess.endsWithSignals()
        let words = Array(CommandLine.arguments.dropFirst())
        let ended = DispatchSemaphore(value: 0)
        // This function owns the task and waits for it; the task ends the process.
        Task.detached {
            let code = await run(words)
            // Incomplete output is a failure, whatever the result of the command.
            exit((StandardOutput.isIncomplete ? ExitCode.storage : code).rawValue)
        }
        ended.wait()
    }

    private func run(_ words: [String]) async -> ExitCode {
        do {
            switch try CommandLineParser(self).parse(words) {
            case .help(let topic): StandardOutput.writeNow(HelpText.about(topic, of: self))
            case .version: StandardOutput.writeNow("\(name) \(Self.version)")
            case .run(let command, let arguments): try await command.run(arguments)
            }
            return .done
        } catch {
            for line in error.message.split(separator: "\n") {
                StandardError.write("\(name): \(line)")
            }
            return error.code
        }
    }
}
