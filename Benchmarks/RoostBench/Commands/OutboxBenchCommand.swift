// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let waiting = Option(
        "waiting", .number(placeholder: "N", 100...1_000_000), standard: "10000",
        help: "messages that wait for the connection")
}

extension Command {
    static let benchOutbox = Command(
        "outbox", summary: "measures the outbox: a send call, and a queue that drains",
        explanation: """
            A send call against one durable transaction of a plain C program, and messages that wait against
            messages sent one by one, with a server of its own on this machine. Reports its steps on
            standard error. A missed target is a figure, not a failure.
            """,
        options: [.json, .waiting, .rounds, .benchFolder],
        example: "roost-bench outbox --waiting 1000",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let made =
                arguments.has(.benchFolder) ? nil : try TemporaryFolder(named: "roost-bench")
            let folder = made?.path ?? arguments.requiredText(.benchFolder)
            var options = OutboxBench.Options(folder: folder)
            if let waiting = arguments.number(.waiting) { options.waiting = waiting }
            if let rounds = arguments.number(.rounds) { options.rounds = rounds }
            let outcome: Result<BenchReport, BenchError>
            do throws(BenchError) {
                outcome = .success(
                    try await OutboxBench.run(options) { StandardError.write("bench: \($0)") })
            } catch {
                outcome = .failure(error)
            }
            made?.remove()
            switch outcome {
            case .success(let report):
                StandardOutput.writeNow(arguments.has(.json) ? report.json : report.table)
            case .failure(let error): throw CommandFailure(.failed, error.message)
            }
        })
}
