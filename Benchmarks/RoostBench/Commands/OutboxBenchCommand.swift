// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let waiting = Option(
        "waiting", .number(placeholder: "N", 100...1_000_000), standard: "10000",
        help: "messages that wait for the connection")
}

extension Command {
    static let benchOutbox = bench(
        "outbox", measures: "the outbox: a send call, and a queue that drains",
        explanation: """
            A send call against one durable transaction of a plain C program, and messages that wait against
            messages sent one by one, with a server of its own on this machine. Reports its steps on
            standard error. A missed target is a figure, not a failure.
            """,
        options: [.waiting, .rounds],
        example: "roost-bench outbox --waiting 1000",
        prepare: { arguments, folder throws(CommandFailure) in
            var options = OutboxBench.Options(folder: folder.path)
            options.waiting = arguments.number(.waiting) ?? options.waiting
            options.rounds = arguments.number(.rounds) ?? options.rounds
            return { [options] progress throws(BenchError) in
                try await OutboxBench.run(options, progress: progress)
            }
        })
}
